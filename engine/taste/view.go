package taste

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// View reads the known taste of the user in a story.
func (svc *Service) View(scope storage.ScopeID) (v View, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if err := memory.IsStory(tx, scope); err != nil {
			return err
		}
		v, err = svc.tasteView(tx, scope, nameOfStory(tx, scope))
		return err
	})
	if err != nil {
		return View{}, failure.Wrap("read taste", err)
	}
	return v, nil
}

// List returns the stories with a profile or memories, by name.
func (svc *Service) List() ([]View, error) {
	out := []View{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		add := func(scope storage.ScopeID, name string) error {
			if !storage.TasteMemories.Any(tx, scope) {
				if t, h, err := tasteOf(tx, scope); err != nil || t.UpdatedAt.IsZero() && h.UpdatedAt.IsZero() {
					return err
				}
			}
			v, err := svc.tasteView(tx, scope, name)
			out = append(out, v)
			return err
		}
		for id, s := range storage.AllSeries.All(tx) {
			if err := add(storage.ScopeID(id), s.Title); err != nil {
				return err
			}
		}
		for id, c := range storage.Chats.All(tx) {
			if err := add(storage.ScopeID(id), c.Title); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("read tastes", err)
	}
	slices.SortStableFunc(out, func(a, b View) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (svc *Service) tasteView(tx *storage.Tx, scope storage.ScopeID, name string) (v View, err error) {
	v = View{Name: name, Off: svc.core.Settings().Taste.Off, Mute: svc.core.Settings().Taste.Mute}
	if v.Taste, v.Overrides, err = tasteOf(tx, scope); err != nil {
		return v, err
	}
	v.Summary = cmp.Or(v.Overrides.Summary, v.ProfileSummary)
	v.Cards = lessons.Cards(v.Taste, v.Overrides)
	chats := map[storage.ChatID]chatScenes{}
	for _, m := range tasteMemories(tx, scope) {
		in, known := chats[m.Chat]
		if !known {
			in = scenesOf(tx, m.Chat)
			chats[m.Chat] = in
		}
		v.Memories = append(v.Memories, Memory{m, in.title, in.names[m.Scene]})
	}
	slices.SortStableFunc(v.Memories, func(a, b Memory) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	v.Working = isLearning(tx, scope)
	return v, nil
}

// chatScenes are a chat's title and the names of its scenes.
type chatScenes struct {
	title string
	names map[storage.NodeID]string
}

func scenesOf(tx *storage.Tx, chat storage.ChatID) chatScenes {
	out := chatScenes{names: map[storage.NodeID]string{}}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return out
	}
	out.title = c.Title
	for id, b := range storage.Breaks.All(tx, chat) {
		if !b.Hidden {
			out.names[id] = cmp.Or(b.Name, "a scene of another branch")
		}
	}
	number := 0
	for _, s := range scenes.SpansOf(tx, chat, c.Head) {
		if s.Break == nil || s.Last.ID == "" {
			continue // as scenes are counted elsewhere
		}
		number++
		if name := fmt.Sprintf("Scene %d", number); s.Break.Name != "" {
			out.names[s.Break.Node] = name + ": " + s.Break.Name
		} else {
			out.names[s.Break.Node] = name
		}
	}
	return out
}

// isLearning reports whether learning is running or queued for a story.
func isLearning(tx *storage.Tx, scope storage.ScopeID) bool {
	return len(learningOps(tx, scope, "")) > 0
}

// learningOps returns the unfinished operations of a story; with a scene only those that harvest
// it.
func learningOps(tx *storage.Tx, scope storage.ScopeID, node storage.NodeID) (out []storage.OperationID) {
	for _, op := range storage.Operations.All(tx) {
		if op.Status != storage.Pending && op.Status != storage.InProgress {
			continue
		}
		p := learnParamsOf(op)
		switch op.Type {
		case opAggregate:
			if p.Scope != scope || node != "" {
				continue
			}
		case OpHarvest:
			c, err := storage.Chats.Get(tx, p.Chat)
			if err != nil || chats.ScopeOf(c) != scope || node != "" && p.Node != node {
				continue
			}
		default:
			continue
		}
		out = append(out, op.ID)
	}
	return out
}

// nameOfStory returns the name of a story: its series, or its chat.
func nameOfStory(tx *storage.Tx, scope storage.ScopeID) string {
	if s, err := storage.AllSeries.Get(tx, storage.SeriesID(scope)); err == nil {
		return s.Title
	}
	c, _ := storage.Chats.Get(tx, storage.ChatID(scope))
	return c.Title
}

// FindCard finds a card of a story by its ID, or a unique prefix or suffix of it.
func (svc *Service) FindCard(scope storage.ScopeID, ref string) (c lessons.Card, err error) {
	v, err := svc.View(scope)
	if err != nil {
		return c, err
	}
	var list []core.Named
	for _, c := range v.Cards {
		list = append(list, core.Named{ID: string(c.ID), Name: failure.FirstRunes(c.Preference, 40), Short: ""})
	}
	id, err := memory.ByEnds("card", ref, list)
	if err != nil {
		return c, err
	}
	i := slices.IndexFunc(v.Cards, func(c lessons.Card) bool { return string(c.ID) == id })
	return v.Cards[i], nil
}

// FindMemory finds a memory by its ID or that of the scene's last message, or by a unique prefix
// or suffix of one.
func (svc *Service) FindMemory(scope storage.ScopeID, ref string) (m Memory, err error) {
	v, err := svc.View(scope)
	if err != nil {
		return m, err
	}
	var list []core.Named
	of := map[string]int{}
	for i, m := range v.Memories {
		for _, id := range []string{string(m.ID), string(m.Scene)} {
			list = append(list, core.Named{ID: id, Name: m.SceneName, Short: ""})
			of[id] = i
		}
	}
	id, err := memory.ByEnds("lesson of a scene", ref, list)
	if err != nil {
		return m, err
	}
	return v.Memories[of[id]], nil
}
