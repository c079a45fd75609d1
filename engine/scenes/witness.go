package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// witnessesOf are those who know all that the recap of a scene tells: those who have witnessed the
// whole scene. Where one character plays it is that one, for others may come. Who has witnessed a
// part of it is told the bullets that cite only messages of that part.
func witnessesOf(tx *storage.Tx, c storage.Chat, s span) ([]storage.CharacterID, error) {
	if !chats.Several(c) {
		return []storage.CharacterID{c.Character}, nil
	}
	nodes, err := nodesIn(tx, c.ID, s)
	return chats.KnownTo(c, nodes), err
}

// knownToAll is a recap without what not everybody who plays knows: a model that is shown the rest
// may tell it as something of a later scene.
func knownToAll(tx *storage.Tx, c storage.Chat, r storage.Recap) storage.Recap {
	if chats.Several(c) && !chats.KnownToAll(c, r.Witnesses) {
		r.Text = scene.FilterBySource(r, func(id storage.NodeID) bool {
			n, err := tx.Node(c.ID, id)
			return err == nil && chats.KnownToAll(c, chats.KnownTo(c, []storage.Node{n}))
		})
	}
	return r
}
