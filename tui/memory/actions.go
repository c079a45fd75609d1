package memory

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneName is the name of the pane, under which its actions are declared.
const paneName = "memory"

// What only this pane can do.
const (
	whoKnows   keys.Action = "memory-who"
	showHidden keys.Action = "memory-removed"
	share      keys.Action = "memory-share"
	correct    keys.Action = "memory-correct"
	reopen     keys.Action = "memory-reopen"
	dueNow     keys.Action = "memory-due-now"
	nudgeWith  keys.Action = "memory-nudge"
)

// Actions implements desk.Pane.
func (p *pane) Actions() (all []desk.Action) {
	for i, v := range p.views {
		all = append(all, desk.At(func() bool { return p.at == i && p.chat != "" }, v.actions()...)...)
	}
	move := func(name keys.Action, rows func(l *desk.GroupList) int) desk.Action {
		return desk.Action{Name: name, Do: desk.Does(func() { p.Move(rows(p.list())) })}
	}
	all = append(all, p.everywhere()...)
	return append(all,
		move(keys.PaneUp, func(*desk.GroupList) int { return -1 }),
		move(keys.PaneDown, func(*desk.GroupList) int { return 1 }),
		move(keys.PaneTop, func(l *desk.GroupList) int { return -len(l.Lines) }),
		move(keys.PaneBottom, func(l *desk.GroupList) int { return len(l.Lines) }),
		move(keys.PageUp, func(l *desk.GroupList) int { return -max(1, l.Page-1) }),
		move(keys.PageDown, func(l *desk.GroupList) int { return max(1, l.Page-1) }),
		desk.NewOwn(whoKnows, "pane-switch", "only what the next character knows, or all", p.nextWho),
		desk.Action{Name: keys.ToBrowse, Words: "take the marks away, or show all rows", Here: p.narrowed, Do: p.widen})
}

// everywhere are the actions that all views have amid their own.
func (p *pane) everywhere() []desk.Action {
	all := p.UndoActions()
	for i, a := range all {
		all[i].Do = func() tea.Cmd { p.facts.mine = time.Now(); return a.Do() }
	}
	filter := desk.Action{Name: keys.PaneFilter, Words: "filter by words", Hint: "filter", Do: desk.Does(p.openFilter)}
	return append(all, filter)
}

// actions implements view.
func (v *list[T]) actions() []desk.Action {
	marked := func() bool { return len(v.Marked) > 0 }
	chosen := func() bool { _, ok := v.Chosen(); return ok }
	hidden := desk.NewOwn(showHidden, "pane-beside", "show or hide removed items and other branches", v.p.showAll, "v")
	hidden.Hint = "show hidden"
	return slices.Concat(
		desk.At(marked, v.onMarked()...),
		desk.At(chosen, v.onRow()...),
		v.onList(),
		desk.At(func() bool { return marked() || chosen() }, v.onTargets()...),
		v.p.everywhere(),
		desk.At(chosen, v.withRow()...),
		[]desk.Action{hidden})
}

// onMarked are the actions that come first while rows are marked.
func (v *list[T]) onMarked() []desk.Action {
	all := v.onTargets()
	if v.merge != nil {
		all = append(all, desk.Action{Name: keys.PaneJoin, Words: "merge two", Hint: "merge two", Do: v.mergeTwo})
	}
	return append(all,
		desk.Action{Name: keys.PaneMarkRange, Words: "mark from the last marked to here", Hint: "range", Do: desk.Does(v.MarkRange)},
		desk.Action{Name: keys.PaneMarkAll, Words: "mark all, or none", Hint: "all or none", Do: desk.Does(v.MarkAll)})
}

// onTargets are the changes of the marked rows, or the chosen one.
func (v *list[T]) onTargets() (all []desk.Action) {
	for i := range v.changes {
		a := v.changes[i].action
		a.Do = func() tea.Cmd { return v.change(&v.changes[i]) }
		all = append(all, a)
	}
	return all
}

// onChosen does something with the chosen thing.
func (v *list[T]) onChosen(do func(x *T) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		i, _ := v.Chosen()
		x := v.all[i] // what is read anew is another list
		return do(&x)
	}
}

// onRow are the actions that come first on a row.
func (v *list[T]) onRow() []desk.Action {
	if v.sheet == nil {
		return []desk.Action{{Name: keys.PaneEnter, Words: "go to where it came from", Hint: "go to scene",
			Do: v.onChosen(v.goToSource)}}
	}
	return []desk.Action{
		{Name: keys.PaneEnter, Words: "details and sources", Hint: "details", Do: v.onChosen(v.openSheet)},
		{Name: keys.PaneEdit, Words: "edit it", Hint: "edit", Do: v.onChosen(v.openForm)},
	}
}

// onList are the actions that need no row.
func (v *list[T]) onList() (all []desk.Action) {
	if v.form != nil {
		all = append(all, desk.Action{Name: keys.PaneNew, Words: "add one of your own", Hint: "new",
			Do: func() tea.Cmd { return v.openForm(nil) }})
	}
	if v.merge != nil {
		all = append(all, desk.Action{Name: keys.PaneJoin, Words: "merge two", Here: v.some, Do: v.mergeTwo})
	}
	return append(all, desk.Action{Name: keys.PaneMarkAll, Here: v.some, Do: desk.Does(v.MarkAll)})
}

// withRow are more actions on a row.
func (v *list[T]) withRow() []desk.Action {
	all := []desk.Action{
		{Name: keys.PaneMark, Words: "mark or unmark", Hint: "mark", Do: desk.Does(v.Mark)},
		{Name: keys.PaneSource, Words: "go to where it came from", Hint: "source", Do: v.onChosen(v.goToSource)},
		{Name: keys.PaneMarkRange, Do: desk.Does(v.MarkRange)},
		{Name: keys.PaneCopy, Do: v.onChosen(v.copyText)},
	}
	for _, d := range v.doings {
		a := d.action
		a.Do = v.onChosen(func(x *T) tea.Cmd { return d.do(v, *x) })
		all = append(all, a)
	}
	return all
}

// some reports whether anything is listed.
func (v *list[T]) some() bool { return len(v.Lines) > 0 }

func (v *list[T]) mergeTwo() tea.Cmd { return v.merge(v) }

func (v *list[T]) goToSource(x *T) tea.Cmd { return v.source(v, *x) }

// narrowed reports whether the list is filtered or has marks.
func (p *pane) narrowed() bool {
	l := p.list()
	return l.Filter.On() || len(l.Marked) > 0
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
