package scenes

import (
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes/scene"
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
	if !chats.KnownToAll(c, r.Witnesses) {
		var hidden []scene.Message
		names := []string{}
		for i := range nodes {
			names = append(names, nodes[i].Name)
			if !chats.KnownToAll(c, chats.KnownTo(c, nodes[i:i+1])) {
				hidden = append(hidden, MessageFor(nodes[i]))
			}
		}
		scene.Rest(r, hidden, names...)
	}
	return nil
}

// heardOf is of a recap what the speaker may be told: all of it where that one has
// witnessed all of it, else the bullets that rest on messages which it has witnessed.
func heardOf(tx *storage.Tx, who chats.Moment, r storage.Recap) (text string, whole bool) {
	if who.MayRecap(r.Witnesses) {
		return r.Text, true
	}
	known := map[storage.NodeID]bool{}
	return scene.Only(r, func(id storage.NodeID) bool {
		knows, ok := known[id]
		if !ok {
			n, err := tx.Node(who.Chat.ID, id)
			knows = err == nil && chats.Knows(who.Chat, who.Speaker, &n)
			known[id] = knows
		}
		return knows
	}), false
}
