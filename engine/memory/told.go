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

// Tellings is what a snapshot's prompt tells before memories and hooks are put in: the
// messages that stay in its window, the recap, and the lore.
func Tellings(s *script.Snapshot) *facts.Telling {
	room := 0
	if s.Window == "" {
		room = s.Limits.Context * bytesPerToken
	}
	t := tellingsOf(s, s.Window, room)
	for i := range s.Lore {
		itemTells(t, &s.Lore[i], "the lorebook")
	}
	return t
}

// tellingsOf is what the recap of a snapshot tells, and the messages of its history from window on;
// where there is none, the newest ones of room bytes.
func tellingsOf(s *script.Snapshot, window storage.NodeID, room int) *facts.Telling {
	t := &facts.Telling{}
	for i := len(s.History) - 1; i >= 0; i-- {
		n := &s.History[i]
		if room -= len(n.Content); room < 0 && window == "" {
			break
		}
		if n.Content != "" && !n.Deleted && n.Role.InPrompt() {
			t.Message(n.ID)
		}
		if n.ID == window {
			break
		}
	}
	scenes.Tells(t, s.Memory)
	return t
}

// itemTells notes what an entry or a note in a prompt tells.
func itemTells(t *facts.Telling, item *script.LoreItem, by string) {
	for _, f := range item.Facts {
		t.Line(f.Text, by)
	}
	if len(item.Facts) > 0 {
		return
	}
	for line := range strings.Lines(item.Text) {
		t.Line(line, by)
	}
}

// ToldBy reports whether a recap tells a statement, by its text or because it has absorbed the memory
// that says it.
func ToldBy() func(s script.Statement, m *script.Memory) bool {
	var of *script.Memory
	var t *facts.Telling
	return func(s script.Statement, m *script.Memory) bool {
		if t == nil || of != m {
			of, t = m, &facts.Telling{}
			scenes.Tells(t, m)
		}
		_, is := t.MemoryByLine(s.Memory, s.Text)
		return is
	}
}
