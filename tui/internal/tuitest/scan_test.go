package tuitest_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestScan_FindsWhatItShould(t *testing.T) {
	for _, bad := range []string{"\u009b2J", "\x1b]8;;x\x07", "\x1bPq\x1b\\", "\x1bc", "\x1b[66;77H", "\x1b[38;5;199m", "a\u202eb", "\x07", "\xff"} {
		var inner testing.T
		tuitest.Scan(&inner, bad)
		if !inner.Failed() {
			t.Errorf("%q was let through", bad)
		}
	}
	tuitest.Scan(t, "\x1b[38;2;66;77;73;48;2;5;199;72m▀") // of a picture
}
