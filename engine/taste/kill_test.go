package taste_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Both operations of learning are killed again and again. In the end the scene has taught once, and
// the profile is made from its lessons.
func TestLearningKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	again := map[string]func(s *harness, node storage.NodeID, n int){
		taste.OpHarvest: func(s *harness, node storage.NodeID, n int) {
			words := fmt.Sprintf("medium: Tove turns the lamp over, %d times", n)
			s.direct(node, boardCall(storyboard.ModifyShot, fmt.Sprintf(`{"shot":"s2","description":%q}`, words), planned(storage.BoardReady, "close_up: The kitchen", words)))
		},
		taste.OpAggregate: func(s *harness, _ storage.NodeID, _ int) {
			_, err := s.Taste.Aggregate(s.Chats.ScopeIn(s.Chat))
			enginetest.Must(s.T, err)
		},
	}
	for typ, again := range again {
		t.Run(typ, func(t *testing.T) {
			s := (&harness{enginetest.NewHarness(t)})
			node := s.scene("lamp")
			s.direct(node, confirmed()...)
			if typ == taste.OpAggregate {
				s.Work()
			}
			again(s, node, 0)
			done := 0
			for i := range enginetest.Kills() {
				s.Shut()
				finished := enginetest.KilledWork(t, s.Cfg.DataDir)
				s.Open()
				s.taughtOnce(node)
				if finished {
					done++
					again(s, node, i+1)
				}
			}
			s.Work()
			s.taughtOnce(node)
			if v := s.taste(); v.Working || len(v.Memories) != 1 || v.UpdatedAt.Before(v.Memories[0].UpdatedAt) {
				t.Errorf("in the end: %+v", v)
			}
			s.Sound()
			t.Logf("killed %d times, of which %d came after the work was done", enginetest.Kills(), done)
			if err := s.Core().Store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// taughtOnce fails the test when a memory is there that nobody has made, or one
// that no profile is or will be made of.
func (s *harness) taughtOnce(node storage.NodeID) {
	s.T.Helper()
	harvests := 0
	all, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, op := range all {
		if op.Type == taste.OpHarvest && op.Status == storage.Completed {
			harvests++
		}
	}
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		m, err := storage.TasteMemories.Get(tx, s.Chats.ScopeIn(s.Chat), node)
		if errors.Is(err, storage.ErrNotFound) == (harvests > 0) {
			s.T.Errorf("%d harvests are completed, and the memory: %v", harvests, err)
		}
		if err != nil {
			return failure.IgnoreMissing(err)
		}
		p, err := storage.Tastes.Get(tx, s.Chats.ScopeIn(s.Chat))
		if open := len(s.unended(taste.OpAggregate)); open == 0 && (err != nil || p.UpdatedAt.Before(m.UpdatedAt)) {
			s.T.Errorf("the profile is of %s, and the memory of %s: %v", p.UpdatedAt, m.UpdatedAt, err)
		}
		return nil
	}))
}
