package lore

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sceneTail is how many messages of a scene's end its lore is activated over at
// least, and mostLooks how often that is done in a long scene.
const (
	sceneTail = 20
	mostLooks = 200
)

// SceneLore are the entries that fire anywhere in a scene, as they were before it: what
// its recap need not tell again, and nothing that it has taught itself or that somebody
// who was there does not know. Those that fire at its end come first. Of the chat's own
// book only, unless the settings say otherwise. after is the break before the scene, ""
// for none.
func (svc *Service) SceneLore(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]scenes.Known, error) {
	if svc.core.Settings().Scenes.NoLore {
		return nil, nil
	}
	long := 0 // messages of the scene
	for p := range tx.Spine(c.ID, last) {
		if p.ID == after {
			break
		}
		long++
	}
	path, err := tx.Path(c.ID, last, max(long, sceneTail))
	if err != nil {
		return nil, err
	}
	s := script.Snapshot{Set: svc.core.Prompts(), Now: svc.core.Config.Now(), Chat: c.ID, Limits: script.Limits{Context: svc.models.ContextOf(c, nil)},
		History: path, More: len(path) >= max(long, sceneTail)}
	who, persona := svc.chats.Cast(tx, c)
	s.Card, s.Persona = who.Card, persona
	a, err := svc.askLore(tx, &s, chats.Moment{Chat: c})
	if err != nil {
		return nil, err
	}
	if a.books, err = svc.BooksAt(tx, c.ID, after); err != nil {
		return nil, err
	}
	if !svc.core.Settings().Scenes.AllLore {
		a.books = slices.DeleteFunc(a.books, func(b loreBook) bool { return b.Source != activation.Chat })
	}
	a.key, a.dry = "scene "+string(c.ID), true
	a.over = scenes.OverAt(tx, c, last, nil)
	a.snap = nil
	if len(a.books) == 0 {
		return nil, nil
	}
	heard, err := audience(tx, c, after, last)
	if err != nil {
		return nil, err
	}
	return svc.firesIn(tx, a, path, long, heard)
}

// firesIn are the entries that fire at any of the last so many messages of a path, from
// the newest on, as far as those know them who have heard it; nil is everybody.
func (svc *Service) firesIn(tx *storage.Tx, a loreAsk, path []storage.Node, long int, heard []storage.CharacterID) ([]scenes.Known, error) {
	var out []scenes.Known
	seen := map[storage.EntryID]bool{}
	step := (max(long, 1) + mostLooks - 1) / mostLooks
	for i := len(path) - 1; i >= max(0, len(path)-max(long, 1)); i -= step {
		if !Said(&path[i]) && i < len(path)-1 {
			continue
		}
		a.history = path[:i+1]
		f, err := svc.fire(tx, a)
		if err != nil {
			return nil, err
		}
		for n := range f.result.Fired {
			t := &f.result.Fired[n]
			if seen[t.Entry.ID] {
				continue
			}
			seen[t.Entry.ID] = true
			text := t.Text
			if heard != nil && !scribe.Holds(t.Entry.Witnesses, heard) {
				text = plist.Only(text, t.Entry.Content, func(fact string) bool { return scribe.Holds(scribe.KnownTo(t.Entry, fact), heard) })
			}
			holds := func(fact string) bool { return !a.ended(t.Entry, fact) }
			if slices.ContainsFunc(plist.Facts(text), func(fact string) bool { return !holds(fact) }) {
				text = plist.Only(text, text, holds)
			}
			if text = strings.TrimSpace(text); text != "" {
				out = append(out, scenes.Known{Name: t.Entry.Name, Text: text})
			}
		}
	}
	return out, nil
}
