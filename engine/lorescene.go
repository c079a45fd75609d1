package engine

import (
	"slices"
	"strings"

	"ghostlight/engine/lore/activation"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// sceneTail is how many messages of a scene's end its lore is activated over at
// least.
const sceneTail = 20

// sceneLore are the entries that fire at a scene's end, as they were before it:
// what its recap need not tell again, and nothing that it has taught itself. Of
// the chat's own book only, unless the settings say otherwise. after is the break
// before the scene, "" for none.
func (e *Engine) sceneLore(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]string, error) {
	if e.cfg.Scenes.NoLore {
		return nil, nil
	}
	path, err := tx.Path(c.ID, last, sceneTail)
	if err != nil {
		return nil, err
	}
	s := script.Snapshot{Set: e.set(), Now: e.cfg.Now(), Chat: c.ID, Limits: script.Limits{Context: e.contextOf(nil)},
		History: path, More: len(path) == sceneTail}
	who, persona := e.cast(tx, c)
	s.Card, s.Persona = who.Card, persona
	a, err := e.askLore(tx, &s, moment{chat: c})
	if err != nil {
		return nil, err
	}
	if a.books, err = e.loreBooks(tx, c.ID, after); err != nil {
		return nil, err
	}
	if !e.cfg.Scenes.AllLore {
		a.books = slices.DeleteFunc(a.books, func(b loreBook) bool { return b.Source != activation.Chat })
	}
	a.key, a.dry = "scene "+string(c.ID), true
	a.snap = nil
	f, err := e.fire(tx, a)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range f.result.Fired {
		if text := strings.TrimSpace(f.result.Fired[i].Text); text != "" {
			out = append(out, text)
		}
	}
	return out, nil
}
