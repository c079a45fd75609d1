package tui

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// A dialog that came up by itself is not acted on for a quarter of a second; one that
// the user opened is at once.
func TestDialogGrace_Early(t *testing.T) {
	t.Parallel()
	km, _ := Keys(nil)
	stack := widget.Stack{Keys: func() *keys.Map { return km }}
	d, other := &widget.Confirm{Choices: []widget.Choice{{Key: "n"}}}, &widget.Confirm{Choices: []widget.Choice{{Key: "n"}}}
	stack.Open(other)
	stack.Open(d)
	stack.MarkUnasked()
	at, _ := stack.UnaskedSince(d)
	if isWithinGrace(&stack, other, at, dialogGrace) {
		t.Error("another dialog waits")
	}
	if !isWithinGrace(&stack, d, at.Add(200*time.Millisecond), dialogGrace) {
		t.Error("a key acted after 200 ms")
	}
	if isWithinGrace(&stack, d, at.Add(260*time.Millisecond), dialogGrace) {
		t.Error("it waits on")
	}
}
