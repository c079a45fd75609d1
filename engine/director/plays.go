package director

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NewPlay begins a chat that plays an episode: its opening line is the first
// message, else the character's greeting; the other characters of the series are
// its cast.
func (svc *Service) NewPlay(r PlayRequest) (c storage.Chat, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err = svc.newPlay(tx, r)
		return err
	})
	if err != nil {
		return storage.Chat{}, failure.Wrap("start episode", err)
	}
	svc.core.Emit(chats.ChatsChanged{})
	svc.core.Emit(SeriesChanged{})
	return c, nil
}

func (svc *Service) newPlay(tx *storage.Tx, r PlayRequest) (storage.Chat, error) {
	now := svc.core.Config.Now()
	c := storage.Chat{ID: storage.ChatID(storage.NewID()), Title: strings.Join(strings.Fields(r.Title), " "),
		CreatedAt: now, UpdatedAt: now}
	ep, err := storage.Episodes.Get(tx, r.Episode)
	if err != nil {
		return c, err
	}
	s, err := storage.AllSeries.Get(tx, ep.Series)
	if err != nil {
		return c, err
	}
	main, others, err := playersOf(tx, s, r.Character)
	if err != nil {
		return c, err
	}
	c.Character, c.Play.Series, c.Play.Episode = main.ID, s.ID, ep.ID
	for _, id := range others {
		c.Play.Cast = append(c.Play.Cast, storage.CastMember{Character: id})
	}
	if c.Title == "" {
		c.Title = chats.FreeTitle(tx, s.Title+": "+ep.Title)
	}
	p := chats.DefaultPersona(tx)
	c.Persona = p.ID
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return c, err
	}
	lines, place := []string{ep.Opening}, "opening"
	if strings.TrimSpace(ep.Opening) == "" {
		lines, place = append([]string{main.Card.FirstMessage}, main.Card.AlternateGreetings...), "greeting"
	}
	if c.Head, err = svc.addOpening(tx, c, main.Card, p, lines, place); err != nil {
		return c, err
	}
	return c, storage.Chats.Put(tx, c.ID, c)
}

// playersOf returns the main character of a series' play, and the others. Deleted characters are
// skipped.
func playersOf(tx *storage.Tx, s storage.Series,
	who storage.CharacterID) (main storage.Character, others []storage.CharacterID, err error) {
	if who != "" {
		if main, err = storage.Characters.Get(tx, who); err != nil {
			return main, nil, err
		}
	}
	for _, id := range s.Characters {
		ch, err := storage.Characters.Get(tx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return main, nil, err
		case main.ID == "":
			main = ch
		case id != main.ID:
			others = append(others, id)
		}
	}
	if main.ID == "" {
		return main, nil, failure.Refusef("the series “%s” has no characters yet: add one first", s.Title)
	}
	return main, others, nil
}

// addOpening adds the first messages of a chat, the first of several shown, and returns its head.
func (svc *Service) addOpening(tx *storage.Tx, c storage.Chat, card storage.Card, p storage.Persona, lines []string,
	place string) (head storage.NodeID, err error) {
	env := chats.EnvOf(card, p)
	env.Placeholders = prompt.Placeholders("", "")
	env.Now, env.Seed = svc.core.Config.Now(), string(c.ID)
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		env.Place = fmt.Sprintf("%s/%d", place, i)
		text, _ := prompts.Expand(line, env)
		n := storage.Node{Chat: c.ID, Role: storage.Assistant, Name: card.CharName(), Content: text,
			State: storage.Complete, CreatedAt: svc.core.Config.Now()}
		if chats.IsGroup(c) {
			n.Speaker = c.Character
		}
		if err := tx.AppendNode(&n); err != nil {
			return head, err
		}
		if head == "" {
			head = n.ID
		}
	}
	return head, nil
}

// SetEpisode sets the episode that a chat plays from now on; with "" it is a plain chat that
// belongs to no series. What came up in the chat moves with it to its new story.
func (svc *Service) SetEpisode(chat storage.ChatID, ep storage.EpisodeID) error {
	var from, to storage.ScopeID
	err := svc.chats.ChangePlay("set episode", chat, func(tx *storage.Tx, c *storage.Chat) error {
		from = chats.ScopeOf(*c)
		series := storage.SeriesID("")
		if ep != "" {
			x, err := storage.Episodes.Get(tx, ep)
			if err != nil {
				return err
			}
			series = x.Series
		}
		if c.Play.Episode != ep {
			// The ends of the play belonged to the other episode.
			c.Play.Ends, c.Play.Paused, c.Play.From = nil, false, chats.TurnAt(tx, chat, c.Head)
		}
		old := *c
		c.Play.Episode, c.Play.Series = ep, series
		if to = chats.ScopeOf(*c); to == from {
			return nil
		}
		return svc.moveStory(tx, old, from, to)
	})
	if err == nil && from != to {
		svc.core.Emit(memory.Changed{Scope: from})
		svc.core.Emit(memory.Changed{Scope: to})
		svc.StoryChanged.Run(to)
		svc.core.Queue.Wake()
		svc.core.Emit(SeriesChanged{})
	}
	return err
}

