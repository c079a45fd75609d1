package taste

import (
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Block returns the text about the user's taste that a tool would get now; steering lines count as
// a tool called steer.
func (svc *Service) Block(scope storage.ScopeID, tool string) (u storage.TasteUse, err error) {
	tools := append(append([]string{lessons.SteerTool}, PlanningTools()...), lessons.PictureTool, lessons.RecapTool,
		lessons.ProseTool)
	if !slices.Contains(tools, tool) {
		return u, failure.Wrap("read taste",
			failure.Refusef("unknown tool %q: use one of %s", failure.FirstRunes(tool, 40), strings.Join(tools, ", ")))
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if err := memory.IsStory(tx, scope); err != nil {
			return err
		}
		u, err = svc.tasteBlock(tx, scope, tool)
		return err
	})
	if err != nil {
		return u, failure.Wrap("read taste", err)
	}
	return u, nil
}

// tasteBlock builds the block from the current profile.
func (svc *Service) tasteBlock(tx *storage.Tx, scope storage.ScopeID, tool string) (u storage.TasteUse, err error) {
	if svc.core.Settings().Taste.Mute {
		return u, nil
	}
	t, overrides, err := tasteOf(tx, scope)
	if err != nil || t.UpdatedAt.IsZero() && overrides.UpdatedAt.IsZero() {
		return u, err
	}
	return lessons.Block(svc.core.Prompts(), tool, t, overrides), nil
}

// TasteFor returns the taste block of a tool for a chat, empty if there is no profile. Errors are
// logged.
func (svc *Service) TasteFor(chat storage.ChatID, tool string) (u storage.TasteUse) {
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
		svc.core.Log.Info("profile used", "story", scope, "tool", tool, "cards", len(u.Cards), "bytes", len(u.Block),
			"took", time.Since(began))
	}
	return u
}

// Tools other than planning that get a block.
const (
	ForRecaps = lessons.RecapTool
	ForProse  = lessons.ProseTool
)

// PictureBlock returns the taste block of a picture request for a chat, "" for none. For a shot of
// a storyboard it begins with the user's directions for the scene.
func (svc *Service) PictureBlock(tx *storage.Tx, c storage.Chat, shown storage.Capture) string {
	block := svc.BlockFor(lessons.PictureTool)(tx, c)
	if shown.Board == "" {
		return block
	}
	b, err := storage.Boards.Get(tx, c.ID, shown.Board)
	if err != nil {
		return block // it was deleted since
	}
	said, err := DirectionsOf(tx, c.ID, b)
	if err != nil {
		svc.core.Log.Warn("what was said about a storyboard could not be read", "chat", c.ID, "scene",
			b.Node, "err", err)
	}
	return strings.TrimSpace(storyboard.DirectionsText(svc.core.Prompts(), said, "") + "\n\n" + block)
}

// BlockFor returns a function that returns the taste block of a tool for a chat, "" for none. The
// same values give the same bytes. Errors are logged.
func (svc *Service) BlockFor(tool string) func(tx *storage.Tx, c storage.Chat) string {
	return func(tx *storage.Tx, c storage.Chat) string {
		u, err := svc.tasteBlock(tx, chats.ScopeOf(c), tool)
		if err != nil {
			svc.core.Log.Warn("the profile could not be used", "chat", c.ID, "tool", tool, "err", err)
		}
		return u.Block
	}
}

// maxNames limits the names of a story that are kept out of blocks.
const maxNames = 4000

// minNameRunes is the length in runes from which on a word of a name counts as the name: "The" does
// not.
const minNameRunes = 4

// storyNames returns the names of people, places and things of a story: the cast, the persona and
// the lorebook entries of all its chats, and of chats it learned from that were moved away.
func (svc *Service) storyNames(tx *storage.Tx, scope storage.ScopeID) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	add := func(names ...string) {
		for _, n := range names {
			n = strings.Join(strings.Fields(failure.FirstRunes(n, 200)), " ")
			if n != "" && !seen[n] && len(out) < maxNames {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	addCard := func(name string) { // whole, and each word: people are also called by one
		add(name)
		for _, w := range strings.Fields(name) {
			if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) && utf8.RuneCountInString(w) >= minNameRunes {
				add(w)
			}
		}
	}
	if s, err := storage.AllSeries.Get(tx, storage.SeriesID(scope)); err == nil {
		for _, id := range s.Characters {
			if c, err := storage.Characters.Get(tx, id); err == nil {
				addCard(c.Card.Name)
				add(c.Card.CharName())
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
		addCard(who.Card.Name)
		for _, m := range c.Play.Cast { // who has left too
			if other, err := storage.Characters.Get(tx, m.Character); err == nil {
				addCard(other.Card.Name)
				add(other.Card.CharName())
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
