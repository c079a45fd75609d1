package house

import (
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// backup copies the data file into the folder of the backups.
func (r *Room) backup() tea.Cmd {
	return desk.Get(r.desk, func() (string, error) { return r.desk.Engine().House.Backup() }, func(path string) tea.Cmd {
		return r.desk.Say(event.Info, "backed up: "+path)
	})
}

// copyTo asks where a whole copy of all that there is shall be written.
func (r *Room) copyTo() tea.Cmd {
	f := widget.Form{Title: "Save a copy of everything", Verb: "write",
		Notes:  []string{"Saves the whole data file, including unsaved changes. ghostlight restore FILE restores it."},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "File", filepath.Join(desk.StartDir(r.desk), "ghostlight-copy.db"), "a new file, or a folder")}}
	chat, draft := r.desk.Play().Chat().Chat.ID, r.desk.Play().Draft()
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			path, err := r.desk.Engine().Play.CopyTo(path, chat, draft)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				r.desk.Files().Folder = filepath.Dir(path)
				return r.desk.Say(event.Info, "everything saved to "+path)
			}, nil
		}, nil
	})
	k.BusyWords = "writing …"
	r.desk.Open(k)
	return nil
}
