package models_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestPace_IsKept(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	if got := s.Models.TokenMS("m"); got != 0 {
		t.Errorf("%v before anything was read", got)
	}
	learn := func(read int, ms int64) {
		t.Helper()
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return s.Models.LearnPace(tx, "m", read, ms) }))
	}
	learn(1000, 4000)
	learn(100, 9000)
	s.Reopen()
	learn(1000, 2000)
	if got := s.Models.TokenMS("m"); got != 3 {
		t.Errorf("%v ms, want 3", got)
	}
	if got := s.Models.TokenMS("other"); got != 0 {
		t.Errorf("%v ms for another model", got)
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return tx.PutSetting(models.PaceKey("m"), "not a pace") }))
	learn(1000, 5000)
	if got := s.Models.TokenMS("m"); got != 5 {
		t.Errorf("%v ms after a damaged setting", got)
	}
}
