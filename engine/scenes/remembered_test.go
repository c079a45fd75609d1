package scenes_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The request for a recap lists the memories of its scene that all know who were there, and a line
// that names one keeps it.
func TestRecap_NamesTheMemoriesThatItTells(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	other := s.Joined("Brona")
	asked := s.asked(func(string) map[string]any {
		recap := told(map[string][]string{"current_situation": {"They wait."}})
		recap["key_developments"] = []any{map[string]any{"text": "Clara owes Jon a crown.", "messages": []int{2}, "memories": []string{"M1", "M7"}}}
		return recap
	})
	before := s.Exchange(2, "key")
	s.End(before[len(before)-1])
	ids := s.Exchange(2, "lamp")
	remembers := func(text string, witnesses []storage.CharacterID, sources ...storage.NodeID) {
		at := s.MentionAt(s.Chat, ids[len(ids)-1])
		at.Sources, at.Witnesses = sources, witnesses
		s.RemembersBy(at, text)
	}
	remembers("Clara owes Jon", nil, ids[1])
	remembers("Clara hides in the mill", []storage.CharacterID{other}, ids[1])
	remembers("The key is of brass", nil, before[1], ids[1])
	remembers("The user likes rain", nil)
	s.End(ids[len(ids)-1])
	prompt := (*asked)[len(*asked)-1]
	if got := strings.TrimSpace(inBlock(prompt, "memory")); got != "[M1] Clara owes Jon" {
		t.Errorf("listed: %q", got)
	}
	var r storage.Recap
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, ids[len(ids)-1])
		if err != nil {
			return err
		}
		r, err = storage.Recaps.Get(tx, s.Chat, b.Recap())
		return err
	}))
	list := scene.MemoriesOf(r, "Clara owes Jon a crown.")
	if len(list) != 1 || len(scene.MemoriesOf(r, "They wait.")) != 0 {
		t.Errorf("%+v", r.Sources)
	}
}
