package widget

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Tabs is the line of tabs above the views of a pane, as last drawn.
type Tabs struct {
	Area uv.Rectangle
	Ends []int // right end of each tab, from the left edge
}

// Draw draws the names of the views with their numbers and the texts after them. If there is too
// little room, first the other views lose those texts, then the view at does, and then the others
// lose their names.
func (t *Tabs) Draw(buf uv.ScreenBuffer, area uv.Rectangle, names []string, behind func(i int) string, at int,
	sty *draw.Styles) {
	words := make([]string, len(names))
	gap := 0
	for less := range 4 {
		all := 0
		for i, name := range names {
			words[i] = strconv.Itoa(i + 1)
			if less < 3 || i == at {
				words[i] += " " + name
			}
			if less < 1 || i == at && less != 2 {
				words[i] = strings.TrimSpace(words[i] + " " + behind(i))
			}
			all += ansi.StringWidth(words[i])
		}
		if gap = min(3, (area.Dx()-all)/max(1, len(names)-1)); gap >= 1 {
			break
		}
	}
	t.Area, t.Ends = uv.Rect(area.Min.X, area.Min.Y, area.Dx(), min(1, area.Dy())), t.Ends[:0]
	x := area.Min.X
	for i := range words {
		st := sty.Dim
		if i == at {
			st = sty.Accent
		}
		x += draw.Put(buf, x, area.Min.Y, area.Max.X-x, st, words[i])
		t.Ends = append(t.Ends, x+1)
		x += max(gap, 1)
	}
}

// Hit returns the clicked tab; ok is false for other places.
func (t *Tabs) Hit(x, y int) (i int, ok bool) {
	if x < t.Area.Min.X || y < t.Area.Min.Y || y >= t.Area.Max.Y {
		return 0, false
	}
	for i, end := range t.Ends {
		if x < end {
			return i, true
		}
	}
	return 0, false
}
