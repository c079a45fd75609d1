package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bytesPerToken estimates how much history the first prompt of a chat contains. It is rather low,
// since repeating a fact does less harm than omitting it.
const bytesPerToken = 3

// NewPromptFacts returns the contents of a snapshot's prompt before memories and hooks are added:
// the messages in its window, the recap, and the lore.
func NewPromptFacts(s *prompt.Snapshot) *facts.PromptFacts {
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

// newPromptFacts returns the facts of a snapshot's recap and of the messages of its history from
// window on; without a window, the newest messages up to room bytes.
func newPromptFacts(s *prompt.Snapshot, window storage.NodeID, room int) *facts.PromptFacts {
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
	scenes.AddRecap(t, s.Recap)
	return t
}

// addItem adds the facts of a lorebook entry or note in a prompt.
func addItem(t *facts.PromptFacts, item *prompt.LoreItem, by string) {
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

// RecapStates returns a function that reports whether a recap has a statement, by its text or
// because a line has absorbed the memory. The function caches the last recap and is not safe for
// concurrent use.
func RecapStates() func(s prompt.Statement, m *prompt.RecapBlock) bool {
	var of *prompt.RecapBlock
	var t *facts.PromptFacts
	return func(s prompt.Statement, m *prompt.RecapBlock) bool {
		if t == nil || of != m {
			of, t = m, &facts.PromptFacts{}
			scenes.AddRecap(t, m)
		}
		_, ok := t.MemoryLineSource(s.Memory, s.Text)
		return ok
	}
}
