package scenes

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fitTokens shortens a recap's text to most tokens (0: no limit) and returns how many bullets were
// left out. Open threads and the situation are dropped last, the oldest bullets first. Bullets that
// the user wrote or brought back always stay. The result depends only on the arguments, so that the
// prompt stays the same from turn to turn.
func (t *recapViewer) fitTokens(r storage.Recap, text string, most int) (fits string, over int) {
	if most <= 0 {
		return text, 0
	}
	left := t.count(text) - most
	if left <= 0 {
		return text, 0
	}
	type line struct {
		scene.Bullet
		newest int // depth of its newest source, -1 for none
	}
	var list []line
	for _, b := range scene.Bullets(text) {
		if isUsersOwn(r, b) || scene.UserMark(r, b.Text) != "" {
			continue
		}
		l := line{b, -1}
		for _, id := range scene.SourcesOf(r, b.Text) {
			l.newest = max(l.newest, t.places[id].Depth)
		}
		list = append(list, l)
	}
	slices.SortStableFunc(list, func(a, b line) int {
		return cmp.Or(cmp.Compare(bulletRank(a.Bullet), bulletRank(b.Bullet)), cmp.Compare(a.newest, b.newest))
	})
	gone := map[int]bool{}
	for _, l := range list {
		if left <= 0 {
			break
		}
		gone[l.Line] = true
		left -= t.count("- " + l.Text + "\n")
	}
	return scene.WithoutBullets(text, func(b scene.Bullet) bool { return gone[b.Line] }), len(gone)
}

// bulletRank returns the rank of a bullet: higher ranks are kept longer when a prompt is short of
// room.
func bulletRank(b scene.Bullet) int {
	switch b.Heading {
	case scene.PendingThreads:
		return 1
	case scene.CurrentSituation:
		return 2
	}
	return 0
}
