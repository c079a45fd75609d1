package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapTells names the recap where it tells something.
const recapTells = "the recap"

// Tells notes what the recap in a prompt tells; nil is none.
func Tells(t *facts.Telling, m *script.Memory) {
	if m == nil {
		return
	}
	for _, b := range scene.Bullets(m.Text) {
		if m.Memories != nil {
			t.Absorb(recapTells, m.Memories(b.Text)...)
		}
		bullet := scene.WithoutNote(b.Text)
		t.Line(bullet, recapTells)
		for _, statement := range scene.Statements(bullet) {
			t.Line(statement, recapTells)
		}
	}
}

// memoriesIn gives the memories that bullets of recaps tell too, as a prompt tells them.
func memoriesIn(recaps ...storage.Recap) func(bullet string) []storage.MemoryID {
	return func(bullet string) []storage.MemoryID {
		for _, r := range recaps {
			if list := scene.MemoriesOf(r, scene.WithoutNote(bullet)); len(list) > 0 {
				return list
			}
		}
		return nil
	}
}
