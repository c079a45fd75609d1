package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// habit finds a habit by its text.
func habit(t *testing.T, r habits.Report, kind habits.Kind, text string) (habits.Item, bool) {
	t.Helper()
	for _, it := range r.Group(kind).Items {
		if it.Text == text {
			return it, true
		}
	}
	return habits.Item{}, false
}

func TestHabits(t *testing.T) {
	t.Parallel()
	answers := []string{"*She looks up.* A shiver runs down my spine. \"Well?\"", "*She looks up.* The rain stops.",
		"He waits, and a shiver runs down my spine.", "*She looks up* and nods."}
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		n := 0
		o.Servers.Script = func([]storage.Node, int) string { n++; return answers[(n-1)%len(answers)] }
	})})
	if v, err := s.Play.Habits(s.Chat, 0); err != nil || v.Replies != 0 {
		t.Errorf("a greeting is a habit: %+v, %v", v, err)
	}
	for range answers {
		s.Say("Go on, lamp.")
	}
	v, err := s.Play.Habits(s.Chat, 0)
	enginetest.Must(t, err)
	if v.Replies != 4 || v.Banned == nil {
		t.Errorf("told: %+v", v)
	}
	opening, ok := habit(t, v.Report, habits.Openings, "she looks up")
	if !ok || len(opening.Messages) != 3 {
		t.Errorf("openings: %+v", v.Report.Group(habits.Openings))
	}
	if it, ok := habit(t, v.Report, habits.Phrases, "a shiver runs down my spine"); !ok || it.Times != 2 {
		t.Errorf("phrases: %+v", v.Report.Group(habits.Phrases))
	}

	// An edited message no longer has its habits, and a shorter window has fewer.
	enginetest.Must(t, s.Chats.Edit(s.Chat, opening.Messages[0], "Nothing of that."))
	if v, err = s.Play.Habits(s.Chat, 0); err != nil {
		t.Fatal(err)
	}
	if it, _ := habit(t, v.Report, habits.Openings, "she looks up"); slices.Contains(it.Messages,
		opening.Messages[0]) || len(it.Messages) != 2 {
		t.Errorf("after the edit: %+v", it)
	}
	if v, err = s.Play.Habits(s.Chat, 2); err != nil || v.Replies != 2 {
		t.Errorf("of two replies: %+v, %v", v, err)
	}
	for _, n := range []int{-1, habits.MaxWindow + 1} {
		if _, err := s.Play.Habits(s.Chat, n); err == nil {
			t.Errorf("%d replies are looked at", n)
		}
	}
	if _, err := s.Play.Habits("nosuch", 0); err == nil {
		t.Error("a chat that is not there has habits")
	}
}

func TestAdviseNote(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	note := func() string { return s.View().Chat.AuthorNote }
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "Rain.\n"))
	advise := func(line string, want bool) {
		t.Helper()
		if added, err := s.Play.AddNoteLine(s.Chat, line); err != nil || added != want {
			t.Errorf("%q: %v, %v", line, added, err)
		}
	}
	advise("Vary it.", true)
	advise(" Vary it. ", false)
	if want := "Rain.\nVary it."; note() != want {
		t.Errorf("the note is %q", note())
	}
	enginetest.Must(t, s.Play.RemoveNoteLine(s.Chat, "Vary it."))
	enginetest.Must(t, s.Play.RemoveNoteLine(s.Chat, "Vary it."))
	if note() != "Rain." {
		t.Errorf("the note is %q", note())
	}
	if _, err := s.Play.AddNoteLine(s.Chat, "  "); err == nil || !strings.Contains(err.Error(), "no advice") {
		t.Errorf("nothing is advised: %v", err)
	}
}
