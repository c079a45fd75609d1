package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/keys"
	"ghostlight/tui/look"
)

// pane is what stands beside the play, one at a time.
type pane interface {
	kind() paneKind
	title() string
	foot() string
	draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app)
	Move(n int)
	click(row int)
	act(act keys.Action, a *app) tea.Cmd
	read(a *app) tea.Cmd // reads again what is shown
}

// pointed is a pane for which it matters where in a row a click is. It gets the
// click by its place on the screen.
type pointed interface {
	clickAt(x, y int, a *app) tea.Cmd
}

// inPane lets an action mean something of its own while a pane of a kind has the
// keys.
func inPane[P pane](all actions, act keys.Action, f func(p P, a *app) tea.Cmd) {
	elsewhere := all.plain[act]
	all.plain[act] = func(a *app) tea.Cmd {
		if p, ok := a.pane.(P); ok && a.mode == keys.Pane {
			return f(p, a)
		}
		return elsewhere(a)
	}
}

type paneKind int

const (
	paneCaptures paneKind = iota
	paneQueue
	panePrompt
	paneScenes
	paneRecap
	paneLore
	paneDirector
	paneMemory
	paneBoard
	paneTaste
)

func (a *app) togglePane(k paneKind) tea.Cmd {
	if a.pane != nil && a.pane.kind() == k {
		a.closePane()
		return nil
	}
	switch k {
	case paneCaptures:
		a.pane = newGallery(a)
	case paneQueue:
		a.pane = newQueuePane(a)
	case panePrompt:
		a.pane = &promptPane{}
	case paneScenes:
		a.pane = newScenesPane(a)
	case paneRecap:
		a.pane = &recapPane{}
	case paneLore:
		a.pane = newLorePane(a)
	case paneDirector:
		a.pane = newDirectorPane(a)
	case paneMemory:
		a.pane = newMemoryPane(a)
	case paneBoard:
		a.pane = newBoardPane(a)
	case paneTaste:
		a.pane = newTastePane(a)
	}
	a.mode = keys.Pane
	return a.pane.read(a)
}

func (a *app) closePane() {
	a.pane = nil
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
	if k := a.pane.kind(); (k == paneLore || k == paneMemory || k == paneTaste) && a.mode == keys.Pane {
		away = "esc · alt+x" // tab is for its views
	}
	look.Rule(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.pane.title(), away, a.lk.Title)
	foot := a.pane.foot()
	if a.mode != keys.Pane { // its keys mean something else in the play
		foot = a.keys.Key(keys.PaneClose, keys.Write) + " close"
		if k := a.keys.Key(keys.PaneFocus, keys.Browse); a.mode == keys.Browse && k != "" {
			foot = k + " go to this pane · " + foot
		}
	}
	look.Put(buf, area.Min.X+1, area.Max.Y-1, area.Dx()-2, a.lk.Dim, look.Hints(foot, area.Dx()-2))
	a.pane.draw(buf, uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, area.Dy()-2), a)
}

// readPane reads again what the pane shows.
func (a *app) readPane() tea.Cmd {
	if a.pane == nil {
		return nil
	}
	return a.pane.read(a)
}
