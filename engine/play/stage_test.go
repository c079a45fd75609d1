package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) {
	enginetest.Main(m,
		enginetest.Victim{Name: "play", Run: perform},
		enginetest.Victim{Name: "full disk", Run: performOnFullDisk},
		enginetest.Victim{Name: "cut", Run: cutAway})
}

// stage is an engine with a house of its own and a chat that is open.
type stage struct{ *enginetest.Stage }
