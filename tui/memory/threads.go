package memory

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// threadHeads are the headings of the ledger of threads.
var threadHeads = []string{"Open", "Brought up", "Closed", "Dropped"}

// The states that threads can be marked with.
const (
	threadOpen    = "open"
	threadClosed  = "closed"
	threadDropped = "dropped"
)

// threads are the open plot threads of the story, from recaps and hooks.
var threads = kind[memory.Thread]{
	groups: threadHeads, nouns: "threads", short: 30, lines: 5, noun: "thread",
	load: func(m *memory.Service, ask memory.Query) (string, []memory.Thread, error) {
		got, err := m.Threads(ask.Chat)
		return "", got, err
	},
	key:      func(t *memory.Thread) string { return t.Key },
	group:    func(t *memory.Thread) int { return threadHead(t.State) },
	hidden:   func(t *memory.Thread) bool { return threadHead(t.State) == len(threadHeads)-1 },
	text:     func(t *memory.Thread) string { return t.Text },
	copy:     func(t *memory.Thread) string { return t.Text },
	searched: func(t *memory.Thread) []string { return []string{t.Scene} },

	tally: func(t *memory.Thread) (open, special bool) { return threadHead(t.State) == 0, false },
	tab: func(n counts) string {
		if n.open == 0 {
			return ""
		}
		return strconv.Itoa(n.open) + " open"
	},
	scope: func(_ string, n counts) string {
		words := "This chat's threads" + draw.Separator + strconv.Itoa(n.open) + " open"
		if done := n.all - n.open; done > 0 {
			words += draw.Separator + strconv.Itoa(done) + " done"
		}
		return words
	},
	empty: func(string) string {
		return "No open threads. Pending threads of scene recaps and hooks are listed here: end a scene and recap " +
			"it, or add a hook in the hooks view."
	},
	mark:  func(t *memory.Thread) (string, bool) { return threadSign(t), false },
	faint: func(t *memory.Thread) bool { return threadHead(t.State) > 0 },
	right: func(t *memory.Thread, w int) string {
		if w < 30 {
			return ""
		}
		return draw.Truncate(threadFrom(t), w/3)
	},
	facts: func(t *memory.Thread) []string {
		facts := []string{draw.Truncate(t.State, 20), threadFrom(t)}
		if t.Ended != nil {
			facts = append(facts, draw.Truncate(memory.EndWords(t.Ended), 200))
		}
		return facts
	},

	source: goToThread,
	changes: []change[memory.Thread]{
		threadChange(keys.Action{Name: keys.PaneStop, Text: "close, or open again", Hint: "close"},
			threadClosed, "closed"),
		threadChange(keys.Action{Name: keys.PaneDelete, Text: "drop, or open again", Hint: "drop"},
			threadDropped, "dropped"),
		threadChange(keys.NewPaneAction(reopen, "", "open again", nil), threadOpen, "open again"),
	},
}

// threadChange makes a change to a state. If all threads are in it already, it opens them again.
func threadChange(a keys.Action, state, words string) change[memory.Thread] {
	c := markThreads(state, words)
	c.action = a
	if state != threadOpen {
		off := markThreads(threadOpen, "open again")
		c.off = &off
	}
	return c
}

// markThreads returns the change that marks threads with a state.
func markThreads(state, words string) change[memory.Thread] {
	mark := func(of func(*memory.Thread) string) func(s story, list []memory.Thread) error {
		return func(s story, list []memory.Thread) error {
			for i := range list {
				if err := s.MarkThread(s.chat, list[i].Key, of(&list[i])); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return change[memory.Thread]{words: words, is: func(t *memory.Thread) bool { return threadMark(t.State) == state },
		do:   mark(func(*memory.Thread) string { return state }),
		back: mark(func(t *memory.Thread) string { return threadMark(t.State) })}
}

// threadSign returns the sign for a thread's state.
func threadSign(t *memory.Thread) string {
	switch threadHead(t.State) {
	case 1, 2:
		return "✓"
	case 3:
		return "✗"
	}
	if t.Hook != "" {
		return "◆"
	}
	return "○"
}

func threadHead(state string) int {
	switch state {
	case string(memory.HookTakenUp):
		return 1
	case threadClosed:
		return 2
	case threadDropped:
		return 3
	}
	return 0
}

// threadFrom returns the source of a thread, in words.
func threadFrom(t *memory.Thread) string {
	name := draw.Truncate(t.Scene, 60)
	switch {
	case t.Hook != "" && t.State == string(memory.HookDue):
		return "hook, due"
	case t.Hook != "":
		return "hook"
	case name != "":
		return name
	case t.Break == "":
		return "running recap"
	}
	return "a scene"
}

// threadMark returns the mark that sets a thread to the given state. A hook that was taken up is
// closed.
func threadMark(state string) string {
	switch threadHead(state) {
	case 0:
		return threadOpen
	case 3:
		return threadDropped
	}
	return threadClosed
}

// goToThread goes to the message that a thread came from, or to the beginning of the scene in whose
// recap it is.
func goToThread(v *list[memory.Thread], t memory.Thread) tea.Cmd {
	if t.Hook != "" {
		return goToHook(v, t)
	}
	if t.Source != "" {
		return v.Host.Play().JumpTo(t.Source)
	}
	if t.Break != "" {
		for _, s := range v.Host.Play().Scenes().List {
			if s.Break == t.Break && s.First != "" {
				return v.Host.Play().JumpTo(s.First)
			}
		}
		return v.Host.Play().JumpTo(t.Break)
	}
	return v.Host.Say(event.Info, "it comes from the running recap, not from one scene")
}

// goToHook goes to the message that a hook came from, which may be in another chat.
func goToHook(v *list[memory.Thread], t memory.Thread) tea.Cmd {
	eng, chat := v.Host.Engine(), v.Chat
	return v.Host.Do(func() func() tea.Cmd {
		got, err := eng.Memory.Hooks(memory.Query{Chat: chat, All: true})
		return func() tea.Cmd {
			if err != nil {
				return v.Host.Fail(err)
			}
			from := chat
			if i := slices.IndexFunc(got.List, func(h memory.HookView) bool { return h.ID == t.Hook }); i >= 0 {
				from = got.List[i].Chat
			}
			return v.p.goTo(from, t.Source)
		}
	})
}
