package tui

import (
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

func TestNudge(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Record: true}})
	s.see("‹1/3›").say("Is anybody here?")
	before := len(s.house.Calls())
	s.typeText("a draft").press("alt+n").see("Nudge", "kept nowhere").golden("nudge")
	s.press("enter").see("say what the reply should do")
	s.typeText("let the lamp fall over").press("enter").notSee("kept nowhere")
	s.replied(3, 2).see("‹2/2›", "a draft")
	told := false
	for _, c := range s.house.Calls()[before:] {
		told = told || strings.Contains(string(c.Body), "let the lamp fall over")
	}
	if !told {
		t.Error("the model was not told")
	}
	for _, text := range s.texts() {
		if strings.Contains(text, "lamp fall") {
			t.Error("the instruction was stored")
		}
	}
	s.press("alt+n").see("kept nowhere").notSee("lamp fall").typeText("x").press("esc").see("esc again").press("esc").notSee("kept nowhere")
}

// Continuing, and having one's own line written, work while a line is written
// and while the messages are browsed.
func TestNudge_ContinueAndImpersonateHaveKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{Script: always("and so on.")}})
	s.see("‹1/3›").say("Go on.")
	for i, k := range []string{"alt+g", "esc", "m"} {
		if s.press(k); k == "esc" {
			s.see("BROWSE")
			continue
		}
		s.until("more of the reply", func() (more bool) {
			s.in(func(a *app) {
				m := a.play.Items[len(a.play.Items)-1].Msg
				more = strings.Count(m.Content, "and so on.") > 1+i/2 && m.State == storage.Complete && !a.turn.running
			})
			return more
		})
	}
	s.press("alt+i").see("WRITE", "› and so on.").press("ctrl+u").see("Write your line").press("alt+i").see("› and so on.")
}
