package widget

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Reader shows lines that may be more than the screen has, with actions for their content.
type Reader struct {
	Base
	Sheet
	Title string
	// Lines returns the lines, styled and safe. It is called once for a size and a style, see
	// Relayout.
	Lines func(w int, sty *draw.Styles) []string
	Wide  int           // maximum width in cells, 0 for 100
	Own   []keys.Action // the most useful first
	// Spot is the position of the chosen one of several things: its first line, and the line after
	// it. Lines sets it, and ShowSpot scrolls to it.
	Spot [2]int

	laid []string
	of   [3]int // width, height and style of laid
	seek bool
}

// Leaving adds an action that closes the reader before it runs.
func (r *Reader) Leaving(name keys.Name, hint string, do func() tea.Cmd) {
	r.Own = append(r.Own, keys.Action{Name: name, Hint: hint, Do: func() tea.Cmd { r.Close(); return do() }})
}

// Relayout has the lines laid out again, because their content changed.
func (r *Reader) Relayout() { r.laid = nil }

// ShowSpot has the lines laid out again, and scrolls to Spot, because another thing is chosen now.
func (r *Reader) ShowSpot() { r.laid, r.seek = nil, true }

// Actions implements Dialog.
func (r *Reader) Actions() []keys.Action {
	return slices.Concat(r.Own, r.Scrolling(), []keys.Action{r.Closing(),
		{Name: keys.DialogEnter, Text: "close", Do: keys.Does(r.Close)}})
}

// Handle implements Dialog.
func (r *Reader) Handle(msg tea.Msg) (tea.Cmd, bool) {
	r.Sheet.Handle(msg)
	return nil, false
}

// LineWidth returns the width of a line on a screen of the given width, in cells.
func (r *Reader) LineWidth(screen int) int { return max(1, min(cmp.Or(r.Wide, 100), screen)-5) }

// Draw implements Dialog.
func (r *Reader) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(cmp.Or(r.Wide, 100), screen.Dx())
	if of := [3]int{w, screen.Dy(), sty.Gen}; r.laid == nil || r.of != of {
		r.laid, r.of = r.Lines(r.LineWidth(screen.Dx()), sty), of
	}
	if in := draw.Frame(buf, draw.Centred(screen, w, len(r.laid)+2), sty, r.Title, r.Hints()); !in.Empty() {
		if r.seek {
			r.Top, r.seek = max(min(r.Top, r.Spot[0]), r.Spot[1]-in.Dy()), false
		}
		r.Sheet.Draw(buf, in, r.laid, sty)
	}
	return nil
}

// PlainLines makes a Reader's Lines from plain text.
func PlainLines(text string) func(int, *draw.Styles) []string {
	return func(w int, _ *draw.Styles) []string { return draw.Wrap(text, w) }
}
