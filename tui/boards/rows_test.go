package boards

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
)

func TestCallWords(t *testing.T) {
	t.Parallel()
	call := toolCall(storyboard.ProposeEdit, params{"summary": "Slower.", "calls": []params{{"tool": storyboard.ModifyShot, "params": params{"shot": "s1", "seconds": 8}}}})
	if words := callText(call, 200); words != "proposal · calls: shot changed · seconds: 8; shot: s1; summary: Slower." {
		t.Error(words)
	}
}
