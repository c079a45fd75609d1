package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Tells notes what the recap in a prompt tells; nil is none.
func Tells(t *facts.Telling, m *script.Memory) {
	if m == nil {
		return
	}
	for _, b := range scene.Bullets(m.Text) {
		var from []storage.NodeID
		if m.Rests != nil {
			from = m.Rests(b.Text)
		}
		for _, statement := range scene.Statements(b.Text) {
			t.Line(statement, "the recap", from...)
		}
	}
}
