package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapSource names the recap where it tells something.
const recapSource = "the recap"

// AddRecap notes what the recap in a prompt tells; nil is none.
func AddRecap(t *facts.PromptFacts, m *script.Memory) {
	if m == nil {
		return
	}
	for _, b := range scene.Bullets(m.Text) {
		if m.Memories != nil {
			t.AddMemories(recapSource, m.Memories(b.Text)...)
		}
		bullet := scene.WithoutNote(b.Text)
		t.AddLine(bullet, recapSource)
		for _, statement := range scene.Statements(bullet) {
			t.AddLine(statement, recapSource)
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
