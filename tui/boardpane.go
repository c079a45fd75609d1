package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/keys"
)

type boardPane struct{ list }

func newBoardPane(*app) *boardPane { return &boardPane{} }

func (p *boardPane) kind() paneKind                           { return paneBoard }
func (p *boardPane) title() string                            { return "storyboard" }
func (p *boardPane) foot() string                             { return "" }
func (p *boardPane) draw(uv.ScreenBuffer, uv.Rectangle, *app) {}
func (p *boardPane) act(keys.Action, *app) tea.Cmd            { return nil }
func (p *boardPane) read(*app) tea.Cmd                        { return nil }

// storyboard are the actions of the pane.
func (all actions) storyboard() {
	all.plain[keys.PaneStory] = func(a *app) tea.Cmd { return a.togglePane(paneBoard) }
}
