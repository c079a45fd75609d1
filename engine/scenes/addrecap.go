package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapSource is the name of the recap as the source of a fact in a prompt.
const recapSource = "the recap"

// AddRecap adds the facts of the recap in a prompt to t. m may be nil.
func AddRecap(t *facts.PromptFacts, m *prompt.RecapBlock) {
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

// memoriesIn returns a function that gives the memories which a bullet of these recaps also states.
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
