package library

import (
	"fmt"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// previewMinWidth is the minimum width, in cells, at which the preview is beside the map.
const previewMinWidth = 90

// Draw implements pane.Pane.
func (p *branchPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.sidePreview = area.Dx() >= previewMinWidth
	if p.List.Chat != "" {
		p.tabs.Draw(buf, area, branchTabs[:], func(int) string { return "" }, p.view, p.Host.Styles())
		area.Min.Y = min(area.Min.Y+2, area.Max.Y)
	}
	if p.sidePreview {
		x := area.Min.X + area.Dx()/2 + 1
		for i, l := range p.begins(area.Max.X - x) {
			if i < area.Dy() {
				draw.PutStyled(buf, x, area.Min.Y+i, area.Max.X-x, l)
			}
		}
		area.Max.X = x - 1
	}
	p.List.Draw(buf, area, focused)
}

// row returns the row of a branch: its name or first words, and its contents.
func (p *branchPane) row(l *chats.Segment, w int) pane.Row {
	sty := p.Host.Styles()
	r := pane.Row{Sign: "○", SignStyle: sty.Dim, Text: safetext.Line(l.Opening), More: branchContents(*l)}
	if l.Shown {
		r.Sign = "●"
	}
	r.Sign = strings.Repeat("│ ", min(l.Level, max(0, w/8))) + r.Sign
	if l.Speaker != "" {
		r.Text = safetext.Line(l.Speaker) + ": " + r.Text
	}
	if l.Name != "" {
		r.SignStyle, r.Text = sty.Accent, safetext.Line(l.Name)
	}
	if w >= 30 {
		r.Right = draw.Ago(time.Now(), l.At)
	}
	return r
}

// moreText returns the number of branches that the map leaves out.
func (p *branchPane) moreText(int, int) []string {
	if p.more == 0 {
		return nil
	}
	return []string{p.Host.Styles().Dim.Styled(fmt.Sprintf("%d more branches are not listed.", p.more))}
}

// branchContents describes the contents of a branch.
func branchContents(l chats.Segment) string {
	words := draw.Plural(l.Messages, "message")
	if l.Depth > 0 {
		words = fmt.Sprintf("from #%d", l.Depth+1) + draw.Separator + words
	}
	for _, x := range []struct {
		n    int
		noun string
	}{{l.Scenes, "scene"}, {l.Pictures, "picture"}, {l.Swipes, "more swipe"}} {
		if x.n > 0 {
			words += draw.Separator + draw.Plural(x.n, x.noun)
		}
	}
	return words
}

// below returns the preview below the map.
func (p *branchPane) below(_ *chats.Segment, w int) []string {
	if p.sidePreview {
		return nil
	}
	return p.begins(w)
}

// begins returns the first lines of the chosen branch.
func (p *branchPane) begins(w int) []string {
	sty, lines := p.Host.Styles(), draw.Lines{Width: max(1, w)}
	l := p.Item()
	if l == nil {
		return nil
	}
	for _, m := range p.preview[l.First] {
		if m.Name != "" {
			lines.Add(sty.Title, safetext.Line(m.Name))
		}
		text := m.Content
		if m.Picture != nil {
			text = "(a picture)"
		}
		lines.Add(sty.Base, safetext.Block(draw.Cut(text, 2000)))
		lines.Blank()
	}
	return lines.Text
}

var _ pane.Pane = (*branchPane)(nil)
