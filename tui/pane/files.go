package pane

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// FileChoice describes a file that the user looks for, folder by folder.
type FileChoice struct {
	Title   string // of the dialogs
	Endings []string
	Note    string // about a typed path, with an example
	Example string
	// Read reads the file away from the screen's goroutine, and returns the function to run
	// afterwards. On an error the dialog stays open with the path and the reason.
	Read func(path string) (then func() tea.Cmd, err error)
	// Take replaces Read if only the path of an existing file is needed.
	Take  func(path string) tea.Cmd
	Typed func() // asks for a path in its own way; nil uses the default form
}

// Browse lets the user look for a file, starting in the folder of the last one.
func Browse(d Host, c FileChoice) tea.Cmd { return browse(d, c, StartDir(d)) }

func browse(d Host, c FileChoice, dir string) tea.Cmd {
	return d.Do(func() func() tea.Cmd {
		entries, err := widget.ListFiles(dir, c.Endings)
		return func() tea.Cmd {
			if err != nil {
				return Explain(d, "This folder cannot be read", err)
			}
			d.Files().Folder = dir
			d.Open(newChooser(d, c, dir, entries))
			return nil
		}
	})
}

// askPath asks for the path of a file.
func askPath(d Host, c FileChoice) {
	if c.Typed != nil {
		c.Typed()
		return
	}
	f := widget.Form{Title: c.Title, Notes: []string{c.Note},
		Fields: []*widget.Field{widget.LineField(d.Styles(), "File", "", c.Example)}, Verb: "import"}
	k := NewSavingForm(d, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			if c.Read != nil {
				return c.Read(path)
			}
			return func() tea.Cmd { return c.Take(path) }, nil
		}, nil
	})
	k.BusyWords = "reading …"
	d.Open(k)
}

// StartDir returns the folder in which the search for a file starts.
func StartDir(d Host) string {
	if dir := d.Files().Folder; dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "."
	}
	return home
}

// ExpandHome replaces a leading ~/ in a path by the user's home directory.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// FileName returns a title in a form that is valid in file names.
func FileName(title string) string {
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

// maxFileBytes is the maximum size of a file for ReadFile.
const maxFileBytes = 16 << 20

// ReadFile reads an ordinary file that is not too large.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	case info.Size() > maxFileBytes:
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("more than " + draw.Size(maxFileBytes))}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxFileBytes))
}

// Written reports the path of a written export. words follow the path; remarks are shown in a
// dialog.
func Written(d Host, path, words string, remarks ...string) tea.Cmd {
	d.Files().Folder = filepath.Dir(path)
	words = "written" + Unencrypted(d) + " to " + safetext.Line(path) + words
	if len(remarks) > 0 {
		d.Open(&widget.Reader{Title: "Saved", Lines: widget.PlainLines(words + "\n\n" + strings.Join(remarks, "\n"))})
		return nil
	}
	return d.Say(event.Info, words)
}

// Unencrypted returns the words that mark an export as unencrypted, "" if the data is not encrypted
// either.
func Unencrypted(d Host) string {
	if d.Engine().Backup.Encrypted() {
		return " unencrypted"
	}
	return ""
}

// WriteNew writes a file away from the screen's goroutine. If the path exists, it returns a
// function that asks before it is replaced.
func WriteNew(d Host, path string, write func() (func() tea.Cmd, error)) (func() tea.Cmd, error) {
	switch info, err := os.Lstat(path); {
	case err == nil && info.IsDir():
		return nil, errors.New("this is a folder")
	case err == nil:
		return func() tea.Cmd { return AskOverwrite(d, path, write) }, nil
	}
	return write()
}

// AskOverwrite asks before a file is replaced, and then writes it away from the
// screen's goroutine.
func AskOverwrite(d Host, path string, write func() (func() tea.Cmd, error)) tea.Cmd {
	d.Open(&widget.Confirm{Title: "File exists", Text: path +
		" already exists. Overwrite it?", Choices: []widget.Choice{
		{Key: "n", Words: "keep the old file", Do: nil},
		{Key: "y", Words: "overwrite", Do: func() tea.Cmd {
			return d.Do(func() func() tea.Cmd {
				then, err := write()
				if err != nil {
					return func() tea.Cmd { return d.Fail(err) }
				}
				return then
			})
		}}}})
	return nil
}
