package pane

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// chooser is a list of files that takes a path as well. Typed text filters the list, or is a path
// if it begins like one. It stays open, with the typed text, until a file was taken.
type chooser struct {
	*widget.Picker
	host   Host
	choice FileChoice
	dir    string // that is listed
	fault  string
	busy   bool
	chose  bool // with the arrows, since the last typed letter
	// writing: a path is being completed; taken: enter was pressed meanwhile, and applies to the
	// completed path.
	writing, taken bool
	lists          widget.Latest
}

func newChooser(d Host, c FileChoice, dir string, entries []widget.Entry) *chooser {
	f := &chooser{host: d, choice: c, dir: dir}
	f.Picker = widget.NewPicker(d.Styles(), c.Title+" from "+dir, entries, func(widget.Entry) tea.Cmd { return nil },
		widget.Extra{Name: keys.DialogBrowse, Description: "type a path", Always: true,
			Do: func(widget.Entry) tea.Cmd { askPath(d, c); return nil }})
	f.Filter.Area.Placeholder = "type to filter, or a path; tab completes it"
	return f
}

// typedPath returns the typed path, "" if the text filters the list.
func (f *chooser) typedPath() string {
	text := strings.TrimSpace(f.Filter.Value())
	if text == "~" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./") ||
		strings.HasPrefix(text, "../") || filepath.IsAbs(text) {
		return text
	}
	return ""
}

// onDisk returns the absolute path for a typed path.
func (f *chooser) onDisk(path string) string {
	if path == "~" {
		path = "~/"
	}
	at := ExpandHome(path)
	if !filepath.IsAbs(at) {
		at = filepath.Join(f.dir, at)
		if strings.HasSuffix(path, "/") {
			at += "/"
		}
	}
	return at
}

// Actions implements widget.Dialog.
func (f *chooser) Actions() []keys.Action {
	open := keys.Action{Name: keys.DialogEnter, Label: f.openWords, Do: f.enter}
	complete := keys.Action{Name: keys.DialogNext, Text: "complete the path",
		Visible: func() bool { return f.typedPath() != "" },
		Do:      func() tea.Cmd { return f.complete(f.typedPath()) }}
	list := append([]keys.Action{open, complete}, f.Picker.Actions()...)
	for i := range list {
		if do := list[i].Do; list[i].Name != keys.DialogClose {
			list[i] = keys.When(func() bool { return !f.busy }, list[i])[0]
			list[i].Do = func() tea.Cmd {
				at := f.At
				cmd := do()
				f.chose = f.chose || f.At != at
				return cmd
			}
		}
	}
	return list
}

func (f *chooser) openWords() string {
	if _, ok := f.Chosen(); ok || f.typedPath() != "" {
		return "open"
	}
	return ""
}

// enter opens the typed path, or the chosen file or folder.
func (f *chooser) enter() tea.Cmd {
	path := f.typedPath()
	switch {
	case f.writing:
		f.taken = true
		return nil
	case path != "" && !f.chose:
		return f.open(f.onDisk(path))
	}
	e, ok := f.Chosen()
	if where, is := e.Value.(string); ok && is {
		return f.open(where)
	}
	return nil
}

// Handle implements widget.Dialog.
func (f *chooser) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if f.busy {
		return nil, false
	}
	path, before, at := f.typedPath(), f.Filter.Value(), f.At
	cmd, done := f.Picker.Handle(msg)
	if done { // a double click
		return f.enter(), false
	}
	f.fault, f.chose = "", f.chose || f.At != at
	if f.Filter.Value() != before {
		f.chose, f.writing, f.taken = false, false, false
		if now := f.typedPath(); now != "" || path != "" {
			cmd = tea.Batch(cmd, f.list(now))
		}
	}
	return cmd, false
}

