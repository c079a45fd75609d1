package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bytesPerToken is how much of a history that has had no prompt yet may stand in the
// first: rather too little, for what is told twice does less harm than what is not.
const bytesPerToken = 3

// NewPromptFacts is what a snapshot's prompt tells before memories and hooks are put in: the
// messages that stay in its window, the recap, and the lore.
func NewPromptFacts(s *script.Snapshot) *facts.PromptFacts {
	room := 0
	if s.Window == "" {
		room = s.Limits.Context * bytesPerToken
	}
	t := newPromptFacts(s, s.Window, room)
	for i := range s.Lore {
		addItem(t, &s.Lore[i], "the lorebook")
	}
	return t
}

// newPromptFacts is what the recap of a snapshot tells, and the messages of its history from window on;
// where there is none, the newest ones of room bytes.
func newPromptFacts(s *script.Snapshot, window storage.NodeID, room int) *facts.PromptFacts {
	t := &facts.PromptFacts{}
	for i := len(s.History) - 1; i >= 0; i-- {
		n := &s.History[i]
		if room -= len(n.Content); room < 0 && window == "" {
			break
		}
		if n.Content != "" && !n.Deleted && n.Role.InPrompt() {
			t.AddMessage(n.ID)
		}
		if n.ID == window {
			break
		}
	}
	scenes.AddRecap(t, s.Memory)
	return t
}

// addItem notes what an entry or a note in a prompt tells.
func addItem(t *facts.PromptFacts, item *script.LoreItem, by string) {
	for _, f := range item.Facts {
		t.AddLine(f.Text, by)
	}
	if len(item.Facts) > 0 {
		return
	}
	for line := range strings.Lines(item.Text) {
		t.AddLine(line, by)
	}
}

// RecapStates reports whether a recap tells a statement, by its text or because it has absorbed the memory
// that says it.
func RecapStates() func(s script.Statement, m *script.Memory) bool {
	var of *script.Memory
	var t *facts.PromptFacts
	return func(s script.Statement, m *script.Memory) bool {
		if t == nil || of != m {
			of, t = m, &facts.PromptFacts{}
			scenes.AddRecap(t, m)
		}
		_, is := t.MemoryLineSource(s.Memory, s.Text)
		return is
	}
}
