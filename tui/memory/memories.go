package memory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// memoryHeads are the headings of memory types in the order of storage.MemoryTypes, and one for
// unknown types.
var memoryHeads = []string{"About them", "Recent in their life", "Their tastes", "People in their life",
	"Goals/aspirations", "How they've been feeling", "Other"}

// memories are the memories of the story.
var memories = kind[memory.MemoryView]{
	groups: memoryHeads, nouns: "memories", short: 24, long: 40, lines: 5, noun: "memory",
	load: func(m *memory.Service, ask memory.Query) (string, []memory.MemoryView, error) {
		got, err := m.Memories(ask)
		return got.Name, got.List, err
	},
	key:      func(m *memory.MemoryView) string { return string(m.ID) },
	group:    func(m *memory.MemoryView) int { return memoryHead(m.Type) },
	rank:     memoryAway,
	hidden:   func(m *memory.MemoryView) bool { return memoryAway(m) > 0 },
	text:     func(m *memory.MemoryView) string { return m.Content },
	copy:     func(m *memory.MemoryView) string { return m.Content },
	searched: func(m *memory.MemoryView) []string { return []string{string(m.Type), m.ChatTitle} },

	tally: func(m *memory.MemoryView) (known, inPrompt bool) { return memoryAway(m) == 0, m.InPrompt },
	tab: func(n counts) string {
		if n.open == 0 {
			return ""
		}
		return strconv.Itoa(n.open)
	},
	scope: func(whose string, n counts) string {
		words := whose + draw.Separator + draw.Counted(n.open, "memory", "memories")
		if n.special > 0 {
			words += draw.Separator + "● " + strconv.Itoa(n.special) + " in the next prompt"
		}
		return words
	},
	empty: func(write string) string {
		return "No memories yet. After each reply the model saves what is worth remembering: who you are, what " +
			"happened, what you like, who you know. " +
			write + " adds a memory of your own."
	},
	mark:  func(m *memory.MemoryView) (string, bool) { return memoryMark(m), m.InPrompt },
	faint: func(m *memory.MemoryView) bool { return m.Muted || memoryAway(m) > 0 },
	right: func(m *memory.MemoryView, w int) string {
		switch words := importance(m.Importance); {
		case !m.Pinned:
			return words
		case w >= wide:
			return "pinned " + words
		default:
			return "P " + words
		}
	},
	state: memoryState,
	facts: memoryFacts,
	aside: func(m *memory.MemoryView) secondText {
		if m.Original == m.Content {
			return secondText{}
		}
		return secondText{title: "Original text", text: m.Original}
	},

	source: func(v *list[memory.MemoryView], m memory.MemoryView) tea.Cmd { return v.p.goTo(m.Chat, m.Source) },
	changes: []change[memory.MemoryView]{
		memoryChange(change[memory.MemoryView]{words: "pinned: first in prompts", brief: "pinned",
			action: keys.Action{Name: keys.PaneLock, Text: "pin or unpin", Hint: "pin"},
			is:     func(m *memory.MemoryView) bool { return m.Pinned }}, memory.Pin, memory.Unpin, "unpinned"),
		memoryChange(change[memory.MemoryView]{words: "muted: left out of prompts", brief: "muted",
			action: keys.Action{Name: keys.PaneOnOff, Text: "mute or unmute", Hint: "mute"},
			is:     func(m *memory.MemoryView) bool { return m.Muted }}, memory.Mute, memory.Unmute, "unmuted"),
		memoryChange(change[memory.MemoryView]{words: "ended: no longer true", brief: "ended",
			action: keys.Action{Name: keys.PaneStop, Text: "end, or reopen", Hint: "end"},
			is:     func(m *memory.MemoryView) bool { return m.Ended != nil }}, memory.EndNow,
			memory.Reopen, "reopened"),
		memoryReopen(),
		memoryChange(change[memory.MemoryView]{words: "removed", gone: true,
			action: keys.Action{Name: keys.PaneDelete, Text: "remove, or restore", Hint: "delete"},
			is:     func(m *memory.MemoryView) bool { return m.Removed }}, memory.Remove, memory.Restore, "restored"),
	},
	doings: []rowAction[memory.MemoryView]{{shareAction(), shareMemory}},
	merge:  mergeMemories,
	form:   memoryForm,
	sheet: &sheetSpec[memory.MemoryView]{
		title:    func(m *memory.MemoryView) string { return memoryHeads[memoryHead(m.Type)] },
		mentions: func(m *memory.MemoryView) []memory.MentionView { return m.Mentions },
		places: func(n names, m *memory.MemoryView, here storage.ChatID) []place {
			return n.places(m.Mentions, here, mentionLead)
		},
	},
}

