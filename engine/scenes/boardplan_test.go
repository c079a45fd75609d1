package scenes_test

import (
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// boardsOnce fails the test when the calls of storyboards are not those that the
// completed operations have made.
func (s *harness) boardsOnce(tx *storage.Tx) {
	s.T.Helper()
	steps, lines := 0, 0
	for _, op := range storage.Operations.All(tx) {
		if op.Status == storage.Completed && op.Result != nil {
			switch op.Type {
			case boards.OpBoardPlan:
				steps++
			case boards.OpBoardSteer:
				lines++
			}
		}
	}
	for id, b := range storage.Boards.All(tx, s.Chat) {
		calls, err := taste.CallsOf(tx, s.Chat, b)
		if err != nil {
			s.T.Errorf("the board of %s: %v", id, err)
		}
		for _, c := range calls {
			if c.By == storage.ByModel {
				steps--
			}
		}
		if len(b.Calls) != b.Done {
			s.T.Errorf("%d of %d calls are in force", b.Done, len(b.Calls))
		}
		if lines -= len(b.Talk); len(b.Talk) == boards.MaxTalk {
			lines = 0 // older ones are forgotten
		}
		if n := len(calls); n > 0 && len(calls[n-1].After.Shots) != len(b.Shots) {
			s.T.Errorf("the board has %d shots, its last call made %d", len(b.Shots), len(calls[n-1].After.Shots))
		}
	}
	if steps != 0 || lines != 0 {
		s.T.Errorf("%d steps and %d lines were lost, or done twice", steps, lines)
	}
}
