package play

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// scriptStages are what a script may change, and scriptMacros what becomes of macros in
// its pattern, as the form offers it.
var (
	scriptStages = []string{"shown and sent text", "shown text", "sent text", "both, including imported messages"}
	scriptMacros = []string{"no: part of the pattern", "as they are", "as plain text"}
	macrosOf     = []storage.RegexMacros{storage.RegexAsWritten, storage.RegexRaw, storage.RegexEscaped}
)

// scriptForm is a script in a form.
type scriptForm struct {
	name, find, replace, trim, stage, edit, macros, least, most, text *widget.Field
	places                                                            []*widget.Field
}

// openForm edits a script of the user's own, or writes one.
func (p *scriptsPane) openForm(was storage.RegexScript) tea.Cmd {
	sty, fresh := p.Host.Styles(), was.ID == ""
	if fresh {
		was.Places, was.OnEdit = []storage.RegexPlace{storage.RegexUser, storage.RegexReply}, true
	}
	number := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	stage := 0
	switch {
	case was.OnlyShown && was.OnlySent:
		stage = 3
	case was.OnlyShown:
		stage = 1
	case was.OnlySent:
		stage = 2
	}
	f := &scriptForm{
		name: widget.LineField(sty, "Name", was.Name, "name of the script"), find: widget.TextField(sty, "Find", was.Find, 2), replace: widget.TextField(sty, "Replace with", was.Replace, 3),
		trim:  widget.TextField(sty, "Trim out, one per line", strings.Join(was.Trim, "\n"), 1),
		stage: widget.PickField("Changes", scriptStages[stage], scriptStages), edit: widget.CheckField("Run on edit", was.OnEdit),
		macros: widget.PickField("Macros in find pattern", scriptMacros[max(0, slices.Index(macrosOf, was.Macros))], scriptMacros),
		least:  widget.LineField(sty, "Min depth", number(was.MinDepth), "unlimited"), most: widget.LineField(sty, "Max depth", number(was.MaxDepth), "unlimited"),
		text: widget.TextField(sty, "Test text", "", 2),
	}
	fields := []*widget.Field{f.name, f.find, f.replace}
	for _, place := range storage.RegexPlaces {
		f.places = append(f.places, widget.CheckField("On "+scriptPlaces[place], was.Acts(place)))
	}
	fields = append(append(append(fields, f.stage), f.places...), f.edit, f.trim, f.macros, f.least, f.most, f.text)
	title := "Regex script"
	if fresh {
		title = "New regex script"
	}
	form := widget.Form{Title: title, Fields: fields,
		Notes: []string{"A JavaScript regex, as /pattern/flags; $1 is a group, {{match}} the whole match."}}
	chat, d := p.Host.Play().Chat().Chat.ID, p.Host
	form.Keys = append(form.Keys, keys.Action{Name: keys.DialogAgain, Hint: "try", Do: func() tea.Cmd {
		s, err := f.script(was)
		if err != nil {
			return d.Fail(err)
		}
		return tryScript(d, s, f.text.Value(), chat)
	}})
	k := pane.NewKeptForm(d, form, func(*widget.Form) (func() (func() tea.Cmd, error), error) {
		s, err := f.script(was)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			v, err := d.Engine().Chats.Regex.Put(s)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return p.saved(v, was) }, nil
		}, nil
	})
	k.Start()
	d.Open(k)
	return nil
}

// saved chooses a script that was written and notes how to take that back.
func (p *scriptsPane) saved(v chats.RegexView, was storage.RegexScript) tea.Cmd {
	r := p.Host.Engine().Chats.Regex
	back := func() error { return r.Restore(was) }
	words := quotedScript(v) + " was changed"
	if was.ID == "" {
		back, words = func() error { _, err := r.Delete(v); return err }, quotedScript(v)+" is active"
	}
	return tea.Batch(p.Reveal(v.ID), p.ChangedBy(words, back), p.Read())
}

// script is what the form says, on the ground of what was.
func (f *scriptForm) script(was storage.RegexScript) (storage.RegexScript, error) {
	s := was
	s.Name, s.Find, s.Replace = strings.TrimSpace(f.name.Value()), f.find.Value(), f.replace.Value()
	s.OnlyShown, s.OnlySent = f.stage.Chosen == 1 || f.stage.Chosen == 3, f.stage.Chosen >= 2
	_, s.OnEdit = f.edit.Check()
	s.Macros, s.Trim, s.Places = macrosOf[f.macros.Chosen], nil, nil
	for l := range strings.Lines(f.trim.Value()) {
		if l = strings.TrimRight(l, "\n"); l != "" {
			s.Trim = append(s.Trim, l)
		}
	}
	for i, place := range storage.RegexPlaces {
		if _, on := f.places[i].Check(); on {
			s.Places = append(s.Places, place)
		}
	}
	var err error
	if s.MinDepth, err = depthField(f.least, -1); err == nil {
		s.MaxDepth, err = depthField(f.most, 0)
	}
	return s, err
}

func depthField(f *widget.Field, least int) (*int, error) {
	text := strings.TrimSpace(f.Value())
	if text == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return nil, errors.New(strconv.Quote(text) + " is not a number of messages: leave it empty for unlimited")
	}
	return &n, nil
}

// openTrial asks for a text to try a script on.
func (p *scriptsPane) openTrial(v chats.RegexView) tea.Cmd {
	s := v.RegexScript
	d, chat := p.Host, p.Host.Play().Chat().Chat.ID
	text := ""
	if m, ok := d.Play().Selected(); ok {
		text = m.Content
	}
	f := &widget.Form{Title: "Try " + draw.Within(s.Name, 40), Verb: "try", Fields: []*widget.Field{widget.TextField(d.Styles(), "Text", text, 12)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) { return tryScript(d, s, f.Fields[0].Value(), chat), nil }
	d.Open(f.Start())
	return nil
}

// tryScript shows what a script makes of a text.
func tryScript(d pane.Host, s storage.RegexScript, text string, chat storage.ChatID) tea.Cmd {
	return pane.Get(d, func() (chats.RegexTrial, error) { return d.Engine().Chats.Regex.Try(s, text, chat) }, func(t chats.RegexTrial) tea.Cmd {
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
		d.Open(&widget.Reader{Title: "" + draw.Within(s.Name, 40) + " result", Lines: widget.PlainLines(words)})
		return nil
	})
}

// importFile brings scripts in from a file.
func (p *scriptsPane) importFile() tea.Cmd {
	d := p.Host
	return pane.Browse(d, pane.FileChoice{Title: "Import regex scripts", Endings: []string{".json", ".png"}, Example: "~/regex-hide.json",
		Note: "A script or a list that SillyTavern exported, a preset or a card with scripts, or its settings.json.",
		Read: func(path string) (func() tea.Cmd, error) {
			got, err := d.Engine().Chats.Regex.Import(path)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return tea.Batch(p.Read(), d.Say(event.Info, regexImported(got))) }, nil
		}})
}

// regexImported says what came of a file.
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
			err = file.Write(path, file.How{Replace: true}, data)
		}
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return pane.Written(d, path, "") }, nil
	}
	f := widget.Form{Title: "Export " + draw.Within(v.Name, 40), Verb: "write",
		Fields: []*widget.Field{widget.LineField(d.Styles(), "File", filepath.Join(pane.StartDir(d), "regex-"+pane.FileName(v.Name)+".json"), "regex.json")}}
	d.Open(pane.NewKeptForm(d, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
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