// memoryChange makes a change from two actions, which undo each other. offWords is the notice when
// the change is reversed.
func memoryChange(c change[memory.MemoryView], on, off memory.Action, offWords string) change[memory.MemoryView] {
	act := func(do memory.Action) func(s story, list []memory.MemoryView) error {
		return func(s story, list []memory.MemoryView) error {
			ids := make([]storage.MemoryID, len(list))
			for i := range list {
				ids[i] = list[i].ID
			}
			_, err := s.Act(s.scope, ids, do)
			return err
		}
	}
	c.do, c.back = act(on), act(off)
	c.off = &change[memory.MemoryView]{words: offWords, do: c.back, back: c.do}
	return c
}

// memoryReopen makes memories current again that have ended, or may have.
func memoryReopen() change[memory.MemoryView] {
	c := memoryChange(change[memory.MemoryView]{words: "reopened",
		action: keys.NewPaneAction(reopen, "", "reopen what has ended, or may have", nil),
		is:     func(m *memory.MemoryView) bool { return m.Ended == nil && m.Doubt == nil }}, memory.Reopen,
		memory.EndAgain, "")
	c.off = nil
	return c
}

func memoryHead(t storage.MemoryType) int {
	if i := slices.Index(storage.MemoryTypes, t); i >= 0 {
		return i
	}
	return len(storage.MemoryTypes)
}

// memoryAway sorts memories that do not apply here last.
func memoryAway(m *memory.MemoryView) int {
	switch {
	case m.Removed:
		return 2
	case !m.Holds:
		return 1
	}
	return 0
}

// memoryMark returns the sign of a memory's state: in the next prompt, known, in doubt, muted,
// ended, of another branch, removed.
func memoryMark(m *memory.MemoryView) string {
	switch {
	case m.Removed:
		return "✗"
	case m.Ended != nil:
		return "✓"
	case !m.Holds:
		return "·"
	case m.Doubt != nil:
		return "?"
	case m.Muted:
		return "–"
	case m.InPrompt:
		return "●"
	}
	return "○"
}

// memoryState describes the same in words.
func memoryState(m *memory.MemoryView) []string {
	var parts []string
	for _, e := range []*memory.EndView{m.Ended, m.Doubt} {
		if e != nil {
			parts = append(parts, draw.Truncate(memory.EndWords(e), 200))
		}
	}
	for _, s := range []struct {
		on    bool
		words string
	}{{m.Removed, "removed"}, {!m.Holds && !m.Removed && m.Ended == nil, "not on this branch"}, {m.Pinned, "pinned"},
		{m.Muted, "muted"},
		{m.InPrompt, "in the next prompt"}, {m.Original != "", "edited"}} {
		if s.on {
			parts = append(parts, s.words)
		}
	}
	return parts
}

// importance formats a value from 0 to 1 as short as possible.
func importance(x float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(max(0, min(x, 1)), 'f', 2, 64), "0")
}

// memoryFacts returns the details of a memory.
func memoryFacts(m *memory.MemoryView) []string {
	words := "importance " + importance(m.Importance)
	if m.Weight != nil {
		words += " (yours)"
	}
	parts := []string{draw.Truncate(string(m.Type), 20), words}
	if n := len(m.Mentions); n > 1 {
		parts = append(parts, fmt.Sprintf("mentioned %d times", n))
	}
	if !m.Last.IsZero() {
		parts = append(parts, "last mentioned "+draw.AgoWords(m.Last))
	}
	if m.ChatTitle != "" && m.Chat != "" {
		parts = append(parts, "in “"+draw.Truncate(m.ChatTitle, 40)+"”")
	}
	return parts
}

// memoryForm opens the form of a memory; nil is for a new one.
func memoryForm(v *list[memory.MemoryView], old *memory.MemoryView) (refused string) {
	m, title := memory.MemoryFields.Default(), "New memory"
	if old != nil {
		if old.Removed {
			return "it is removed; restore it first"
		}
		m, title = old.Memory, "Edit a memory"
	}
	s, types := v.story(), typeWords(storage.MemoryTypes, func(t storage.MemoryType) string {
		return string(t) + ": " + memoryHeads[memoryHead(t)]
	})
	f := &pane.RecordForm[storage.Memory]{Title: title, Record: memory.MemoryFields.With("type", types), Value: m,
		Fresh: old == nil}
	openRecord(v, f, func(n storage.Memory) (saved, error) {
		got, err := s.Save(s.scope, n)
		known := m.ID == "" && !got.CreatedAt.Equal(got.UpdatedAt)
		return saved{key: string(got.ID), text: got.Content, known: known,
			back: func() error { return undoMemory(s, m, got.ID) }}, err
	})
	return ""
}

// undoMemory undoes the saving of a memory. old is its earlier state, without an id if it was new.
func undoMemory(s story, old storage.Memory, id storage.MemoryID) error {
	if old.ID == "" {
		_, err := s.Act(s.scope, []storage.MemoryID{id}, memory.Remove)
		return err
	}
	_, err := s.Save(s.scope, old)
	return err
}
