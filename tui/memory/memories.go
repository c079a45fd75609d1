package memory

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// memoryHeads are the headings of the types of memories, in the order of
// storage.MemoryTypes, and one for what has none of these.
var memoryHeads = []string{"About them", "Recent in their life", "Their tastes", "People in their life", "Goals/aspirations", "How they've been feeling", "Other"}

// memories are what is remembered.
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

	tally: func(m *memory.MemoryView) (known, told bool) { return memoryAway(m) == 0, m.InPrompt },
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
		return "No memories yet. After each reply the model saves what is worth remembering: who you are, what happened, what you like, who you know. " +
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
	aside: func(m *memory.MemoryView) aside {
		if m.Original == m.Content {
			return aside{}
		}
		return aside{title: "Original text", text: m.Original}
	},

	source: func(v *list[memory.MemoryView], m memory.MemoryView) tea.Cmd { return v.p.goTo(m.Chat, m.Source) },
	changes: []change[memory.MemoryView]{
		memoryChange(change[memory.MemoryView]{words: "pinned: first in prompts", brief: "pinned",
			action: keys.Action{Name: keys.PaneLock, Words: "pin or unpin", Hint: "pin"},
			is:     func(m *memory.MemoryView) bool { return m.Pinned }}, memory.Pin, memory.Unpin, "unpinned"),
		memoryChange(change[memory.MemoryView]{words: "muted: left out of prompts", brief: "muted",
			action: keys.Action{Name: keys.PaneOnOff, Words: "mute or unmute", Hint: "mute"},
			is:     func(m *memory.MemoryView) bool { return m.Muted }}, memory.Mute, memory.Unmute, "unmuted"),
		memoryChange(change[memory.MemoryView]{words: "ended: no longer true", brief: "ended",
			action: keys.Action{Name: keys.PaneStop, Words: "end, or reopen", Hint: "end"},
			is:     func(m *memory.MemoryView) bool { return m.Over != nil }}, memory.EndNow, memory.Reopen, "reopened"),
		memoryReopen(),
		memoryChange(change[memory.MemoryView]{words: "removed", gone: true,
			action: keys.Action{Name: keys.PaneDelete, Words: "remove, or restore", Hint: "delete"},
			is:     func(m *memory.MemoryView) bool { return m.Removed }}, memory.Remove, memory.Restore, "restored"),
	},
	doings: []doing[memory.MemoryView]{{shareAction(), tellMemory}},
	merge:  mergeMemories,
	form:   memoryForm,
	sheet: &sheetOf[memory.MemoryView]{
		title: func(m *memory.MemoryView) string { return memoryHeads[memoryHead(m.Type)] },
		told:  func(m *memory.MemoryView) []storage.Told { return m.Told },
		places: func(n names, m *memory.MemoryView, here storage.ChatID) []place {
			return n.places(m.Told, here, toldLead)
		},
	},
}

// memoryChange makes a change of its two use cases; offWords are said where it takes
// itself back.
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

// memoryReopen has memories hold again that have ended, or may have.
func memoryReopen() change[memory.MemoryView] {
	c := memoryChange(change[memory.MemoryView]{words: "reopened",
		action: keys.NewOwn(reopen, "", "reopen what has ended, or may have", nil),
		is:     func(m *memory.MemoryView) bool { return m.Over == nil && m.Doubt == nil }}, memory.Reopen, memory.EndAgain, "")
	c.off = nil
	return c
}

func memoryHead(t storage.MemoryType) int {
	if i := slices.Index(storage.MemoryTypes, t); i >= 0 {
		return i
	}
	return len(storage.MemoryTypes)
}

// memoryAway puts what does not count here behind what does.
func memoryAway(m *memory.MemoryView) int {
	switch {
	case m.Removed:
		return 2
	case !m.Holds:
		return 1
	}
	return 0
}

