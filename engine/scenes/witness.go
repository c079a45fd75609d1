package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// witnessRecap notes who knows all that a scene's recap tells: those who have witnessed the whole
// scene. Where one character plays it is that one, for others may come. Who has witnessed a part of
// it is told the bullets that cite only messages of that part.
func witnessRecap(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, r *storage.Recap) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	var nodes []storage.Node
	if chats.Several(c) {
		s, err := StretchAt(tx, chat, brk)
		if err != nil {
			return err
		}
		if nodes, err = nodesIn(tx, chat, s); err != nil {
			return err
		}
	}
	r.Witnesses = witnessesOf(c, nodes)
	return nil
}

// witnessesOf are those who have witnessed all of a scene.
func witnessesOf(c storage.Chat, nodes []storage.Node) []storage.CharacterID {
	if !chats.Several(c) {
		return []storage.CharacterID{c.Character}
	}
	return chats.KnownTo(c, nodes)
}

// knownToAll is a recap without what not everybody who plays knows: a model that is shown the rest
// may tell it as something of a later scene.
func knownToAll(tx *storage.Tx, c storage.Chat, r storage.Recap) storage.Recap {
	if chats.Several(c) && !chats.KnownToAll(c, r.Witnesses) {
		r.Text = scene.Only(r, func(id storage.NodeID) bool {
			n, err := tx.Node(c.ID, id)
			return err == nil && chats.KnownToAll(c, chats.KnownTo(c, []storage.Node{n}))
		})
	}
	return r
}
