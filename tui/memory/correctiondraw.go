package memory

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Draw implements widget.Dialog.
func (c *correction) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(100, screen.Dx())
	lines, from, to := c.lines(max(1, w-5), sty)
	in := draw.Frame(buf, draw.Centred(screen, w, min(max(len(lines), 3)+6, screen.Dy())), sty,
		"Fix a fact everywhere", c.Hints())
	if in.Dy() < 1 {
		return nil
	}
	var cur *painter.Cursor
	y := in.Min.Y
	for i, label := range []string{"wrong", "but"} {
		if in.Dy() < 4 && i != min(c.at, atInstead) {
			continue // on a small screen only the focused field is shown
		}
		st := sty.Dim
		if i == c.at {
			st = sty.Accent
		}
		draw.Put(buf, in.Min.X, y, in.Dx(), st, label)
		if at := c.fields[i].Draw(buf, uv.Rect(in.Min.X+8, y, max(0, in.Dx()-8), 1)); i == c.at && at != nil {
			cur = at
		}
		y++
	}
	if y < in.Max.Y {
		words, st := c.state(sty)
		draw.Put(buf, in.Min.X, y, in.Dx(), st, words)
		y++
	}
	list := uv.Rect(in.Min.X, y, in.Dx(), max(0, in.Max.Y-y))
	c.page = max(1, list.Dy())
	c.top = max(min(c.top, from), to-c.page)
	c.top = max(0, min(c.top, from, max(0, len(lines)-list.Dy())))
	for i := 0; i < list.Dy() && c.top+i < len(lines); i++ {
		draw.PutStyled(buf, list.Min.X, list.Min.Y+i, list.Dx(), lines[c.top+i])
	}
	draw.Scrollbar(buf, uv.Rect(list.Max.X, list.Min.Y, 1, list.Dy()), c.top, len(lines), sty)
	return cur
}

// state returns a line about the found places, or the current activity.
func (c *correction) state(sty *draw.Styles) (string, uv.Style) {
	switch n := len(c.found.Places); {
	case c.fault != "":
		return "! " + c.fault, sty.Warning
	case c.busy != "":
		return c.busy, sty.Accent
	case c.typed() != c.looked:
		return c.Key(keys.DialogNext) + " searches again", sty.Dim
	case n == 0 && c.found.Remembers:
		return "not found; the correct text will be saved as a memory", sty.Dim
	case n == 0:
		return "not found", sty.Dim
	default:
		words := fmt.Sprintf("%s, %d selected", draw.Counted(n, "match", "matches"), len(c.ids()))
		if c.found.LeftOut > 0 {
			words += fmt.Sprintf(", %d more not shown", c.found.LeftOut)
		}
		if c.found.Remembers {
			words += "; the correct text is also saved as a memory"
		}
		return words, sty.Dim
	}
}

// lines returns the places, each with its present and its new text. Those of the current place
// begin at from and end before to.
func (c *correction) lines(w int, sty *draw.Styles) (out []string, from, to int) {
	t := draw.Lines{Width: w}
	for i := range c.found.Places {
		p := &c.found.Places[i]
		marked := i == c.place && c.at == atPlaces
		if i == c.place {
			from = len(t.Text)
		}
		c.placeLines(&t, p, marked, sty)
		if i == c.place {
			to = len(t.Text)
		}
	}
	return t.Text, from, to
}

func (c *correction) placeLines(t *draw.Lines, p *memory.Place, marked bool, sty *draw.Styles) {
	bar, box, head := "  ", "[ ] ", sty.Dim
	if marked {
		bar = sty.Bar.Styled("▌") + " "
	}
	if c.isChosen(p) {
		box, head = "[x] ", sty.Strong
	}
	words := draw.Truncate(p.Home, 60)
	if !p.Certain {
		words += draw.Separator + "possible match"
	}
	t.Text = append(t.Text, bar+head.Styled(draw.Truncate(box+words, max(1, t.Width-2))))
	rows := 1
	if marked {
		rows = 4
	}
	for _, l := range draw.HangingPlain("- ", p.Now, max(1, t.Width-6), rows) {
		t.Text = append(t.Text, "      "+sty.Dim.Styled(l))
	}
	after := strings.TrimSpace(p.After)
	if after == "" {
		after = "(" + p.Effect + ")"
	}
	for _, l := range draw.HangingPlain("+ ", after, max(1, t.Width-6), rows) {
		t.Text = append(t.Text, "      "+sty.Base.Styled(l))
	}
}
