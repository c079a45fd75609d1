package tui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ghostlight/tui/look"

	tea "charm.land/bubbletea/v2"
)

// importable are the endings of files that can be imported.
var importable = []string{".png", ".json", ".charx", ".jsonl"}

// mostFiles bounds how much of a directory is listed.
const mostFiles = 5000

// openImport lets the user look for a card or a chat, from the folder where the
// last one was found.
func (a *app) openImport() tea.Cmd {
	return a.browse(fileChoice{title: "Import", endings: importable, example: "~/cards/somebody.png", take: a.importPath,
		note: "A character card (.png, .json, .charx) or a SillyTavern chat (.jsonl). Dropping the file into the terminal works too."}, a.startDir())
}

// listFiles lists a folder: the one above it, the folders in it, and the files with
// one of these endings.
func listFiles(dir string, endings []string) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	found, err := f.ReadDir(mostFiles)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(found, func(x, y os.DirEntry) int {
		return strings.Compare(strings.ToLower(x.Name()), strings.ToLower(y.Name()))
	})
	out := []entry{{title: "../", detail: "the folder above", value: filepath.Dir(dir)}}
	var files []entry
	for _, e := range found {
		name := e.Name()
		path := filepath.Join(dir, name)
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			out = append(out, entry{title: name + "/", value: path})
		case slices.Contains(endings, strings.ToLower(filepath.Ext(name))):
			size := ""
			if info, err := e.Info(); err == nil {
				size = look.Size(info.Size())
			}
			files = append(files, entry{title: name, right: size, value: path})
		}
	}
	return append(out, files...), nil
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
	return a.do(func() func() tea.Cmd {
		entries, err := listFiles(dir, c.endings)
		return func() tea.Cmd {
			if err != nil {
				return a.cannot("This folder cannot be read", err)
			}
			a.importDir = dir
			a.dialogs.open(newPicker(a.lk, c.title+" from "+dir, entries, func(e entry) tea.Cmd {
				path, _ := e.value.(string)
				if strings.HasSuffix(e.title, "/") {
					return a.browse(c, path)
				}
				return c.take(path)
			}, extra{key: "ctrl+o", words: "type a path", always: true, do: func(entry) tea.Cmd { a.askPath(c); return nil }}))
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
	f := &form{title: c.title, notes: []string{c.note}, fields: []*field{lineField(a.lk, "File", "", c.example)}, foot: "enter import · esc close"}
	f.save = func(f *form) (tea.Cmd, error) {
		path := strings.TrimSpace(f.fields[0].value())
		if path == "" {
			return nil, errors.New("the path of a file is needed")
		}
		return c.take(expandHome(path)), nil
	}
	a.dialogs.open(f.start())
}
