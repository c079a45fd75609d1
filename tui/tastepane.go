package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/keys"
)

type tastePane struct{ list }

func newTastePane(*app) *tastePane { return &tastePane{} }

func (p *tastePane) kind() paneKind                           { return paneTaste }
func (p *tastePane) title() string                            { return "taste" }
func (p *tastePane) foot() string                             { return "" }
func (p *tastePane) draw(uv.ScreenBuffer, uv.Rectangle, *app) {}
func (p *tastePane) act(keys.Action, *app) tea.Cmd            { return nil }
func (p *tastePane) read(*app) tea.Cmd                        { return nil }

// taste are the actions of the pane.
func (all actions) taste() {
	all.plain[keys.PaneTaste] = func(a *app) tea.Cmd { return a.togglePane(paneTaste) }
}
