package memory_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// harness is an engine with its own demo servers and an open chat.
type harness struct{ *enginetest.Harness }
