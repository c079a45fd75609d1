package knowledge

import (
	"strings"

	"ghostlight/engine/knowledge/facts"
	"ghostlight/engine/play/script"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// bytesPerToken is how much of a history that has had no prompt yet may stand in the
// first: rather too little, for what is told twice does less harm than what is not.
const bytesPerToken = 3

// Tellings is what a snapshot's prompt tells before memories and hooks are put in: the
// messages that stay in its window, the recap, and the lore.
func Tellings(s *script.Snapshot) *facts.Telling {
	t := &facts.Telling{}
	room := s.Limits.Context * bytesPerToken
	for i := len(s.History) - 1; i >= 0; i-- {
		n := &s.History[i]
		if room -= len(n.Content); room < 0 && s.Window == "" {
			break
		}
		if n.Content != "" && !n.Deleted && (n.Role == storage.User || n.Role == storage.Assistant) {
			t.Message(n.ID)
		}
		if n.ID == s.Window {
			break
		}
	}
	if s.Memory != nil {
		for _, b := range scene.Bullets(s.Memory.Text) {
			t.Line(b.Text, "the recap")
		}
	}
	for i := range s.Lore {
		for line := range strings.Lines(s.Lore[i].Text) {
			t.Line(line, "the lorebook")
		}
	}
	return t
}
