package scenes

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// compareBeside is the minimum width, in cells, at which two versions are side by side.
const compareBeside = 100

// comparison is a dialog about two versions of a recap: their differences, or both side by side.
type comparison struct {
	widget.Base
	part     *Part
	name     string
	versions []scenes.RecapVersion
	pair     [2]int // the older and the newer one
	side     int    // index in pair of the side whose version is being chosen
	beside   bool
	narrow   bool // side by side was requested without room for it
	sheet    widget.Sheet

	diff     []scene.DiffLine
	diffPair [2]int
}

// compare opens the comparison of the visible version with the previous one.
func (p *recapPane) compare(beside bool) tea.Cmd {
	at := p.shown()
	if len(p.view.Versions) < 2 {
		return p.host.Say(event.Info, "there is only one version; "+p.key(keys.PaneRegenerate)+" creates another")
	}
	c := &comparison{part: p.part, name: p.whose(), versions: p.view.Versions, pair: [2]int{max(0, at-1), max(1, at)},
		side: 1, beside: beside, diffPair: [2]int{-1, -1}}
	c.fit()
	p.host.Open(c)
	return nil
}

// fit switches to the changes if there is no room for both texts.
func (c *comparison) fit() {
	c.narrow = c.beside && !c.fits()
	c.beside = c.beside && !c.narrow
}

// fits reports whether there is room for both texts.
func (c *comparison) fits() bool {
	w, _ := c.part.host.Size()
	return w >= compareBeside
}

// Actions implements widget.Dialog.
func (c *comparison) Actions() []keys.Action {
	version := func(name keys.Name, step int) keys.Action {
		return keys.Action{Name: name, Do: keys.Does(func() { c.turn(step) })}
	}
	back, on := version(keys.DialogLeft, -1), version(keys.DialogRight, 1)
	back.Hint, back.Until = "version", keys.DialogRight
	other := keys.Does(func() { c.side = 1 - c.side })
	show := func(beside bool) func() tea.Cmd {
		return keys.Does(func() { c.sheet.Top, c.beside = 0, beside; c.fit() })
	}
	shown := func() bool { return c.beside && c.fits() }
	return slices.Concat([]keys.Action{
		{Name: recapBeside, Label: c.besideWords, Visible: func() bool { return !shown() }, Do: show(true)},
		back, on, {Name: keys.DialogNext, Hint: "other side", Do: other}, {Name: keys.DialogPrevious, Do: other},
		{Name: keys.PaneDiff, Hint: "diff", Visible: shown, Do: show(false)}},
		c.sheet.Scrolling(),
		[]keys.Action{c.Closing(), {Name: keys.DialogEnter, Text: "close", Do: keys.Does(c.Close)}})
}

// besideWords returns the hint of the view of both texts.
func (c *comparison) besideWords() string {
	if c.narrow {
		return fmt.Sprintf("side by side needs %d columns", compareBeside)
	}
	return "side by side"
}

// Handle implements widget.Dialog.
func (c *comparison) Handle(msg tea.Msg) (tea.Cmd, bool) {
	c.sheet.Handle(msg)
	return nil, false
}

// turn selects another version for the current side; the two always differ.
func (c *comparison) turn(step int) {
	to := c.pair[c.side] + step
	if to == c.pair[1-c.side] {
		to += step
	}
	if to >= 0 && to < len(c.versions) {
		c.pair[c.side], c.sheet.Top = to, 0
	}
}

// Draw implements widget.Dialog.
func (c *comparison) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	beside := c.beside && screen.Dx() >= compareBeside
	title, w := "Changes: "+c.name, min(100, screen.Dx())
	if beside {
		title, w = "Side by side: "+c.name, screen.Dx()
	}
	half := (w - 7) / 2
	var lines []string
	if beside {
		lines = c.sideBySide(half, sty)
	} else {
		lines = c.changes(max(1, w-5), sty)
	}
	in := draw.Frame(buf, draw.Centred(screen, w, len(lines)+4), sty, title, c.Hints())
	if in.Dy() < 2 {
		return nil
	}
	if x := in.Min.X; beside {
		c.heading(buf, x, in.Min.Y, half, 0, sty)
		c.heading(buf, x+half+3, in.Min.Y, half, 1, sty)
	} else {
		x += c.heading(buf, x, in.Min.Y, in.Max.X-x, 0, sty)
		x += draw.Put(buf, x, in.Min.Y, in.Max.X-x, sty.Dim, " → ")
		x += c.heading(buf, x, in.Min.Y, in.Max.X-x, 1, sty)
		c.tally(buf, x, in.Max.X, in.Min.Y, sty)
	}
	in.Min.Y++
	if in.Dy() >= 7 {
		in.Min.Y++
	}
	c.sheet.Draw(buf, in, lines, sty)
	return nil
}

