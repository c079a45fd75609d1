package library

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
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
	tx    *storage.Tx
	chat  storage.ChatID
	at    storage.NodeID // below which the next message comes
	own   bool           // messages that are there already are looked for
	added int
	met   bool           // the way has led through until
	until storage.NodeID // the chat's head
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
		g.met = g.met || one.ID == g.until
	}
	g.at = list[chosen].ID
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

// merge adds to a chat what a file has more. The chat goes on where it did, or where the
// file goes on below that.
func (a *adding) merge(chat storage.ChatID, branch bool) error {
	c, err := storage.Chats.Get(a.tx, chat)
	if err != nil {
		return err
	}
	if a.several() && len(c.Play.Cast) > 0 {
		a.cast = castOf(a.tx, c)
	}
	g := graft{tx: a.tx, chat: chat, own: true, until: c.Head}
	for m, err := range a.in.File.Each() {
		if err != nil {
			return err
		}
		if err := a.line(&g, m); err != nil {
			return err
		}
	}
	return a.merged(c, g, branch)
}

func (a *adding) merged(c storage.Chat, g graft, branch bool) (err error) {
	if a.got.Character, err = storage.Characters.Get(a.tx, c.Character); err != nil && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	a.got.Chat, a.got.Merged, a.got.Added = c, true, g.added
	if g.added == 0 {
		return nil
	}
	a.warn("%d messages were added to the chat %s, which is here already", g.added, quote(c.Title))
	if !branch && g.met && g.at != c.Head {
		c.Head = g.at
	}
	c.UpdatedAt = a.svc.core.Config.Now()
	a.got.Chat = c
	return storage.Chats.Put(a.tx, c.ID, c)
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
	id, branch := ownID(in.File.Metadata)
	gist := in.File.Gist()
	var g graft
	var portion []*ecosystem.ChatMessage
	size := 0
	flush := func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		err := svc.core.Store.Update(func(tx *storage.Tx) error {
			a := svc.adding(tx, &in, gist)
			c, err := storage.Chats.Get(tx, id)
			if err != nil {
				return err
			}
			if a.several() && len(c.Play.Cast) > 0 {
				a.cast = castOf(tx, c)
			}
			next := graft{tx: tx, chat: id, own: true, until: c.Head, at: g.at, met: g.met, added: g.added}
			for _, m := range portion {
				if err := a.line(&next, m); err != nil {
					return err
				}
			}
			if err := a.merged(c, next, branch); err != nil {
				return err
			}
			g, got = graft{at: next.at, met: next.met, added: next.added}, *a.got
			return nil
		})
		clear(portion)
		portion, size = portion[:0], 0
		return err
	}
	for m, err := range in.File.Each() {
		if err != nil {
			return got, err
		}
		one := *m
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
	svc.chats.ShelveRest(id)
	return got, nil
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
