package draw_test

import (
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// However far down a list is, its bar stays inside.
func TestScrollbar_StaysInside(t *testing.T) {
	t.Parallel()
	set, _ := themes.Load("")
	sty := draw.New(set[0], true, 1)
	for top := range 40 {
		buf := uv.NewScreenBuffer(4, 20)
		draw.Scrollbar(buf, uv.Rect(0, 0, 1, 10), top, 15, sty)
		n := 0
		for y := range 20 {
			if c := buf.CellAt(0, y); c != nil && c.Content == "┃" {
				n++
				if y >= 10 {
					t.Fatalf("top %d: the bar stands in line %d of 10", top, y)
				}
			}
		}
		if n == 0 {
			t.Fatalf("top %d: there is no bar", top)
		}
	}
}
