package settings

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Start implements pane.Starter.
func (r *Part) Start() tea.Cmd { return tea.Batch(r.startSetup(), r.probe()) }

// Event implements pane.Listener.
func (r *Part) Event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case models.ServerChanged:
		return r.serversAnswered()
	case models.PullProgressed:
		return r.pullProgressed(ev)
	}
	return nil
}

// ChatOpened implements pane.ChatFollower: the first chat permanently ends the questions of the
// first start.
func (r *Part) ChatOpened() tea.Cmd {
	if r.over || r.host.Play().Chat().Chat.ID == "" {
		return nil
	}
	r.over = true
	eng := r.host.Engine()
	return r.host.Do(func() func() tea.Cmd {
		if eng.Settings.SetupStep() != settings.SetupDone {
			if err := eng.Settings.SetSetupStep(settings.SetupDone); err != nil {
				return func() tea.Cmd { return r.host.Fail(err) }
			}
		}
		return nil
	})
}

// serversAnswered reacts to the servers' answers.
func (r *Part) serversAnswered() tea.Cmd {
	s := r.host.Work().Servers()
	had := r.asked
	r.asked = s.Ollama.Asked
	if r.setup != nil {
		return r.setup.answered(false)
	}
	waited := r.away != nil && s.Ollama.Up && r.waiting
	r.renewAway()
	if !had || waited {
		return r.welcome()
	}
	return nil
}

// operationChanged shows the state of the servers on the screen, and reacts to it.
func (r *Part) operationChanged(s models.Servers) tea.Cmd {
	r.screen.SetServers(s)
	return r.serversAnswered()
}

// askServers probes both servers and shows the result.
func (r *Part) askServers() tea.Cmd {
	return tea.Batch(r.host.Say(event.Info, "connecting …"), r.host.Do(func() func() tea.Cmd {
		s := r.host.Engine().Models.Probe(r.host.Context())
		return func() tea.Cmd {
			words := "Ollama is online"
			if !s.Ollama.Up {
				words = s.Ollama.Err
			}
			if s.Comfy.Up {
				words += " · ComfyUI is online"
			} else {
				words += " · ComfyUI is offline"
			}
			return tea.Batch(r.operationChanged(s), r.host.Say(event.Info, words))
		}
	}))
}

// probe probes both servers.
func (r *Part) probe() tea.Cmd {
	eng := r.host.Engine()
	return r.host.Do(func() func() tea.Cmd {
		eng.Models.Probe(r.host.Context())
		return func() tea.Cmd { return r.operationChanged(eng.Models.Servers()) } // a newer answer may be there
	})
}

// welcome leads a new user to the first chat, depending on the server: first what to do if it is
// offline, then the model, then the character. It does nothing for a user with an open chat.
func (r *Part) welcome() tea.Cmd {
	if r.asking || len(r.host.Dialogs().All) > 0 || !draw.Blank(r.host.Play().Draft()) {
		return nil // typed text must not go to a dialog that opens by itself
	}
	s, open := r.host.Work().Servers().Ollama, r.host.Play().Chat()
	switch {
	case s.Asked && !s.Up:
		if open.Chat.ID == "" {
			r.openAway()
		}
	case s.Model == "" && open.Model == "":
		r.host.Open(r.modelPicker())
		r.host.Dialogs().MarkUnasked()
	case open.Chat.ID == "":
		return r.library.FirstChat()
	}
	return nil
}

// openAway shows that Ollama is offline and what can be done. The dialog stays until the server is
// online or the user has chosen.
func (r *Part) openAway() {
	c := &widget.Confirm{Title: "No Ollama", Text: r.awayText(), Keep: "rs",
		Choices: []widget.Choice{{Key: "r", Words: "reconnect", Do: r.askAgain}}}
	if r.host.Engine().Models.OllamaInstalled() {
		c.Choices = append(c.Choices, widget.Choice{Key: "s", Words: "start it now", Do: r.startOllama})
	}
	c.Choices = append(c.Choices,
		widget.Choice{Key: "h", Words: "try the demo, which needs no server", Do: r.screen.OpenDemo},
		widget.Choice{Key: "b", Words: "continue without it", Do: func() tea.Cmd {
			if r.host.Play().Chat().Chat.ID != "" {
				return nil
			}
			return r.host.Run(keys.Characters)
		}},
		widget.Choice{Key: "q", Words: "quit", Do: func() tea.Cmd { return r.host.Run(keys.Quit) }})
	r.away = c
	r.host.Open(c)
	r.host.Dialogs().MarkUnasked()
}

func (r *Part) awayText() string {
	return r.host.Work().Servers().Ollama.Err +
		"\n\nGhostlight needs Ollama for replies. Your characters and chats are available without it."
}

// askAgain probes the servers while the dialog waits for the answer.
func (r *Part) askAgain() tea.Cmd {
	if r.away != nil {
		r.away.Text, r.waiting = "Reconnecting …\n\n"+r.awayText(), true
	}
	return r.probe()
}

func (r *Part) startOllama() tea.Cmd {
	r.away.Text, r.waiting = "Starting Ollama …", true
	eng := r.host.Engine()
	return r.host.Do(func() func() tea.Cmd {
		err := eng.Models.StartOllama(r.host.Context())
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(r.host.Fail(err), r.probe())
			}
			return r.probe()
		}
	})
}

// renewAway updates the dialog about the offline server. It closes the dialog only if the user has
// asked: a key that is about to be pressed must find the same dialog.
func (r *Part) renewAway() {
	if r.away == nil {
		return
	}
	up, asked := r.host.Work().Servers().Ollama.Up, r.waiting
	if asked && !up {
		r.away.Text, r.waiting = "At "+time.Now().Format("15:04:05")+" still offline. "+r.awayText(), false
	}
	switch {
	case up && asked:
		r.host.Dialogs().Close(r.away)
		r.away, r.waiting = nil, false
	case up:
		r.away.Text = "Ollama is online: reconnect to continue."
	}
}
