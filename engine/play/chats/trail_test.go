package chats_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A message whose ID is smaller than its parent's, as after the clock was set back, does not affect
// which other messages are on the path.
func TestTrail_IdsThatDoNotAscend(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	s.Say("Hello.")
	before := s.Nodes()
	at := before[len(before)-1].ID
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		for _, id := range []storage.NodeID{"01000000000000000000000001", "", "01000000000000000000000002"} {
			n := storage.Node{ID: id, Chat: s.Chat, Parent: at, Role: storage.User, Content: "later", State: storage.Complete}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			at = n.ID
		}
		trail := chats.NewTrail(s.Chat, at)
		for p := range tx.PathInfos(s.Chat, at) {
			if !trail.Has(tx, p.ID) {
				t.Errorf("message %d is not on its own path", p.Depth)
			}
		}
		if trail.Has(tx, "01000000000000000000000003") {
			t.Error("a message that is nowhere is on the path")
		}
		return nil
	}))
}
