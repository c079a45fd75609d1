package memory_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// townStory returns a story of n messages with names that come and go.
func townStory(t testing.TB, n int) *enginetest.Harness {
	s := enginetest.NewHarness(t)
	s.Plain()
	r := rand.New(rand.NewPCG(5, 5))
	names := strings.Fields("Clara Marten Odile Piet Brona Vale Ferrymen Sörensen Moor's")
	things := strings.Fields("lantern boathouse ferry ledger cellar storm letters harbour clock well mill tower rope key")
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var texts []string
	for i := range n {
		var parts []string
		for range 1 + r.IntN(4) {
			switch r.IntN(4) {
			case 0:
				parts = append(parts, fmt.Sprintf("%s of the %s counts %d steps and fears the %s.", pick(names), pick(things), i%97, pick(things)))
			case 1:
				parts = append(parts, fmt.Sprintf("The %s stands open, and nobody of house%d has seen the %s.", pick(things), i%211, pick(things)))
			case 2:
				parts = append(parts, fmt.Sprintf("\"%s hid the %s from %s,\" she says.", pick(names), pick(things), pick(names)))
			default:
				parts = append(parts, "The rain goes on, and the gulls cry over the quay.")
			}
		}
		texts = append(texts, strings.Join(parts, " "))
	}
	for part := range slices.Chunk(texts, 200) { // texts that are read as they come are kept, up to some length
		s.Tell(part...)
		syncIndex(s)
	}
	return s
}

func syncIndex(s *enginetest.Harness) {
	s.T.Helper()
	head := s.View().Chat.Head
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, head) }))
}

var townQuestions = []string{"What of Clara and the ledger?", "Where is Marten, and who has the key of the tower?", "Did Odile hide letters from Piet?",
	"What does Brona fear in house 12?", "Vale and the storm", "What of the ferrymen?", "Who is Sörensen?", "the rope of Moor", "It rains on the quay."}

// The word index on disk finds what an index of the whole story in memory finds.
func TestElder_AsIfAllWereHeld(t *testing.T) {
	t.Parallel()
	s := townStory(t, 900)
	enginetest.Must(t, s.Chats.Edit(s.Chat, s.Nodes()[0].ID, "Clara keeps the ledger in the cellar of Moor."))
	ask := func() (out [][]string) {
		syncIndex(s)
		for _, q := range townQuestions {
			found := s.Memory.About(s.Chat, q, 24)
			slices.Sort(found)
			out = append(out, found)
		}
		return out
	}
	all := ask()
	whole := s.Memory.Holds(s.Chat)
	enginetest.Must(t, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
	s.Memory.DropIndex(s.Chat)
	parts := ask()
	if held := s.Memory.Holds(s.Chat); held*2 > whole {
		t.Fatalf("%d of %d facts are held", held, whole)
	}
	for i, q := range townQuestions {
		common := 0
		for _, f := range parts[i] {
			if slices.Contains(all[i], f) {
				common++
			}
		}
		if len(parts[i]) != len(all[i]) || common < len(all[i])-1 {
			t.Errorf("%s: %d are found, %d of the %d\n%s\n---\n%s", q, len(parts[i]), common, len(all[i]), strings.Join(all[i], "\n"), strings.Join(parts[i], "\n"))
		}
	}
}

// What is found above the index follows the path, and the words as they are now.
func TestElder_FollowsTheTree(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	s.Plain()
	filler := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("The %d gulls cry over the quay.", i))
		}
		return out
	}
	first := s.Tell("Look.", "Clara fears the water of Vale.", "And now?", "Clara hides in the mill of Fenn.")
	s.Tell(filler(600)...)
	away := s.View().Chat.Head
	enginetest.Must(t, s.Chats.Branch(s.Chat, first[1]))
	s.Tell(append([]string{"On another branch.", "Clara loves the dogs of Moor."}, filler(600)...)...)
	here := s.View().Chat.Head
	enginetest.Must(t, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
	has := func(leaf storage.NodeID, want map[string]bool) {
		t.Helper()
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error { return s.Memory.SyncIndex(tx, s.Chat, leaf) }))
		for text, ok := range want {
			if got := s.Memory.IndexHas(s.Chat, text); got != ok {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
	has(here, map[string]bool{"Clara fears the water of Vale": true, "Clara loves the dogs of Moor": true, "Clara hides in the mill of Fenn": false})
	has(away, map[string]bool{"Clara fears the water of Vale": true, "Clara loves the dogs of Moor": false, "Clara hides in the mill of Fenn": true})
	enginetest.Must(t, s.Chats.Edit(s.Chat, first[1], "Clara fears the cellar of Vale."))
	want := map[string]bool{"Clara fears the water of Vale": false, "Clara fears the cellar of Vale": true, "Clara hides in the mill of Fenn": true}
	has(away, want)
	s.Memory.DropIndex(s.Chat)
	has(away, want)
	enginetest.Must(t, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
	has(away, want)
	s.Memory.DropIndex(s.Chat)
	has(away, want)
}

// A path that grows long lets go of its older half, and finds it all the same.
func TestElder_ALongPathIsLetGo(t *testing.T) {
	t.Parallel()
	s := longStory(t, 100)
	syncIndex(s)
	for range 5 {
		var texts []string
		for i := range 450 {
			texts = append(texts, fmt.Sprintf("The %d gulls cry over the quay of house%d.", i, i))
		}
		s.Tell(texts...)
		enginetest.Must(t, s.Chats.Index(s.Context(), s.Chat, 1, func(int) {}))
		syncIndex(s)
		if !s.Memory.IndexHas(s.Chat, "Clara fears deep water since the storm of Vale") {
			t.Fatal("what was said first is not found any more")
		}
	}
	if held := s.Memory.Holds(s.Chat); held > 2000 {
		t.Errorf("%d facts are held", held)
	}
}
