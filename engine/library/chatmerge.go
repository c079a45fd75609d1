package library

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A chat that was moved out carries its ID and the IDs of its messages. When it is imported again,
// existing messages are found, the others are added below them, and files of branches become
// branches of one chat again. Existing messages are never changed. IDs are untrusted: a message is
// the same only if its text is the same.

// OwnChat returns the chat that a file was moved out from, and whether all of the file is
// in it. found is false if the file names none, or one that is not here.
func (svc *Service) OwnChat(tx *storage.Tx, f *formats.ChatFile) (id storage.ChatID, whole, found bool, err error) {
	id, _ = ownID(f.Metadata)
	if !tx.HasChat(id) {
		return "", false, false, nil
	}
	g := chatMerger{tx: tx, chat: id, own: true}
	for m, err := range f.All() {
		if err != nil {
			return id, false, true, err
		}
		all, chosen := m.Variants()
		next := g.parent
		for i, v := range all {
			at, ok, err := g.findMessage(storage.NodeID(v.ID), v.Content)
			if err != nil || !ok {
				return id, false, true, err
			}
			if i == chosen {
				next = at
			}
		}
		g.parent = next
	}
	return id, true, true, nil
}

// HasOwnChat reports whether the chat exists that a file was moved out from.
func HasOwnChat(tx *storage.Tx, f *formats.ChatFile) bool {
	id, _ := ownID(f.Metadata)
	return tx.HasChat(id)
}

// ownID returns the ID of the chat that a file was moved out from, and whether the file is a
// branch that the chat does not show.
func ownID(metadata json.RawMessage) (id storage.ChatID, branch bool) {
	var meta struct {
		Chat storage.ChatID  `json:"ghostlight_chat"`
		Fork json.RawMessage `json:"ghostlight_fork"`
	}
	if len(metadata) == 0 || json.Unmarshal(metadata, &meta) != nil || !storage.IsID(string(meta.Chat)) {
		return "", false
	}
	return meta.Chat, len(meta.Fork) > 0
}

// chatMerger adds messages to a chat, each below the one before.
type chatMerger struct {
	mergeState
	tx   *storage.Tx
	chat storage.ChatID
	own  bool           // look for existing messages
	head storage.NodeID // of the chat before the merge
}

// findMessage returns the message of the chat with an ID and a text. Without such an ID it returns
// a child of the current parent with the same text.
func (g *chatMerger) findMessage(id storage.NodeID, text string) (at storage.NodeID, ok bool, err error) {
	if storage.IsID(string(id)) {
		n, err := g.tx.Node(g.chat, id)
		switch {
		case err == nil && n.Content == text:
			return id, true, nil
		case errors.Is(err, storage.ErrNotFound):
			return "", false, nil
		case err != nil:
			return "", false, err
		}
	}
	kids, err := g.tx.Children(g.chat, g.parent)
	if err != nil {
		return "", false, err
	}
	for _, kid := range kids {
		if n, err := g.tx.Node(g.chat, kid); err != nil {
			return "", false, err
		} else if n.Content == text && !n.Deleted {
			return kid, true, nil
		}
	}
	return "", false, nil
}

// addLine adds the variants of a line and continues below the chosen one. It returns the chosen
// message and whether that was added.
func (g *chatMerger) addLine(list []storage.Node, chosen int) (n storage.Node, fresh bool, err error) {
	for i := range list {
		one := &list[i]
		one.Chat, one.Parent = g.chat, g.parent
		isNew := true
		if g.own {
			id, ok, err := g.findMessage(one.ID, one.Content)
			switch {
			case err != nil:
				return n, false, err
			case ok:
				one.ID, isNew = id, false
			case g.isTaken(one.ID):
				one.ID = ""
			}
		}
		if isNew {
			if err := g.tx.AppendNode(one); err != nil {
				return n, false, err
			}
			g.added++
		}
		fresh = fresh || isNew && i == chosen
	}
	g.parent = list[chosen].ID
	g.passedHead = g.passedHead || g.parent == g.head
	return list[chosen], fresh, nil
}

// isTaken reports whether an ID cannot be used for a new message.
func (g *chatMerger) isTaken(id storage.NodeID) bool {
	if !storage.IsID(string(id)) {
		return true
	}
	_, err := g.tx.NodeInfo(g.chat, id)
	return !errors.Is(err, storage.ErrNotFound)
}

