package lore

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sceneTail is the minimum number of messages at a scene's end over which its lore is activated.
// maxScans is the maximum number of activations in a long scene.
const (
	sceneTail = 20
	maxScans  = 200
)

// SceneLore returns the entries that trigger anywhere in a scene, in their state before it, those
// that trigger at its end first: the scene's recap need not repeat them. Facts from the scene
// itself, and facts that somebody in the scene does not know, are left out. Unless the settings say
// otherwise, only the chat's own book is used. after is the break before the scene, "" for none.
func (svc *Service) SceneLore(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]scenes.SceneEntry, error) {
	if svc.core.Settings().Scenes.NoLore {
		return nil, nil
	}
	long := 0 // messages of the scene
	for p := range tx.PathInfos(c.ID, last) {
		if p.ID == after {
			break
		}
		long++
	}
	path, err := tx.Path(c.ID, last, max(long, sceneTail))
	if err != nil {
		return nil, err
	}
	s := prompt.Snapshot{Set: svc.core.Prompts(), Now: svc.core.Config.Now(), Chat: c.ID,
		Limits:  prompt.Limits{Context: svc.models.ContextOf(c, nil)},
		History: path, More: len(path) >= max(long, sceneTail)}
	who, persona := svc.chats.Cast(tx, c)
	s.Card, s.Persona = who.Card, persona
	a, err := svc.readQuery(tx, &s, chats.Viewpoint{Chat: c})
	if err != nil {
		return nil, err
	}
	if a.books, err = svc.BooksAt(tx, c.ID, after); err != nil {
		return nil, err
	}
	if !svc.core.Settings().Scenes.AllLore {
		a.books = slices.DeleteFunc(a.books, func(b activeBook) bool { return b.Source != activation.Chat })
	}
	a.key, a.dry = "scene "+string(c.ID), true
	a.ended = scenes.EndIndexAt(tx, c, last, nil)
	a.snap = nil
	if len(a.books) == 0 {
		return nil, nil
	}
	heard, err := sceneWitnesses(tx, c, after, last)
	if err != nil {
		return nil, err
	}
	return svc.triggeredIn(tx, a, path, long, heard)
}

// triggeredIn returns the entries that trigger at any of the last messages of a path, newest first,
// limited to the facts that all of heard know; nil is everybody.
func (svc *Service) triggeredIn(tx *storage.Tx, a query, path []storage.Node, long int,
	heard []storage.CharacterID) ([]scenes.SceneEntry, error) {
	var out []scenes.SceneEntry
	seen := map[storage.EntryID]bool{}
	step := (max(long, 1) + maxScans - 1) / maxScans
	for i := len(path) - 1; i >= max(0, len(path)-max(long, 1)); i -= step {
		if !InPrompt(&path[i]) && i < len(path)-1 {
			continue
		}
		a.history = path[:i+1]
		f, err := svc.trigger(tx, a)
		if err != nil {
			return nil, err
		}
		for n := range f.result.Triggered {
			t := &f.result.Triggered[n]
			if seen[t.Entry.ID] {
				continue
			}
			seen[t.Entry.ID] = true
			text := t.Text
			if heard != nil && !fill.IncludesAll(t.Entry.Witnesses, heard) {
				text = plist.KeepFacts(text, t.Entry.Content,
					func(fact string) bool { return fill.IncludesAll(fill.KnownTo(t.Entry, fact), heard) })
			}
			holds := func(fact string) bool { return !a.hasEnded(t.Entry, fact) }
			if slices.ContainsFunc(plist.Facts(text), func(fact string) bool { return !holds(fact) }) {
				text = plist.KeepFacts(text, text, holds)
			}
			if text = strings.TrimSpace(text); text != "" {
				out = append(out, scenes.SceneEntry{Name: t.Entry.Name, Text: text})
			}
		}
	}
	return out, nil
}
