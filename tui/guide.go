package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/guide"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openGuide lists the pages of the guide.
func (a *app) openGuide() tea.Cmd {
	var list []widget.Entry
	for _, p := range guide.Pages() {
		list = append(list, widget.Entry{Title: p.Title, Right: p.Name, Value: p})
	}
	pick := widget.NewPicker(a.sty, "Guide", list, func(e widget.Entry) tea.Cmd {
		return a.openPage(e.Value.(guide.Page))
	})
	pick.Verb = func(widget.Entry) string { return "read" }
	a.dialogs.Open(pick)
	return nil
}

// tableWidth is the minimum line width, in cells, at which the guide's tables are shown as tables.
const tableWidth = 60

// openPage shows a page of the guide.
func (a *app) openPage(p guide.Page) tea.Cmd {
	r := &widget.Reader{Title: p.Title, Lines: func(w int, sty *draw.Styles) []string {
		text := p.PlainText(w - markdown.CodeMargin)
		if w >= tableWidth {
			text = p.Markdown(w - markdown.CodeMargin)
		}
		return markdown.Lines(text, w, sty)
	}}
	r.Leaving(keys.DialogNext, "pages", a.openGuide)
	a.dialogs.Open(r)
	return nil
}
