package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestTurn_StopKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Fault: tuitest.OnChat(demo.Hang, 30)}})
	s.See("‹1/3›").TypeText("Well?").Press("enter").See("She comes the rest", "replying")
	s.TypeText("not yet").Press("enter").See("still being written")
	s.Press("ctrl+c").See("stopped").Still()
	v := s.Chat()
	last := v.Messages[len(v.Messages)-1]
	if last.State != storage.Stopped ||
		!strings.HasPrefix(tove.Reply(nil, 0)+last.Content, tove.Reply(nil, 0)+"*She comes the rest") {
		t.Errorf("kept %q as %s", last.Content, last.State)
	}
	s.See("› not yet")
}

func TestTurn_ServerDiesMidStream(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Fault: tuitest.OnChat(demo.Hang, 30)}})
	s.See("‹1/3›").TypeText("Well?").Press("enter").See("She comes the rest", "replying")
	s.Must(s.Servers().Close())
	s.See("is kept.").Still()
	if last := s.Texts()[2]; !strings.HasPrefix(last, "*She comes the rest") {
		t.Errorf("kept %q", last)
	}
	s.Press("esc", "r").See("cannot be reached").Still()
	if last := s.Texts()[2]; !strings.HasPrefix(last, "*She comes the rest") {
		t.Errorf("after another try the reply is %q", last)
	}
}

func TestTurn_Browse(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Say("Two.")
	reply := s.Texts()[4]

	s.Press("esc").See("BROWSE").Press("r").See("‹2/2›").Still()
	if got := s.Texts(); len(got) != 5 || got[4] == reply {
		t.Fatalf("another reply: %q", got)
	}
	s.Press("left").See("‹1/2›")
	s.Until("the first reply", func() bool { return s.Texts()[4] == reply })
	s.Press("right").See("‹2/2›").Press("right").See("‹3/3›").Still()
	s.Press("h").See("‹2/3›")

	before := s.Texts()[4]
	s.Press("m")
	s.Until("more of the reply", func() bool { return len(s.Texts()[4]) > len(before) })
	s.Still()
	if got := s.Texts(); len(got) != 5 || !strings.HasPrefix(got[4], before) {
		t.Fatalf("continued: %q", got)
	}

	s.Press("k", "e").See("Edit what Robin said")
	s.Press("ctrl+s").NotSee("Edit what")
	s.Press("e").See("Edit what").TypeText("Two and a half. ").Press("ctrl+s").NotSee("Edit what").See(
		"Two and a half.", "edited")

	s.Press("d").See("Delete").Press("esc").NotSee("Delete")
	s.Press("d").See("Delete").Press("d").NotSee("Two and a half.")
	s.Press("u").See("Two and a half.")
	s.Press("G", "k", "d").See("Delete").Press("a").NotSee("Two and a half.")
	s.Until("three messages", func() bool { return len(s.Texts()) == 3 })
	s.Press("u").See("Two and a half.")

	s.Press("g", "j").See("BROWSE").Press("B").See("new branch").See("WRITE").NotSee("Two and")
	s.Until("the branch", func() bool { return len(s.Texts()) == 2 })
	s.Say("Another way.").See("Another way.")
	if got := s.Texts(); got[2] != "Another way." {
		t.Errorf("the branch: %q", got)
	}
	s.Press("esc", "k", "left").See("Dry yourself first")
	s.Until("the old branch", func() bool {
		v := s.Texts()
		return len(v) >= 3 && strings.Contains(v[2], "Dry yourself")
	})
	s.Press("i").See("WRITE")
}

func TestTurn_Impersonate(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+i")
	text := ""
	s.Until("a line in the composer", func() bool {
		s.In(func(v *tui.Screen) { text = v.Host().Play().Draft() })
		return len(text) > 10
	})
	if n := len(s.Texts()); n != 1 {
		t.Errorf("the chat has %d messages", n)
	}
}

func TestTurn_AskingAgain(t *testing.T) {
	t.Parallel()
	fail := tuitest.OnChat(demo.ServerError, 0)
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Fault: func(c demo.Call) demo.Fault {
			if c.Nth > 1 {
				return demo.Fault{}
			}
			return fail(c)
		}}})
	s.See("‹1/3›").TypeText("Well?").Press("enter").See("no reply", "enter ask for a reply")
	s.Press("enter").See("Dry yourself").Still().NotSee("no reply", "ask for a reply")
	if got := s.Texts(); len(got) != 3 {
		t.Errorf("the chat holds %q", got)
	}
}
