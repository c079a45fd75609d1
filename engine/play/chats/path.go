package chats

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Exchange returns 1 if a reply directly answers a message of the user, not counting the narrator's
// messages between them, else 0.
func Exchange(tx *storage.Tx, n *storage.Node) int {
	for p := range tx.PathInfos(n.Chat, n.Parent) {
		if !p.InStory() {
			continue
		}
		if p.Role == storage.Narrator {
			continue
		}
		if m, err := tx.Node(n.Chat, p.ID); err == nil && m.Role == storage.User {
			return 1
		}
		break
	}
	return 0
}

// CheckHasMessages refuses a place with no messages before it.
func CheckHasMessages(tx *storage.Tx, chat storage.ChatID, at storage.NodeID) error {
	said, err := MessagesUpTo(tx, chat, at, 1)
	if err == nil && len(said) == 0 {
		err = failure.Refusef("there are no messages yet")
	}
	return err
}

// MessagesUpTo reads the newest n messages with text on the path to at, oldest first, without
// pictures.
func MessagesUpTo(tx *storage.Tx, chat storage.ChatID, at storage.NodeID, n int) ([]storage.Node, error) {
	if _, err := tx.NodeInfo(chat, at); at != "" && err != nil {
		return nil, err
	}
	var out []storage.Node
	for p := range tx.PathInfos(chat, at) {
		if !p.InStory() {
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

// CastNames returns the story names of all characters in a chat, and last the user's persona.
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

// ScopeOf returns the scope of the story that a chat belongs to: its series, or the chat itself.
func ScopeOf(c storage.Chat) storage.ScopeID {
	if c.Play.Series != "" {
		return storage.ScopeID(c.Play.Series)
	}
	return storage.ScopeID(c.ID)
}

// TurnAt counts the exchanges on the path to a message: each is a user message and its answer. It
// starts from the count of the nearest turn record.
func TurnAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) int {
	recorded := storage.TurnRecords.Any(tx, chat)
	n, answered := 0, false
	for p := range tx.PathInfos(chat, leaf) {
		if !p.InStory() {
			continue
		}
		if recorded && p.Role == storage.Assistant && storage.TurnRecords.Has(tx, chat, p.ID) {
			if b, err := storage.TurnRecords.Get(tx, chat, p.ID); err == nil && b.Turn > 0 {
				return b.Turn + n
			}
		}
		switch {
		case p.Role == storage.Assistant:
			answered = true
		case answered && p.Role == storage.User:
			n++
			answered = false
		}
	}
	return n
}

// ShownOn reports whether a message is on the head's path and not deleted.
func ShownOn(tx *storage.Tx, c storage.Chat, node storage.NodeID) bool {
	p, err := tx.NodeInfo(c.ID, node)
	return err == nil && !p.Deleted && OnPath(tx, c.ID, c.Head, node)
}

// OnPath reports whether a message is on the path from the root to leaf.
func OnPath(tx *storage.Tx, chat storage.ChatID, leaf, node storage.NodeID) bool {
	want, err := tx.NodeInfo(chat, node)
	if err != nil {
		return false
	}
	for p := range tx.PathInfos(chat, leaf) {
		if p.Depth <= want.Depth {
			return p.ID == node
		}
	}
	return false
}

// AnchorOf returns the message that new notes go before: the user's newest, or the newest one if
// there is none of the user.
func AnchorOf(h []storage.Node) storage.NodeID {
	newest := storage.NodeID("")
	for i := len(h) - 1; i >= 0; i-- {
		n := &h[i]
		if n.Deleted || n.Content == "" || !n.Role.InPrompt() {
			continue
		}
		if n.Role == storage.User {
			return n.ID
		}
		if newest == "" {
			newest = n.ID
		}
	}
	return newest
}

// Below returns the parent for a reply to parent: the last picture that was added below it
// meanwhile, so that pictures stay on the path.
func Below(tx *storage.Tx, c storage.Chat, parent storage.NodeID) storage.NodeID {
	for at := c.Head; at != "" && at != parent; {
		n, err := tx.Node(c.ID, at)
		if err != nil || n.Role != storage.SceneCapture {
			return parent
		}
		if at = n.Parent; at == parent {
			return c.Head
		}
	}
	return parent
}
