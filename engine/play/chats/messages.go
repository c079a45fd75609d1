package chats

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Message is a node as a front end shows it, with its place among its siblings (At counts from 0,
// Siblings from 1) and the picture that it shows.
type Message struct {
	storage.Node
	Siblings int
	At       int
	Picture  *storage.Capture
	// Shown is the message after regex scripts, nil if they do not change it.
	Shown *Shown
}

// View is an open chat: the newest messages of the head's path, oldest first,
// and all that is needed to show them. It is a copy; the caller owns it.
type View struct {
	Chat      storage.Chat
	Character storage.Character
	Persona   storage.Persona
	Messages  []Message
	Total     int  // messages from root to head, deleted ones included
	More      bool // there are messages before the first one here
	Fork      bool // messages below the head exist: the next message begins a branch
	Draft     string
	Model     string // that the next turn will ask
	Running   storage.NodeID
	// Windowed is the number of newest messages whose depth decides how they are shown, 0 if depth
	// does not matter. With a new message, some of them are shown differently.
	Windowed int
}

// ChatInfo is a line of the list of chats.
type ChatInfo struct {
	storage.Chat
	CharacterName string
	Messages      int    // from root to head
	Preview       string // how the newest message begins
}

// Has reports whether a message is stored.
func Has(tx *storage.Tx, chat storage.ChatID, id storage.NodeID) bool {
	_, err := tx.Node(chat, id)
	return err == nil
}

// PutLive puts a growing reply into a view: in its place, or at the end if the view was read before
// the reply was stored.
func (v *View) PutLive(m Message, stored bool, last int) {
	for i := range v.Messages {
		if old := &v.Messages[i]; old.ID == m.ID {
			old.Content, old.Thinking, old.State, old.Fault = m.Content, m.Thinking, m.State, m.Fault
			return
		}
	}
	if stored {
		return // above the oldest message here
	}
	if n := len(v.Messages); n > 0 { // pictures may have come between
		m.Parent, m.Depth = v.Messages[n-1].ID, v.Messages[n-1].Depth+1
	}
	v.Messages = append(v.Messages, m)
	if last > 0 && len(v.Messages) > last {
		v.Messages, v.More = v.Messages[1:], true
	}
}

// Cast returns the main character and the persona of a chat. A deleted character is left empty; a
// missing persona becomes the default one.
func (svc *Service) Cast(tx *storage.Tx, c storage.Chat) (storage.Character, storage.Persona) {
	who, err := storage.Characters.Get(tx, c.Character)
	if err != nil {
		who = storage.Character{}
	}
	p, err := storage.Personas.Get(tx, c.Persona)
	if err != nil {
		p = DefaultPersona(tx)
	}
	return who, p
}

// DefaultPersona returns the persona of chats that have none of their own, empty if no default is
// set.
func DefaultPersona(tx *storage.Tx) storage.Persona {
	for _, p := range storage.Personas.All(tx) {
		if p.Default {
			return p
		}
	}
	return storage.Persona{}
}

// MessagesOf returns nodes as a front end shows them.
func MessagesOf(tx *storage.Tx, nodes []storage.Node) ([]Message, error) {
	out := make([]Message, 0, len(nodes))
	for _, n := range nodes {
		m, err := MessageOf(tx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// MessageOf returns a node as a front end shows it.
func MessageOf(tx *storage.Tx, n storage.Node) (Message, error) {
	ids, at, err := tx.Siblings(n.Chat, n.ID)
	if err != nil {
		return Message{}, err
	}
	m := Message{Node: n, Siblings: max(1, len(ids)), At: at}
	if n.Capture != "" {
		if c, err := storage.Captures.Get(tx, n.Capture); err == nil {
			m.Picture = &c
		}
	}
	return m, nil
}

// Before reads up to n messages of the path that ends just before a node.
func (svc *Service) Before(chat storage.ChatID, node storage.NodeID, n int) (msgs []Message, more bool, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		nodes, err := tx.PathBefore(chat, node, n)
		if err != nil {
			return err
		}
		more = len(nodes) == n && nodes[0].Parent != ""
		msgs, err = MessagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return nil, false, failure.Wrap("read older messages", err)
	}
	svc.ApplyDisplayScripts(chat, msgs)
	return msgs, more, nil
}

// MessageRange is a part of the head's path, oldest first.
type MessageRange struct {
	Messages []Message
	Older    bool // there are messages before it
}

// After reads up to n messages of the head's path that follow a node; from the beginning if node is
// "".
func (svc *Service) After(chat storage.ChatID, node storage.NodeID, n int) (msgs []Message, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		nodes, err := tx.PathBelow(chat, c.Head, node, n)
		if err != nil {
			return err
		}
		msgs, err = MessagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("read newer messages", err)
	}
	svc.ApplyDisplayScripts(chat, msgs)
	return msgs, nil
}

// Around reads a node of the head's path with up to n messages before it and n after it. It returns
// nothing if the node is not on the path or was deleted, and the first n messages if node is "".
func (svc *Service) Around(chat storage.ChatID, node storage.NodeID, n int) (s MessageRange, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		var nodes []storage.Node
		if node != "" {
			if !ShownOn(tx, c, node) {
				return nil
			}
			if nodes, err = tx.Path(chat, node, n+1); err != nil {
				return err
			}
			s.Older = len(nodes) == n+1 && nodes[0].Parent != ""
		}
		below, err := tx.PathBelow(chat, c.Head, node, n)
		if err != nil {
			return err
		}
		s.Messages, err = MessagesOf(tx, append(nodes, below...))
		return err
	})
	if err != nil {
		return MessageRange{}, failure.Wrap("read messages", err)
	}
	svc.ApplyDisplayScripts(chat, s.Messages)
	return s, nil
}

