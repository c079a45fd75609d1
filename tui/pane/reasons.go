package pane

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The functions below return functions for Action.Unavailable. A reason includes a way to make the
// action available.

// NeedsChat returns a function that gives the reason why actions on the open chat are unavailable,
// "" if they are available.
func NeedsChat(d Host) func() string {
	return func() string {
		if d.Play().Chat().Chat.ID == "" {
			return "no chat is open" + way(d, keys.NewChat, "starts one") + way(d, keys.Chats, "opens one")
		}
		return ""
	}
}

// NeedsQuiet returns a function that gives the reason why actions that cannot run while a reply is
// written are unavailable, "" if they are available.
func NeedsQuiet(d Host) func() string {
	return func() string {
		if d.Play().Replying() {
			return "the reply is still being written: " + PathTo(d, keys.Interrupt) + " stops it"
		}
		return ""
	}
}

// NeedsReply returns a function that gives the reason why actions on the reply that is being
// written are unavailable, "" if they are available.
func NeedsReply(d Host) func() string {
	return func() string {
		if !d.Play().Replying() {
			return "nothing is being written"
		}
		return ""
	}
}

// NeedsMessage returns a function that gives the reason why actions on a message are unavailable,
// "" if they are available.
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

// NeedsScene returns a function that gives the reason why actions on an ended scene are
// unavailable, "" if they are available.
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

// NeedsRecap returns a function that gives the reason why actions that use recaps are unavailable,
// "" if they are available.
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

// NeedsEpisode returns a function that gives the reason why actions on the episode of the open chat
// are unavailable, "" if they are available.
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

// NeedsOthers returns a function that gives the reason why actions for chats with several
// characters are unavailable, "" if they are available.
func NeedsOthers(d Host) func() string {
	return func() string {
		if why := NeedsChat(d)(); why != "" {
			return why
		}
		if !IsGroup(d) {
			return "there are no other characters in this chat" + way(d, keys.Cast, "adds characters")
		}
		return ""
	}
}

// NeedsOllama returns a function that gives the reason why actions that call Ollama immediately are
// unavailable, "" if they are available.
func NeedsOllama(d Host) func() string {
	return func() string {
		if s := d.Work().Servers().Ollama; s.Asked && !s.Up {
			return "Ollama is offline" + way(d, keys.Retry, "reconnects")
		}
		return ""
	}
}

// OfMessage returns a function for Action.Unavailable that applies why to the selected message;
// without one it gives NeedsMessage's reason.
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
