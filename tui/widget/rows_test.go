package widget

import (
	"fmt"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

// What is spare goes to the rows that need it, the first of them first; a click finds the
// row in whose lines it was.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		need               []int
		least, spare, high int
		want               string
	}{
		{[]int{1, 3, 1}, 1, 7, 10, "0 1 1 1 2"},
		{[]int{1, 3, 2}, 1, 2, 5, "0 1 1 1 2"},
		{[]int{2, 3, 2}, 1, 0, 3, "0 1 2"},
		{[]int{5, 1}, 1, -4, 2, "0 1"},
		{[]int{2, 4}, 2, 1, 5, "0 0 1 1 1"},
		{nil, 1, 3, 3, ""},
	} {
		var r Rows
		r.Draw(uv.Rect(0, 5, 10, x.high), 0, len(x.need), x.least, x.spare, func(area uv.Rectangle, i int) int {
			return min(x.need[i], max(x.least, area.Dy()))
		})
		got := ""
		for y := 0; ; y++ {
			i, ok := r.At(y)
			if !ok {
				break
			}
			got += fmt.Sprint(" ", i)
		}
		if got != "" {
			got = got[1:]
		}
		if got != x.want {
			t.Errorf("%v with %d spare: %q, not %q", x.need, x.spare, got, x.want)
		}
		if r.Forget(); r.Lines() != 0 {
			t.Error("lines are left")
		}
	}
}
