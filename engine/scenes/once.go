package scenes

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// once is a text of a recap in which each statement stands once: what another one before
// it says, in the same words or in others of one message, is left out. What the user has
// written stays.
func (t *teller) once(tx *storage.Tx, r storage.Recap, text string) string {
	type said struct {
		key   string
		words facts.Words
		from  []storage.NodeID
	}
	var list []said
	same := func(a, b said) bool {
		return a.key == b.key || slices.ContainsFunc(a.from, func(id storage.NodeID) bool {
			return slices.Contains(b.from, id) && facts.Alike(a.words, b.words) && facts.Same(a.words, b.words, t.wordsOf(tx, id))
		})
	}
	return scene.Keeping(text, func(b scene.Bullet, statement string) bool {
		x := said{scene.BulletKey(statement), facts.WordsOf(statement), scene.SourcesOf(r, b.Text)}
		again := slices.ContainsFunc(list, func(o said) bool { return same(o, x) })
		list = append(list, x)
		return !again || own(r, b)
	})
}
