package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// once returns a text of a recap in which no bullet stands twice in the same words. What the user
// has written stays.
func once(r storage.Recap, text string) string {
	met := map[string]bool{}
	return scene.Beside(text, func(b scene.Bullet) bool {
		key := scene.BulletKey(b.Text)
		again := met[key]
		met[key] = true
		return again && !own(r, b)
	})
}
