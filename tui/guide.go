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
	pick := widget.NewPicker(a.sty, "Guide", list, func(e widget.Entry) tea.Cmd { return a.openPage(e.Value.(guide.Page)) })
	pick.Verb = func(widget.Entry) string { return "read" }
	a.dialogs.Open(pick)
	return nil
}

// openPage shows a page of the guide.
func (a *app) openPage(p guide.Page) tea.Cmd {
	r := &widget.Reader{Title: p.Title, Lines: func(w int, sty *draw.Styles) []string {
		var out []string
		for _, l := range markdown.Lay(p.Flat(w), w, sty) {
			out = append(out, l.Text)
		}
		return out
	}}
	r.Leaving(keys.DialogNext, "pages", a.openGuide)
	a.dialogs.Open(r)
	return nil
}
