package widget

import (
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"
)

// Whatever the rows are, the chosen one is in view and is no heading, and rows
// never leave the area.
func TestOutline_KeepsTheChosenRowInView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o Outline
		fill := func() {
			rows := make([]OutlineRow, rapid.IntRange(0, 30).Draw(t, "rows"))
			for i := range rows {
				rows[i] = OutlineRow{Height: rapid.IntRange(1, 9).Draw(t, "h"), Heading: rapid.IntRange(0, 3).Draw(t, "head") == 0}
			}
			o.Fill(rows)
		}
		fill()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				fill()
			case 1:
				o.Move(rapid.IntRange(-40, 40).Draw(t, "n"))
			case 2:
				o.Click(rapid.IntRange(-3, 60).Draw(t, "line"))
			case 3:
				o.Move(-100)
			case 4:
				o.Move(100)
			}
			area := uv.Rect(3, 5, 20, rapid.IntRange(1, 25).Draw(t, "height"))
			seen, y := false, area.Min.Y
			o.Show(area, func(i int, avail uv.Rectangle) {
				if avail.Min.Y != y || avail.Max.Y > area.Max.Y || avail.Empty() {
					t.Fatalf("row %d has %v in %v", i, avail, area)
				}
				y = avail.Max.Y
				if i == o.Chosen() {
					seen = true
					if avail.Dy() < o.Rows[i].Height && avail.Min.Y != area.Min.Y {
						t.Fatalf("the chosen row %d is cut: %v of %d lines in %v", i, avail, o.Rows[i].Height, area)
					}
				}
			})
			choosable := false
			for _, r := range o.Rows {
				choosable = choosable || !r.Heading
			}
			if choosable != (o.Chosen() >= 0) {
				t.Fatalf("row %d is chosen of %v", o.Chosen(), o.Rows)
			}
			if choosable && !seen {
				t.Fatalf("the chosen row %d is out of view: top %d, %v", o.Chosen(), o.Top, o.Rows)
			}
		}
	})
}
