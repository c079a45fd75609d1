package memory

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// paneName is the pane's name; its actions are declared under it.
const paneName = "memory"

// Actions of this pane only.
const (
	whoKnows   keys.Name = "memory-who"
	showHidden keys.Name = "memory-removed"
	share      keys.Name = "memory-share"
	correct    keys.Name = "memory-correct"
	reopen     keys.Name = "memory-reopen"
	dueNow     keys.Name = "memory-due-now"
	nudgeWith  keys.Name = "memory-nudge"
)

// Actions implements pane.Pane.
func (p *memoryPane) Actions() (all []keys.Action) {
	for i, v := range p.views {
		all = append(all, keys.When(func() bool { return p.at == i && p.chat != "" }, v.actions()...)...)
	}
	move := func(name keys.Name, rows func(l *pane.GroupList) int) keys.Action {
		return keys.Action{Name: name, Do: keys.Does(func() { p.Move(rows(p.list())) })}
	}
	return append(all,
		move(keys.PaneUp, func(*pane.GroupList) int { return -1 }),
		move(keys.PaneDown, func(*pane.GroupList) int { return 1 }),
		move(keys.PaneTop, func(l *pane.GroupList) int { return -len(l.Lines) }),
		move(keys.PaneBottom, func(l *pane.GroupList) int { return len(l.Lines) }),
		move(keys.PageUp, func(l *pane.GroupList) int { return -max(1, l.Page-1) }),
		move(keys.PageDown, func(l *pane.GroupList) int { return max(1, l.Page-1) }),
		keys.NewPaneAction(whoKnows, "pane-switch", "only what the next character knows, or all", p.nextWho))
}

// everywhere returns the actions that all views have among their own.
func everywhere[T any](p *memoryPane, l *pane.List[T]) []keys.Action {
	all := p.UndoActions()
	for i, a := range all {
		all[i].Do = func() tea.Cmd { p.facts.mine = time.Now(); return a.Do() }
	}
	return append(all, l.Filtering(func() pane.Pane {
		if p.list() != &l.GroupList {
			return nil
		}
		return p
	})...)
}

// actions implements view.
func (v *list[T]) actions() []keys.Action {
	marked := func() bool { return len(v.Marked) > 0 }
	hidden := keys.NewPaneAction(showHidden, "pane-beside", "show or hide removed items and other branches",
		v.p.showAll, "v")
	hidden.Hint = "show hidden"
	return slices.Concat(
		keys.When(marked, v.onMarked()...),
		keys.When(v.Has, v.onRow()...),
		v.onList(),
		keys.When(func() bool { return marked() || v.Has() }, v.onTargets()...),
		everywhere(v.p, &v.List),
		keys.When(v.Has, v.withRow()...),
		[]keys.Action{hidden})
}

// onMarked returns the actions that come first while rows are marked.
func (v *list[T]) onMarked() []keys.Action {
	all := v.onTargets()
	if v.merge != nil {
		all = append(all, keys.Action{Name: keys.PaneJoin, Text: "merge two", Hint: "merge two", Do: v.mergeTwo})
	}
	return append(all,
		keys.Action{Name: keys.PaneMarkRange, Hint: "range", Do: keys.Does(v.MarkRange)},
		keys.Action{Name: keys.PaneMarkAll, Hint: "all or none", Do: keys.Does(v.MarkAll)})
}

// onTargets returns the changes of the marked rows, or the chosen one.
func (v *list[T]) onTargets() (all []keys.Action) {
	for i := range v.changes {
		a := v.changes[i].action
		a.Do = func() tea.Cmd { return v.change(&v.changes[i]) }
		all = append(all, a)
	}
	return all
}

// onRow returns the actions that come first on a row.
func (v *list[T]) onRow() []keys.Action {
	if v.sheet == nil {
		return []keys.Action{{Name: keys.PaneEnter, Text: "go to where it came from", Hint: "go to scene",
			Do: v.On(v.goToSource)}}
	}
	return []keys.Action{
		{Name: keys.PaneEnter, Text: "details and sources", Hint: "details", Do: v.On(v.openSheet)},
		{Name: keys.PaneEdit, Text: "edit it", Hint: "edit", Do: v.On(func(x T) tea.Cmd { return v.openForm(&x) })},
	}
}

// onList returns the actions that do not need a row.
func (v *list[T]) onList() (all []keys.Action) {
	if v.form != nil {
		all = append(all, keys.Action{Name: keys.PaneNew, Text: "add one of your own", Hint: "new",
			Do: func() tea.Cmd { return v.openForm(nil) }})
	}
	if v.merge != nil {
		all = append(all, keys.Action{Name: keys.PaneJoin, Text: "merge two", Visible: v.some, Do: v.mergeTwo})
	}
	return append(all, keys.Action{Name: keys.PaneMarkAll, Visible: v.some, Do: keys.Does(v.MarkAll)})
}

// withRow returns more actions on a row.
func (v *list[T]) withRow() []keys.Action {
	all := []keys.Action{
		{Name: keys.PaneMark, Hint: "select", Do: keys.Does(v.Mark)},
		{Name: keys.PaneSource, Text: "go to where it came from", Hint: "source", Do: v.On(v.goToSource)},
		{Name: keys.PaneMarkRange, Do: keys.Does(v.MarkRange)},
		{Name: keys.PaneCopy, Do: v.On(v.copyText)},
	}
	for _, d := range v.doings {
		a := d.action
		a.Do = v.On(func(x T) tea.Cmd { return d.do(v, x) })
		all = append(all, a)
	}
	return all
}

// some reports whether anything is listed.
func (v *list[T]) some() bool { return len(v.Lines) > 0 }

func (v *list[T]) mergeTwo() tea.Cmd { return v.merge(v) }

func (v *list[T]) goToSource(x T) tea.Cmd { return v.source(v, x) }

// showAll shows or hides hidden records.
func (p *memoryPane) showAll() tea.Cmd {
	l := p.list()
	was := l.Key()
	l.All = !l.All
	l.LayOut(was)
	if l.All {
		return p.Host.Say(event.Info, "also showing removed items and other branches")
	}
	return p.Host.Say(event.Info, "removed items and other branches are hidden")
}
