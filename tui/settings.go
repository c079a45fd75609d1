package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/library"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

func (a *app) openModels() tea.Cmd {
	if s := a.servers.Ollama; s.Asked && !s.Up {
		a.openAway()
		return nil
	}
	a.dialogs.Open(a.modelPicker())
	return nil
}

// models are the entries of the picker of models, and which of them plays now.
func (a *app) models() (entries []widget.Entry, at int) {
	for i, m := range a.servers.Ollama.Models {
		now := ""
		if m.Name == a.view.Model {
			at, now = i, "now · "
		}
		entries = append(entries, widget.Entry{Title: m.Name, Detail: strings.TrimSpace(m.ParameterSize + " " + m.Quantization),
			Right: now + look.Size(m.Size), Value: m.Name})
	}
	return entries, at
}

// modelPicker lists the models of the server. The choice holds for all chats.
func (a *app) modelPicker() *widget.Picker {
	entries, at := a.models()
	p := widget.NewPicker(a.lk, "Models: who plays the others?", entries, func(e widget.Entry) tea.Cmd {
		name := e.Value.(string)
		chat := a.view.Chat.ID
		a.view.Model = name
		return a.Do(func() func() tea.Cmd {
			err := a.eng.House.SetDefaultModel(name)
			if err == nil && chat != "" {
				err = a.eng.Chats.SetModel(chat, name)
			}
			return func() tea.Cmd {
				if err != nil {
					return a.Fail(err)
				}
				return tea.Batch(a.reload(), a.firstChat(), a.probe())
			}
		})
	}, widget.Extra{Key: "ctrl+n", Words: "download another", Always: true, Do: func(widget.Entry) tea.Cmd { return a.openPull() }})
	p.At = at
	p.Renew = func() []widget.Entry {
		entries, _ := a.models()
		p.Empty = "the server has no model yet: ctrl+n downloads one"
		if !a.servers.Ollama.Asked {
			p.Empty = "asking the server …"
		}
		return entries
	}
	p.Again()
	return p
}

func (a *app) openPull() tea.Cmd {
	f := &widget.Form{Title: "Download a model", Notes: []string{"Its name as in Ollama's library, such as llama3.2 or mistral-nemo. The download goes on while you play; this same command stops it."},
		Fields: []*widget.Field{widget.LineField(a.lk, "Model", "", "name or name:tag")}, Foot: "enter download · esc close"}
	if a.pull.Model != "" && !a.pull.Finished {
		a.dialogs.Open(&widget.Confirm{Title: "Download", Text: a.pull.Model + " is being downloaded.", Choices: []widget.Choice{
			{Key: "g", Words: "go on", Do: nil}, {Key: "s", Words: "stop it; what has come is kept by the server", Do: func() tea.Cmd { a.eng.House.CancelPull(); return nil }}}})
		return nil
	}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if name == "" {
			return nil, desk.ErrNeedsName
		}
		return desk.Try(a, func() error { return a.eng.House.PullModel(name) }), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

func (a *app) pullProgressed(ev house.PullProgressed) tea.Cmd {
	a.pull = ev
	switch {
	case ev.Err != nil:
		return a.Fail(ev.Err)
	case ev.Finished:
		return tea.Batch(a.Say(event.Info, ev.Model+" is here"), a.probe())
	}
	return nil
}

func (a *app) unloadModels() tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		names, err := a.eng.House.UnloadModels(a.ctx)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			if len(names) == 0 {
				return a.Say(event.Info, "no model was loaded")
			}
			return a.Say(event.Info, "unloaded "+strings.Join(names, ", "))
		}
	})
}

func (a *app) openThemes() tea.Cmd {
	var entries []widget.Entry
	at := 0
	for i, t := range a.opts.Themes {
		right := ""
		if t.Name == a.theme.Name {
			at, right = i, "now"
		}
		entries = append(entries, widget.Entry{Title: t.Title, Detail: t.About, Right: right, Value: t})
	}
	theme, dark, asked := a.theme, a.lk.Dark, a.opts.Dark
	p := widget.NewPicker(a.lk, "Themes", entries, func(e widget.Entry) tea.Cmd {
		t := e.Value.(themes.Theme)
		a.redress(t, a.lk.Dark)
		return desk.Try(a, func() error { return a.eng.House.RememberTheme(t.Name) })
	}, widget.Extra{Key: "ctrl+l", Words: "light or dark, until the end", Always: true, Keep: true, Do: func(widget.Entry) tea.Cmd {
		now := !a.lk.Dark
		a.opts.Dark = &now
		a.redress(a.theme, now)
		return nil
	}})
	p.At = at
	p.Moved = func(e widget.Entry) { a.redress(e.Value.(themes.Theme), a.lk.Dark) }
	p.Cancel = func() { a.opts.Dark = asked; a.redress(theme, dark) }
	a.dialogs.Open(p)
	return nil
}

