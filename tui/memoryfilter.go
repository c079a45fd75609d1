package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/widget"
)

// openFilter lets the user type what the list is narrowed to.
func (p *memoryPane) openFilter(a *app) tea.Cmd {
	l := p.view().list()
	f := widget.NewFilterLine(a.lk, "words that are all in it", l.Filter.Text)
	f.Page, f.Move, f.Set = func() int { return l.Page }, l.Move, l.SetFilter
	f.Area = func() (uv.Rectangle, bool) { return p.area, a.shows(p) && p.view().list() == l }
	a.dialogs.Open(f)
	return nil
}

// widen takes the marks away, or then the filter.
func (p *memoryPane) widen() tea.Cmd {
	l := p.view().list()
	if len(l.Marked) > 0 {
		clear(l.Marked)
		return nil
	}
	return l.SetFilter("")
}
