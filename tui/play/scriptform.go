package play

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openForm opens the form of one of the user's scripts, or of a new one.
func (p *scriptsPane) openForm(was storage.RegexScript) tea.Cmd {
	f := &pane.RecordForm[storage.RegexScript]{Title: "Regex script", Record: &chats.RegexFields, Value: was}
	if was.ID == "" {
		f.Title, f.Value, f.Fresh = "New regex script", chats.RegexFields.Default(), true
	}
	f.Save = func(change func(*storage.RegexScript)) (func() tea.Cmd, error) {
		s := f.Value
		change(&s)
		v, err := p.Host.Engine().Chats.Regex.Put(s)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return p.saved(v, was) }, nil
	}
	f.Keys = []keys.Action{{Name: keys.DialogAgain, Hint: "try", Do: func() tea.Cmd {
		s, err := f.Current()
		if err != nil {
			return p.Host.Fail(err)
		}
		return p.openTrial(s)
	}}}
	f.Open(p.Host)
	return nil
}

// saved selects a stored script and records how to undo that.
func (p *scriptsPane) saved(v chats.RegexView, was storage.RegexScript) tea.Cmd {
	r := p.Host.Engine().Chats.Regex
	back := func() error { return r.Restore(was) }
	words := quotedScript(v) + " was changed"
	if was.ID == "" {
		back, words = func() error { _, err := r.Delete(v); return err }, quotedScript(v)+" is active"
	}
	return tea.Batch(p.Reveal(v.ID), p.Changed(words, back), p.Read())
}

// openTrial asks for a text to test a script with.
func (p *scriptsPane) openTrial(s storage.RegexScript) tea.Cmd {
	d, chat := p.Host, p.Host.Play().Chat().Chat.ID
	text := ""
	if m, ok := d.Play().Selected(); ok {
		text = m.Content
	}
	f := &widget.Form{
		Title:  "Try " + draw.Truncate(s.Name, 40),
		Verb:   "try",
		Fields: []*widget.Field{widget.TextField(d.Styles(), "Text", text, 12)},
	}
	f.Save = func(f *widget.Form) (tea.Cmd, error) { return tryScript(d, s, f.Fields[0].Value(), chat), nil }
	d.Open(f.Start())
	return nil
}

// tryScript shows the result of a script for a text.
func tryScript(d pane.Host, s storage.RegexScript, text string, chat storage.ChatID) tea.Cmd {
	return pane.Get(
		d,
		func() (chats.RegexTrial, error) { return d.Engine().Chats.Regex.Try(s, text, chat) },
		func(t chats.RegexTrial) tea.Cmd {
			var words string
			switch {
			case t.Fault != "":
				words = "No effect: " + t.Fault + "."
			case text == "":
				words = "Enter a text to test it."
			case !t.Changed:
				words = "No change."
			case t.Shown == t.Sent:
				words = t.Sent
			default:
				words = "Shown:\n" + t.Shown + "\n\nSent:\n" + t.Sent
			}
			d.Open(&widget.Reader{Title: "" + draw.Truncate(s.Name, 40) + " result", Lines: widget.PlainLines(words)})
			return nil
		})
}

// importFile imports scripts from a file.
func (p *scriptsPane) importFile() tea.Cmd {
	d := p.Host
	return pane.Browse(
		d,
		pane.FileChoice{Title: "Import regex scripts", Endings: []string{".json", ".png"}, Example: "~/regex-hide.json",
			Note: "A script or a list that SillyTavern exported, a preset or a card with scripts, or its " +
				"settings.json.",
			Read: func(path string) (func() tea.Cmd, error) {
				got, err := d.Engine().Chats.Regex.Import(path)
				if err != nil {
					return nil, err
				}
				return func() tea.Cmd { return tea.Batch(p.Read(), d.Say(event.Info, regexImported(got))) }, nil
			}},
	)
}

// regexImported describes the result of an import.
func regexImported(got chats.RegexImport) string {
	words := draw.Plural(len(got.Scripts), "regex script") + " imported"
	if got.Here > 0 {
		words += ", " + strconv.Itoa(got.Here) + " already imported"
	}
	if n := len(got.Remarks); n > 0 {
		words += "; " + safetext.Line(strings.Join(got.Remarks[:min(n, 3)], "; "))
	}
	return words
}

// export writes a script to a file.
func (p *scriptsPane) export(v chats.RegexView) tea.Cmd {
	d := p.Host
	write := func(path string) (func() tea.Cmd, error) {
		data, err := d.Engine().Chats.Regex.Export(v)
		if err == nil {
			err = file.Write(path, file.Options{Replace: true}, data)
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return pane.Written(d, path, "") }, nil
	}
	f := widget.Form{Title: "Export " + draw.Truncate(v.Name, 40), Verb: "write",
		Fields: []*widget.Field{
			widget.LineField(
				d.Styles(),
				"File",
				filepath.Join(pane.StartDir(d), "regex-"+pane.FileName(v.Name)+".json"),
				"regex.json",
			),
		}}
	d.Open(pane.NewSavingForm(d, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				return nil, errors.New("this is a folder")
			} else if err == nil {
				return func() tea.Cmd {
					return pane.AskOverwrite(d, path, func() (func() tea.Cmd, error) { return write(path) })
				}, nil
			}
			return write(path)
		}, nil
	}))
	return nil
}
