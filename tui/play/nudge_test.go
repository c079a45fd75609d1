package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestNudge(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Record: true}})
	s.See("‹1/3›").Say("Is anybody here?")
	before := len(s.Servers().Calls())
	s.TypeText("a draft").Press("alt+n").See("Nudge", "not saved").Golden("nudge")
	s.Press("enter").See("enter what the reply should do")
	s.TypeText("let the lamp fall over").Press("enter").NotSee("not saved")
	s.replied(3, 2).See("‹2/2›", "a draft")
	told := false
	for _, c := range s.Servers().Calls()[before:] {
		told = told || strings.Contains(string(c.Body), "let the lamp fall over")
	}
	if !told {
		t.Error("the model was not told")
	}
	for _, text := range s.Texts() {
		if strings.Contains(text, "lamp fall") {
			t.Error("the instruction was stored")
		}
	}
	s.Press("alt+n").See("not saved").NotSee("lamp fall").TypeText("x").Press("esc").See("esc again").Press(
		"esc").NotSee("not saved")
}

// Continuing, and having one's own line written, work while a line is written
// and while the messages are browsed.
func TestNudge_ContinueAndImpersonateHaveKeys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("and so on.")}})
	s.See("‹1/3›").Say("Go on.")
	for i, k := range []string{"alt+g", "esc", "m"} {
		if s.Press(k); k == "esc" {
			s.See("BROWSE")
			continue
		}
		s.Until("more of the reply", func() (more bool) {
			s.In(func(v *tui.Screen) {
				m, _ := v.Host().Play().LastMessage()
				more = strings.Count(m.Content, "and so on.") > 1+i/2 && m.State == storage.Complete &&
					!v.Host().Play().Replying()
			})
			return more
		})
	}
	s.Press("alt+i").See("WRITE", "› and so on.").Press("ctrl+u").See("Write a message").Press("alt+i").See(
		"› and so on.")
}
