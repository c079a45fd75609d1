package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
	"ghostlight/tui/widget"
)

func (a *app) openPalette() tea.Cmd {
	var entries []widget.Entry
	mode := a.mode
	for _, b := range a.keys.Bindings() {
		if b.Hidden || b.Action == keys.Palette {
			continue
		}
		detail := string(b.Action)
		if detail == b.Help {
			detail = ""
		}
		entries = append(entries, widget.Entry{Title: b.Help, Detail: detail, Right: a.anyKey(b), Value: b})
	}
	a.dialogs.Open(widget.NewPicker(a.lk, "Commands", entries, func(e widget.Entry) tea.Cmd {
		b := e.Value.(keys.Binding)
		if b.Modes&mode == 0 && b.Modes&keys.Browse != 0 {
			a.toBrowse()
		}
		return a.Run(b.Action)
	}))
	return nil
}

// anyKey is the key that leads to an action, with its mode where it has one of
// its own.
func (a *app) anyKey(b keys.Binding) string {
	if k := a.keys.Key(b.Action, keys.Write); k != "" {
		return k
	}
	for _, m := range []keys.Mode{keys.Browse, keys.Pane} {
		if k := a.keys.Key(b.Action, m); k != "" {
			return m.String() + " " + k
		}
	}
	return ""
}

func (a *app) openHelp() tea.Cmd {
	a.dialogs.Open(&widget.Reader{Title: "Help", Lines: func(w int) []string {
		var out []string
		group := ""
		for _, b := range a.keys.Bindings() {
			if len(b.Keys) == 0 {
				continue
			}
			if b.Group != group {
				if group = b.Group; len(out) > 0 {
					out = append(out, "")
				}
				out = append(out, a.lk.Title.Styled(group))
			}
			var labels []string
			col := max(10, min(26, w/3))
			for _, k := range b.Keys {
				labels = append(labels, keys.Label(k))
			}
			words := b.Help
			if b.Modes != keys.Any && b.Modes != keys.Write && group == "The play" {
				words += " (browse)"
			}
			out = append(out, a.helpLines(strings.Join(labels, ", "), words, col, w)...)
		}
		out = append(out, "")
		for _, l := range look.Wrap("Paste or drop a card or a chat file to import it. Keys can be changed in config.toml.", w) {
			out = append(out, a.lk.Dim.Styled(l))
		}
		return out
	}})
	return nil
}

// helpLines are keys in a column of col cells, and beside it what they do.
func (a *app) helpLines(labels, words string, col, w int) []string {
	var out []string
	if ansi.StringWidth(labels) > col {
		out, labels = append(out, "  "+a.lk.Key.Styled(labels)), ""
	}
	for _, l := range look.Wrap(words, max(1, w-col-3)) {
		out = append(out, "  "+a.lk.Key.Styled(fmt.Sprintf("%-*s", col, labels))+" "+a.lk.Base.Styled(l))
		labels = ""
	}
	return out
}

func (a *app) openChats() tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Chats.List()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			a.showChats(list)
			return nil
		}
	})
}

func (a *app) showChats(list []chats.ChatInfo) {
	var entries []widget.Entry
	for _, c := range list {
		detail := c.Preview
		if c.CharacterName != c.Title {
			detail = c.CharacterName + " · " + detail
		}
		entries = append(entries, widget.Entry{Title: c.Title, Detail: detail,
			Right: fmt.Sprintf("%d · %s", c.Messages, look.Ago(time.Now(), c.UpdatedAt)), Value: c.Chat})
	}
	p := widget.NewPicker(a.lk, "Chats", entries, func(e widget.Entry) tea.Cmd { return a.SwitchTo(e.Value.(storage.Chat).ID) },
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return a.openCharacters() }},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: func(e widget.Entry) tea.Cmd { return a.askDeleteChat(e.Value.(storage.Chat)) }})
	p.Empty = "no chat yet: ctrl+n begins one"
	a.dialogs.Open(p)
}

func (a *app) askDeleteChat(c storage.Chat) tea.Cmd {
	a.dialogs.Open(&widget.Confirm{Title: "Delete chat", Text: "Delete \"" + safetext.Line(c.Title) + "\" with all its branches and captures? A backup is written first.",
		Choices: []widget.Choice{{Key: "n", Words: "keep it", Do: nil}, {Key: "y", Words: "delete it", Do: func() tea.Cmd {
			return a.Do(func() func() tea.Cmd {
				err := a.eng.Play.DeleteChat(c.ID)
				next, ok, _ := a.eng.Chats.Last()
				return func() tea.Cmd {
					if err != nil {
						return a.Fail(err)
					}
					if c.ID != a.view.Chat.ID {
						return a.openChats()
					}
					if !ok {
						return tea.Batch(a.openView(chats.View{}, nil), a.openCharacters())
					}
					return a.SwitchTo(next)
				}
			})
		}}}})
	return nil
}

