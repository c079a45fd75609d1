package memory

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Draw implements widget.Dialog.
func (c *correction) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	lines, from, to := c.lines(max(1, w-5), lk)
	in := look.Frame(buf, look.Centred(screen, w, min(max(len(lines), 3)+6, screen.Dy())), lk, "Fix a fact everywhere", c.Hints())
	if in.Dy() < 1 {
		return nil
	}
	var cur *painter.Cursor
	y := in.Min.Y
	for i, label := range []string{"wrong", "but"} {
		if in.Dy() < 4 && i != min(c.at, atInstead) {
			continue // on a small screen the field with the keys
		}
		st := lk.Dim
		if i == c.at {
			st = lk.Accent
		}
		look.Put(buf, in.Min.X, y, in.Dx(), st, label)
		if at := c.fields[i].Draw(buf, uv.Rect(in.Min.X+8, y, max(0, in.Dx()-8), 1)); i == c.at && at != nil {
			cur = at
		}
		y++
	}
	if y < in.Max.Y {
		words, st := c.state(lk)
		look.Put(buf, in.Min.X, y, in.Dx(), st, words)
		y++
	}
	list := uv.Rect(in.Min.X, y, in.Dx(), max(0, in.Max.Y-y))
	c.page = max(1, list.Dy())
	c.top = max(min(c.top, from), to-c.page)
	c.top = max(0, min(c.top, from, max(0, len(lines)-list.Dy())))
	for i := 0; i < list.Dy() && c.top+i < len(lines); i++ {
		look.PutStyled(buf, list.Min.X, list.Min.Y+i, list.Dx(), lines[c.top+i])
	}
	look.Scrollbar(buf, uv.Rect(list.Max.X, list.Min.Y, 1, list.Dy()), c.top, len(lines), lk)
	return cur
}

// state is a line about what is found, or what is going on.
func (c *correction) state(lk *look.Look) (string, uv.Style) {
	switch n := len(c.found.Places); {
	case c.fault != "":
		return "! " + c.fault, lk.Warning
	case c.busy != "":
		return c.busy, lk.Accent
	case c.typed() != c.looked:
		return c.Key(keys.DialogNext) + " searches again", lk.Dim
	case n == 0 && c.found.Remembers:
		return "not found; the correct text will be saved as a memory", lk.Dim
	case n == 0:
		return "not found", lk.Dim
	default:
		words := fmt.Sprintf("%s, %d selected", look.Plural(n, "place"), len(c.ids()))
		if c.found.Left > 0 {
			words += fmt.Sprintf(", %d more not shown", c.found.Left)
		}
		if c.found.Remembers {
			words += "; the correct text is also saved as a memory"
		}
		return words, lk.Dim
	}
}

// lines are the places, each with what stands there and what will; those of the marked
// one begin at from and end before to.
func (c *correction) lines(w int, lk *look.Look) (out []string, from, to int) {
	t := look.Lines{Width: w}
	for i := range c.found.Places {
		p := &c.found.Places[i]
		marked := i == c.place && c.at == atPlaces
		if i == c.place {
			from = len(t.Text)
		}
		c.placeLines(&t, p, marked, lk)
		if i == c.place {
			to = len(t.Text)
		}
	}
	return t.Text, from, to
}

func (c *correction) placeLines(t *look.Lines, p *memory.Place, marked bool, lk *look.Look) {
	bar, box, head := "  ", "[ ] ", lk.Dim
	if marked {
		bar = lk.Bar.Styled("▌") + " "
	}
	if c.is(p) {
		box, head = "[x] ", lk.Strong
	}
	words := look.Within(p.Home, 60)
	if !p.Certain {
		words += look.Separator + "possible match"
	}
	t.Text = append(t.Text, bar+head.Styled(look.Within(box+words, max(1, t.Width-2))))
	rows := 1
	if marked {
		rows = 4
	}
	for _, l := range look.HangingPlain("- ", p.Now, max(1, t.Width-6), rows) {
		t.Text = append(t.Text, "      "+lk.Dim.Styled(l))
	}
	after := strings.TrimSpace(p.After)
	if after == "" {
		after = "(" + p.Does + ")"
	}
	for _, l := range look.HangingPlain("+ ", after, max(1, t.Width-6), rows) {
		t.Text = append(t.Text, "      "+lk.Base.Styled(l))
	}
}
