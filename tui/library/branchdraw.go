package library

import (
	"fmt"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// besideFrom is the width from which the preview stands beside the map.
const besideFrom = 90

// Draw implements desk.Pane.
func (p *branchPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	lk := p.Desk.Look()
	if p.chat == "" {
		look.PutWrapped(buf, area, lk.Dim, "No chat is open.")
		return
	}
	p.tabs.Draw(buf, area, branchTabs[:], func(int) string { return "" }, p.at, lk)
	body := uv.Rect(area.Min.X, area.Min.Y+2, area.Dx(), max(0, area.Dy()-2))
	switch {
	case p.fault != nil:
		look.PutWrapped(buf, body, lk.Failure, failure.Words(p.fault))
		return
	case !p.loaded || body.Dy() == 0:
		return
	case p.N == 0:
		look.PutWrapped(buf, body, lk.Dim, "No messages yet.")
		return
	}
	body = p.drawPreview(buf, body)
	p.area.Min.Y = body.Min.Y - 1
	from, to := p.View(p.N, 2, body.Dy())
	for i := from; i < to; i++ {
		y := body.Min.Y + (i-from)*2
		p.drawLeg(buf, uv.Rect(body.Min.X, y, body.Dx()-1, min(2, body.Max.Y-y)), i, focused)
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), p.Top, p.N, lk)
}

// drawLeg draws a branch: its name or first words, and below what it holds.
func (p *branchPane) drawLeg(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) {
	lk, l := p.Desk.Look(), p.tree.Legs[i]
	first, second := lk.Base, lk.Dim
	if i == p.At && focused {
		look.Fill(buf, area, lk.Selected)
		first, second = lk.Selected, lk.Selected
	}
	mark := "○"
	if l.Shown {
		mark = "●"
	}
	lead := strings.Repeat("│ ", min(l.Level, max(0, area.Dx()/8))) + mark + " "
	words, right := safetext.Line(l.Opening), look.Ago(time.Now(), l.At)
	if l.Speaker != "" {
		words = safetext.Line(l.Speaker) + ": " + words
	}
	if l.Name != "" {
		words = safetext.Line(l.Name)
	}
	if p.marked == l.First {
		words = "marked · " + words
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if w >= 30 {
		w = look.PutRight(buf, x, y, w, second, right) - 1 - x
	}
	st := first
	if l.Name != "" && i != p.At {
		st = lk.Accent
	}
	in := look.Put(buf, x, y, w, second, lead)
	look.Put(buf, x+in, y, w-in, st, words)
	if area.Dy() > 1 {
		rest := strings.TrimSuffix(lead, mark+" ") + "  "
		look.Put(buf, x, y+1, in, second, rest)
		look.Put(buf, x+in, y+1, area.Dx()-in, second, holds(l))
	}
}

// holds says what a branch has.
func holds(l chats.Leg) string {
	words := look.Plural(l.Messages, "message")
	if l.Depth > 0 {
		words = fmt.Sprintf("from #%d", l.Depth+1) + look.Separator + words
	}
	for _, x := range []struct {
		n    int
		noun string
	}{{l.Scenes, "scene"}, {l.Pictures, "picture"}, {l.Takes, "more swipe"}} {
		if x.n > 0 {
			words += look.Separator + look.Plural(x.n, x.noun)
		}
	}
	return words
}

// drawPreview draws how the chosen branch goes on, beside the map where there is room,
// else below, and returns what is left for the map.
func (p *branchPane) drawPreview(buf uv.ScreenBuffer, body uv.Rectangle) uv.Rectangle {
	lk := p.Desk.Look()
	beside := body.Dx() >= besideFrom
	w := body.Dx() - 1
	if beside {
		w = body.Dx()/2 - 2
	}
	lines := look.Lines{Width: max(1, w)}
	for _, m := range p.preview[p.chosen().First] {
		if m.Name != "" {
			lines.Add(lk.Title, safetext.Line(m.Name))
		}
		text := m.Content
		if m.Picture != nil {
			text = "(a picture)"
		}
		lines.Add(lk.Base, safetext.Block(look.Cut(text, 2000)))
		lines.Blank()
	}
	if n := p.tree.More; n > 0 {
		lines.Add(lk.Dim, fmt.Sprintf("%d more branches are not listed.", n))
	}
	if beside {
		at := uv.Rect(body.Min.X+body.Dx()/2+1, body.Min.Y, w, body.Dy())
		for i := 0; i < len(lines.Text) && i < at.Dy(); i++ {
			look.PutStyled(buf, at.Min.X, at.Min.Y+i, at.Dx(), lines.Text[i])
		}
		body.Max.X = at.Min.X - 1
		return body
	}
	if body.Dy() < 12 || len(lines.Text) == 0 {
		return body
	}
	body.Max.Y -= look.PutBelow(buf, body, lines.Text[:min(len(lines.Text), body.Dy()/3)], lk)
	return body
}

var _ desk.Pane = (*branchPane)(nil)
