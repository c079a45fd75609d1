package chats

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Segment is a part of a chat's tree without a fork: from below one fork to the next one, or to
// an end. A message with a name begins a segment too.
type Segment struct {
	First    storage.NodeID `json:"first"` // its first message that was not deleted
	Last     storage.NodeID `json:"last"`
	Above    int            `json:"above"`    // index of the segment that it continues, -1 for none
	Level    int            `json:"level"`    // number of forks at which it leaves the main continuation
	Depth    int            `json:"depth"`    // messages above it, deleted ones included
	Messages int            `json:"messages"` // that it has, pictures included
	Pictures int            `json:"pictures"`
	Scenes   int            `json:"scenes"` // that end in it
	// Swipes counts the swipes of its replies without an answer, which have no segment of their own.
	Swipes int  `json:"takes"`
	Shown  bool `json:"shown"` // the chat as it is shown leads through it
	Ends   bool `json:"ends"`  // nothing follows it

	Name    string    `json:"name"` // the user's name for it, "" for none
	Speaker string    `json:"speaker"`
	Opening string    `json:"opening"` // how its first message begins, on one line
	At      time.Time `json:"at"`      // creation time of its first message
}

// Branches are a chat's tree as segments.
type Branches struct {
	Chat storage.ChatID `json:"chat"`
	// Segments are the segments of the tree, each after the one that it continues. Side branches come
	// before the continuation.
	Segments []Segment `json:"branches"`
	More     int       `json:"more"` // segments that are not listed, because there are too many
}

// maxSegments is the most segments that Branches returns: a longer map is unreadable, and each segment
// costs the reading of a message.
const maxSegments = 2000

// openingRunes is the length of a message's excerpt in a list.
const openingRunes = 160

// Branches returns the branches of a chat. Replies without an answer are counted as swipes of the
// segment beside them, unless swipes asks for a segment each. It reads the places of all messages,
// but only the messages that begin a segment.
func (svc *Service) Branches(chat storage.ChatID, swipes bool) (b Branches, err error) {
	b.Chat = chat
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		w := newMessageTree(slices.Collect(tx.NodeInfos(chat)))
		for p := range tx.PathInfos(chat, c.Head) {
			w.onPath(p.ID)
		}
		for id := range storage.Breaks.All(tx, chat) {
			w.endsScene(id)
		}
		names, err := branchNames(tx, chat)
		if err != nil {
			return err
		}
		for id := range names {
			w.begins(id)
		}
		b.Segments = w.segments(swipes)
		if n := len(b.Segments) - maxSegments; n > 0 {
			b.Segments, b.More = b.Segments[:maxSegments], n
		}
		return openings(tx, chat, b.Segments, names)
	})
	if err != nil {
		return Branches{}, failure.Wrap("read the branches", err)
	}
	return b, nil
}

// openings reads the beginnings of segments.
func openings(tx *storage.Tx, chat storage.ChatID, segments []Segment, names map[storage.NodeID]string) error {
	for i := range segments {
		n, err := tx.Node(chat, segments[i].First)
		if err != nil {
			return err
		}
		l := &segments[i]
		l.Name, l.Speaker, l.At = names[n.ID], n.Name, n.CreatedAt
		if l.Opening = opening(n.Content); l.Opening == "" && n.Role == storage.SceneCapture {
			l.Opening = "a picture"
		}
	}
	return nil
}

// opening returns how a text begins, on one line.
func opening(text string) string {
	if len(text) > 4*openingRunes {
		text = strings.ToValidUTF8(text[:4*openingRunes], "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > openingRunes {
		return string(line[:openingRunes-1]) + "…"
	}
	return string(line)
}

// SegmentMessages reads the first n messages of the segment from first to last.
func (svc *Service) SegmentMessages(chat storage.ChatID, first, last storage.NodeID,
	n int) (msgs []Message, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(chat, first)
		if err != nil {
			return err
		}
		nodes, err := tx.PathBelow(chat, last, p.Parent, n)
		if err != nil {
			return err
		}
		msgs, err = MessagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("read a branch", err)
	}
	return msgs, nil
}

// Limits of a chat's branch names: the length of one, in bytes, and their number.
const (
	maxNameLen = 200
	maxNames   = 1000
	namesKind  = "branch names"
)

// branchNames returns the names of a chat's branches by their first messages.
func branchNames(tx *storage.Tx, chat storage.ChatID) (map[storage.NodeID]string, error) {
	text, err := tx.Text(namesKind, string(chat))
	if err != nil || text == "" {
		return map[storage.NodeID]string{}, err
	}
	names := map[storage.NodeID]string{}
	if err := json.Unmarshal([]byte(text), &names); err != nil {
		return nil, fmt.Errorf("%w: the names of branches of chat %s: %w", storage.ErrCorrupt, chat, err)
	}
	return names, nil
}