// heading returns the version on a side, in at most w cells.
func (c *comparison) heading(buf uv.ScreenBuffer, x, y, w, side int, sty *draw.Styles) int {
	v := c.versions[c.pair[side]]
	words, st := fmt.Sprintf("v%d", c.pair[side]+1), sty.Strong
	if side == c.side {
		words, st = "‹"+words+"›", sty.Accent
	}
	n := draw.Put(buf, x, y, w, st, words)
	if w < 60 && !c.beside {
		return n
	}
	parts := []string{string(v.Origin)}
	if v.Edited() {
		parts = append(parts, "edited")
	}
	if v.Stale {
		parts = append(parts, "outdated")
	}
	parts = append(parts, draw.AgoWords(v.CreatedAt))
	return n + draw.Put(buf, x+n, y, w-n, sty.Dim, " "+strings.Join(parts, " · "))
}

func (c *comparison) difference() []scene.DiffLine {
	if c.diffPair != c.pair {
		c.diffPair = c.pair
		c.diff = scene.Diff(c.versions[c.pair[0]].Text, c.versions[c.pair[1]].Text)
	}
	return c.diff
}

// tally draws the number of added and removed lines at the right edge.
func (c *comparison) tally(buf uv.ScreenBuffer, from, to, y int, sty *draw.Styles) {
	more, less := 0, 0
	for _, l := range c.difference() {
		switch l.Op {
		case '+':
			more++
		case '-':
			less++
		}
	}
	plus, minus := fmt.Sprintf("+%d", more), fmt.Sprintf("−%d", less)
	if n := len(plus) + ansi.StringWidth(minus) + 1; to-from > n+1 {
		draw.Put(buf, to-n, y, n, sty.Success, plus)
		draw.PutRight(buf, to-n, y, n, sty.Failure, minus)
	}
}

// changes returns the lines of both texts; lines that only one has are coloured.
func (c *comparison) changes(w int, sty *draw.Styles) []string {
	var out []string
	same := true
	for _, l := range c.difference() {
		mark, st := "  ", sty.Dim
		switch l.Op {
		case '+':
			mark, st, same = "+ ", sty.Success, false
		case '-':
			mark, st, same = "− ", sty.Failure, false
		}
		text, hang := strings.TrimSpace(l.Text), ""
		if head, ok := markdown.CutHeading(text); ok {
			if text = head; l.Op == ' ' {
				st = draw.Heading(sty)
			}
		} else if marker, body, ok := markdown.CutMarker(text); ok {
			text, hang = body, strings.Repeat(" ", ansi.StringWidth(marker)+1)
			mark += marker + " "
		}
		if text == "" {
			out = append(out, st.Styled(strings.TrimRight(mark, " ")))
			continue
		}
		for _, part := range draw.Wrap(text, max(1, w-2-len(hang))) {
			out = append(out, st.Styled(mark+part))
			mark = "  " + hang
		}
	}
	if same {
		return append([]string{sty.Dim.Styled("Both versions are identical."), ""}, out...)
	}
	return out
}

// sideBySide returns the two texts in columns of w cells; lines that only one of them has are
// marked.
func (c *comparison) sideBySide(w int, sty *draw.Styles) []string {
	signs := [2]string{sty.Failure.Styled("−") + " ", sty.Success.Styled("+") + " "}
	var columns [2][]string
	for i, at := range c.pair {
		v := c.versions[at]
		alone := onlyIn(v.Text, c.versions[c.pair[1-i]].Text)
		last := -1
		for _, l := range c.part.texts.Lines(v.Text, max(1, w-2), sty) {
			sign := "  "
			if l.Bullet != last && alone[l.Bullet] {
				sign = signs[i]
			}
			last = l.Bullet
			columns[i] = append(columns[i], sign+l.Text)
		}
	}
	bar := " " + sty.Border.Styled("│") + " "
	var out []string
	for i := range max(len(columns[0]), len(columns[1])) {
		var cell [2]string
		for j, col := range columns {
			if i < len(col) {
				cell[j] = col[i]
			}
		}
		pad := strings.Repeat(" ", max(0, w-ansi.StringWidth(cell[0])))
		out = append(out, cell[0]+pad+bar+cell[1])
	}
	return out
}

// onlyIn returns the bullets of a text, by number, that another text lacks.
func onlyIn(text, other string) map[int]bool {
	has := map[string]bool{}
	for _, b := range scene.Bullets(safetext.Block(other)) {
		has[b.Text] = true
	}
	alone := map[int]bool{}
	for i, b := range scene.Bullets(safetext.Block(text)) {
		alone[i] = !has[b.Text]
	}
	return alone
}
