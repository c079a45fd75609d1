package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withoutDuplicates returns a text of a recap in which no bullet stands twice in the same words. What the user
// has written stays.
func withoutDuplicates(r storage.Recap, text string) string {
	met := map[string]bool{}
	return scene.WithoutBullets(text, func(b scene.Bullet) bool {
		key := scene.BulletKey(b.Text)
		again := met[key]
		met[key] = true
		return again && !isUsersOwn(r, b)
	})
}