// PausePlay pauses a play: the director does nothing meanwhile.
func (svc *Service) PausePlay(chat storage.ChatID, paused bool) error {
	return svc.chats.ChangePlay("pause episode", chat, func(_ *storage.Tx, c *storage.Chat) error {
		if err := requireEpisode(*c); err != nil {
			return err
		}
		c.Play.Paused = paused
		return nil
	})
}

// requireEpisode refuses a chat without an episode.
func requireEpisode(c storage.Chat) error {
	if c.Play.Episode == "" {
		return failure.Refusef("this chat has no episode")
	}
	return nil
}

// CompletePlay marks a play as complete at the head, or continues it.
func (svc *Service) CompletePlay(chat storage.ChatID, done bool) error {
	ended := false
	var next *storage.Episode
	err := svc.chats.ChangePlay("complete episode", chat, func(tx *storage.Tx, c *storage.Chat) error {
		ended, next = false, nil
		if err := requireEpisode(*c); err != nil {
			return err
		}
		if !done {
			c.Play.Ends = slices.DeleteFunc(c.Play.Ends, func(end storage.PlayEnd) bool {
				return chats.OnPath(tx, chat, c.Head, end.Node)
			})
			return nil
		}
		if playEnd(tx, *c) != nil {
			return nil
		}
		if ended = svc.endPlay(tx, c, c.Head, storage.EndedByUser); !ended {
			return failure.Refusef("this chat has no messages yet")
		}
		if ep, err := storage.Episodes.Get(tx, c.Play.Episode); err == nil {
			next = nextEpisode(tx, ep)
		}
		return nil
	})
	if err == nil && ended {
		svc.core.Emit(EpisodeEnded{Chat: chat, By: storage.EndedByUser, Next: next})
	}
	return err
}

// endPlay marks a chat's play as complete at a message, or at the shown message before it; false if
// there is none. The caller stores the chat.
func (svc *Service) endPlay(tx *storage.Tx, c *storage.Chat, node storage.NodeID, by storage.EndedBy) bool {
	for p := range tx.PathInfos(c.ID, node) {
		if p.Deleted {
			continue
		}
		c.Play.Ends = slices.DeleteFunc(c.Play.Ends, func(end storage.PlayEnd) bool { return end.Node == p.ID })
		c.Play.Ends = append(c.Play.Ends, storage.PlayEnd{Node: p.ID, By: by, At: svc.core.Config.Now()})
		return true
	}
	return false
}

// RefillSparks gives a chat n sparks to spend from now on.
func (svc *Service) RefillSparks(chat storage.ChatID, n int) error {
	if n < 0 || n > MaxSparks {
		return failure.Wrap("refill sparks", failure.Refusef("a chat may have 0 to %d sparks, not %d", MaxSparks, n))
	}
	return svc.chats.ChangePlay("refill sparks", chat, func(_ *storage.Tx, c *storage.Chat) error {
		c.Play.Sparks, c.Play.Spent = &n, 0
		return nil
	})
}

// playEnd returns the end of a chat's play on the head's path, nil if it has none.
func playEnd(tx *storage.Tx, c storage.Chat) *storage.PlayEnd {
	for _, end := range slices.Backward(c.Play.Ends) {
		if chats.ShownOn(tx, c, end.Node) {
			return &end
		}
	}
	return nil
}

// endedAt reports whether a chat's play was complete at a message or before it.
func endedAt(tx *storage.Tx, c storage.Chat, leaf storage.NodeID) bool {
	c.Head = leaf
	return playEnd(tx, c) != nil
}

// playState returns the state of a chat's play.
func (svc *Service) playState(tx *storage.Tx, c storage.Chat) PlayState {
	switch {
	case c.Play.Episode == "":
		return PlayPlain
	case playEnd(tx, c) != nil:
		return PlayComplete
	case c.Play.Paused:
		return PlayPaused
	case svc.core.Config.Now().Sub(c.UpdatedAt) > config.InactiveAfter:
		return PlayInactive
	}
	return PlayActive
}

// allowance returns a chat's budget for automatic pictures.
func (svc *Service) allowance(c storage.Chat) int {
	switch {
	case c.Play.Sparks != nil:
		return max(0, *c.Play.Sparks)
	case svc.core.Settings().Stage.Sparks != nil:
		return max(0, *svc.core.Settings().Stage.Sparks)
	}
	return config.DefaultSparks
}
