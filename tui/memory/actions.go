package memory

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Hints implements desk.Pane.
func (p *pane) Hints() []desk.Hint {
	hints := p.view().hints()
	if n := len(p.list().Marked); n > 0 {
		return append([]desk.Hint{desk.NewHint("", strconv.Itoa(n)+" marked")}, hints...)
	}
	return hints
}

// Actions implements desk.Pane.
func (p *pane) Actions() []desk.Action {
	l := p.list()
	do := func(act keys.Action, f func()) desk.Action {
		return desk.Action{Name: act, Do: func() tea.Cmd { f(); return nil }}
	}
	all := []desk.Action{
		do(keys.PaneUp, func() { l.Move(-1) }),
		do(keys.PaneDown, func() { l.Move(1) }),
		do(keys.PaneTop, func() { l.Move(-len(l.Lines)) }),
		do(keys.PaneBottom, func() { l.Move(len(l.Lines)) }),
		do(keys.PageUp, func() { l.Move(-max(1, l.Page-1)) }),
		do(keys.PageDown, func() { l.Move(max(1, l.Page-1)) }),
		do(keys.PaneFilter, p.openFilter),
		{Name: keys.PaneSwitch, Do: p.nextWho},
		{Name: keys.PaneUndo, Do: p.takeBack},
		{Name: keys.PaneAvatar, Do: func() tea.Cmd { return p.Desk.Run(keys.AskPlay) }},
	}
	if p.at != factsView {
		all = append(all, do(keys.PaneMark, l.Mark), do(keys.PaneMarkRange, l.MarkRange), do(keys.PaneMarkAll, l.MarkAll), desk.Action{Name: keys.PaneBeside, Do: p.showAll})
	}
	if l.Filter.On() || len(l.Marked) > 0 {
		all = append(all, desk.Action{Name: keys.ToBrowse, Do: p.widen})
	}
	if p.chat == "" {
		return all
	}
	return append(all, p.view().actions()...)
}

// takeBack undoes what was done last.
func (p *pane) takeBack() tea.Cmd {
	p.facts.mine = time.Now()
	return p.TakeBack()
}

// widen takes the marks away, or then the filter.
func (p *pane) widen() tea.Cmd {
	l := p.list()
	if len(l.Marked) > 0 {
		clear(l.Marked)
		return nil
	}
	return l.SetFilter("")
}

// showAll shows or hides what is left out of the list.
func (p *pane) showAll() tea.Cmd {
	l := p.list()
	was := l.Key()
	l.All = !l.All
	l.Lay(was)
	if l.All {
		return p.Desk.Say(event.Info, "also showing removed items and other branches")
	}
	return p.Desk.Say(event.Info, "removed items and other branches are hidden")
}

// openFilter lets the user type what the list is narrowed to.
func (p *pane) openFilter() {
	l := p.list()
	f := widget.NewFilterLine(p.Desk.Look(), "filter by words", l.Filter.Text)
	f.Page, f.Move, f.Set = func() int { return l.Page }, l.Move, l.SetFilter
	f.Area = func() (uv.Rectangle, bool) { return p.area, p.Desk.Pane() == desk.Pane(p) && p.list() == l }
	p.Desk.Open(f)
}
