package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
)

var (
	errNeedsName = errors.New("a name is needed")
	errNeedsText = errors.New("there is nothing to save")
)

func (a *app) openModels() tea.Cmd {
	if s := a.servers.Ollama; s.Asked && !s.Up {
		a.openAway()
		return nil
	}
	a.dialogs.open(a.modelPicker())
	return nil
}

// models are the entries of the picker of models, and which of them plays now.
func (a *app) models() (entries []entry, at int) {
	for i, m := range a.servers.Ollama.Models {
		now := ""
		if m.Name == a.view.Model {
			at, now = i, "now · "
		}
		entries = append(entries, entry{title: m.Name, detail: strings.TrimSpace(m.ParameterSize + " " + m.Quantization),
			right: now + look.Size(m.Size), value: m.Name})
	}
	return entries, at
}

// modelPicker lists the models of the server. The choice holds for all chats.
func (a *app) modelPicker() *picker {
	entries, at := a.models()
	p := newPicker(a.lk, "Models: who plays the others?", entries, func(e entry) tea.Cmd {
		name := e.value.(string)
		chat := a.view.Chat.ID
		a.view.Model = name
		return a.do(func() func() tea.Cmd {
			err := a.eng.SetDefaultModel(name)
			if err == nil && chat != "" {
				err = a.eng.SetModel(chat, name)
			}
			return func() tea.Cmd {
				if err != nil {
					return a.fail(err)
				}
				return tea.Batch(a.reload(), a.firstChat(), a.probe())
			}
		})
	}, extra{key: "ctrl+n", words: "download another", always: true, do: func(entry) tea.Cmd { return a.openPull() }})
	p.at = at
	p.renew = func() []entry {
		entries, _ := a.models()
		p.empty = "the server has no model yet: ctrl+n downloads one"
		if !a.servers.Ollama.Asked {
			p.empty = "asking the server …"
		}
		return entries
	}
	p.again()
	return p
}

func (a *app) openPull() tea.Cmd {
	f := &form{title: "Download a model", notes: []string{"Its name as in Ollama's library, such as llama3.2 or mistral-nemo. The download goes on while you play; this same command stops it."},
		fields: []*field{lineField(a.lk, "Model", "", "name or name:tag")}, foot: "enter download · esc close"}
	if a.pull.Model != "" && !a.pull.Finished {
		a.dialogs.open(&confirm{title: "Download", text: a.pull.Model + " is being downloaded.", choices: []choice{
			{"g", "go on", nil}, {"s", "stop it; what has come is kept by the server", func() tea.Cmd { a.eng.CancelPull(); return nil }}}})
		return nil
	}
	f.save = func(f *form) (tea.Cmd, error) {
		name := strings.TrimSpace(f.fields[0].value())
		if name == "" {
			return nil, errNeedsName
		}
		return a.try(func() error { return a.eng.PullModel(name) }), nil
	}
	a.dialogs.open(f.start())
	return nil
}

func (a *app) pullProgressed(ev engine.PullProgressed) tea.Cmd {
	a.pull = ev
	switch {
	case ev.Err != nil:
		return a.fail(ev.Err)
	case ev.Finished:
		return tea.Batch(a.say(engine.Info, ev.Model+" is here"), a.probe())
	}
	return nil
}

func (a *app) unloadModels() tea.Cmd {
	return a.do(func() func() tea.Cmd {
		names, err := a.eng.UnloadModels(a.ctx)
		return func() tea.Cmd {
			if err != nil {
				return a.fail(err)
			}
			if len(names) == 0 {
				return a.say(engine.Info, "no model was loaded")
			}
			return a.say(engine.Info, "unloaded "+strings.Join(names, ", "))
		}
	})
}

func (a *app) openThemes() tea.Cmd {
	var entries []entry
	at := 0
	for i, t := range a.opts.Themes {
		right := ""
		if t.Name == a.theme.Name {
			at, right = i, "now"
		}
		entries = append(entries, entry{title: t.Title, detail: t.About, right: right, value: t})
	}
	theme, dark, asked := a.theme, a.lk.Dark, a.opts.Dark
	p := newPicker(a.lk, "Themes", entries, func(e entry) tea.Cmd {
		t := e.value.(themes.Theme)
		a.redress(t, a.lk.Dark)
		return a.try(func() error { return a.eng.RememberTheme(t.Name) })
	}, extra{key: "ctrl+l", words: "light or dark, until the end", always: true, keep: true, do: func(entry) tea.Cmd {
		now := !a.lk.Dark
		a.opts.Dark = &now
		a.redress(a.theme, now)
		return nil
	}})
	p.at = at
	p.moved = func(e entry) { a.redress(e.value.(themes.Theme), a.lk.Dark) }
	p.cancel = func() { a.opts.Dark = asked; a.redress(theme, dark) }
	a.dialogs.open(p)
	return nil
}

