package tui

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// needsPane returns the reason for actions on the open pane.
func (a *app) needsPane() string {
	if a.pane != nil {
		return ""
	}
	return "no pane is open; " + pane.PathTo(a, keys.PaneScenes) + " opens the scenes, " +
		pane.PathTo(a, keys.PaneLore) + " the lorebooks"
}

// paneSize returns the difference between the open pane's size and the usual one. A zoomed pane
// does not hide the play while the play has the focus.
func (a *app) paneSize() (s settings.PaneSize) {
	if a.pane != nil {
		s = a.kept.Panes[string(a.paneFor)]
		s.Zoomed = s.Zoomed && a.mode == keys.Pane
	}
	return s
}

// resizePane makes the open pane wider by steps, or narrower if steps is negative.
func (a *app) resizePane(steps int) tea.Cmd {
	if a.width < paneBeside {
		return a.Say(event.Info, "the pane uses the full width here: it is shown beside the chat from 100 columns; "+
			a.keys.AnyKey(keys.PaneZoom)+" also hides the message box")
	}
	size := a.kept.Panes[string(a.paneFor)]
	if size.Zoomed {
		size.Zoomed = false
		return a.setPaneSize(size)
	}
	was := paneWidth(a.width, size.Steps)
	size.Steps += steps
	if paneWidth(a.width, size.Steps) == was {
		return a.Say(event.Info, map[bool]string{true: "it cannot be wider beside the chat; " +
			a.keys.Key(keys.PaneZoom, keys.Pane) + " makes it full screen", false: "it cannot be narrower"}[steps > 0])
	}
	return a.setPaneSize(size)
}

// zoomPane gives the open pane the whole screen, or restores its size.
func (a *app) zoomPane() tea.Cmd {
	size := a.kept.Panes[string(a.paneFor)]
	size.Zoomed = !size.Zoomed
	a.Panes().Focus()
	return a.setPaneSize(size)
}

// setPaneSize stores the size of the open pane.
func (a *app) setPaneSize(size settings.PaneSize) tea.Cmd {
	all := maps.Clone(a.kept.Panes)
	if all == nil {
		all = map[string]settings.PaneSize{}
	}
	if all[string(a.paneFor)] = size; size == (settings.PaneSize{}) {
		delete(all, string(a.paneFor))
	}
	a.kept.Panes = all
	return a.keep()
}