// NameBranch names the branch that begins with a message; "" removes the name. A named message in
// the middle of a branch begins a segment of its own on the map.
func (svc *Service) NameBranch(chat storage.ChatID, node storage.NodeID, name string) error {
	if name = strings.Join(strings.Fields(name), " "); len(name) > maxNameLen {
		return failure.Refusef("the name of a branch has at most %d bytes", maxNameLen)
	}
	return svc.Rewrite(chat, "name a branch", func(tx *storage.Tx) error {
		if _, err := tx.NodeInfo(chat, node); err != nil {
			return err
		}
		was, err := putName(tx, chat, node, name)
		if err != nil || was == name {
			return err
		}
		return svc.note(tx, chat, storage.Change{Kind: storage.ChangeName, Nodes: []storage.NodeID{node},
			Was: &storage.TextState{Text: was}, Now: &storage.TextState{Text: name}})
	})
}

// putName sets the name of the branch that begins with a message, "" for none, and returns the old
// name.
func putName(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, name string) (was string, err error) {
	names, err := branchNames(tx, chat)
	if err != nil {
		return "", err
	}
	was = names[node]
	if names[node] = name; name == "" {
		delete(names, node)
	}
	if len(names) > maxNames {
		return "", failure.Refusef("a chat has at most %d names of branches", maxNames)
	}
	text, err := json.Marshal(names)
	if err != nil {
		return "", err
	}
	return was, tx.PutText(namesKind, string(chat), string(text))
}

// CombineSwipes stores text, which was put together from swipes of a reply, as another one beside
// them, and shows it. Messages below the other swipes stay there.
func (svc *Service) CombineSwipes(chat storage.ChatID, take storage.NodeID,
	text string) (made storage.NodeID, err error) {
	if strings.TrimSpace(text) == "" {
		return "", failure.Refusef("nothing was selected for the new swipe")
	}
	err = svc.Rewrite(chat, "combine swipes", func(tx *storage.Tx) error {
		was, err := tx.Node(chat, take)
		if err != nil {
			return err
		}
		if was.Role != storage.Assistant {
			return failure.Refusef("only replies have swipes")
		}
		n := storage.Node{Chat: chat, Parent: was.Parent, Role: was.Role, Name: was.Name, Speaker: was.Speaker,
			Presence: was.Presence, Content: text, State: storage.Complete, CreatedAt: svc.core.Config.Now(),
			Window: was.Window, Recaps: was.Recaps}
		n.EditedAt = n.CreatedAt // the user put it together
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		made = n.ID
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		step := storage.Change{Kind: storage.ChangeCombine, Nodes: []storage.NodeID{n.ID}, From: c.Head, To: n.ID}
		if err := svc.note(tx, chat, step); err != nil {
			return err
		}
		if err := svc.SetHead(tx, chat, n.ID); err != nil {
			return err
		}
		return svc.Replied.Run(tx, FinishedReply{Node: &n})
	})
	return made, err
}

// maxSwipes limits the swipes of one message that Swipes reads.
const maxSwipes = 100

// Swipes reads the versions of a message that were not deleted, including itself, oldest first; the
// nearest maxSwipes if there are more.
func (svc *Service) Swipes(chat storage.ChatID, node storage.NodeID) (msgs []Message, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		ids, at, err := tx.Siblings(chat, node)
		if err != nil {
			return err
		}
		if from := max(0, min(at-maxSwipes/2, len(ids)-maxSwipes)); len(ids) > maxSwipes {
			ids = ids[from : from+maxSwipes]
		}
		for _, id := range ids {
			n, err := tx.Node(chat, id)
			if err != nil {
				return err
			}
			msgs = append(msgs, Message{Node: n, Siblings: len(ids)})
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("read swipes", err)
	}
	return msgs, nil
}

// NothingFollowed reports whether all messages below a message are deleted.
func NothingFollowed(tx *storage.Tx, chat storage.ChatID, id storage.NodeID) (bool, error) {
	open := []storage.NodeID{id}
	for len(open) > 0 {
		kids, err := tx.Children(chat, open[len(open)-1])
		if err != nil {
			return false, err
		}
		open = open[:len(open)-1]
		for _, kid := range kids {
			p, err := tx.NodeInfo(chat, kid)
			if err != nil {
				return false, err
			}
			if !p.Deleted {
				return false, nil
			}
			open = append(open, kid)
		}
	}
	return true, nil
}
