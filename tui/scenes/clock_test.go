package scenes_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

var quay = []string{"I wait at the quay.", "Tove nods. The bell rings.", "And then?", "Tove looks at the water."}

// atQuay is a story with a story time set by a pass.
func atQuay(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		tuitest.WithStory(t, quay, false)(e)
		err := e.Core().Store.Update(func(tx *storage.Tx) error {
			for id, c := range storage.Chats.All(tx) {
				if c.Head == "" {
					continue
				}
				if err := e.Scenes.StoreTime(tx, id, c.Head, scenes.TimeUpdate{Day: "Thursday 3 March", Time: "evening"}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestClock_IsShownSetAndTakenBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: atQuay(t)})
	s.See("looks at the water", "Thursday 3 March, evening")
	s.Press("ctrl+p").See("Commands").TypeText("story time").See("story time").Press("enter")
	s.See("Story time", "Now: Thursday 3 March, evening. From the story.").TypeText(" late").Press("ctrl+s")
	s.See("story time: Thursday 3 March, evening late").NotSee("Story time")
	s.Press("ctrl+p").See("Commands").TypeText("story time").Press("enter").See("Set by you.")
	s.TypeText(strings.Repeat("x", 120)).Press("ctrl+s").See("may have at most 120 characters").Press("esc")
	s.Press("ctrl+p").See("Commands").TypeText("undo story time").See("undo story time").Press("enter").See("story time: Thursday 3 March, evening")
	s.Press("ctrl+p").See("Commands").TypeText("undo story time").See("undo story time").Press("enter").See("not set by you here")
}

func TestGolden_Clock(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: atQuay(t)})
	s.See("looks at the water", "Thursday 3 March, evening").Still()
	s.Golden("clock") // where it is narrow the time is left out
}
