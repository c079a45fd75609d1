package widget_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// What is pasted into a line is shown where the cursor is, in every width that the
// terminal has afterwards.
func TestPastedLineIsShownAtItsEnd(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(true)
	in.Focus()
	shown := func(w int) string {
		buf := uv.NewScreenBuffer(w, 1)
		in.Draw(buf, uv.Rect(0, 0, w, 1))
		return buf.Render()
	}
	shown(20)
	in.Update(tea.PasteMsg{Content: strings.Repeat("make it slower ", 40) + "please"})
	for _, w := range []int{20, 60, 11, 80} {
		if got := shown(w); !strings.Contains(got, "please") {
			t.Errorf("%d columns show %q, not the end of what was pasted", w, got)
		}
	}
}
