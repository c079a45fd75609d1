package memory

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// hookStates are the states of hooks in the order of the list, and hookHeads
// their headings.
var (
	hookStates = []memory.HookState{memory.HookDue, memory.HookWaiting, memory.HookTakenUp, memory.HookClosed,
		memory.HookDropped}
	hookHeads = []string{"Due: may come up now", "Waiting", "Brought up", "Closed", "Dropped", "Other"}
)

// hooks are story ideas that the model should bring up.
var hooks = kind[memory.HookView]{
	groups: hookHeads, nouns: "hooks", short: 30, long: 30, lines: 3, noun: "hook",
	load: func(m *memory.Service, ask memory.Query) (string, []memory.HookView, error) {
		got, err := m.Hooks(ask)
		return got.Name, got.List, err
	},
	key:      func(h *memory.HookView) string { return string(h.ID) },
	group:    func(h *memory.HookView) int { return hookHead(h.State) },
	hidden:   hookHidden,
	text:     func(h *memory.HookView) string { return h.Content },
	copy:     hookWords,
	searched: func(h *memory.HookView) []string { return []string{h.Opener, hookType(h.Type), h.ChatTitle} },

	tally: func(h *memory.HookView) (open, due bool) {
		due = h.State == memory.HookDue && !hookHidden(h)
		return due || h.State == memory.HookWaiting && !hookHidden(h), due
	},
	tab: func(n counts) string {
		switch {
		case n.special > 0:
			return strconv.Itoa(n.special) + " due"
		case n.open > 0:
			return strconv.Itoa(n.open)
		}
		return ""
	},
	scope: func(whose string, n counts) string {
		words := whose + draw.Separator + draw.Counted(n.open, "open hook", "open hooks")
		if n.special > 0 {
			words += draw.Separator + strconv.Itoa(n.special) + " due"
		}
		return words
	},
	empty: func(write string) string {
		return "No open hooks. Promises, plans and unfinished business are saved after each reply, to come up later. " +
			write + " adds a hook of your own."
	},
	mark:  func(h *memory.HookView) (string, bool) { return hookMark(h), h.InPrompt },
	faint: func(h *memory.HookView) bool { return !h.Holds || hookHead(h.State) > 1 },
	right: hookRight,
	facts: hookFacts,
	aside: func(h *memory.HookView) secondText {
		return secondText{title: "Example wording", text: h.Opener, below: true}
	},

	source: func(v *list[memory.HookView], h memory.HookView) tea.Cmd { return v.p.goTo(h.Chat, h.Source) },
	changes: []change[memory.HookView]{
		hookChange(keys.Action{Name: keys.PaneStop, Text: "close, or open again", Hint: "close"}, "closed",
			memory.HookClose, memory.HookClosed),
		hookChange(keys.Action{Name: keys.PaneDelete, Text: "drop, or open again", Hint: "drop"}, "dropped",
			memory.HookDrop, memory.HookDropped),
		hookReopen(),
		hookChange(keys.NewPaneAction(dueNow, "pane-due-now", "make the hook due now", nil), "due now", memory.HookNow,
			memory.HookDue),
	},
	doings: []rowAction[memory.HookView]{{keys.PaneAction(keys.Action{Name: nudgeWith, Hint: "nudge",
		Text: "ask for a reply that brings the hook up"}, "", "s"), askNudge}},
	form: hookForm,
	sheet: &sheetSpec[memory.HookView]{
		title:    func(*memory.HookView) string { return "To bring up" },
		mentions: func(h *memory.HookView) []memory.MentionView { return slices.Concat(h.Mentions, h.TakenUp) },
		places: func(n names, h *memory.HookView, here storage.ChatID) []place {
			return append(n.places(h.TakenUp, here, func(int) string { return "brought up" }),
				n.places(h.Mentions, here, mentionLead)...)
		},
	},
}

// hookChange makes a change that does not apply to hooks in one of the states already. If all hooks
// are in one, closing and dropping reopen them instead.
func hookChange(a keys.Action, words string, do memory.HookAction,
	already ...memory.HookState) change[memory.HookView] {
	c := actHooks(words, do)
	c.action = a
	c.is = func(h *memory.HookView) bool { return slices.Contains(already, h.State) }
	if do == memory.HookClose || do == memory.HookDrop {
		off := actHooks("open again", memory.HookReopen)
		c.off = &off
	}
	return c
}

// hookReopen opens hooks again, in any state.
func hookReopen() change[memory.HookView] {
	a := keys.NewPaneAction(reopen, "", "open again", nil)
	return hookChange(a, "open again", memory.HookReopen, memory.HookDue, memory.HookWaiting)
}

// actHooks returns the change that applies an action to hooks.
func actHooks(words string, do memory.HookAction) change[memory.HookView] {
	return change[memory.HookView]{words: words,
		do: func(s story, list []memory.HookView) error {
			ids := make([]storage.HookID, len(list))
			for i := range list {
				ids[i] = list[i].ID
			}
			_, err := s.ActHook(s.scope, ids, do)
			return err
		},
		back: func(s story, list []memory.HookView) error { return restoreHooks(s, list, do) },
	}
}

