package scenes_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Scenes are changed in the order of the keys, and what undoes a change follows it.
func TestScenes_ChangedInOrder(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("alt+s").See("Scenes", "v1/1").Press("g")
	n := len(s.Scenes())
	drop := s.Pressed("d")
	if s.Pressed("u") != nil {
		t.Fatal("two changes are stored at once")
	}
	s.In(func(v *tui.Screen) { v.Start(drop) })
	s.See("scene break restored")
	if got := len(s.Scenes()); got != n {
		t.Errorf("%d scenes of %d", got, n)
	}
}

// A recap that nobody looks at any more is not begun for another one.
func TestRecap_OfAMessageThatWasLeft(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("f3", "O").See("paused").Press("q").NotSee("paused")
	begun := s.Asked(func(v *tui.Screen) tea.Cmd { v.Host().Run(keys.First); return v.Host().Run(keys.MessageRecap) })().(tea.BatchMsg)[1]()
	s.Press("2").See("unning recap")
	s.In(func(v *tui.Screen) {
		if cmd := begun.(pane.Callback)(); cmd != nil {
			t.Error("a recap is made of what is shown now")
		}
	})
}
