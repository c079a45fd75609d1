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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// recapEndings are the endings of files that recaps are kept in.
var recapEndings = []string{".md", ".markdown", ".json"}

// recapFormat is the format that a file's ending means, "" for none.
func recapFormat(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json":
		return "json"
	case ".md", ".markdown":
		return "markdown"
	}
	return ""
}

// openExport asks where the recaps of the chat are to be written.
func (r *Room) openExport() tea.Cmd {
	chat := r.desk.Play().Chat().Chat
	if chat.ID == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	name := desk.FileName(chat.Title) + "-recaps.md"
	f := widget.Form{Title: "Export the recaps", Verb: "write",
		Notes:  []string{"All recaps of this chat with all their versions. The file extension sets the format: .md to read and edit, .json complete and exact. Both can be imported again."},
		Fields: []*widget.Field{widget.LineField(r.desk.Look(), "File", filepath.Join(desk.StartDir(r.desk), name), "recaps.md or recaps.json")}}
	k := desk.NewKeptForm(r.desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
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
					return desk.AskOverwrite(r.desk, path, func() (func() tea.Cmd, error) { return r.writeRecaps(chat.ID, path) })
				}, nil
			}
			return r.writeRecaps(chat.ID, path)
		}, nil
	})
	r.desk.Open(k)
	return nil
}

// writeRecaps writes the recaps of a chat to a file, away from the screen's
// goroutine.
func (r *Room) writeRecaps(chat storage.ChatID, path string) (func() tea.Cmd, error) {
	data, err := r.desk.Engine().Scenes.ExportRecaps(chat, recapFormat(path))
	if err == nil {
		err = file.Write(path, file.How{Replace: true}, data)
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return desk.Written(r.desk, path, "") }, nil
}

// openImport lets the user look for a file of recaps.
func (r *Room) openImport() tea.Cmd {
	chat := r.desk.Play().Chat().Chat.ID
	if chat == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	return desk.Browse(r.desk, desk.FileChoice{Title: "Import recaps", Endings: recapEndings, Note: "Recaps exported as Markdown or JSON.", Example: "~/recaps.md", Read: func(path string) (func() tea.Cmd, error) { return r.importRecaps(chat, path) }})
}

// importRecaps reads recaps from a file into the open chat.
func (r *Room) importRecaps(chat storage.ChatID, path string) (func() tea.Cmd, error) {
	data, err := desk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	got, err := r.desk.Engine().Scenes.ImportRecaps(chat, data)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		words := recapsReadWords(got)
		if len(got.Warnings) > 0 {
			r.desk.Open(&widget.Reader{Title: "Recaps imported", Lines: widget.PlainLines(words + "\n\n" + strings.Join(got.Warnings, "\n"))})
			return nil
		}
		return r.desk.Say(event.Info, words)
	}, nil
}

func recapsReadWords(got scenes.RecapsRead) string {
	if got.Versions == 0 {
		return "nothing new: this chat already has these recaps"
	}
	return fmt.Sprintf("%s imported, for %s; earlier versions are kept", look.Plural(got.Versions, "version"), look.Plural(got.Scenes, "scene"))
}
