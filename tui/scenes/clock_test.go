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

// atQuay is a story of which a pass has said when it plays.
func atQuay(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		tuitest.WithStory(t, quay, false)(e)
		err := e.Core().Store.Update(func(tx *storage.Tx) error {
			for id, c := range storage.Chats.All(tx) {
				if c.Head == "" {
					continue
				}
				if err := e.Scenes.KeepWhen(tx, id, c.Head, scenes.When{Day: "Thursday 3 March", Time: "evening"}); err != nil {
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
	s.Press("ctrl+p").See("Commands").TypeText("what time it is").See("what time it is in the story").Press("enter")
	s.See("What time it is in the story", "Now: Thursday 3 March, evening. It was read in the story.").TypeText(" late").Press("ctrl+s")
	s.See("the story's time: Thursday 3 March, evening late").NotSee("What time it is in the story")
	s.Press("ctrl+p").See("Commands").TypeText("what time it is").Press("enter").See("You have set it.")
	s.TypeText(strings.Repeat("x", 120)).Press("ctrl+s").See("may have 120 characters").Press("esc")
	s.Press("ctrl+p").See("Commands").TypeText("take back the time").See("take back the time that you set").Press("enter").See("the story's time: Thursday 3 March, evening")
	s.Press("ctrl+p").See("Commands").TypeText("take back the time").See("take back the time that you set").Press("enter").See("not set by you here")
}

func TestGolden_Clock(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: atQuay(t)})
	s.See("looks at the water", "Thursday 3 March, evening").Still()
	s.Golden("clock") // where it is narrow the time is left out
}
