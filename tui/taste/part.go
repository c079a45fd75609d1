// Package taste is the part of the screen for the learned taste of the user: its pane with the
// profile and the scenes, and its forms.
package taste

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Part is the part of the screen for the learned taste.
type Part struct{ host pane.Host }

// New returns the part for a host.
func New(d pane.Host) *Part { return &Part{host: d} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	return []keys.Action{{Name: keys.PaneTaste, Text: "taste: your preferences", Group: keys.PlayGroup,
		Modes: keys.Any, Keys: []string{"alt+a"}, Do: r.toggle}}
}

func (r *Part) toggle() tea.Cmd {
	return r.host.Panes().Open(keys.PaneTaste, func() pane.Pane { return newPane(r.host) })
}
