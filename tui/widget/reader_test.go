package widget

import (
	"strconv"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// What is chosen among the lines of a reader comes into view, and scrolling away from it is left alone.
func TestReader_Seek(t *testing.T) {
	t.Parallel()
	set, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	sty, at := draw.New(set[0], true, 1), 0
	r := &Reader{}
	r.Lines = func(int, *draw.Styles) (lines []string) {
		r.Spot = [2]int{2 * at, 2*at + 2}
		for i := range 40 {
			lines = append(lines, "thing "+strconv.Itoa(i), "")
		}
		return lines
	}
	frame := func() string {
		buf := uv.NewScreenBuffer(40, 12)
		r.Draw(buf, uv.Rect(0, 0, 40, 12), sty)
		return ansi.Strip(buf.Render())
	}
	for _, at = range []int{0, 30, 39, 20, 1} {
		r.ShowSpot()
		if want := "thing " + strconv.Itoa(at) + " "; !strings.Contains(frame(), want) {
			t.Fatalf("%s is not in view:\n%s", want, frame())
		}
	}
	if r.Top = 50; !strings.Contains(frame(), "thing 25 ") {
		t.Errorf("it does not stay where it was scrolled to:\n%s", frame())
	}
}
