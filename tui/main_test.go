package tui_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain keeps the tests from what happens to be installed on the machine,
// and looks for goroutines that outlive their screens.
func TestMain(m *testing.M) {
	if place := os.Getenv(crashPlace); place != "" {
		crashHere(place, os.Getenv(crashDir))
		return
	}
	for name, value := range map[string]string{"PATH": "", "EDITOR": " ", "VISUAL": ""} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m,
		// Timers of notices and drafts: Bubble Tea lets them run out by themselves.
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.(*Program).execBatchMsg"),
		goleak.IgnoreAnyFunction("charm.land/bubbletea/v2.Tick.func1"),
		goleak.IgnoreAnyFunction("os/signal.loop"),
		// The clock of the engine of patterns ends by itself.
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}
