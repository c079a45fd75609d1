package house

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
)

// backup copies the data file into the folder of the backups.
func (r *Room) backup() tea.Cmd {
	return desk.Get(r.desk, func() (string, error) { return r.desk.Engine().House.Backup() }, func(path string) tea.Cmd {
		return r.desk.Say(event.Info, "backed up: "+path)
	})
}
