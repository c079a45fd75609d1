package director_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stands returns the prompt's text about the relationship of user and character in the open chat.
func (s *harness) stands() string {
	s.T.Helper()
	return s.director().Engagement.Text
}

// passed says that days have passed in the story at a message.
func (s *harness) passed(at storage.NodeID, days int) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		return storage.Clocks.Put(tx, s.Chat, storage.Clock{Node: at, Time: storage.StoryTime{Passed: days}, By: storage.ClockUser})
	}))
}

func TestStanding_GoesByTheStory(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	first, eps := s.play(storage.Episode{Title: "one"})
	a := s.Exchange(2, "lamp")
	if got := s.stands(); got != "" {
		t.Errorf("nothing is known: %q", got)
	}
	s.beats(a[1])
	s.passed(a[1], 8)
	const want = "1 week has passed in the story so far. They have reached a week in the story. The tone between them is wary. The scene is tense. What happened last: beat of "
	if got := s.stands(); !strings.HasPrefix(got, want) || strings.Contains(got, "session") || strings.Contains(got, "100") {
		t.Errorf("%q", got)
	}
	enginetest.Must(t, s.Director.CompletePlay(first.ID, true))
	if got := s.stands(); !strings.Contains(got, " have finished 1 episode together. ") || !strings.Contains(got, "their first episode and a week in the story") {
		t.Errorf("%q", got)
	}

	// The next episode, in a chat of its own, knows of the first; its clock is its own.
	c, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[1].ID})
	enginetest.Must(t, err)
	s.Chat = c.ID
	if got := s.stands(); !strings.Contains(got, " have finished 1 episode together. ") || strings.Contains(got, "week") || c.Play.Episode != eps[1].ID {
		t.Errorf("%q", got)
	}
	s.Say("Here we are again.")
	if got := s.Sent(); strings.Count(got, "have finished 1 episode together") != 1 {
		t.Errorf("it is not told once: %s", got)
	}
	enginetest.Must(t, s.Director.CompletePlay(first.ID, false)) // which goes on
	if got := s.stands(); strings.Contains(got, "finished") {
		t.Errorf("%q", got)
	}
	s.Sound()
}

// Who was not there for an episode has not finished it.
func TestStanding_OfWhoPlayed(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main := s.Main()
	first, eps := s.play(storage.Episode{Title: "one"})
	s.Exchange(1, "lamp")
	enginetest.Must(t, s.Director.CompletePlay(first.ID, true))
	c, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[1].ID})
	enginetest.Must(t, err)
	s.Chat = c.ID
	bea := s.Joined("Bea")
	if s.SayTo("Welcome, Bea.", bea); strings.Contains(s.Sent(), "finished") {
		t.Error("Bea has finished an episode that she was not in")
	}
	if s.SayTo("And you?", main); !strings.Contains(s.Sent(), "have finished 1 episode together") {
		t.Error("the main character has forgotten the first episode")
	}
}
