package lore

import (
	"slices"
	"strings"

	"ghostlight/engine/lore/activation"
	"ghostlight/engine/lore/plist"
	"ghostlight/engine/lore/scribe"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// sceneTail is how many messages of a scene's end its lore is activated over at
// least.
const sceneTail = 20

// SceneLore are the entries that fire at a scene's end, as they were before it:
// what its recap need not tell again, and nothing that it has taught itself or that
// somebody who was there does not know. Of
// the chat's own book only, unless the settings say otherwise. after is the break
// before the scene, "" for none.
func (svc *Service) SceneLore(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]string, error) {
	if svc.core.Config.Scenes.NoLore {
		return nil, nil
	}
	path, err := tx.Path(c.ID, last, sceneTail)
	if err != nil {
		return nil, err
	}
	s := script.Snapshot{Set: svc.core.Set(), Now: svc.core.Config.Now(), Chat: c.ID, Limits: script.Limits{Context: svc.house.ContextOf(nil)},
		History: path, More: len(path) == sceneTail}
	who, persona := svc.chats.Cast(tx, c)
	s.Card, s.Persona = who.Card, persona
	a, err := svc.askLore(tx, &s, chats.Moment{Chat: c})
	if err != nil {
		return nil, err
	}
	if a.books, err = svc.BooksAt(tx, c.ID, after); err != nil {
		return nil, err
	}
	if !svc.core.Config.Scenes.AllLore {
		a.books = slices.DeleteFunc(a.books, func(b loreBook) bool { return b.Source != activation.Chat })
	}
	a.key, a.dry = "scene "+string(c.ID), true
	a.snap = nil
	f, err := svc.fire(tx, a)
	if err != nil {
		return nil, err
	}
	heard, err := audience(tx, c, after, last)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range f.result.Fired {
		t := &f.result.Fired[i]
		text := t.Text
		if heard != nil && !scribe.Holds(t.Entry.Witnesses, heard) {
			text = plist.Only(text, t.Entry.Content, func(fact string) bool { return scribe.Holds(scribe.KnownTo(t.Entry, fact), heard) })
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out, nil
}
