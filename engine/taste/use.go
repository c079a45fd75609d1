package taste

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Block is what a tool would be told now of how the user directs a story;
// steering lines count as a tool called steer.
func (svc *Service) Block(scope storage.ScopeID, tool string) (u storage.TasteUsed, err error) {
	tools := append(append([]string{lessons.SteerTool}, PlanningTools()...), lessons.PictureTool, lessons.RecapTool, lessons.ProseTool)
	if !slices.Contains(tools, tool) {
		return u, failure.Fail("read taste", failure.Refuse("unknown tool %q: use one of %s", failure.FirstRunes(tool, 40), strings.Join(tools, ", ")))
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if err := memory.IsStory(tx, scope); err != nil {
			return err
		}
		u, _, err = svc.tasteBlock(tx, scope, tool, "")
		return err
	})
	if err != nil {
		return u, failure.Fail("read taste", err)
	}
	return u, nil
}

// tasteBlock makes the block anew of what is known of a story now. Waits says that
// cards are held back until they are judged.
func (svc *Service) tasteBlock(tx *storage.Tx, scope storage.ScopeID, tool, about string) (u storage.TasteUsed, waits bool, err error) {
	if svc.core.Settings().Taste.Mute {
		return u, false, nil
	}
	t, overrides, err := tasteOf(tx, scope)
	if err != nil || t.UpdatedAt.IsZero() && overrides.UpdatedAt.IsZero() {
		return u, false, err
	}
	if !lessons.Speaks(tool, t, overrides) && lessons.Aspect(tool) {
		return u, false, nil
	}
	details, err := svc.details(tx, scope)
	if err != nil {
		return u, false, err
	}
	u = lessons.Block(svc.core.Set(), tool, about, t, overrides, details, svc.core.Settings().Taste.Stats)
	return u, len(lessons.Waiting(t, overrides, details)) > 0, nil
}

// TasteFor is what a tool is told for a chat. About is the scene and what of it is at
// hand: cards that fit it come first. It is empty where there is no
// profile; a failure is for the log.
func (svc *Service) TasteFor(chat storage.ChatID, tool, about string) (u storage.TasteUsed) {
	began, scope, waits := time.Now(), storage.ScopeID(""), false
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		scope = chats.ScopeOf(c)
		u, waits, err = svc.tasteBlock(tx, scope, tool, about)
		return err
	})
	switch {
	case err != nil:
		svc.core.Log.Warn("the profile could not be used", "story", scope, "tool", tool, "err", err)
	case u.Block != "":
		svc.core.Log.Info("profile used", "story", scope, "tool", tool, "cards", len(u.Cards), "bytes", len(u.Block), "took", time.Since(began))
	}
	if waits {
		svc.judgeSoon(c)
	}
	return u
}

// What else than a plan is told of taste.
const (
	ForRecaps = lessons.RecapTool
	ForProse  = lessons.ProseTool
)

// ToldPicture returns what the request for a picture is told for a chat, "" for
// nothing: of a storyboard's shot first what the director has said about the scene.
func (svc *Service) ToldPicture(tx *storage.Tx, c storage.Chat, shown storage.Capture) string {
	told := svc.Told(lessons.PictureTool)(tx, c)
	if shown.Board == "" {
		return told
	}
	b, err := storage.Boards.Get(tx, c.ID, shown.Board)
	if err != nil {
		return told // it was deleted since
	}
	said, err := SaidOf(tx, c.ID, b)
	if err != nil {
		svc.core.Log.Warn("what was said about a storyboard could not be read", "chat", c.ID, "scene", b.Node, "err", err)
	}
	return strings.TrimSpace(storyboard.Said(svc.core.Set(), said, "") + "\n\n" + told)
}

// Told returns what requests of a kind are told within a transaction for a chat, "" for
// nothing. The same values give the same bytes. A failure is for the log.
func (svc *Service) Told(tool string) func(tx *storage.Tx, c storage.Chat) string {
	return func(tx *storage.Tx, c storage.Chat) string {
		u, _, err := svc.tasteBlock(tx, chats.ScopeOf(c), tool, "")
		if err != nil {
			svc.core.Log.Warn("the profile could not be used", "chat", c.ID, "tool", tool, "err", err)
		}
		return u.Block
	}
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
