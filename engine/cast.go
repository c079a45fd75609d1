package engine

import (
	"slices"
	"strings"

	"ghostlight/storage"
)

// What the notes of an actor may hold: texts in bytes, and weights.
const (
	longestActorText = 16 << 10
	mostWeights      = 32
	longestTrait     = 60
)

// Cast is who plays in a chat.
func (e *Engine) Cast(chat storage.ChatID) (out CastList, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out = CastList{Order: c.Play.Order}
		if out.Order == "" {
			out.Order = storage.OrderRobin
		}
		out.List = append(out.List, castView(tx, c.Character, true, c.Play.MainAway))
		for _, m := range c.Play.Cast {
			if !m.Left {
				out.List = append(out.List, castView(tx, m.Character, false, m.Away))
			}
		}
		out.Next, out.Why = e.NextSpeaker(tx, c, c.Head)
		if out.Next == "" {
			out.Next, out.Why = c.Character, "nobody else plays here"
		}
		return nil
	})
	if err != nil {
		err = fail("read cast", err)
	}
	return out, err
}

func castView(tx *storage.Tx, id storage.CharacterID, main, away bool) CastView {
	v := CastView{Character: id, Name: nameOf(tx, id), Main: main, Away: away}
	if ch, err := storage.Characters.Get(tx, id); err == nil {
		v.Name, v.HasAvatar = ch.Card.CharName(), ch.HasAvatar
	}
	return v
}

// changePlay changes how a chat plays in one transaction and tells of it.
func (e *Engine) changePlay(op string, chat storage.ChatID, f func(tx *storage.Tx, c *storage.Chat) error) error {
	err := e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if err := f(tx, &c); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
	if err != nil {
		return fail(op, err)
	}
	e.emit(ChatChanged{chat})
	e.emit(ChatsChanged{})
	e.playChanged.Run(chat)
	return nil
}

// JoinCast brings a character into a chat; LeaveCast takes one out for good, which
// the main one cannot.
func (e *Engine) JoinCast(chat storage.ChatID, who storage.CharacterID) error {
	return e.changePlay("join cast", chat, func(tx *storage.Tx, c *storage.Chat) error {
		if _, err := storage.Characters.Get(tx, who); err != nil {
			return err
		}
		switch {
		case who == c.Character || slices.Contains(castOf(*c), who):
			return refuse("this character plays in the chat already")
		case len(castOf(*c)) >= mostCharacters:
			return refuse("%d characters beside the main one are the limit", mostCharacters)
		}
		if i := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who }); i >= 0 {
			c.Play.Cast[i].Left, c.Play.Cast[i].Away = false, false
			return nil
		}
		m := storage.CastMember{Character: who}
		if p, err := tx.Place(chat, c.Head); err == nil {
			m.Since = p.Depth + 1 // it knows nothing of what was said before
		}
		c.Play.Cast = append(c.Play.Cast, m)
		return nil
	})
}

// LeaveCast takes a character out of a chat. What it said stays.
func (e *Engine) LeaveCast(chat storage.ChatID, who storage.CharacterID) error {
	return e.changePlay("leave cast", chat, func(_ *storage.Tx, c *storage.Chat) error {
		if who == c.Character {
			return refuse("the chat is with this character: it can be away, but not leave")
		}
		at, err := memberOf(*c, who)
		if err != nil {
			return err
		}
		c.Play.Cast[at].Left = true
		if len(present(*c)) == 0 {
			c.Play.MainAway = false // nobody else could speak
		}
		return nil
	})
}

// leaveAll takes a character that goes for good out of all casts: whose turn comes
// has to be there. The main one of a chat with others is away from then on.
func leaveAll(tx *storage.Tx, who storage.CharacterID) error {
	var changed []storage.Chat
	for _, c := range storage.Chats.All(tx) {
		at := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who && !m.Left })
		main := c.Character == who && len(castOf(c)) > 0
		if at < 0 && !main {
			continue
		}
		if c.Play.Cast = slices.Clone(c.Play.Cast); at >= 0 {
			c.Play.Cast[at].Left = true
		}
		c.Play.MainAway = main || c.Play.MainAway && len(castOf(c)) > 0
		changed = append(changed, c)
	}
	for _, c := range changed {
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
	}
	return nil
}

