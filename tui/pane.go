package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// panes implements pane.Panes.
type panes struct{ *app }

// Current implements pane.Panes.
func (a panes) Current() pane.Pane { return a.pane }

// Open implements pane.Panes.
func (a panes) Open(act keys.Name, make func() pane.Pane) tea.Cmd {
	if a.pane != nil && a.paneFor == act {
		a.Focus()
		return nil
	}
	return a.Show(act, make())
}

// Show implements pane.Panes.
func (a panes) Show(act keys.Name, p pane.Pane) tea.Cmd {
	a.pane, a.paneFor, a.paneActions = p, act, p.Actions()
	a.Focus()
	return p.Read()
}

// Focus implements pane.Panes.
func (a panes) Focus() {
	if a.pane == nil || a.mode == keys.Pane {
		return
	}
	a.beforePane, a.mode = a.mode, keys.Pane
}

// Uncover implements pane.Panes.
func (a panes) Uncover() {
	a.uncover()
	a.mode = keys.Write
}

// Refresh implements pane.Panes.
func (a panes) Refresh() tea.Cmd {
	if a.pane == nil {
		return nil
	}
	return a.pane.Read()
}

// leavePane restores the mode from before the pane had the focus.
func (a *app) leavePane() {
	if a.mode == keys.Pane {
		a.mode = a.beforePane
	}
}

func (a *app) closePane() {
	a.pane, a.paneFor, a.paneActions = nil, "", nil
	a.leavePane()
}

// uncover closes the pane if it hides the play.
func (a *app) uncover() {
	if a.lay.over {
		a.closePane()
	}
}

func (a *app) focusPane() tea.Cmd {
	switch {
	case a.pane == nil:
		return nil
	case a.mode == keys.Pane:
		if t, ok := a.pane.(pane.Tabbed); ok {
			names, at := t.Views()
			return t.ShowView((at + 1) % len(names))
		}
		return a.parts.play.Browse()
	default:
		a.Panes().Focus()
	}
	return nil
}

func (a *app) drawPane(buf uv.ScreenBuffer) {
	area := a.lay.pane
	if area.Dy() < 3 || area.Dx() < 6 {
		return
	}
	st := a.sty.Border
	if a.mode == keys.Pane {
		st = a.sty.Accent
	}
	if !a.lay.over && !a.lay.zoomed {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			draw.Put(buf, area.Min.X, y, 1, a.sty.Border, "│")
		}
		area.Min.X++
	}
	draw.Rule(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.pane.Title(), a.paneAway(), a.sty.Title)
	foot := a.paneFoot(area.Dx()-2, area.Dy())
	for i, row := range foot {
		draw.Put(buf, area.Min.X+1, area.Max.Y-len(foot)+i, area.Dx()-2, a.sty.Dim, row)
	}
	a.pane.Draw(buf, uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, area.Dy()-1-len(foot)), a.mode == keys.Pane)
}

// paneAway returns the hints at the right of a pane's title: tab and how to close the pane. It
// returns "" while the pane does not have the focus, because its foot then has the key for that.
func (a *app) paneAway() string {
	if a.mode != keys.Pane {
		return ""
	}
	named := func(act keys.Name, between, words string) string {
		if k := a.keys.Key(act, keys.Pane); k != "" {
			return k + between + words
		}
		return ""
	}
	closes := named(keys.PaneClose, " ", "close")
	if t, ok := a.pane.(pane.Tabbed); ok {
		names, at := t.Views()
		return draw.Join(closes, named(keys.PaneFocus, ": ", strings.ToLower(names[(at+1)%len(names)])))
	}
	return draw.Join(named(keys.PaneFocus, ": ", "the chat"), closes)
}

// tallPane is the minimum height, in rows, at which a pane has two rows of hints, if it needs them.
const tallPane = 18

// paneFoot returns the hints for the lower edge of a pane of w cells and h rows.
func (a *app) paneFoot(w, h int) []string {
	if a.mode == keys.Pane {
		most := 1
		if h >= tallPane {
			most = 2
		}
		return a.foot.of(paneHints(a), a.keys, w, most)
	}
	// Its keys mean something else in the play.
	var list []string
	to := keys.PaneFocus
	if a.mode == keys.Write {
		to = a.paneFor
	}
	if k := a.keys.Key(to, a.mode); k != "" {
		list = append(list, k+" go to this pane")
	}
	if k := a.keys.Key(keys.PaneClose, a.mode); k != "" {
		list = append(list, k+" close")
	}
	return draw.HintRows(draw.Join(list...), w, 1)
}

// paneHints returns the hints of the open pane whose actions are available.
func paneHints(a *app) (list []pane.Hint) {
	for _, d := range actionsHere(a) {
		if words := d.HintNow(); words != "" && d.Why() == "" {
			list = append(list, pane.Hint{Action: d.Name, Until: d.Until, Text: words})
		}
	}
	return list
}

// actionsHere returns the available actions of the open pane, each once.
func actionsHere(a *app) []keys.Action {
	var list []keys.Action
	for _, d := range a.paneActions {
		if d.IsVisible() && !slices.ContainsFunc(list, func(x keys.Action) bool { return x.Name == d.Name }) {
			list = append(list, d)
		}
	}
	return list
}

// nameOf returns the name of a pane, "" for none.
func nameOf(p pane.Pane) string {
	if p == nil {
		return ""
	}
	return p.Name()
}

// paneAction returns the open pane's version of an action while the pane has the focus, nil for
// none.
func (a *app) paneAction(act keys.Name) *keys.Action {
	if a.pane == nil {
		return nil
	}
	if t, ok := a.pane.(pane.Tabbed); ok {
		names, _ := t.Views()
		if i := slices.Index(viewActions, act); i >= 0 && i < len(names) {
			return &keys.Action{Name: act, Do: func() tea.Cmd { return t.ShowView(i) }}
		}
	}
	if i := slices.IndexFunc(a.paneActions, func(x keys.Action) bool {
		return x.Name == act && x.IsVisible()
	}); i >= 0 {
		return &a.paneActions[i]
	}
	return nil
}

// viewActions switch to the views of a pane, in their order.
var viewActions = []keys.Name{keys.PaneView1, keys.PaneView2, keys.PaneView3, keys.PaneView4}

// paneFoot caches the hints below a pane: they are drawn with every frame, and seldom change.
type paneFoot struct {
	hints   []pane.Hint
	w, most int
	rows    []string
}

// of returns the rows of w cells for the hints, with the user's keys; the key of the help comes
// last.
func (f *paneFoot) of(hints []pane.Hint, km *keys.Map, w, most int) []string {
	if f.rows != nil && w == f.w && most == f.most && slices.Equal(hints, f.hints) {
		return f.rows
	}
	var parts []string
	for _, h := range hints {
		if h.Action == "" {
			parts = append(parts, h.Text)
		} else if k := km.Key(h.Action, keys.Pane); k != "" {
			parts = append(parts, k+km.Key(h.Until, keys.Pane)+" "+h.Text)
		}
	}
	if k := km.Key(keys.Help, keys.Pane); k != "" {
		parts = append(parts, k+" keys")
	}
	*f = paneFoot{slices.Clone(hints), w, most, draw.HintRows(draw.Join(parts...), w, most)}
	return f.rows
}

// pointing reports whether the play shows the source of a bullet or a fact, while the pane has the
// focus.
func (a *app) pointing() bool {
	p, ok := a.pane.(pane.Pointer)
	return ok && p.Pointing() && a.mode == keys.Pane
}