// Path reads the newest messages of the head's path: at most last, or all if last is 0.
func (svc *Service) Path(chat storage.ChatID, last int) (c storage.Chat, msgs []Message, err error) {
	c, err = svc.InParts(chat, last, false, func(part []Message) error {
		msgs = append(msgs, part...)
		return nil
	})
	return c, msgs, err
}

// Tree reads the messages of all branches of a chat, oldest first, without deleted ones.
func (svc *Service) Tree(chat storage.ChatID) (c storage.Chat, msgs []Message, err error) {
	c, err = svc.InParts(chat, 0, true, func(part []Message) error {
		msgs = append(msgs, part...)
		return nil
	})
	return c, msgs, err
}

// atOnce is the number of messages that InParts reads at a time.
const atOnce = 256

// InParts passes messages to give in order, without deleted ones, atOnce at a time: those of the
// head's path, or with tree those of all branches by age. last limits them to the newest, 0 for
// all. An error of give ends it and is returned.
func (svc *Service) InParts(chat storage.ChatID, last int, tree bool,
	give func(part []Message) error) (c storage.Chat, err error) {
	return svc.inParts(chat, "", last, tree, give)
}

// inParts is like InParts for the path to a leaf; "" is the head.
func (svc *Service) inParts(chat storage.ChatID, leaf storage.NodeID, last int, tree bool,
	give func(part []Message) error) (c storage.Chat, err error) {
	var ids []storage.NodeID
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if c, err = storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		leaf = cmp.Or(leaf, c.Head)
		from := tx.PathInfos(chat, leaf)
		if tree {
			from = tx.NodeInfos(chat)
		}
		above := 0
		for p := range from {
			if above = p.Depth; !p.Deleted {
				ids = append(ids, p.ID)
			}
			if !tree && len(ids) == last && last > 0 {
				return nil
			}
		}
		if !tree && (above > 0 || len(ids) == 0 && leaf != "") {
			_, err = tx.Path(chat, leaf, 0) // returns the error if the path is broken
		}
		return err
	})
	if !tree {
		slices.Reverse(ids)
	} else if last > 0 {
		ids = ids[max(0, len(ids)-last):]
	}
	for part := range slices.Chunk(ids, atOnce) {
		if err != nil {
			break
		}
		var msgs []Message
		err = svc.core.Store.View(func(tx *storage.Tx) error {
			for _, id := range part {
				n, err := tx.Node(chat, id)
				if err == nil && !n.Deleted {
					msgs, err = appended(tx, msgs, n)
				}
				if failure.IgnoreMissing(err) != nil {
					return err
				}
			}
			return nil
		})
		if err == nil && len(msgs) > 0 {
			err = give(msgs)
		}
	}
	if err != nil {
		err = failure.Wrap("read chat", err)
	}
	return c, err
}

// errEnough ends InParts.
var errEnough = errors.New("enough")