// memoryMark is the sign of where a memory stands: told in the next prompt,
// known, in doubt, muted, ended, of another branch, removed.
func memoryMark(m *memory.MemoryView) string {
	switch {
	case m.Removed:
		return "✗"
	case m.Over != nil:
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

// memoryState says the same in words.
func memoryState(m *memory.MemoryView) []string {
	var parts []string
	for _, e := range []*storage.End{m.Over, m.Doubt} {
		if e != nil {
			parts = append(parts, draw.Within(memory.OverWords(e), 200))
		}
	}
	for _, s := range []struct {
		on    bool
		words string
	}{{m.Removed, "removed"}, {!m.Holds && !m.Removed && m.Over == nil, "not on this branch"}, {m.Pinned, "pinned"}, {m.Muted, "muted"},
		{m.InPrompt, "in the next prompt"}, {m.Original != "", "edited"}} {
		if s.on {
			parts = append(parts, s.words)
		}
	}
	return parts
}

// importance is a share of one as short as it can be read.
func importance(x float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(max(0, min(x, 1)), 'f', 2, 64), "0")
}

// memoryFacts is what there is to say about any memory.
func memoryFacts(m *memory.MemoryView) []string {
	words := "importance " + importance(m.Importance)
	if m.Weight != nil {
		words += " (yours)"
	}
	parts := []string{draw.Within(string(m.Type), 20), words}
	if n := len(m.Told); n > 1 {
		parts = append(parts, fmt.Sprintf("mentioned %d times", n))
	}
	if !m.Last.IsZero() {
		parts = append(parts, "last mentioned "+draw.AgoWords(m.Last))
	}
	if m.ChatTitle != "" && m.Chat != "" {
		parts = append(parts, "in “"+draw.Within(m.ChatTitle, 40)+"”")
	}
	return parts
}

var errNeedsContent = errors.New("enter what to remember")

// memoryForm is the form of a memory; nil is for a new one.
func memoryForm(v *list[memory.MemoryView], old *memory.MemoryView) (f form, refused string) {
	m := storage.Memory{Type: storage.FactMemory}
	f.title = "New memory"
	found := "0 to 1; empty: automatic"
	if old != nil {
		if old.Removed {
			return f, "it is removed; restore it first"
		}
		m, f.title = old.Memory, "Edit a memory"
		if old.Weight == nil {
			found += " (" + importance(old.Importance) + ")"
		}
	}
	weight := ""
	if m.Weight != nil {
		weight = strconv.FormatFloat(*m.Weight, 'g', 4, 64)
	}
	kinds := memoryKinds()
	at := memoryHead(m.Type)
	if at == len(kinds) {
		kinds = append(kinds, draw.Within(string(m.Type), 40))
	}
	sty, s := v.Host.Styles(), v.story()
	f.texts = []string{m.Content}
	f.fields = []*widget.Field{widget.PickField("About", kinds[at], kinds), widget.TextField(sty, "What to remember", m.Content, 4), widget.LineField(sty, "Importance", weight, found)}
	f.take = func(f *widget.Form) (func() (saved, error), error) {
		n, changed, err := takeMemory(f, m)
		if err != nil || !changed {
			return nil, err
		}
		return func() (saved, error) {
			got, err := s.Save(s.scope, n)
			known := m.ID == "" && !got.CreatedAt.Equal(got.UpdatedAt)
			return saved{key: string(got.ID), text: got.Content, known: known, back: func() error { return undoMemory(s, m, got.ID) }}, err
		}, nil
	}
	return f, ""
}

// undoMemory takes back that a memory was saved: old is how it was before, without
// an id for a new one.
func undoMemory(s story, old storage.Memory, id storage.MemoryID) error {
	if old.ID == "" {
		_, err := s.Act(s.scope, []storage.MemoryID{id}, memory.Remove)
		return err
	}
	_, err := s.Save(s.scope, old)
	return err
}

// memoryKinds are the types of memories as the form offers them.
func memoryKinds() []string {
	out := make([]string, len(storage.MemoryTypes))
	for i, t := range storage.MemoryTypes {
		out[i] = string(t) + ": " + memoryHeads[i]
	}
	return out
}

// takeMemory is a memory with what the fields of its form say, and whether that
// is anything new.
func takeMemory(f *widget.Form, m storage.Memory) (storage.Memory, bool, error) {
	n := m
	if i := f.Fields[0].Chosen; i < len(storage.MemoryTypes) {
		n.Type = storage.MemoryTypes[i]
	}
	if in := f.Fields[1].Input; in.Changed() {
		n.Content = strings.TrimSpace(in.Value())
	}
	if draw.Blank(n.Content) {
		f.Focus(1)
		return n, false, errNeedsContent
	}
	if in := f.Fields[2].Input; in.Changed() {
		w, err := parseWeight(in.Value())
		if err != nil {
			f.Focus(2)
			return n, false, err
		}
		n.Weight = w
	}
	same := n.Type == m.Type && n.Content == m.Content && (n.Weight == m.Weight || n.Weight != nil && m.Weight != nil && *n.Weight == *m.Weight)
	return n, !same || m.ID == "", nil
}

var errWeight = errors.New("importance must be a number from 0 to 1 such as 0.8, or 80 %; empty: automatic")

// parseWeight reads how important something is, nil for as found.
func parseWeight(text string) (*float64, error) {
	text = strings.TrimSpace(text)
	if text == "" || slices.Contains([]string{"as found", "automatic", "auto"}, strings.ToLower(text)) {
		return nil, nil
	}
	number, percent := strings.CutSuffix(text, "%")
	w, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(number), ",", ".", 1), 64)
	if percent {
		w /= 100
	}
	if err != nil || !(w >= 0 && w <= 1) { // not a number is neither
		return nil, errWeight
	}
	return &w, nil
}
