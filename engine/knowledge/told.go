package knowledge

import (
	"strings"

	"ghostlight/engine/knowledge/facts"
	"ghostlight/engine/play/script"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// Tellings is what a snapshot's prompt tells before memories and hooks are put in: the
// messages that stay in its window, the recap, and the lore.
func Tellings(s *script.Snapshot) *facts.Telling {
	t := &facts.Telling{}
	in := s.Window == ""
	for i := range s.History {
		n := &s.History[i]
		if in = in || n.ID == s.Window; in && n.Content != "" && !n.Deleted && (n.Role == storage.User || n.Role == storage.Assistant) {
			t.Message(n.ID)
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