// open opens a folder, or takes a file. It shows errors in the dialog.
func (f *chooser) open(path string) tea.Cmd {
	f.busy, f.fault = true, ""
	return f.host.Do(func() func() tea.Cmd {
		info, err := os.Stat(path)
		var entries []widget.Entry
		var then func() tea.Cmd
		folder := err == nil && info.IsDir()
		switch {
		case err != nil:
		case folder:
			path = filepath.Clean(path)
			entries, err = widget.ListFiles(path, f.choice.Endings)
		case f.choice.Read != nil:
			then, err = f.choice.Read(path)
		}
		return func() tea.Cmd {
			f.busy = false
			switch {
			case err != nil:
				f.host.Log().Warn("shown to the user", "err", err)
				f.fault = failure.Text(err)
				return nil
			case folder:
				f.show(path, entries)
				return nil
			}
			f.host.Dialogs().Close(f)
			f.host.Files().Folder = filepath.Dir(path)
			if f.choice.Read == nil {
				return f.choice.Take(path)
			}
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

// show lists another folder.
func (f *chooser) show(dir string, entries []widget.Entry) {
	f.lists.Begin()
	f.dir, f.chose = dir, false
	f.host.Files().Folder = dir
	f.Title = f.choice.Title + " from " + dir
	f.Filter.Set("")
	f.At, f.Top = 0, 0
	f.Fill(entries)
}

// candidates returns the files in the folder of a typed path, each as its path would be typed.
func (f *chooser) candidates(path string) ([]widget.Entry, error) {
	folder := path[:strings.LastIndexByte(path, '/')+1]
	if path == "~" {
		folder = "~/"
	}
	entries, err := widget.ListFiles(f.onDisk(folder), f.choice.Endings)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e widget.Entry) bool { return e.Title == "../" })
	for i := range entries {
		entries[i].Title = folder + entries[i].Title
	}
	return entries, nil
}

// list shows the candidates for the typed path, or the folder again if there is none.
func (f *chooser) list(path string) tea.Cmd {
	newest := f.lists.Begin()
	dir := f.dir
	return f.host.Do(func() func() tea.Cmd {
		var entries []widget.Entry
		var err error
		if path == "" {
			entries, err = widget.ListFiles(dir, f.choice.Endings)
		} else {
			entries, err = f.candidates(path)
		}
		return func() tea.Cmd {
			if newest() {
				if err != nil {
					entries = nil // reported once the path is taken
				}
				f.Fill(entries)
			}
			return nil
		}
	})
}

// complete extends a typed path as far as all candidates agree.
func (f *chooser) complete(path string) tea.Cmd {
	newest := f.lists.Begin()
	f.writing = true
	return f.host.Do(func() func() tea.Cmd {
		entries, err := f.candidates(path)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			taken := f.taken
			f.writing, f.taken = false, false
			if err != nil {
				f.fault = failure.Text(err)
				return nil
			}
			if full := agreed(path, entries); full != "" {
				f.Filter.Set(full)
				path = full
			} else {
				f.fault = "no match"
				taken = false
			}
			if taken {
				return f.open(f.onDisk(path))
			}
			if strings.HasSuffix(path, "/") {
				return f.list(path)
			}
			f.Fill(entries)
			return nil
		}
	})
}

// agreed returns the longest common prefix of all entries that begin with a path, "" if none does.
func agreed(path string, entries []widget.Entry) string {
	out, met := "", false
	for _, e := range entries {
		if !strings.HasPrefix(e.Title, path) {
			continue
		}
		if !met {
			out, met = e.Title, true
			continue
		}
		old := []rune(out)
		n := 0
		for _, r := range e.Title {
			if n == len(old) || old[n] != r {
				break
			}
			n++
		}
		out = string(old[:n])
	}
	return out
}

// Draw implements widget.Dialog.
func (f *chooser) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	cur := f.Picker.Draw(buf, screen, sty)
	words, st := f.fault, sty.Warning
	if f.busy {
		words, st = "reading …", sty.Dim
	}
	if words != "" && !f.Area.Empty() {
		lines := draw.Wrap("! "+words, f.Area.Dx())
		for i, l := range lines[:min(len(lines), f.Area.Dy()+1)] {
			at := uv.Rect(f.Area.Min.X, f.Area.Min.Y-1+i, f.Area.Dx(), 1)
			draw.Fill(buf, at, sty.Base)
			draw.Put(buf, at.Min.X, at.Min.Y, at.Dx(), st, l)
		}
	}
	return cur
}