// memberOf finds a character among those beside the main one.
func memberOf(c storage.Chat, who storage.CharacterID) (int, error) {
	at := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who && !m.Left })
	if at < 0 {
		return at, refuse("this character does not play in the chat")
	}
	return at, nil
}

// SetAway says whether a character is away: it then witnesses nothing and does
// not speak. Somebody has to stay.
func (e *Engine) SetAway(chat storage.ChatID, who storage.CharacterID, away bool) error {
	return e.changePlay("set away", chat, func(tx *storage.Tx, c *storage.Chat) error {
		if _, err := storage.Characters.Get(tx, who); !away && err != nil {
			return refuse("this character was deleted: import its card again and add that")
		}
		if who == c.Character {
			c.Play.MainAway = away
		} else {
			at, err := memberOf(*c, who)
			if err != nil {
				return err
			}
			c.Play.Cast[at].Away = away
		}
		if away && len(present(*c)) == 0 {
			return refuse("nobody would be left to speak with: bring somebody else in first")
		}
		return nil
	})
}

// SetTurnOrder chooses how the next speaker is found.
func (e *Engine) SetTurnOrder(chat storage.ChatID, order storage.TurnOrder) error {
	switch order {
	case storage.OrderRobin, storage.OrderMention, storage.OrderDirector, storage.OrderUser:
	default:
		return fail("set turn order", refuse("the turn order is robin, mention, director or user, not %q", firstRunes(string(order), 40)))
	}
	return e.changePlay("set turn order", chat, func(_ *storage.Tx, c *storage.Chat) error {
		c.Play.Order = order
		return nil
	})
}

// EditActor keeps the notes of the actor who plays a character.
func (e *Engine) EditActor(id storage.CharacterID, a storage.Actor) error {
	err := e.store.Update(func(tx *storage.Tx) error {
		if err := tidyActor(&a); err != nil {
			return err
		}
		c, err := storage.Characters.Get(tx, id)
		if err != nil {
			return err
		}
		c.Actor, c.UpdatedAt = a, e.cfg.Now()
		return storage.Characters.Put(tx, id, c)
	})
	if err != nil {
		return fail("edit actor", err)
	}
	e.emit(CharactersChanged{})
	return nil
}

// tidyActor brings the notes of an actor into form and says what is wrong.
func tidyActor(a *storage.Actor) error {
	for _, f := range []stageText{{"current_goal", &a.Goal}, {"current_struggle", &a.Struggle}, {"secret_dream", &a.Dream}, {"current_stressor", &a.Stressor},
		{"tone", &a.Tone}, {"speech_patterns", &a.Speech}, {"boundaries", &a.Boundaries}} {
		if n := len(*f.text); n > longestActorText {
			return refuse("the field %s has %d KB, and %d KB are the limit: shorten it", f.name, (n+1023)>>10, longestActorText>>10)
		}
	}
	if len(a.Weights) > mostWeights {
		return refuse("a personality may have %d weights, not %d", mostWeights, len(a.Weights))
	}
	weights := map[string]int{}
	for name, w := range a.Weights {
		name = firstRunes(strings.ToLower(strings.Join(strings.Fields(name), " ")), longestTrait)
		switch {
		case name == "":
			return refuse("a weight needs the name of a trait")
		case w < 0 || w > 100:
			return refuse("the weight of %s goes from 0 to 100, not %d", name, w)
		}
		weights[name] = w
	}
	if a.Weights = weights; len(weights) == 0 {
		a.Weights = nil
	}
	return nil
}

// mostCharacters is how many may play beside the main character.
const mostCharacters = 64