// importPath brings in a card, a chat or a lorebook and goes there.
func (a *app) importPath(path string) tea.Cmd {
	return a.do(func() func() tea.Cmd {
		got, err := a.eng.Import(path)
		return func() tea.Cmd {
			switch {
			case err != nil:
				a.dialogs.open(&reader{title: "Nothing was imported", lines: plainLines(engine.Words(err))})
				return nil
			case got.Chat.ID != "":
				return tea.Batch(a.switchTo(got.Chat.ID), a.say(engine.Info, importWords(got)))
			case got.Lorebook.ID != "":
				return a.say(engine.Info, importWords(got))
			}
			name := safetext.Line(got.Character.Card.Name)
			a.dialogs.open(&confirm{title: "Imported " + name, text: importWords(got), choices: []choice{
				{"y", "begin a chat with " + name, func() tea.Cmd { return a.beginChat(got.Character.ID) }},
				{"n", "later", nil}}})
			return nil
		}
	})
}

func importWords(got engine.Imported) string {
	words := "It is among the characters now."
	if got.Chat.ID != "" {
		words = fmt.Sprintf("imported %q", got.Chat.Title)
	}
	if got.Lorebook.ID != "" {
		words = fmt.Sprintf("The lorebook %q is here with %s; it counts in every chat.", safetext.Line(got.Lorebook.Name), entryCount(got.Entries))
	}
	if n := len(got.Warnings); n > 0 {
		words += " " + look.Plural(n, "remark") + ": " + strings.Join(got.Warnings[:min(n, 4)], "; ")
	}
	return words
}

func (a *app) exportChat() tea.Cmd {
	chat := a.view.Chat
	if chat.ID == "" {
		return nil
	}
	return a.do(func() func() tea.Cmd {
		path, err := a.eng.ExportChatFile(chat.ID, "")
		return func() tea.Cmd {
			if err != nil {
				return a.fail(err)
			}
			return a.say(engine.Info, "written to "+path)
		}
	})
}

func (a *app) exportCharacter(c storage.Character) tea.Cmd {
	return a.do(func() func() tea.Cmd {
		path, err := a.eng.ExportCharacterFile(c.ID, "png", "")
		return func() tea.Cmd {
			if err != nil {
				return a.fail(err)
			}
			return a.say(engine.Info, "written to "+path)
		}
	})
}

func (a *app) openRename() tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &form{title: "Rename this chat", fields: []*field{lineField(a.lk, "Title", a.view.Chat.Title, "")}}
	f.save = func(f *form) (tea.Cmd, error) {
		title := strings.TrimSpace(f.fields[0].value())
		if title == "" {
			return nil, errNeedsText
		}
		return a.try(func() error { return a.eng.RenameChat(id, title) }), nil
	}
	a.dialogs.open(f.start())
	return nil
}

func (a *app) openAuthorNote() tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &form{title: "Author's note", notes: []string{"Told to the model at the end of every prompt of this chat: where the story should go, how it should sound."},
		fields: []*field{textField(a.lk, "", a.view.Chat.AuthorNote, 10)}}
	f.save = func(f *form) (tea.Cmd, error) {
		text := f.fields[0].value()
		return a.try(func() error { return a.eng.SetAuthorNote(id, text) }), nil
	}
	a.dialogs.open(f.start())
	return nil
}

// editDraft opens the draft in the user's own editor.
func (a *app) editDraft() tea.Cmd {
	return a.external(a.composer.in.value(), func(a *app, text string) tea.Cmd {
		a.composer.in.set(text)
		return a.composer.edited(a)
	})
}

// editorKey lets alt+e open a form's text in the user's own editor.
func (a *app) editorKey(f *form, in *input) {
	f.keys = append(f.keys, extra{key: "alt+e", words: "editor", keep: true, do: func(entry) tea.Cmd {
		return a.external(in.value(), func(_ *app, text string) tea.Cmd {
			in.area.SetValue(safetext.Block(text))
			return nil
		})
	}})
	f.foot = "^S save · alt+e $EDITOR · esc close"
}

// external runs the user's editor on a text and takes what it leaves.
func (a *app) external(text string, take func(*app, string) tea.Cmd) tea.Cmd {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return a.say(engine.Warning, "set $EDITOR to the editor of your choice first")
	}
	file, err := os.CreateTemp("", "ghostlight-*.md")
	if err != nil {
		return a.fail(fmt.Errorf("editor: %w", err))
	}
	path := file.Name()
	_, err = file.WriteString(strings.TrimRight(text, "\n") + "\n") // editors append at a line's end
	if err = errors.Join(err, file.Close()); err != nil {
		return a.fail(fmt.Errorf("editor: %w", err))
	}
	words := strings.Fields(editor)
	a.term.give()
	return tea.ExecProcess(exec.Command(words[0], append(words[1:], path)...), func(err error) tea.Msg {
		return answerFunc(func() tea.Cmd {
			back := a.takeTerminal()
			got, readErr := os.ReadFile(path)
			_ = os.Remove(path)
			if err = errors.Join(err, readErr); err != nil {
				return tea.Batch(back, a.fail(fmt.Errorf("editor: %w", err)))
			}
			return tea.Batch(back, take(a, strings.TrimRight(string(got), "\n")))
		})
	})
}

// takeTerminal paints again after another program had the terminal.
func (a *app) takeTerminal() tea.Cmd {
	if err := a.term.take(""); err != nil {
		a.opts.Log.Error("taking the terminal failed", "err", err)
	}
	if size, ok := a.term.size(); ok {
		return func() tea.Msg { return size }
	}
	return nil
}
