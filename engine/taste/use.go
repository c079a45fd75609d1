package taste

import (
	"errors"
	"slices"
	"strings"
	"time"

	"ghostlight/engine/failure"
	"ghostlight/engine/memory"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// Block is what a tool would be told now of how the user directs a story;
// steering lines count as a tool called steer.
func (svc *Service) Block(scope storage.ScopeID, tool string) (u storage.TasteUsed, err error) {
	tools := append([]string{lessons.SteerTool}, PlanningTools()...)
	if !slices.Contains(tools, tool) {
		return u, failure.Fail("read taste", failure.Refuse("there is no planning tool %q: it is one of %s", failure.FirstRunes(tool, 40), strings.Join(tools, ", ")))
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if err := memory.IsStory(tx, scope); err != nil {
			return err
		}
		u, err = svc.tasteBlock(tx, scope, tool)
		return err
	})
	if err != nil {
		return u, failure.Fail("read taste", err)
	}
	return u, nil
}

// tasteBlock makes the block anew of what is known of a story now.
func (svc *Service) tasteBlock(tx *storage.Tx, scope storage.ScopeID, tool string) (u storage.TasteUsed, err error) {
	if svc.core.Config.Taste.Mute {
		return u, nil
	}
	t, overrides, err := tasteOf(tx, scope)
	if err != nil || t.UpdatedAt.IsZero() && overrides.UpdatedAt.IsZero() {
		return u, err
	}
	names, err := svc.storyNames(tx, scope)
	if err != nil {
		return u, err
	}
	memories := tasteMemories(tx, scope)
	details := lessons.NewDetails(names, memories, storyTexts(tx, memories)...)
	return lessons.Block(svc.core.Set(), tool, t, overrides, details, svc.core.Config.Taste.Stats), nil
}

// TasteFor is what a tool is told for a chat. It is empty where there is no
// profile; a failure is for the log.
func (svc *Service) TasteFor(chat storage.ChatID, tool string) (u storage.TasteUsed) {
	began, scope := time.Now(), storage.ScopeID("")
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		scope = chats.ScopeOf(c)
		u, err = svc.tasteBlock(tx, scope, tool)
		return err
	})
	switch {
	case err != nil:
		svc.core.Log.Warn("the profile could not be used", "story", scope, "tool", tool, "err", err)
	case u.Block != "":
		svc.core.Log.Info("profile used", "story", scope, "tool", tool, "cards", len(u.Cards), "bytes", len(u.Block), "took", time.Since(began))
	}
	return u
}

// mostNames bounds how many names of a story are kept out of what is told.
const mostNames = 4000

// storyNames are the names of people, places and things that are a story's own: of
// all its chats, and of those that it was taught by and that have left it, the
// cast, the persona and the entries of their lorebooks.
func (svc *Service) storyNames(tx *storage.Tx, scope storage.ScopeID) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			n = strings.Join(strings.Fields(failure.FirstRunes(n, 200)), " ")
			if n != "" && !seen[n] && len(out) < mostNames {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	if s, err := storage.AllSeries.Get(tx, storage.SeriesID(scope)); err == nil {
		for _, id := range s.Characters {
			if c, err := storage.Characters.Get(tx, id); err == nil {
				add(c.Card.Name, c.Card.CharName())
			}
		}
	}
	chats := chatsOfStory(tx, scope)
	for _, m := range storage.TasteMemories.All(tx, scope) {
		if slices.ContainsFunc(chats, func(c storage.Chat) bool { return c.ID == m.Chat }) {
			continue
		}
		if c, err := storage.Chats.Get(tx, m.Chat); err == nil {
			chats = append(chats, c)
		}
	}
	for _, c := range chats {
		add(svc.chats.CastNames(tx, c)...)
		who, _ := svc.chats.Cast(tx, c)
		add(who.Card.Name)              // whole, also where there is a short one
		for _, m := range c.Play.Cast { // who has left too
			if other, err := storage.Characters.Get(tx, m.Character); err == nil {
				add(other.Card.Name, other.Card.CharName())
			}
		}
	}
	for _, c := range chats {
		books, err := svc.lore.BooksAt(tx, c.ID, c.Head)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return nil, err
		}
		for _, b := range books {
			for i := range b.Entries {
				add(b.Entries[i].Name)
				add(b.Entries[i].Aliases...)
			}
		}
	}
	return out, nil
}
