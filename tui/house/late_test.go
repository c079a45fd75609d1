package house_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/tui"
	"ghostlight/tui/house"
	"ghostlight/tui/tuitest"
)

// The queue's list is the newest that was read.
func TestQueue_LateReadings(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").Press("f3").See("Queue").Press("p").See("paused")
	read := func(v *tui.Screen) tea.Cmd {
		return v.Desk().Pane().Read()
	}
	old := s.Asked(read)()
	_, err := s.Engine.Scenes.RecapMissing(s.Chat().Chat.ID)
	s.Must(err)
	fresh := s.Asked(read)()
	n := 0
	s.Answered(fresh).Until("the newest reading", func() bool {
		s.In(func(v *tui.Screen) { n = len(v.Desk().Pane().(*house.Queue).Shown()) })
		return n > 0
	})
	s.Answered(old).In(func(v *tui.Screen) {
		if len(v.Desk().Pane().(*house.Queue).Shown()) != n {
			t.Error("an older reading took the place of the newest")
		}
	})
}