// newChat begins another chat with the character that is on the stage.
func (a *app) newChat() tea.Cmd {
	if a.view.Character.ID == "" {
		return a.openCharacters()
	}
	return a.beginChat(a.view.Character.ID)
}

func (a *app) beginChat(id storage.CharacterID) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		c, err := a.eng.Chats.New(id, "")
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			return a.SwitchTo(c.ID)
		}
	})
}

func (a *app) openCharacters() tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Library.Characters()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			a.showCharacters(list)
			return nil
		}
	})
}

func (a *app) showCharacters(list []storage.Character) {
	var entries []widget.Entry
	for _, c := range list {
		detail := strings.Join(c.Card.Tags, ", ")
		if detail == "" {
			detail = c.Card.Description
		}
		entries = append(entries, widget.Entry{Title: c.Card.Name, Detail: detail, Right: string(c.Immersion), Value: c})
	}
	get := func(f func(storage.Character) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd { return f(e.Value.(storage.Character)) }
	}
	p := widget.NewPicker(a.lk, "Characters: who is on stage?", entries,
		get(func(c storage.Character) tea.Cmd { return a.beginChat(c.ID) }),
		widget.Extra{Key: "ctrl+o", Words: "import", Always: true, Do: func(widget.Entry) tea.Cmd { return a.openImport() }},
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return a.editCharacter(storage.Character{Immersion: storage.Full}) }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Do: get(a.editCharacter)},
		widget.Extra{Key: "ctrl+s", Words: "export", Do: get(a.exportCharacter)},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: get(a.askDeleteCharacter)})
	p.Empty = "no character yet: ctrl+o imports a card, ctrl+n makes one"
	a.dialogs.Open(p)
}

func (a *app) askDeleteCharacter(c storage.Character) tea.Cmd {
	a.dialogs.Open(&widget.Confirm{Title: "Delete character", Text: "Delete " + safetext.Line(c.Card.Name) + "? Chats with this character are kept and can still be read.",
		Choices: []widget.Choice{{Key: "n", Words: "keep the character", Do: nil}, {Key: "y", Words: "delete the character", Do: func() tea.Cmd {
			return desk.Try(a, func() error { return a.eng.Library.DeleteCharacter(c.ID) })
		}}}})
	return nil
}

func (a *app) openPersonas() tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Library.Personas()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			a.showPersonas(list)
			return nil
		}
	})
}

func (a *app) showPersonas(list []storage.Persona) {
	var entries []widget.Entry
	for _, p := range list {
		right := ""
		if p.Default {
			right = "default"
		}
		entries = append(entries, widget.Entry{Title: p.Name, Detail: p.Description, Right: right, Value: p})
	}
	get := func(f func(storage.Persona) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd { return f(e.Value.(storage.Persona)) }
	}
	chat := a.view.Chat.ID
	p := widget.NewPicker(a.lk, "Personas: who are you here?", entries, get(func(p storage.Persona) tea.Cmd {
		return desk.Try(a, func() error { return a.eng.Chats.SetPersona(chat, p.ID) })
	}),
		widget.Extra{Key: "ctrl+n", Words: "new", Always: true, Do: func(widget.Entry) tea.Cmd { return a.editPersona(storage.Persona{}) }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Do: get(a.editPersona)},
		widget.Extra{Key: "ctrl+s", Words: "make default", Do: get(func(p storage.Persona) tea.Cmd {
			p.Default = true
			return desk.Try(a, func() error { _, err := a.eng.Library.SavePersona(p); return err })
		})},
		widget.Extra{Key: "ctrl+d", Words: "delete", Do: get(func(p storage.Persona) tea.Cmd {
			return desk.Try(a, func() error { return a.eng.Library.DeletePersona(p.ID) })
		})})
	p.Empty = "no persona yet: ctrl+n makes one"
	a.dialogs.Open(p)
}

func (a *app) editPersona(p storage.Persona) tea.Cmd {
	f := &widget.Form{Title: "Persona", Notes: []string{"Who you are in the play. The model is told both."}, Fields: []*widget.Field{
		widget.LineField(a.lk, "Name", p.Name, "what others call you"),
		widget.TextField(a.lk, "Description", p.Description, 8),
	}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		n := p
		n.Name, n.Description = strings.TrimSpace(f.Fields[0].Value()), f.Fields[1].Value()
		if n.Name == "" {
			return nil, desk.ErrNeedsName
		}
		return desk.Try(a, func() error { _, err := a.eng.Library.SavePersona(n); return err }), nil
	}
	a.dialogs.Open(f.Start())
	return nil
}
