package library_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(importer); dir != "" {
		if err := importAway(dir, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	enginetest.Main(m)
}

// harness is an engine with its own demo servers and an open chat.
type harness struct{ *enginetest.Harness }
