package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// welcome leads a new user to the first chat, by what is known of the server:
// what to do when it is away, then who plays, then who is on stage. Somebody who
// has a chat open is left in peace.
func (a *app) welcome() tea.Cmd {
	if a.dialogs.Top() != nil || !look.Blank(a.composer.in.Value()) {
		return nil // what the user is typing must not go to a dialog that pops up
	}
	s := a.servers.Ollama
	switch {
	case s.Asked && !s.Up:
		if a.view.Chat.ID == "" {
			a.openAway()
		}
	case s.Model == "" && a.view.Model == "":
		a.dialogs.Open(a.modelPicker())
	case a.view.Chat.ID == "":
		return a.firstChat()
	}
	return nil
}

// firstChat offers the characters to somebody who has no chat yet.
func (a *app) firstChat() tea.Cmd {
	if a.view.Chat.ID != "" {
		return nil
	}
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Library.Characters()
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case a.idle(""): // else the user began to type meanwhile
				a.showCharacters(list)
			}
			return nil
		}
	})
}

// openAway says that there is no Ollama and what can be done. The dialog stays
// until the server is there or the user has chosen.
func (a *app) openAway() {
	c := &widget.Confirm{Title: "No Ollama", Text: a.awayText(), Keep: "rs", Choices: []widget.Choice{{Key: "r", Words: "ask again", Do: a.askAgain}}}
	if a.eng.House.OllamaInstalled() {
		c.Choices = append(c.Choices, widget.Choice{Key: "s", Words: "start it now", Do: a.startOllama})
	}
	c.Choices = append(c.Choices,
		widget.Choice{Key: "h", Words: "rehearse with built-in stand-ins", Do: func() tea.Cmd {
			a.outcome.Rehearse = true
			return a.quit()
		}},
		widget.Choice{Key: "b", Words: "look around without it", Do: func() tea.Cmd {
			if a.view.Chat.ID != "" {
				return nil
			}
			return a.openCharacters()
		}},
		widget.Choice{Key: "q", Words: "quit", Do: a.quit})
	a.away = c
	a.dialogs.Open(c)
}

func (a *app) awayText() string {
	return a.servers.Ollama.Err + "\n\nGhostlight needs it to speak. Your characters and chats are all here meanwhile."
}

// askAgain asks the servers while the dialog waits for the answer.
func (a *app) askAgain() tea.Cmd {
	if a.away != nil {
		a.away.Text, a.asking = "Asking again …\n\n"+a.awayText(), true
	}
	return a.probe()
}

func (a *app) startOllama() tea.Cmd {
	a.away.Text, a.asking = "Starting Ollama …", true
	return a.Do(func() func() tea.Cmd {
		err := a.eng.House.StartOllama(a.ctx)
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(a.Fail(err), a.probe())
			}
			return a.probe()
		}
	})
}

// answered brings the dialog about the absent server up to date.
func (a *app) answered() {
	if a.away == nil {
		return
	}
	if a.asking {
		a.away.Text, a.asking = "At "+time.Now().Format("15:04:05")+" it was still away. "+a.awayText(), false
	}
	if a.servers.Ollama.Up {
		a.dialogs.Close(a.away)
		a.away = nil
	}
}

// drawEmpty is what stands in the play before the first message.
func (a *app) drawEmpty(buf uv.ScreenBuffer, area uv.Rectangle) {
	lines := []struct {
		st   uv.Style
		text string
	}{
		{a.lk.Accent, "Ghostlight"},
		{a.lk.Dim, "a theatre for one"},
		{a.lk.Base, ""},
		{a.lk.Base, a.keys.Key("characters", 1) + "  choose who is on stage"},
		{a.lk.Base, a.keys.Key("import", 1) + "  import a card, or drop its file here"},
		{a.lk.Base, a.keys.Key("palette", 1) + "  all commands"},
	}
	if who := a.view.Character.Card.CharName(); a.view.Chat.ID != "" {
		lines = lines[:2]
		lines[0].text, lines[1].text = who, "There is no greeting: the first line is yours."
	}
	y := area.Min.Y + max(0, (area.Dy()-len(lines))/2)
	for i, l := range lines {
		if y+i < area.Max.Y {
			look.Put(buf, area.Min.X+max(1, (area.Dx()-40)/2), y+i, area.Dx()-2, l.st, l.text)
		}
	}
}

// first reads the chat to open before the first frame, so that the first frame
// is the play itself.
func (a *app) first() error {
	id := a.opts.Chat
	if id == "" {
		last, ok, err := a.eng.Chats.Last()
		if err != nil || !ok {
			return err
		}
		id = last
	}
	return a.open(id)
}

func (a *app) open(id storage.ChatID) error {
	v, err := a.eng.Play.View(id, firstRead)
	if err != nil {
		return err
	}
	sent, err := a.eng.Chats.SentHistory(id)
	if err != nil {
		return err
	}
	a.openView(v, sent) // Init reads what it wants to read
	a.reads = sceneReading{}
	return nil
}
