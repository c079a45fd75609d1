package tui

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// A dialog that came up by itself is not acted on for a quarter of a second; one that
// the user opened is at once.
func TestUnasked_Early(t *testing.T) {
	t.Parallel()
	d, other := &widget.Confirm{}, &widget.Confirm{}
	at := time.Now()
	u := unasked{d, at, unaskedTime}
	if u.early(other, at) {
		t.Error("another dialog waits")
	}
	if !u.early(d, at.Add(200*time.Millisecond)) {
		t.Error("a key acted after 200 ms")
	}
	if u.early(d, at.Add(260*time.Millisecond)) || u.early(d, at.Add(100*time.Millisecond)) {
		t.Error("it waits on")
	}
}