// mergeState is the progress of merging a file into a chat.
type mergeState struct {
	parent     storage.NodeID // the next message is added below this one
	passedHead bool           // the head of the chat was passed
	added      int
}

// mergeMessages adds messages of a file that a chat does not have, starting at the end of an
// earlier batch. The head of the chat stays, unless the file continues below it.
func (a *chatImporter) mergeMessages(from mergeState, messages iter.Seq2[*formats.ChatMessage,
	error]) (mergeState, error) {
	id, branch := ownID(a.in.File.Metadata)
	c, err := storage.Chats.Get(a.tx, id)
	if err != nil {
		return from, err
	}
	if a.isGroupChat() && len(c.Play.Cast) > 0 {
		a.speakers = speakersOf(a.tx, c)
	}
	g := chatMerger{mergeState: from, tx: a.tx, chat: id, own: true, head: c.Head}
	for m, err := range messages {
		if err != nil {
			return from, err
		}
		if err := a.mergeLine(&g, m); err != nil {
			return from, err
		}
	}
	a.result.Character, err = storage.Characters.Get(a.tx, c.Character)
	if failure.IgnoreMissing(err) != nil {
		return from, err
	}
	a.result.Merged, a.result.Added = true, g.added
	if g.added > 0 {
		a.warn("%d messages were added to the existing chat %s", g.added, quoteName(c.Title))
		if !branch && g.passedHead {
			c.Head = g.parent
		}
		c.UpdatedAt = a.svc.core.Config.Now()
		err = storage.Chats.Put(a.tx, c.ID, c)
	} else {
		err = nil
	}
	a.result.Chat = c
	return g.mergeState, err
}

// mergeLine adds a line of the file, with the scene that ends there.
func (a *chatImporter) mergeLine(g *chatMerger, m *formats.ChatMessage) error {
	list, chosen := a.variants(m)
	n, fresh, err := g.addLine(list, chosen)
	if err != nil || !fresh {
		return err
	}
	return a.svc.scenes.ImportScene(a.tx, g.chat, n, m.Scene)
}

// MergeLong is AddChatWithin for a long file of an existing chat. It commits in batches, each of
// which leaves the chat consistent.
func (svc *Service) MergeLong(ctx context.Context, in ChatImport) (got ImportResult, err error) {
	gist := in.File.Summary()
	var done mergeState
	var portion []*formats.ChatMessage
	size := 0
	flush := func() error {
		err := context.Cause(ctx)
		if err == nil {
			err = svc.core.Store.Update(func(tx *storage.Tx) error {
				a := svc.newChatImporter(tx, &in, gist)
				next, err := a.mergeMessages(done, withoutErrors(portion))
				if err == nil {
					done, got = next, *a.result
				}
				return err
			})
		}
		clear(portion)
		portion, size = portion[:0], 0
		return err
	}
	for m, err := range in.File.All() {
		if err != nil {
			return got, err
		}
		one := *m // its texts belong to the reader's line
		one.Extra, one.Swipes = slices.Clone(m.Extra), slices.Clone(m.Swipes)
		portion = append(portion, &one)
		for _, s := range m.Swipes {
			size += len(s.Content) + len(s.Extra)
		}
		if size += len(m.Content) + len(m.Extra); len(portion) >= batchMessages || size >= batchBytes {
			if err := flush(); err != nil {
				return got, err
			}
		}
	}
	if err := flush(); err != nil {
		return got, err
	}
	svc.chats.IndexSoon(got.Chat.ID)
	return got, nil
}

func withoutErrors(list []*formats.ChatMessage) iter.Seq2[*formats.ChatMessage, error] {
	return func(yield func(*formats.ChatMessage, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// speakersOf returns the speakers of an existing chat, by avatar file and by name.
func speakersOf(tx *storage.Tx, c storage.Chat) speakerIndex {
	k := speakerIndex{map[string]storage.CharacterID{}, map[string]storage.CharacterID{}}
	if c.From != nil {
		maps.Copy(k.byFile, c.From.Faces)
	}
	add := func(id storage.CharacterID) {
		if who, err := storage.Characters.Get(tx, id); err == nil {
			k.byName[strings.ToLower(who.Card.Name)] = id
		}
	}
	add(c.Character)
	for _, one := range c.Play.Cast {
		add(one.Character)
	}
	return k
}
