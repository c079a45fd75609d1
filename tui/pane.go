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

// uncover closes the pane where it hides the play.
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
		return a.rooms.play.Browse()
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
	if _, ok := a.pane.(desk.Tabbed); ok && a.mode == keys.Pane {
		away = "esc · alt+x" // tab is for its views
	}
	look.Rule(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.pane.Title(), away, a.lk.Title)
	foot := a.foot.of(a.pane.Hints(), a.keys)
	if a.mode != keys.Pane { // its keys mean something else in the play
		foot = a.keys.Key(keys.PaneClose, keys.Write) + " close"
		if k := a.keys.Key(keys.PaneFocus, keys.Browse); a.mode == keys.Browse && k != "" {
			foot = k + " go to this pane · " + foot
		}
	}
	look.Put(buf, area.Min.X+1, area.Max.Y-1, area.Dx()-2, a.lk.Dim, look.Hints(foot, area.Dx()-2))
	a.pane.Draw(buf, uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, area.Dy()-2), a.mode == keys.Pane)
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

// paneFoot is the line below a pane as it was made last: it is drawn with every
// frame, and seldom another one.
type paneFoot struct {
	hints []desk.Hint
	text  string
}

// of is the line that hints make, with the keys as the user has them.
func (f *paneFoot) of(hints []desk.Hint, km *keys.Map) string {
	if slices.Equal(hints, f.hints) {
		return f.text
	}
	var parts []string
	for _, h := range hints {
		if h.Action == "" {
			parts = append(parts, h.Words)
		} else if k := km.Key(h.Action, keys.Pane); k != "" {
			parts = append(parts, k+km.Key(h.Until, keys.Pane)+" "+h.Words)
		}
	}
	*f = paneFoot{slices.Clone(hints), strings.Join(parts, look.Separator)}
	return f.text
}

// Refresh reads again what the pane shows.
func (a *app) Refresh() tea.Cmd {
	if a.pane == nil {
		return nil
	}
	return a.pane.Read()
}

// pointing tells whether the play shows where a bullet or a fact came from, while
// the pane has the keys.
func (a *app) pointing() bool {
	p, ok := a.pane.(desk.Pointer)
	return ok && p.Pointing() && a.mode == keys.Pane
}
