package settings

import (
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// backup copies the data file into the folder of the backups.
func (r *Part) backup() tea.Cmd {
	return pane.Get(r.host, func() (string, error) { return r.host.Engine().Backup.Make() }, func(path string) tea.Cmd {
		return r.host.Say(event.Info, "backed up: "+path)
	})
}

// copyTo asks for the path of a full copy of the data.
func (r *Part) copyTo() tea.Cmd {
	f := widget.Form{Title: "Save a copy of everything", Verb: "write",
		Notes: []string{"Saves the whole data file, including unsaved changes. ghostlight restore FILE restores it."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "File",
			filepath.Join(pane.StartDir(r.host), "ghostlight-copy.db"), "a new file, or a folder")}}
	chat, draft := r.host.Play().Chat().Chat.ID, r.host.Play().Draft()
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			path, err := r.host.Engine().Play.CopyTo(path, chat, draft)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				r.host.Files().Folder = filepath.Dir(path)
				return r.host.Say(event.Info, "everything saved to "+path)
			}, nil
		}, nil
	})
	k.BusyWords = "writing …"
	r.host.Open(k)
	return nil
}
