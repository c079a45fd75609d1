package engine

import (
	"errors"
	"fmt"
	"testing"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/storage"
)

// Both operations of learning are killed again and again, and in the end the scene
// has taught once, and the profile is of what it has taught.
func TestLearningKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	again := map[string]func(s *stage, node storage.NodeID, n int){
		opHarvest: func(s *stage, node storage.NodeID, n int) {
			words := fmt.Sprintf("medium: Tove turns the lamp over, %d times", n)
			s.direct(node, boardCall(storyboard.ModifyShot, fmt.Sprintf(`{"shot":"s2","description":%q}`, words), planned(storage.BoardReady, "close_up: The kitchen", words)))
		},
		opAggregate: func(s *stage, _ storage.NodeID, _ int) { _, err := s.AggregateTaste(s.scopeIn(s.chat)); must(s.t, err) },
	}
	for typ, again := range again {
		t.Run(typ, func(t *testing.T) {
			s := newStage(t)
			node := s.scene("lamp")
			s.direct(node, confirmed()...)
			if typ == opAggregate {
				s.work()
			}
			again(s, node, 0)
			done := 0
			for i := range kills() {
				s.close()
				finished := killedWork(t, s.cfg.DataDir)
				s.open()
				s.taughtOnce(node)
				if finished {
					done++
					again(s, node, i+1)
				}
			}
			s.work()
			s.taughtOnce(node)
			if v := s.taste(); v.Working || len(v.Memories) != 1 || v.UpdatedAt.Before(v.Memories[0].UpdatedAt) {
				t.Errorf("in the end: %+v", v)
			}
			s.sound()
			t.Logf("killed %d times, of which %d came after the work was done", kills(), done)
			if err := s.store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// taughtOnce fails the test when a memory is there that nobody has made, or one
// that no profile is or will be made of.
func (s *stage) taughtOnce(node storage.NodeID) {
	s.t.Helper()
	harvests := 0
	all, err := s.Operations()
	must(s.t, err)
	for _, op := range all {
		if op.Type == opHarvest && op.Status == storage.Completed {
			harvests++
		}
	}
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		m, err := storage.TasteMemories.Get(tx, s.scopeIn(s.chat), node)
		if errors.Is(err, storage.ErrNotFound) == (harvests > 0) {
			s.t.Errorf("%d harvests are completed, and the memory: %v", harvests, err)
		}
		if err != nil {
			return ignoreMissing(err)
		}
		p, err := storage.Tastes.Get(tx, s.scopeIn(s.chat))
		if open := len(s.unended(opAggregate)); open == 0 && (err != nil || p.UpdatedAt.Before(m.UpdatedAt)) {
			s.t.Errorf("the profile is of %s, and the memory of %s: %v", p.UpdatedAt, m.UpdatedAt, err)
		}
		return nil
	}))
}
