package scenes_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// quay is a story that says when it plays.
var quay = []string{"[Thursday, 3 March, evening]\n\nI wait at the quay.", "Tove nods. The bell rings.", "And then?", "Tove looks at the water."}

func TestClock_IsShownSetAndTakenBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, quay, false)})
	s.See("looks at the water", "Thu 3 March, evening")
	s.Press("ctrl+p").See("Commands").TypeText("what time it is").See("what time it is in the story").Press("enter").See("What time it is in the story", "Now: Thu 3 March, evening", "The play says: “Thursday, 3 March, evening”")
	s.TypeText("three days later, dusk").Press("ctrl+s").See("the story's time: Sun 6 March, dusk").NotSee("What time it is in the story").NotSee("Thu 3 March")
	s.Press("ctrl+p").See("Commands").TypeText("what time it is").Press("enter").See("You have set: “three days later, dusk”")
	s.TypeText("soon").Press("ctrl+s").See("is no time that the program").Press("esc")
	s.Press("ctrl+p").See("Commands").TypeText("take back the time").See("take back the time that you set").Press("enter").See("the story's time: Thu 3 March, evening")
	s.Press("ctrl+p").See("Commands").TypeText("take back the time").See("take back the time that you set").Press("enter").See("not set by you here")
}

func TestGolden_Clock(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, quay, false)})
	s.See("looks at the water", "Thu 3 March, evening").Still()
	s.Golden("clock") // where it is narrow the time is left out
}
