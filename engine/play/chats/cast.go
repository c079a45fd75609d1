package chats

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CastViewOf returns a character of a chat as a front end shows it.
func CastViewOf(tx *storage.Tx, id storage.CharacterID, main, away bool) CastView {
	v := CastView{Character: id, Name: NameOf(tx, id), Main: main, Away: away, Since: 1}
	if ch, err := storage.Characters.Get(tx, id); err == nil {
		v.Name, v.HasAvatar = ch.Card.CharName(), ch.HasAvatar
	}
	return v
}

// ChangePlay changes how a chat plays, in one transaction, and emits events about it.
func (svc *Service) ChangePlay(op string, chat storage.ChatID, f func(tx *storage.Tx, c *storage.Chat) error) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
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
		return failure.Wrap(op, err)
	}
	svc.core.Emit(ChatChanged{chat})
	svc.core.Emit(ChatsChanged{})
	svc.PlayChanged.Run(chat)
	return nil
}

// MemberViewOf returns the view of a character beside the main one.
func MemberViewOf(tx *storage.Tx, m storage.CastMember) CastView {
	v := CastViewOf(tx, m.Character, false, m.Away)
	v.Since, v.Said = sinceOf(m), m.Been != nil
	return v
}

// JoinCast adds a character to a chat. LeaveCast removes one permanently, but not the main
// character.
func (svc *Service) JoinCast(chat storage.ChatID, who storage.CharacterID) error {
	return svc.JoinCastSince(chat, who, 0)
}

// JoinCastSince is like JoinCast, for a character that was present since a message; see SetSince.
func (svc *Service) JoinCastSince(chat storage.ChatID, who storage.CharacterID, number int) error {
	return svc.ChangePlay("join cast", chat, func(tx *storage.Tx, c *storage.Chat) error {
		now := 0 // it knows no message before this one
		if p, err := tx.NodeInfo(chat, c.Head); err == nil {
			now = p.Depth + 1
		}
		if err := addToCast(tx, c, who, now); err != nil {
			return err
		}
		if number == 0 {
			return nil
		}
		return setSince(tx, c, who, number)
	})
}

// addToCast adds a character to a chat, or brings back one that left. It knows the messages from
// depth since on.
func addToCast(tx *storage.Tx, c *storage.Chat, who storage.CharacterID, since int) error {
	if _, err := storage.Characters.Get(tx, who); err != nil {
		return err
	}
	switch {
	case who == c.Character || slices.Contains(CastOf(*c), who):
		return failure.Refusef("this character is already in the chat")
	case len(CastOf(*c)) >= MaxCharacters:
		return failure.Refusef("the limit is %d characters besides the main one", MaxCharacters)
	}
	if i := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who }); i >= 0 {
		m := &c.Play.Cast[i]
		m.Left, m.Away, m.Back = false, false, since
		return nil
	}
	c.Play.Cast = append(c.Play.Cast, storage.CastMember{Character: who, Since: since})
	return nil
}

// LeaveCast takes a character out of a chat. Its messages stay.
func (svc *Service) LeaveCast(chat storage.ChatID, who storage.CharacterID) error {
	return svc.ChangePlay("leave cast", chat, func(_ *storage.Tx, c *storage.Chat) error {
		if who == c.Character {
			return failure.Refusef("the main character can be away but cannot be removed")
		}
		at, err := memberOf(*c, who)
		if err != nil {
			return err
		}
		c.Play.Cast[at].Left = true
		if len(Present(*c)) == 0 {
			c.Play.MainAway = false // nobody else could speak
		}
		return nil
	})
}

// LeaveAll takes a character that is being deleted out of all casts, so that it never gets a turn.
// If it is the main character of a chat with others, it is marked as away.
func LeaveAll(tx *storage.Tx, who storage.CharacterID) error {
	var changed []storage.Chat
	for _, c := range storage.Chats.All(tx) {
		at := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who && !m.Left })
		main := c.Character == who && len(CastOf(c)) > 0
		if at < 0 && !main {
			continue
		}
		if c.Play.Cast = slices.Clone(c.Play.Cast); at >= 0 {
			c.Play.Cast[at].Left = true
		}
		c.Play.MainAway = main || c.Play.MainAway && len(CastOf(c)) > 0
		changed = append(changed, c)
	}
	for _, c := range changed {
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
	}
	return nil
}

