package lore

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
)

// Settings that have changed count with the next activation.
func TestLoreStage_TakesChangedSettings(t *testing.T) {
	t.Parallel()
	var s chatIndex
	settings := activation.DefaultSettings()
	s.set(nil, settings)
	before := s.index
	if s.set(nil, settings); s.index != before {
		t.Error("nothing has changed, and all was compiled again")
	}
	settings.Budget = 1
	if s.set(nil, settings); s.index == before {
		t.Error("the settings of before count")
	}
}

// What is explained is the activation that somebody has looked at last, whoever spoke in it.
func TestStages_NewestOfAChat(t *testing.T) {
	t.Parallel()
	var s chatIndexes
	if s.lastViewed("c") != nil {
		t.Error("there is one before anybody has looked")
	}
	s.markViewed("c ada", "c")
	bea := s.markViewed("c bea", "c")
	s.markViewed("d", "d")
	s.get("c ada") // a turn of hers
	if got := s.lastViewed("c"); got != bea {
		t.Errorf("%+v is the newest", got)
	}
}
