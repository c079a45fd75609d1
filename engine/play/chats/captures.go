package chats

import (
	"slices"
	"strings"

	"ghostlight/engine/failure"
	"ghostlight/storage"
)

// SomethingSaid refuses a moment before anybody has said anything.
func SomethingSaid(tx *storage.Tx, chat storage.ChatID, at storage.NodeID) error {
	said, err := SaidUntil(tx, chat, at, 1)
	if err == nil && len(said) == 0 {
		err = failure.Refuse("nobody has said anything yet")
	}
	return err
}

// SaidUntil reads the newest n messages that somebody spoke on the way to one,
// oldest first. However many pictures hang between them, none of these is read.
func SaidUntil(tx *storage.Tx, chat storage.ChatID, at storage.NodeID, n int) ([]storage.Node, error) {
	if _, err := tx.Place(chat, at); at != "" && err != nil {
		return nil, err
	}
	var out []storage.Node
	for p := range tx.Spine(chat, at) {
		if !p.Said() {
			continue
		}
		m, err := tx.Node(chat, p.ID)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(m.Content) == "" {
			continue
		}
		if out = append(out, m); len(out) == n {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// CastNames are all who play in a chat, by the names that the story calls them,
// the user's persona last.
func (svc *Service) CastNames(tx *storage.Tx, c storage.Chat) []string {
	who, persona := svc.Cast(tx, c)
	names := []string{who.Card.CharName()}
	for _, id := range CastOf(c) {
		if other, err := storage.Characters.Get(tx, id); err == nil {
			names = append(names, other.Card.CharName())
		}
	}
	if persona.Name != "" {
		names = append(names, persona.Name)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.TrimSpace(n) == "" })
}
