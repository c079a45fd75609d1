package tui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

// recapEndings are the endings of files that recaps are kept in.
var recapEndings = []string{".md", ".markdown", ".json"}

// mostRecapFile is the largest file of recaps that is read.
const mostRecapFile = 16 << 20

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

// openRecapExport asks where the recaps of the chat are to be written.
func (a *app) openRecapExport() tea.Cmd {
	chat := a.view.Chat
	if chat.ID == "" {
		return a.Say(event.Info, "no chat is open")
	}
	name := fileName(chat.Title) + "-recaps.md"
	f := widget.Form{Title: "Export the recaps", Foot: "enter write · esc close",
		Notes:  []string{"All recaps of this chat with all their versions. The file's ending says how: .md to read and edit, .json whole and exact. Both can be imported again."},
		Fields: []*widget.Field{widget.LineField(a.lk, "File", filepath.Join(a.startDir(), name), "recaps.md or recaps.json")}}
	k := desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := expandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("the path of a file is needed")
		}
		if recapFormat(path) == "" {
			return nil, errors.New("the file's name must end in .md or .json")
		}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				return nil, errors.New("that is a folder")
			} else if err == nil {
				return func() tea.Cmd { a.askOverwrite(chat.ID, path); return nil }, nil
			}
			return a.writeRecaps(chat.ID, path)
		}, nil
	})
	a.dialogs.Open(k)
	return nil
}

func (a *app) askOverwrite(chat storage.ChatID, path string) {
	a.dialogs.Open(&widget.Confirm{Title: "The file exists", Text: path + " is there already. Overwrite it?", Choices: []widget.Choice{
		{Key: "n", Words: "leave it", Do: nil},
		{Key: "y", Words: "overwrite it", Do: func() tea.Cmd {
			return a.Do(func() func() tea.Cmd {
				then, err := a.writeRecaps(chat, path)
				if err != nil {
					return func() tea.Cmd { return a.Fail(err) }
				}
				return then
			})
		}}}})
}

// writeRecaps writes the recaps of a chat to a file, away from the screen's
// goroutine.
func (a *app) writeRecaps(chat storage.ChatID, path string) (func() tea.Cmd, error) {
	data, err := a.eng.Scenes.ExportRecaps(chat, recapFormat(path))
	if err == nil {
		err = writeWhole(path, data)
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		a.importDir = filepath.Dir(path)
		return a.Say(event.Info, "written to "+path)
	}, nil
}

// writeWhole writes a file that only its owner can read, whole or not at all.
func writeWhole(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".ghostlight-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

// fileName makes a name for a file of a title.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '_':
			return '-'
		case strings.ContainsRune(`/\:*?"<>|'.`, r):
			return -1
		}
		return r
	}, safetext.Line(title))
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60])
	}
	if name = strings.ToLower(strings.Trim(name, "-")); name == "" {
		return "chat"
	}
	return name
}

// startDir is where a file is looked for first.
func (a *app) startDir() string {
	if a.importDir != "" {
		return a.importDir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	return home
}

func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// openRecapImport lets the user look for a file of recaps.
func (a *app) openRecapImport() tea.Cmd {
	if a.view.Chat.ID == "" {
		return a.Say(event.Info, "no chat is open")
	}
	return a.browse(fileChoice{title: "Import recaps", endings: recapEndings, note: "A file that was written by exporting recaps, as Markdown or JSON.", example: "~/recaps.md", take: a.importRecaps}, a.startDir())
}

// importRecaps reads recaps from a file into the open chat.
func (a *app) importRecaps(path string) tea.Cmd {
	chat := a.view.Chat.ID
	return a.Do(func() func() tea.Cmd {
		data, err := readBounded(path)
		var got scenes.RecapsRead
		if err == nil {
			got, err = a.eng.Scenes.ImportRecaps(chat, data)
		}
		return func() tea.Cmd {
			if err != nil {
				a.dialogs.Open(&widget.Reader{Title: "No recap was imported", Lines: widget.PlainLines(failure.Words(err))})
				return nil
			}
			words := recapsReadWords(got)
			if len(got.Warnings) > 0 {
				a.dialogs.Open(&widget.Reader{Title: "Recaps imported", Lines: widget.PlainLines(words + "\n\n" + strings.Join(got.Warnings, "\n"))})
				return nil
			}
			return a.Say(event.Info, words)
		}
	})
}

func recapsReadWords(got scenes.RecapsRead) string {
	if got.Versions == 0 {
		return "nothing new was in it: this chat has these recaps already"
	}
	return fmt.Sprintf("%s read, for %s; ← leads back to the versions that were there", look.Plural(got.Versions, "version"), look.Plural(got.Scenes, "scene"))
}

// readBounded reads an ordinary file that is not too large.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("no ordinary file")}
	case info.Size() > mostRecapFile:
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("more than " + look.Size(mostRecapFile))}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, mostRecapFile))
}
