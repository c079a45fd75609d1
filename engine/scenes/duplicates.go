package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withoutDuplicates returns the text of a recap without bullets that have the same normalized text
// as an earlier one. Bullets of the user's own stay.
func withoutDuplicates(r storage.Recap, text string) string {
	met := map[string]bool{}
	return scene.WithoutBullets(text, func(b scene.Bullet) bool {
		key := scene.BulletKey(b.Text)
		again := met[key]
		met[key] = true
		return again && !isUsersOwn(r, b)
	})
}
