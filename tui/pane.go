package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
)

// oldPane is a pane that still gets the whole app.
type oldPane interface {
	kind() paneKind
	title() string
	foot() string
	draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app)
	Move(n int)
	click(row int)
	act(act keys.Action, a *app) tea.Cmd
	read(a *app) tea.Cmd // reads again what is shown
}

// pointed is an oldPane for which it matters where in a row a click is. It gets the
// click by its place on the screen.
type pointed interface {
	clickAt(x, y int, a *app) tea.Cmd
}

// wrapped makes a Pane of an oldPane.
type wrapped struct {
	oldPane
	a *app
}

func (w wrapped) Title() string                                       { return w.title() }
func (w wrapped) Hints() []desk.Hint                                  { return nil }
func (w wrapped) Actions() []desk.Action                              { return nil }
func (w wrapped) Draw(buf uv.ScreenBuffer, area uv.Rectangle, _ bool) { w.draw(buf, area, w.a) }
func (w wrapped) Read() tea.Cmd                                       { return w.read(w.a) }
func (w wrapped) Other(act keys.Action) tea.Cmd                       { return w.act(act, w.a) }

func (w wrapped) Click(x, y int) tea.Cmd {
	if p, ok := w.oldPane.(pointed); ok {
		return p.clickAt(x, y, w.a)
	}
	w.click(y - w.a.lay.pane.Min.Y)
	return nil
}

// paneOf is the open pane where it is an oldPane of a type.
func paneOf[P oldPane](a *app) (P, bool) {
	w, _ := a.pane.(wrapped)
	p, ok := w.oldPane.(P)
	return p, ok
}

// thePane is the open pane, which must be an oldPane of a type.
func thePane[P oldPane](a *app) P {
	return a.pane.(wrapped).oldPane.(P)
}

// inPane lets an action mean something of its own while a pane of a kind has the
// keys.
func inPane[P oldPane](all actions, act keys.Action, f func(p P, a *app) tea.Cmd) {
	elsewhere := all.plain[act]
	all.plain[act] = func(a *app) tea.Cmd {
		if p, ok := paneOf[P](a); ok && a.mode == keys.Pane {
			return f(p, a)
		}
		return elsewhere(a)
	}
}

type paneKind int

const (
	paneLore paneKind = iota
)

// paneActions are the actions that open the panes that are no room's yet.
var paneActions = map[paneKind]keys.Action{paneLore: keys.PaneLore}

// setPane shows an oldPane.
func (a *app) setPane(p oldPane) { a.pane, a.paneFor = wrapped{p, a}, paneActions[p.kind()] }

// Toggle implements Desk.
func (a *app) Toggle(act keys.Action, make func() desk.Pane) tea.Cmd {
	if a.pane != nil && a.paneFor == act {
		a.closePane()
		return nil
	}
	return a.Show(act, make())
}

// Show implements Desk.
func (a *app) Show(act keys.Action, p desk.Pane) tea.Cmd {
	a.pane, a.paneFor = p, act
	a.mode = keys.Pane
	return p.Read()
}

// FocusPane implements Desk.
func (a *app) FocusPane() {
	if a.pane != nil {
		a.mode = keys.Pane
	}
}

func (a *app) closePane() {
	a.pane, a.paneFor = nil, ""
	if a.mode == keys.Pane {
		a.mode = keys.Write
	}
}

func (a *app) focusPane() tea.Cmd {
	switch {
	case a.pane == nil:
		return nil
	case a.mode == keys.Pane:
		return a.toBrowse()
	default:
		a.mode = keys.Pane
	}
	return nil
}

func (a *app) drawPane(buf uv.ScreenBuffer) {
	area := a.lay.pane
	if area.Dy() < 3 || area.Dx() < 6 {
		return
	}
	st := a.lk.Border
	if a.mode == keys.Pane {
		st = a.lk.Accent
	}
	if !a.lay.over {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			look.Put(buf, area.Min.X, y, 1, a.lk.Border, "│")
		}
		area.Min.X++
	}
	away := "tab · alt+x"
	if a.mode == keys.Pane && a.tabbed() {
		away = "esc · alt+x" // tab is for its views
	}
	look.Rule(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.pane.Title(), away, a.lk.Title)
	foot := a.paneFoot()
	if a.mode != keys.Pane { // its keys mean something else in the play
		foot = a.keys.Key(keys.PaneClose, keys.Write) + " close"
		if k := a.keys.Key(keys.PaneFocus, keys.Browse); a.mode == keys.Browse && k != "" {
			foot = k + " go to this pane · " + foot
		}
	}
	look.Put(buf, area.Min.X+1, area.Max.Y-1, area.Dx()-2, a.lk.Dim, look.Hints(foot, area.Dx()-2))
	a.pane.Draw(buf, uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, area.Dy()-2), a.mode == keys.Pane)
}

// tabbed tells whether the key that leaves a pane has a meaning of its own in it.
func (a *app) tabbed() bool {
	if w, ok := a.pane.(wrapped); ok {
		return w.kind() == paneLore
	}
	return a.paneAction(keys.PaneFocus) != nil
}

// paneAction is what an action means in the open pane while that has the keys, nil
// for nothing of its own.
func (a *app) paneAction(act keys.Action) *desk.Action {
	if a.pane == nil {
		return nil
	}
	list := a.pane.Actions()
	if i := slices.IndexFunc(list, func(x desk.Action) bool { return x.Name == act }); i >= 0 {
		return &list[i]
	}
	return nil
}

// paneFoot is the line below the open pane, with the keys as the user has them.
func (a *app) paneFoot() string {
	if w, ok := a.pane.(wrapped); ok {
		return w.foot()
	}
	var parts []string
	for _, h := range a.pane.Hints() {
		if h.Action == "" {
			parts = append(parts, h.Words)
		} else if k := a.keys.Key(h.Action, keys.Pane); k != "" {
			parts = append(parts, k+" "+h.Words)
		}
	}
	return strings.Join(parts, look.Separator)
}

// Refresh reads again what the pane shows.
func (a *app) Refresh() tea.Cmd {
	if a.pane == nil {
		return nil
	}
	return a.pane.Read()
}
