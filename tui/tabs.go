package tui

import (
	"strconv"
	"strings"

	"ghostlight/tui/look"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// tabLine is the line of tabs above the views of a pane, as it was drawn last.
type tabLine struct {
	area uv.Rectangle
	ends []int // of the tabs, from the left edge
}

// draw draws the names of the views with their numbers and what stands behind
// them. Where there is too little room the others than the one at lose first what
// stands behind their names, and then their names.
func (t *tabLine) draw(buf uv.ScreenBuffer, area uv.Rectangle, names []string, behind func(i int) string, at int, lk *look.Look) {
	words := make([]string, len(names))
	gap := 0
	for less := range 3 {
		all := 0
		for i, name := range names {
			words[i] = strconv.Itoa(i + 1)
			if less < 2 || i == at {
				words[i] += " " + name
			}
			if less < 1 || i == at {
				words[i] = strings.TrimSpace(words[i] + " " + behind(i))
			}
			all += ansi.StringWidth(words[i])
		}
		if gap = min(3, (area.Dx()-all)/max(1, len(names)-1)); gap >= 1 {
			break
		}
	}
	t.area, t.ends = uv.Rect(area.Min.X, area.Min.Y, area.Dx(), min(1, area.Dy())), t.ends[:0]
	x := area.Min.X
	for i := range words {
		st := lk.Dim
		if i == at {
			st = lk.Accent
		}
		x += look.Put(buf, x, area.Min.Y, area.Max.X-x, st, words[i])
		t.ends = append(t.ends, x+1)
		x += max(gap, 1)
	}
}

// hit is the tab that a click meant; ok is false beside the tabs.
func (t *tabLine) hit(x, y int) (i int, ok bool) {
	if x < t.area.Min.X || y < t.area.Min.Y || y >= t.area.Max.Y {
		return 0, false
	}
	for i, end := range t.ends {
		if x < end {
			return i, true
		}
	}
	return 0, false
}
