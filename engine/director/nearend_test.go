package director_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The actor hears of the budget when its last turns begin. After the end nothing presses any
// more, on that branch alone, and the pass after the last reply follows on its prompt.
func TestEpisode_NearsItsEndAndEnds(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	s.playing(func(ep *storage.Episode) { ep.TurnBudget, ep.Objective = 4, "to find the switch" })
	s.answers(func(demo.Call) string { return passOf("", "") })
	const question = "Will they put the light out?"
	left := func(n string) string { return "The episode ends soon: " + n + " left." }
	var turns []play.TurnResult
	for i, want := range []string{"", left("3 turns"), left("2 turns"), left("1 turn")} {
		turns = append(turns, s.Say(fmt.Sprintf("Line %d.", i)))
		got := s.lastTurn()
		if !strings.Contains(got, question) || !strings.Contains(got, "to find the switch") || strings.Count(got, "The episode ends soon") != strings.Count(want, "The episode ends soon") || !strings.Contains(got, want) {
			t.Errorf("turn %d, want %q:\n%s", i, want, got)
		}
		if strings.Contains(got, "turn "+fmt.Sprint(i)) || strings.Contains(got, "of 4") {
			t.Errorf("turn %d: a counter is told:\n%s", i, got)
		}
		s.Worked()
	}
	var turn, pass demo.Call
	for _, c := range s.Servers.Calls() {
		switch {
		case c.Path == "/api/chat" && isPass(c):
			pass = c
		case c.Path == "/api/chat" && len(c.Format) == 0:
			turn = c
		}
	}
	for i, m := range turn.Messages {
		if pass.Messages[i].Content != m.Content {
			t.Errorf("the pass after the last reply reads message %d anew:\n%s\n---\n%s", i, m.Content, pass.Messages[i].Content)
		}
	}
	after := s.Say("And after it.")
	s.Worked()
	for _, got := range []string{s.lastTurn(), s.lastPass()} {
		for _, no := range []string{question, "Do not resolve", "to find the switch", "The episode has 1", "of 4", "of 5"} {
			if strings.Contains(got, no) {
				t.Errorf("%q after the end:\n%s", no, got)
			}
		}
	}
	if got := s.lastTurn(); !strings.Contains(got, "The stage after the last show.") || strings.Contains(got, "## Scenario") {
		t.Errorf("the situation is to stay:\n%s", got)
	}
	if got := s.lastPass(); !strings.Contains(got, "The episode has ended") {
		t.Errorf("the director is asked as if it went on:\n%s", got)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, turns[2].Message))
	s.Say("Another way.")
	if got := s.lastTurn(); !strings.Contains(got, question) || !strings.Contains(got, left("1 turn")) {
		t.Errorf("before the end:\n%s", got)
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, after.Message))
	enginetest.Must(t, s.Director.CompletePlay(s.Chat, false))
	s.Say("It goes on.")
	if got := s.lastTurn(); !strings.Contains(got, question) || strings.Contains(got, "The episode ends soon") {
		t.Errorf("it goes on:\n%s", got)
	}
}
