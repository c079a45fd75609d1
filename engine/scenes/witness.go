package scenes

import (
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

// witnessRecap notes who knows all that a scene's recap tells: those who have
// witnessed the whole scene. Where one character plays it is that one, for others
// may come.
func witnessRecap(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, r *storage.Recap) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if !chats.Several(c) {
		r.Witnesses = []storage.CharacterID{c.Character}
		return nil
	}
	s, err := StretchAt(tx, chat, brk)
	if err != nil {
		return err
	}
	var nodes []storage.Node
	for p := range tx.Spine(chat, brk) {
		if p.ID == s.after {
			break
		}
		if !p.Said() {
			continue
		}
		n, err := tx.Node(chat, p.ID)
		if err != nil {
			return err
		}
		nodes = append(nodes, n)
	}
	r.Witnesses = chats.KnownTo(c, nodes)
	return nil
}
