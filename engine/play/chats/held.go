package chats

import (
	"ghostlight/storage"
)

// ScopeOf is whose story a chat belongs to.
func ScopeOf(c storage.Chat) storage.ScopeID {
	if c.Play.Series != "" {
		return storage.ScopeID(c.Play.Series)
	}
	return storage.ScopeID(c.ID)
}

// TurnAt counts the exchanges on the path to a message: what the user said and
// was answered. The nearest beat tells how many there were up to it.
func TurnAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) int {
	beats := storage.Beats.Any(tx, chat)
	n, answered := 0, false
	for p := range tx.Spine(chat, leaf) {
		if !p.Said() {
			continue
		}
		if beats && p.Role == storage.Assistant && storage.Beats.Has(tx, chat, p.ID) {
			if b, err := storage.Beats.Get(tx, chat, p.ID); err == nil && b.Turn > 0 {
				return b.Turn + n
			}
		}
		switch {
		case p.Role == storage.Assistant:
			answered = true
		case answered:
			n++
			answered = false
		}
	}
	return n
}

// ShownOn tells whether a message lies on the head's path and is shown there.
func ShownOn(tx *storage.Tx, c storage.Chat, node storage.NodeID) bool {
	p, err := tx.Place(c.ID, node)
	return err == nil && !p.Deleted && OnPath(tx, c.ID, c.Head, node)
}
