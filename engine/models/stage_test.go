package models_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// stage is an engine with a house of its own and a chat that is open.
type stage struct{ *enginetest.Stage }