func hookHidden(h *memory.HookView) bool { return h.State == memory.HookDropped || !h.Holds }

func hookHead(s memory.HookState) int {
	if i := slices.Index(hookStates, s); i >= 0 {
		return i
	}
	return len(hookStates)
}

// hookType returns the words for a type of hooks.
func hookType(t storage.HookType) string {
	return strings.ReplaceAll(draw.Truncate(string(t), 20), "_", "-")
}

// hookMark returns the sign for a hook's state.
func hookMark(h *memory.HookView) string {
	switch {
	case h.State == memory.HookDropped:
		return "✗"
	case !h.Holds:
		return "·"
	case h.State == memory.HookTakenUp, h.State == memory.HookClosed:
		return "✓"
	case h.InPrompt:
		return "●"
	}
	return "○"
}

// hookRight returns the right end of a hook's row: when it is due, and its priority.
func hookRight(h *memory.HookView, w int) string {
	right := draw.Truncate(h.When, max(6, w/3))
	if right == string(h.State) || h.State == memory.HookDue {
		right = "" // the heading has it
	}
	if w >= wide {
		right = strings.TrimPrefix(right+draw.Separator+hookType(h.Type), draw.Separator)
	}
	return strings.TrimSpace(right + " " + strings.Repeat("!", max(0, min(h.Priority, 5)-2)))
}

// hookFacts returns the details of a hook.
func hookFacts(h *memory.HookView) []string {
	state, when := string(h.State), draw.Truncate(h.When, 60)
	if strings.HasPrefix(when, state) { // which includes the state
		state, when = when, ""
	}
	parts := []string{hookType(h.Type), state, "priority " + strconv.Itoa(h.Priority) + " of 5"}
	if when != "" {
		parts = append(parts, when)
	}
	if h.InPrompt {
		parts = append(parts, "in the next prompt")
	}
	for _, e := range []*memory.EndView{h.Ended, h.Doubt} {
		if e != nil {
			parts = append(parts, draw.Truncate(memory.EndWords(e), 200))
		}
	}
	if !h.Holds {
		parts = append(parts, "not on this branch")
	}
	if h.ChatTitle != "" && h.Chat != "" {
		parts = append(parts, "in “"+draw.Truncate(h.ChatTitle, 40)+"”")
	}
	return parts
}

// hookWords returns the suggested words for a hook: its opener, or else its content.
func hookWords(h *memory.HookView) string {
	if draw.Blank(h.Opener) {
		return h.Content
	}
	return h.Opener
}

// restoreHooks undoes an action on hooks. A hook that was taken up becomes closed, since the reply
// is not recorded.
func restoreHooks(s story, list []memory.HookView, done memory.HookAction) error {
	for i := range list {
		h := &list[i]
		back := memory.HookReopen
		switch h.State {
		case memory.HookClosed, memory.HookTakenUp:
			back = memory.HookClose
		case memory.HookDropped:
			back = memory.HookDrop
		}
		if done != memory.HookNow || back != memory.HookReopen {
			if _, err := s.ActHook(s.scope, []storage.HookID{h.ID}, back); err != nil {
				return err
			}
		}
		if done == memory.HookNow {
			if _, err := s.SaveHook(s.scope, s.chat, h.Hook); err != nil {
				return err
			}
		}
	}
	return nil
}

// askNudge offers to request a reply that brings a hook up.
func askNudge(v *list[memory.HookView], h memory.HookView) tea.Cmd {
	words := hookWords(&h)
	text := "Request a reply with this instruction? It is not saved. If the chat ends with a reply, a new swipe is " +
		"generated.\n\n" + draw.Truncate(words, 300)
	v.Host.Open(&widget.Confirm{Title: "Nudge with this hook", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "nudge", Do: func() tea.Cmd { return v.p.nudger.Nudge(words) }},
		{Key: "n", Words: "cancel", Do: nil}}})
	return nil
}

// hookForm opens the form of a hook; nil is for a new one.
func hookForm(v *list[memory.HookView], old *memory.HookView) (refused string) {
	h, title := memory.HookFields.Default(), "New hook"
	if old != nil {
		h, title = old.Hook, "Edit a hook"
	}
	s, record := v.story(), memory.HookFields.With("type", typeWords(storage.HookTypes, hookType))
	f := &pane.RecordForm[storage.Hook]{Title: title, Record: record, Value: h, Fresh: old == nil}
	openRecord(v, f, func(n storage.Hook) (saved, error) {
		got, err := s.SaveHook(s.scope, s.chat, n)
		return saved{key: string(got.ID), text: got.Content, back: func() error { return undoHook(s, h, got.ID) }}, err
	})
	return ""
}

// undoHook undoes the saving of a hook. old is its earlier state, without an id if it was new.
func undoHook(s story, old storage.Hook, id storage.HookID) error {
	if old.ID == "" {
		_, err := s.ActHook(s.scope, []storage.HookID{id}, memory.HookDrop)
		return err
	}
	_, err := s.SaveHook(s.scope, s.chat, old)
	return err
}