// All returns the messages of the head's path in order, without the deleted ones, as
// InParts reads them. An error comes last.
func (svc *Service) All(chat storage.ChatID) iter.Seq2[Message, error] { return svc.Along(chat, "") }

// Along is like All, for the path to a leaf; "" means the head.
func (svc *Service) Along(chat storage.ChatID, leaf storage.NodeID) iter.Seq2[Message, error] {
	return svc.along(chat, leaf, false)
}

// AlongShown is like Along, with display scripts applied to the messages.
func (svc *Service) AlongShown(chat storage.ChatID, leaf storage.NodeID) iter.Seq2[Message, error] {
	return svc.along(chat, leaf, true)
}

func (svc *Service) along(chat storage.ChatID, leaf storage.NodeID, shown bool) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		_, err := svc.inParts(chat, leaf, 0, false, func(part []Message) error {
			if shown {
				svc.ApplyDisplayScripts(chat, part)
			}
			for _, m := range part {
				if !yield(m, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Message{}, err)
		}
	}
}

// appended appends a node as a front end shows it.
func appended(tx *storage.Tx, msgs []Message, n storage.Node) ([]Message, error) {
	m, err := MessageOf(tx, n)
	return append(msgs, m), err
}

// Named returns a text of a card or a message for a list, with its macros replaced by the names of
// character and persona.
func Named(text string, card storage.Card, p storage.Persona) string {
	if !strings.Contains(text, "{{") && !strings.Contains(text, "<") {
		return text
	}
	out, _ := prompts.Expand(text, EnvOf(card, p))
	return out
}

// List lists the chats, the newest activity first.
func (svc *Service) List() ([]ChatInfo, error) {
	var out []ChatInfo
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		cards := map[storage.CharacterID]storage.Card{}
		for id, c := range storage.Characters.All(tx) {
			cards[id] = c.Card
		}
		personas := map[storage.PersonaID]storage.Persona{}
		for id, p := range storage.Personas.All(tx) {
			personas[id] = p
		}
		for id, c := range storage.Chats.All(tx) {
			info := ChatInfo{Chat: c, CharacterName: cards[c.Character].Name}
			if head, err := tx.Path(id, c.Head, 1); err == nil && len(head) > 0 {
				info.Messages = head[0].Depth + 1
				info.Preview = failure.FirstRunes(
					Named(failure.FirstRunes(head[0].Content, 400), cards[c.Character], personas[c.Persona]), 120)
			}
			out = append(out, info)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("list chats", err)
	}
	slices.SortStableFunc(out, func(a, b ChatInfo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return out, nil
}

// Last returns the chat to open at the start: the one that was open last, or the newest. ok is
// false if there is none.
func (svc *Service) Last() (id storage.ChatID, ok bool, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		var last storage.ChatID
		if _, err := tx.Setting(settingChat, &last); err != nil {
			return err
		}
		if last != "" {
			if _, err := storage.Chats.Get(tx, last); err == nil {
				id, ok = last, true
				return nil
			}
		}
		for k := range storage.Chats.Backward(tx) {
			id, ok = k, true
			break
		}
		return nil
	})
	if err != nil {
		err = failure.Wrap("last chat", err)
	}
	return id, ok, err
}

// Find returns a chat by its ID, a unique prefix of the ID, or its title.
func (svc *Service) Find(ref string) (storage.Chat, error) {
	return core.Find(svc.core, "chat", ref, storage.Chats, func(c storage.Chat) (string, string) { return c.Title, "" })
}

// SentHistory returns the texts that the user sent in a chat, oldest first.
func (svc *Service) SentHistory(chat storage.ChatID) ([]string, error) {
	var sent []string
	err := svc.core.Store.View(func(tx *storage.Tx) error { _, err := tx.Setting(SentKey(chat), &sent); return err })
	if err != nil {
		return nil, failure.Wrap("sent history", err)
	}
	return sent, nil
}

// SentKey returns the key of the setting that holds the texts sent in a chat.
func SentKey(chat storage.ChatID) string { return "sent/" + string(chat) }

// Requested reports whether a message shows a picture that somebody asked for. Such a picture is
// shown as the character's own message. It is stored like any picture, so no language model sees
// it.
func (m Message) Requested() bool { return m.Picture != nil && m.Picture.Requested != "" }
