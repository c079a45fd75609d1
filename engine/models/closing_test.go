package models_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

// What is started while the engine closes would go on in a store that is closed.
func TestStart_ClosingEngine(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Core().Stop()
	if runs, err := s.Core().StartQueue(); runs || err != nil {
		t.Errorf("the queue runs: %v %v", runs, err)
	}
	if err := s.Start(); err != nil {
		t.Error(err)
	}
}