// memberOf returns the index of a character in the cast. It refuses one that has left or is not in
// it.
func memberOf(c storage.Chat, who storage.CharacterID) (int, error) {
	at := slices.IndexFunc(c.Play.Cast, func(m storage.CastMember) bool { return m.Character == who && !m.Left })
	if at < 0 {
		return at, failure.Refusef("this character is not in the chat")
	}
	return at, nil
}

// SetAway sets whether a character is away. Somebody who is away witnesses nothing and does not
// speak. At least one character must stay.
func (svc *Service) SetAway(chat storage.ChatID, who storage.CharacterID, away bool) error {
	return svc.ChangePlay("set away", chat, func(tx *storage.Tx, c *storage.Chat) error {
		if _, err := storage.Characters.Get(tx, who); !away && err != nil {
			return failure.Refusef("this character was deleted: import its card again and add that")
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
		if away && len(Present(*c)) == 0 {
			return failure.Refusef("no character would be left: add another one first")
		}
		return nil
	})
}

// SetTurnOrder chooses how the next speaker is found.
func (svc *Service) SetTurnOrder(chat storage.ChatID, order storage.TurnOrder) error {
	switch order {
	case storage.OrderRoundRobin, storage.OrderMention, storage.OrderDirector, storage.OrderUser, storage.OrderNatural,
		storage.OrderPooled:
	default:
		return failure.Wrap("set turn order",
			failure.Refusef("the turn order must be robin, mention, director, user, natural or pooled, not %q",
				failure.FirstRunes(string(order), 40)))
	}
	return svc.ChangePlay("set turn order", chat, func(_ *storage.Tx, c *storage.Chat) error {
		c.Play.Order = order
		return nil
	})
}

// MaxCharacters is the most characters that may play beside the main one.
const MaxCharacters = 64

// CastView is a character of a chat.
type CastView struct {
	Character storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Main      bool                `json:"main"`
	Away      bool                `json:"away"`
	// Since is the number of the message since which it is present. Said reports that the user set
	// that number, to one before it came in.
	Since     int  `json:"since"`
	Said      bool `json:"since_said"`
	HasAvatar bool `json:"has_avatar"`
}

// CastList holds the characters of a chat. Next is the character that would speak next, and Why the
// reason.
type CastList struct {
	Chat     storage.ChatID      `json:"chat"`
	List     []CastView          `json:"characters"`
	Order    storage.TurnOrder   `json:"order"`
	Next     storage.CharacterID `json:"next"`
	NextName string              `json:"next_name"` // "" if it is not in List
	Why      string              `json:"why"`
}

// NameOf returns a character's name, "(deleted)" for one that no longer exists.
func NameOf(tx *storage.Tx, id storage.CharacterID) string {
	c, err := storage.Characters.Get(tx, id)
	if err != nil {
		return "(deleted)"
	}
	return c.Card.Name
}

// NamesOf returns the display names of characters.
func (svc *Service) NamesOf(tx *storage.Tx, ids []storage.CharacterID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		if ch, err := storage.Characters.Get(tx, id); err == nil {
			out[i] = ch.Card.CharName()
		}
	}
	return out
}

// MayAnswer refuses a character that is not in a chat or is away.
func MayAnswer(c storage.Chat, who storage.CharacterID) error {
	switch {
	case who == "":
		return nil
	case who != c.Character && !slices.Contains(CastOf(c), who):
		return failure.Refusef("this character is not in the chat")
	case IsGroup(c) && !slices.Contains(Present(c), who):
		return failure.Refusef("this character is away: bring them back first")
	}
	return nil
}
