package pane

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The functions below return reasons why an action is not available, each with a way to make it
// available. They are for Action.When and return "" if the action is available.

// NeedsChat returns the reason for actions on the open chat.
func NeedsChat(d Host) func() string {
	return func() string {
		if d.Play().Chat().Chat.ID == "" {
			return "no chat is open" + way(d, keys.NewChat, "starts one") + way(d, keys.Chats, "opens one")
		}
		return ""
	}
}

// NeedsQuiet returns the reason for actions that are not available while a reply is written.
func NeedsQuiet(d Host) func() string {
	return func() string {
		if d.Play().Replying() {
			return "the reply is still being written: " + PathTo(d, keys.Interrupt) + " stops it"
		}
		return ""
	}
}

// NeedsReply returns the reason for actions on the reply that is being written.
func NeedsReply(d Host) func() string {
	return func() string {
		if !d.Play().Replying() {
			return "nothing is being written"
		}
		return ""
	}
}

// NeedsMessage returns the reason for actions on a message.
func NeedsMessage(d Host) func() string {
	return func() string {
		if why := NeedsChat(d)(); why != "" {
			return why
		}
		if _, ok := d.Play().Selected(); !ok {
			return "there are no messages yet: write the first one"
		}
		return ""
	}
}

// NeedsScene returns the reason for actions on an ended scene.
func NeedsScene(d Host) func() string {
	return func() string {
		if why := NeedsChat(d)(); why != "" {
			return why
		}
		for _, s := range d.Play().Scenes().List {
			if !s.Open {
				return ""
			}
		}
		return "no scene has ended yet" + way(d, keys.Break, "adds a scene break at the selected message")
	}
}

// NeedsRecap returns the reason for actions that use recaps.
func NeedsRecap(d Host) func() string {
	return func() string {
		if why := NeedsScene(d)(); why != "" {
			return why
		}
		for _, s := range d.Play().Scenes().List {
			if s.Recap.Version > 0 {
				return ""
			}
		}
		return "no scene has a recap yet" + way(d, keys.RecapMissing, "makes them")
	}
}

// NeedsEpisode returns the reason for actions on the episode of the open chat.
func NeedsEpisode(d Host) func() string {
	return func() string {
		if why := NeedsChat(d)(); why != "" {
			return why
		}
		if d.Play().Chat().Chat.Play.Episode == "" {
			return "this chat has no episode" + way(d, keys.ChooseEpisode, "chooses one") +
				way(d, keys.PlayEpisode, "starts one in a new chat")
		}
		return ""
	}
}

// NeedsOthers returns a function that gives the reason why an action for chats with several
// characters is unavailable, "" for none.
func NeedsOthers(d Host) func() string {
	return func() string {
		if why := NeedsChat(d)(); why != "" {
			return why
		}
		if !Several(d) {
			return "there are no other characters in this chat" + way(d, keys.Cast, "adds characters")
		}
		return ""
	}
}

// NeedsOllama returns the reason for actions that call Ollama immediately.
func NeedsOllama(d Host) func() string {
	return func() string {
		if s := d.Work().Servers().Ollama; s.Asked && !s.Up {
			return "Ollama is offline" + way(d, keys.Retry, "reconnects")
		}
		return ""
	}
}

// OfMessage returns a reason that depends on the selected message.
func OfMessage(d Host, why func(m chats.Message) string) func() string {
	return func() string {
		if words := NeedsMessage(d)(); words != "" {
			return words
		}
		m, _ := d.Play().Selected()
		return why(m)
	}
}

// OfSelected returns an action's function for the selected message; see NeedsMessage.
func OfSelected(d Host, do func(m chats.Message) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		m, _ := d.Play().Selected()
		return do(m)
	}
}

// Unless adds a reason why they are not available to the actions with these names.
func Unless(list []keys.Action, why func() string, names ...keys.Name) []keys.Action {
	for i := range list {
		a := &list[i]
		switch {
		case !slices.Contains(names, a.Name):
		case a.Unavailable == nil:
			a.Unavailable = why
		default:
			a.Unavailable = first(a.Unavailable, why)
		}
	}
	return list
}

// first returns the first non-empty reason of two.
func first(x, y func() string) func() string {
	return func() string {
		if words := x(); words != "" {
			return words
		}
		return y()
	}
}

// way returns words with the keys of an action, and its effect.
func way(d Host, act keys.Name, does string) string {
	k := PathTo(d, act)
	if k == "" {
		return ""
	}
	return "; " + k + " " + does
}
