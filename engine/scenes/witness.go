package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// witnessesOf returns the characters who may know all of a scene's recap: those who witnessed the
// whole scene. If only one character plays, it is that one, since others may join. A character who
// witnessed a part of the scene sees the bullets that cite only messages of that part.
func witnessesOf(tx *storage.Tx, c storage.Chat, s Span) ([]storage.CharacterID, error) {
	if !chats.IsGroup(c) {
		return []storage.CharacterID{c.Character}, nil
	}
	nodes, err := nodesIn(tx, c.ID, s)
	return chats.KnownTo(c, nodes), err
}

// knownToAll returns a recap without text that somebody in the cast does not know: a model that
// sees it may repeat it in a later scene.
func knownToAll(tx *storage.Tx, c storage.Chat, r storage.Recap) storage.Recap {
	if chats.IsGroup(c) && !chats.KnownToAll(c, r.Witnesses) {
		r.Text = scene.FilterBySource(r, func(id storage.NodeID) bool {
			n, err := tx.Node(c.ID, id)
			return err == nil && chats.KnownToAll(c, chats.KnownTo(c, []storage.Node{n}))
		})
	}
	return r
}
