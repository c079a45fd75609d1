package library

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A chat that was moved out carries its ID and those of its messages. Where it comes in
// again, these are the same chat and the same messages: what is there is found, the rest is
// added below it, and files of branches become branches of one chat again. Nothing that is
// there is changed. IDs are untrusted: a message is the same only if it says the same.

// OwnChat returns the chat that a file was moved out from, and whether all of the file is
// in it. found is false where the file names none, or one that is not here.
func (svc *Service) OwnChat(tx *storage.Tx, f *ecosystem.ChatFile) (id storage.ChatID, whole, found bool, err error) {
	id, _ = ownID(f.Metadata)
	if !tx.HasChat(id) {
		return "", false, false, nil
	}
	g := graft{tx: tx, chat: id, own: true}
	for m, err := range f.Each() {
		if err != nil {
			return id, false, true, err
		}
		all, chosen := m.Variants()
		next := g.at
		for i, v := range all {
			at, ok, err := g.find(storage.NodeID(v.ID), v.Content)
			if err != nil || !ok {
				return id, false, true, err
			}
			if i == chosen {
				next = at
			}
		}
		g.at = next
	}
	return id, true, true, nil
}

// HasOwnChat reports whether the chat that a file was moved out from is here.
func HasOwnChat(tx *storage.Tx, f *ecosystem.ChatFile) bool {
	id, _ := ownID(f.Metadata)
	return tx.HasChat(id)
}

// ownID is the ID of the chat that a file's metadata were moved out from, and whether the
// file is a branch of it that the chat does not show.
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

// graft adds messages to a chat, each below the one before.
type graft struct {
	grafted
	tx   *storage.Tx
	chat storage.ChatID
	own  bool           // messages that are there already are looked for
	head storage.NodeID // of the chat as it was
}

// find is the message of the chat that has an ID and a text. Without an ID, or where that
// says something else, it is one that says the same right below where the graft stands.
func (g *graft) find(id storage.NodeID, text string) (at storage.NodeID, ok bool, err error) {
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
	kids, err := g.tx.Children(g.chat, g.at)
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

// line adds the variants of a line and goes on below the chosen one, which it returns. fresh
// reports whether that was added.
func (g *graft) line(list []storage.Node, chosen int) (n storage.Node, fresh bool, err error) {
	for i := range list {
		one := &list[i]
		one.Chat, one.Parent = g.chat, g.at
		isNew := true
		if g.own {
			id, ok, err := g.find(one.ID, one.Content)
			switch {
			case err != nil:
				return n, false, err
			case ok:
				one.ID, isNew = id, false
			case g.taken(one.ID):
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
	g.at = list[chosen].ID
	g.met = g.met || g.at == g.head
	return list[chosen], fresh, nil
}

// taken reports whether an ID cannot be that of a new message.
func (g *graft) taken(id storage.NodeID) bool {
	if !storage.IsID(string(id)) {
		return true
	}
	_, err := g.tx.Place(g.chat, id)
	return !errors.Is(err, storage.ErrNotFound)
}

// grafted is how far a file has been added to a chat.
type grafted struct {
	at    storage.NodeID // below which the next message comes
	met   bool           // the way has led through the chat's head
	added int
}

// merge adds to a chat what messages of a file it has not, from where an earlier part of the
// file has come to. The chat goes on where it did, or where the file goes on below that.
func (a *adding) merge(from grafted, messages iter.Seq2[*ecosystem.ChatMessage, error]) (grafted, error) {
	id, branch := ownID(a.in.File.Metadata)
	c, err := storage.Chats.Get(a.tx, id)
	if err != nil {
		return from, err
	}
	if a.several() && len(c.Play.Cast) > 0 {
		a.cast = castOf(a.tx, c)
	}
	g := graft{grafted: from, tx: a.tx, chat: id, own: true, head: c.Head}
	for m, err := range messages {
		if err != nil {
			return from, err
		}
		if err := a.line(&g, m); err != nil {
			return from, err
		}
	}
	a.got.Character, err = storage.Characters.Get(a.tx, c.Character)
	if failure.IgnoreMissing(err) != nil {
		return from, err
	}
	a.got.Merged, a.got.Added = true, g.added
	if g.added > 0 {
		a.warn("%d messages were added to the existing chat %s", g.added, quote(c.Title))
		if !branch && g.met {
			c.Head = g.at
		}
		c.UpdatedAt = a.svc.core.Config.Now()
		err = storage.Chats.Put(a.tx, c.ID, c)
	} else {
		err = nil
	}
	a.got.Chat = c
	return g.grafted, err
}

// line adds a line of the file, with the scene that ends there.
func (a *adding) line(g *graft, m *ecosystem.ChatMessage) error {
	list, chosen := a.variants(m)
	n, fresh, err := g.line(list, chosen)
	if err != nil || !fresh {
		return err
	}
	return a.svc.scenes.ImportScene(a.tx, g.chat, n, m.Scene)
}

// MergeLong is AddChatWithin for a long file of a chat that is here: portion by portion, each
// of which leaves a whole chat.
func (svc *Service) MergeLong(ctx context.Context, in ChatImport) (got Imported, err error) {
	gist := in.File.Gist()
	var done grafted
	var portion []*ecosystem.ChatMessage
	size := 0
	flush := func() error {
		err := context.Cause(ctx)
		if err == nil {
			err = svc.core.Store.Update(func(tx *storage.Tx) error {
				a := svc.adding(tx, &in, gist)
				next, err := a.merge(done, eachOf(portion))
				if err == nil {
					done, got = next, *a.got
				}
				return err
			})
		}
		clear(portion)
		portion, size = portion[:0], 0
		return err
	}
	for m, err := range in.File.Each() {
		if err != nil {
			return got, err
		}
		one := *m // its texts are those of the reader's line
		one.Extra, one.Swipes = slices.Clone(m.Extra), slices.Clone(m.Swipes)
		portion = append(portion, &one)
		for _, s := range m.Swipes {
			size += len(s.Content) + len(s.Extra)
		}
		if size += len(m.Content) + len(m.Extra); len(portion) >= portionMessages || size >= portionBytes {
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

func eachOf(list []*ecosystem.ChatMessage) iter.Seq2[*ecosystem.ChatMessage, error] {
	return func(yield func(*ecosystem.ChatMessage, error) bool) {
		for _, m := range list {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// castOf are the speakers of a chat that is here, by their files and names.
func castOf(tx *storage.Tx, c storage.Chat) casting {
	k := casting{map[string]storage.CharacterID{}, map[string]storage.CharacterID{}}
	if c.From != nil {
		maps.Copy(k.faces, c.From.Faces)
	}
	add := func(id storage.CharacterID) {
		if who, err := storage.Characters.Get(tx, id); err == nil {
			k.names[strings.ToLower(who.Card.Name)] = id
		}
	}
	add(c.Character)
	for _, one := range c.Play.Cast {
		add(one.Character)
	}
	return k
}