// importPath brings in a card, a chat or a lorebook and goes there.
func (a *app) importPath(path string) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		got, err := a.eng.Library.Import(path)
		return func() tea.Cmd {
			switch {
			case err != nil:
				a.dialogs.Open(&widget.Reader{Title: "Nothing was imported", Lines: widget.PlainLines(failure.Words(err))})
				return nil
			case got.Chat.ID != "":
				return tea.Batch(a.SwitchTo(got.Chat.ID), a.Say(event.Info, importWords(got)))
			case got.Lorebook.ID != "":
				return a.Say(event.Info, importWords(got))
			}
			name := safetext.Line(got.Character.Card.Name)
			a.dialogs.Open(&widget.Confirm{Title: "Imported " + name, Text: importWords(got), Choices: []widget.Choice{
				{Key: "y", Words: "begin a chat with " + name, Do: func() tea.Cmd { return a.beginChat(got.Character.ID) }},
				{Key: "n", Words: "later", Do: nil}}})
			return nil
		}
	})
}

func importWords(got library.Imported) string {
	words := "It is among the characters now."
	if got.Chat.ID != "" {
		words = fmt.Sprintf("imported %q", got.Chat.Title)
	}
	if got.Lorebook.ID != "" {
		words = fmt.Sprintf("The lorebook %q is here with %s; it counts in every chat.", safetext.Line(got.Lorebook.Name), desk.EntryCount(got.Entries))
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
	return a.Do(func() func() tea.Cmd {
		path, err := a.eng.Library.ExportChatFile(chat.ID, "")
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			return a.Say(event.Info, "written to "+path)
		}
	})
}

func (a *app) exportCharacter(c storage.Character) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		path, err := a.eng.Library.ExportCharacterFile(c.ID, "png", "")
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			return a.Say(event.Info, "written to "+path)
		}
	})
}

func (a *app) openRename() tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Rename this chat", Fields: []*widget.Field{widget.LineField(a.lk, "Title", a.view.Chat.Title, "")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		title := strings.TrimSpace(f.Fields[0].Value())
		if title == "" {
			return nil, desk.ErrNeedsText
		}
		return desk.Try(a, func() error { return a.eng.Chats.Rename(id, title) }), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

func (a *app) openAuthorNote() tea.Cmd {
	id := a.view.Chat.ID
	if id == "" {
		return nil
	}
	f := &widget.Form{Title: "Author's note", Notes: []string{"Told to the model at the end of every prompt of this chat: where the story should go, how it should sound."},
		Fields: []*widget.Field{widget.TextField(a.lk, "", a.view.Chat.AuthorNote, 10)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		text := f.Fields[0].Value()
		return desk.Try(a, func() error { return a.eng.Chats.SetAuthorNote(id, text) }), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}

// editDraft opens the draft in the user's own editor.
func (a *app) editDraft() tea.Cmd {
	return a.EditText(a.composer.in.Value(), func(text string) tea.Cmd {
		a.composer.in.Set(text)
		return a.composer.edited(a)
	})
}

// EditText runs the user's editor on a text and takes what it leaves.
func (a *app) EditText(text string, take func(string) tea.Cmd) tea.Cmd {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return a.Say(event.Warning, "set $EDITOR to the editor of your choice first")
	}
	file, err := os.CreateTemp("", "ghostlight-*.md")
	if err != nil {
		return a.Fail(fmt.Errorf("editor: %w", err))
	}
	path := file.Name()
	_, err = file.WriteString(strings.TrimRight(text, "\n") + "\n") // editors append at a line's end
	if err = errors.Join(err, file.Close()); err != nil {
		return a.Fail(fmt.Errorf("editor: %w", err))
	}
	words := strings.Fields(editor)
	a.term.give()
	return tea.ExecProcess(exec.Command(words[0], append(words[1:], path)...), func(err error) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			back := a.takeTerminal()
			got, readErr := os.ReadFile(path)
			_ = os.Remove(path)
			if err = errors.Join(err, readErr); err != nil {
				return tea.Batch(back, a.Fail(fmt.Errorf("editor: %w", err)))
			}
			return tea.Batch(back, take(strings.TrimRight(string(got), "\n")))
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
