package knowledge

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bytesPerToken is how much of a history that has had no prompt yet may stand in the
// first: rather too little, for what is told twice does less harm than what is not.
const bytesPerToken = 3

// Tellings is what a snapshot's prompt tells before memories and hooks are put in: the
// messages that stay in its window, the recap, and the lore.
func Tellings(tx *storage.Tx, s *script.Snapshot) *facts.Telling {
	t := &facts.Telling{Said: saidIn(tx, s.Chat)}
	room := s.Limits.Context * bytesPerToken
	for i := len(s.History) - 1; i >= 0; i-- {
		n := &s.History[i]
		if room -= len(n.Content); room < 0 && s.Window == "" {
			break
		}
		if n.Content != "" && !n.Deleted && n.Role.Told() {
			t.Message(n.ID)
		}
		if n.ID == s.Window {
			break
		}
	}
	scenes.Tells(t, s.Memory)
	for i := range s.Lore {
		itemTells(t, &s.Lore[i], "the lorebook")
	}
	return t
}

// itemTells notes what an entry or a note in a prompt tells.
func itemTells(t *facts.Telling, item *script.LoreItem, by string) {
	for _, f := range item.Facts {
		t.Line(f.Text, by, f.Messages...)
	}
	if len(item.Facts) > 0 {
		return
	}
	for line := range strings.Lines(item.Text) {
		t.Line(line, by)
	}
}

// saidIn gives what a chat's messages say.
func saidIn(tx *storage.Tx, chat storage.ChatID) func(storage.NodeID) string {
	return func(id storage.NodeID) string {
		n, _ := tx.Node(chat, id) // of one that is gone there are no words
		return n.Content
	}
}

// ToldBy gives for some statements whether a recap tells them, which holds when the
// transaction is over: their messages are read now.
func ToldBy(tx *storage.Tx, chat storage.ChatID, list []script.Statement) func(s script.Statement, m *script.Memory) bool {
	said, read := saidIn(tx, chat), map[storage.NodeID]string{}
	for _, s := range list {
		for _, id := range s.Messages {
			if _, ok := read[id]; !ok {
				read[id] = said(id)
			}
		}
	}
	var of *script.Memory
	var t *facts.Telling
	return func(s script.Statement, m *script.Memory) bool {
		if t == nil || of != m {
			of, t = m, &facts.Telling{Said: func(id storage.NodeID) string { return read[id] }}
			scenes.Tells(t, m)
		}
		_, is := t.ByLine(s.Text, s.Messages)
		return is
	}
}
