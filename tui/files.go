package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/tui/desk"
	"ghostlight/tui/widget"
)

// importable are the endings of files that can be imported.
var importable = []string{".png", ".json", ".charx", ".jsonl"}

// openImport lets the user look for a card or a chat, from the folder where the
// last one was found.
func (a *app) openImport() tea.Cmd {
	return a.browse(fileChoice{title: "Import", endings: importable, example: "~/cards/somebody.png", take: a.importPath,
		note: "A character card (.png, .json, .charx) or a SillyTavern chat (.jsonl). Dropping the file into the terminal works too."}, a.startDir())
}

// fileChoice is a file of some kind that the user looks for, folder by folder.
type fileChoice struct {
	title   string // of the dialogs
	endings []string
	note    string // about a path that is typed, with an example
	example string
	take    func(path string) tea.Cmd
	typed   func() // asks for a path in a way of its own; nil asks for nothing else
}

// browse lists a folder: the one above it, the folders in it, and the files that
// are looked for.
func (a *app) browse(c fileChoice, dir string) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		entries, err := widget.ListFiles(dir, c.endings)
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(a, "This folder cannot be read", err)
			}
			a.importDir = dir
			a.dialogs.Open(widget.NewPicker(a.lk, c.title+" from "+dir, entries, func(e widget.Entry) tea.Cmd {
				path, _ := e.Value.(string)
				if strings.HasSuffix(e.Title, "/") {
					return a.browse(c, path)
				}
				return c.take(path)
			}, widget.Extra{Key: "ctrl+o", Words: "type a path", Always: true, Do: func(widget.Entry) tea.Cmd { a.askPath(c); return nil }}))
			return nil
		}
	})
}

// askPath asks for the path of a file that is looked for.
func (a *app) askPath(c fileChoice) {
	if c.typed != nil {
		c.typed()
		return
	}
	f := &widget.Form{Title: c.title, Notes: []string{c.note}, Fields: []*widget.Field{widget.LineField(a.lk, "File", "", c.example)}, Foot: "enter import · esc close"}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		path := strings.TrimSpace(f.Fields[0].Value())
		if path == "" {
			return nil, errors.New("the path of a file is needed")
		}
		return c.take(expandHome(path)), nil
	}
	a.dialogs.Open(f.Start())
}
