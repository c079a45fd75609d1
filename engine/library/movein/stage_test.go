package movein_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
