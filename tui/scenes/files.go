package scenes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// recapEndings are the extensions of recap files.
var recapEndings = []string{".md", ".markdown", ".json"}

// recapFormat returns the format for a file's extension, "" for none.
func recapFormat(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".md", ".markdown":
		return "markdown"
	}
	return ""
}

// openExport asks for the path of the exported recaps.
func (r *Part) openExport() tea.Cmd {
	chat := r.host.Play().Chat().Chat
	if chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	name := pane.FileName(chat.Title) + "-recaps.md"
	f := widget.Form{Title: "Export the recaps", Verb: "write",
		Notes: []string{"All recaps of this chat with all their versions. The file extension sets the format: .md " +
			"to read and edit, .json complete and exact. Both can be imported again."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "File", filepath.Join(pane.StartDir(r.host), name),
			"recaps.md or recaps.json")}}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		if recapFormat(path) == "" {
			return nil, errors.New("the file name must end in .md or .json")
		}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				return nil, errors.New("this is a folder")
			} else if err == nil {
				return func() tea.Cmd {
					return pane.AskOverwrite(r.host, path, func() (func() tea.Cmd, error) {
						return r.writeRecaps(chat.ID, path)
					})
				}, nil
			}
			return r.writeRecaps(chat.ID, path)
		}, nil
	})
	r.host.Open(k)
	return nil
}

// writeRecaps writes the recaps of a chat to a file, away from the screen's
// goroutine.
func (r *Part) writeRecaps(chat storage.ChatID, path string) (func() tea.Cmd, error) {
	data, err := r.host.Engine().Scenes.ExportRecaps(chat, recapFormat(path))
	if err == nil {
		err = file.Write(path, file.Options{Replace: true}, data)
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, path, "") }, nil
}

// openImport opens the file dialog for recaps.
func (r *Part) openImport() tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return pane.Browse(r.host, pane.FileChoice{Title: "Import recaps", Endings: recapEndings,
		Note: "Recaps exported as Markdown or JSON.", Example: "~/recaps.md",
		Read: func(path string) (func() tea.Cmd, error) { return r.importRecaps(chat, path) }})
}

// importRecaps reads recaps from a file into the open chat.
func (r *Part) importRecaps(chat storage.ChatID, path string) (func() tea.Cmd, error) {
	data, err := pane.ReadFile(path)
	if err != nil {
		return nil, err
	}
	got, err := r.host.Engine().Scenes.ImportRecaps(chat, data)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		words := recapsReadWords(got)
		if len(got.Warnings) > 0 {
			r.host.Open(&widget.Reader{Title: "Recaps imported",
				Lines: widget.PlainLines(words + "\n\n" + strings.Join(got.Warnings, "\n"))})
			return nil
		}
		return r.host.Say(event.Info, words)
	}, nil
}

func recapsReadWords(got scenes.RecapsRead) string {
	if got.Versions == 0 {
		return "nothing new: this chat already has these recaps"
	}
	return fmt.Sprintf("%s imported, for %s; earlier versions are kept", draw.Plural(got.Versions, "version"),
		draw.Plural(got.Scenes, "scene"))
}
