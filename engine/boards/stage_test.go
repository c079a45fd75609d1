package boards_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// stage is an engine with its own rehearsal servers and an open chat.
type stage struct{ *enginetest.Stage }
