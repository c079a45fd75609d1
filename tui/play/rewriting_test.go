package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

const rainy = "She waits. The rain goes on outside, as it has all night. \"Well?\""

// shorter writes the sentence of the rain shorter, by turns much and little.
func shorter(_ []storage.Node, take int) string {
	return "<passage>" + []string{"The rain goes on outside.", "The rain goes on outside, as."}[take%2] + "</passage>"
}

// hums writes on behind what is there, and writes what has come of it shorter.
func hums(messages []storage.Node, _ int) string {
	if strings.Contains(messages[len(messages)-1].Content, "shorter") {
		return "<passage>I wait. The lamp hums.</passage>"
	}
	return "<passage>The lamp hums to itself, and for once nobody hurries.</passage>"
}

// rewriter is a chat whose last message is one of rain, open in its editor with the sentence
// of the rain marked.
func rewriter(t *testing.T, servers demo.Options) *session {
	t.Helper()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: servers})
	s.See("‹1/3›")
	v := s.Chat()
	s.Must(s.Engine.Chats.Edit(v.Chat.ID, v.Messages[0].ID, rainy))
	s.See("The rain goes on").Press("esc", "e").See("Edit what", "alt+j rewrite")
	for range 20 {
		s.Press("right")
	}
	s.Press("ctrl+space", "ctrl+space")
	return s
}

// A marked passage is rewritten by an instruction, shown as a difference, and accepted; the
// message is another only when it is saved.
func TestRewriting_Passage(t *testing.T) {
	t.Parallel()
	s := rewriter(t, demo.Options{Script: shorter})
	s.Press("alt+j").See("Rewrite · 10 words", "“The rain goes on outside").TypeText("shorter").Press("enter")
	s.See("Rewritten · shorter", "− The rain goes on outside, as", "+ The rain goes on outside.", "enter accept",
		"r try again")
	s.Press("r").See("+ The rain goes on outside, as.")
	s.Press("s").See("Rewrite · 10 words", "shorter").Press("enter").NotSee("Rewrite · 10 words").See("enter accept")
	if got := s.Texts()[0]; got != rainy {
		t.Errorf("before it is accepted: %q", got)
	}
	s.Press("enter").See("Edit what", "She waits. The rain goes on outside").NotSee("Rewritten", "all night")
	s.Press("ctrl+z").See("as it has all night").Press("ctrl+y").NotSee("all night")
	if got := s.Texts()[0]; got != rainy {
		t.Errorf("before it is saved: %q", got)
	}
	s.Press("ctrl+s").NotSee("Edit what")
	s.Until("the text to be saved", func() bool { return s.Texts()[0] != rainy })
	if got := s.Texts()[0]; !strings.HasPrefix(got, "She waits. The rain goes on outside") ||
		strings.Contains(got, "all night") || !strings.HasSuffix(got, " \"Well?\"") {
		t.Errorf("saved: %q", got)
	}
}

// Back leaves everything as it was; so does a failure of the model, which is shown.
func TestRewriting_Back(t *testing.T) {
	t.Parallel()
	s := rewriter(t, demo.Options{Script: tuitest.Always("<passage> </passage>")})
	s.Press("alt+j").See("Rewrite ·").Press("right").See("shorter").Press("enter").See("was not usable", "shorter")
	s.Press("esc").See("Edit what").NotSee("Rewrite ·")
	s.Press("esc").NotSee("Edit what").See("BROWSE")
	if got := s.Texts()[0]; got != rainy {
		t.Errorf("it is %q", got)
	}
}

// While it is written esc stops it, once shows what has come of it, and no key quits.
func TestRewriting_Stop(t *testing.T) {
	t.Parallel()
	s := rewriter(t,
		demo.Options{Script: tuitest.Always("<passage>One two three four five six seven eight nine " +
			"ten.</passage>"), Fault: tuitest.OnChat(demo.Hang, 24)})
	s.Press("alt+j").See("Rewrite ·").Press("enter").See("One two", "esc stop").NotSee("<passage>")
	s.Press("ctrl+c").See("stopped: this is the text so far", "+ One two")
	s.Press("esc").See("Edit what").NotSee("Rewritten")
	s.Until("the end of the turn", func() bool { return !s.Engine.Play.Running(s.Chat().Chat.ID) })
}

// The text goes on at the cursor, in the composer too, and what is written there is kept as
// a draft.
func TestRewriting_WritesOn(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Script: hums}})
	s.See("‹1/3›").TypeText("I wait.").Press("alt+z").See("Continue at the cursor",
		"after “I wait.”").Press("enter").See("Continued", "+  The lamp hums")
	s.Press("enter").See("› I wait. The lamp hums").NotSee("Continued")
	s.Press("alt+j").See("Rewrite · 10 words").Press("esc")
	s.Press("end", "alt+j").See("Rewrite · all of it, 12 words").TypeText("shorter").Press("enter").See(
		"enter accept").Press("enter").See("› I wait. The lamp hums").NotSee("hurries")
	s.Press("ctrl+/").See("hurries")
	s.Press("esc", "w").See("Edit what", "Rewrite · all of it").Press("esc", "esc").NotSee("Edit what").See("BROWSE")
	s.Press("alt+z").See("Continue at the cursor", "did you get that").Press("esc")
}

func TestRewriting_Golden(t *testing.T) {
	t.Parallel()
	s := rewriter(t, demo.Options{Script: shorter})
	s.Press("alt+j").See("Rewrite ·").TypeText("shorter")
	s.Golden("rewriting-asks")
	s.Press("enter").See("enter accept")
	s.Golden("rewriting")
}
