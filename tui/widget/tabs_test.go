package widget_test

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Where a tab is drawn, a click means it; beside the tabs it means none.
func TestTabLine_HitsWhatIsDrawn(t *testing.T) {
	t.Parallel()
	sty := &draw.Styles{}
	rapid.Check(t, func(t *rapid.T) {
		w, x, y := rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(0, 9).Draw(t, "x"), rapid.IntRange(0, 3).Draw(t, "y")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"Parts", "Hooks", "日本", "Memories"}), 1, 5).Draw(t, "names")
		at := rapid.IntRange(0, len(names)-1).Draw(t, "at")
		buf := uv.NewScreenBuffer(80, 6)
		var l widget.Tabs
		l.Draw(buf, uv.Rect(x, y, w, 1), names, func(i int) string { return strings.Repeat("9", i) }, at, sty)
		last := -1
		for cx := range 80 {
			i, ok := l.Hit(cx, y)
			if ok && (cx < x || i < last || i >= len(names)) {
				t.Fatalf("column %d is tab %d after %d", cx, i, last)
			}
			if ok {
				last = i
			}
			if c := buf.CellAt(cx, y); c != nil && strings.TrimSpace(c.Content) != "" && !ok {
				t.Fatalf("column %d shows %q and is no tab", cx, c.Content)
			}
			if _, ok := l.Hit(cx, y+1); ok {
				t.Fatal("the line below is no tab")
			}
		}
	})
}
