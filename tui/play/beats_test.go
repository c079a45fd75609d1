package play_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

const threeBeats = `{"proposals":["Tove locks the door.","The lamp goes out, and somebody laughs behind the ` +
	`curtain.","Tove tears the letter in two."]}`

// proposing is a house whose model proposes the same three beats whenever it is asked.
func proposing(script demo.Script) demo.Options {
	return demo.Options{Script: script, Record: true,
		Answer: func(format json.RawMessage, _ []storage.Node) (string, bool) {
			return threeBeats, (demo.Call{Format: format}).Job() == demo.ProposalsJob
		}}
}

// told returns the end of the newest prompt of a reply.
func (s *session) told() string {
	calls := s.Servers().Calls()
	for i := len(calls) - 1; i >= 0; i-- {
		if c := calls[i]; c.Path == "/api/chat" && len(c.Format) == 0 && len(c.Messages) > 1 {
			return c.Messages[len(c.Messages)-1].Content
		}
	}
	return ""
}

// A beat is chosen for the next reply, waits beside the line, is used, and is used again for
// another take.
func TestBeats_ForTheNextReply(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: proposing(tove.Reply)})
	s.See("‹1/3›").Press("esc").See("BROWSE").Press("p").See("What happens in the next reply?", "2 The lamp goes out",
		"✎ Write your own").Golden("beats")
	s.Press("down", "enter").NotSee("What happens").Press("i").See("next: “The lamp goes")
	s.Say("And now?")
	s.replied(3, 1).See("“The lamp goes out").NotSee("next:")
	if !strings.Contains(s.told(), "The lamp goes out, and somebody laughs") {
		t.Errorf("the prompt ends with %q", s.told())
	}
	s.Press("esc").See("BROWSE").Press("r")
	s.replied(3, 2)
	if !strings.Contains(s.told(), "The lamp goes out, and somebody laughs") {
		t.Errorf("the prompt of another take ends with %q", s.told())
	}
	s.Press("p").See("^R redo").Press("ctrl+r")
	s.replied(3, 3).See("“Tove locks the door")
	s.Press("p").See("✎").Press("3", "p").See("for the next reply: Tove tears",
		"d remove").Press("d").NotSee("for the next reply")
	s.Until("it to be dropped", func() bool { return s.Chat().Chat.Steer.IsZero() })
}

// A line of one's own, one that was changed, other proposals about something, and a request
// that is stopped or fails.
func TestBeats_OnesOwn(t *testing.T) {
	t.Parallel()
	answers := []demo.Fault{{}, {}, {Kind: demo.Hang}, {Kind: demo.HTML}}
	var n atomic.Int32
	servers := proposing(tove.Reply)
	servers.Fault = func(c demo.Call) demo.Fault {
		if c.Job() != demo.ProposalsJob {
			return demo.Fault{}
		}
		return answers[min(int(n.Add(1)), len(answers))-1]
	}
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: servers})
	s.See("‹1/3›").Press("esc").See("BROWSE").Press("p").See("✎").Press("end",
		"enter").See("Write a beat").Press("enter").See("enter what happens")
	s.Press("esc").See("✎").Press("g", "e").See("Tove locks the door.").TypeText(" Twice.").Press("enter").NotSee(
		"Write a beat", "✎").Press("i").See("next: “Tove locks")
	s.Until("the changed line to be kept", func() bool {
		return s.Chat().Chat.Steer.Beat == "Tove locks the door. Twice."
	})
	s.Press("esc").See("BROWSE").Press("p").See("✎").Press("s").See("Other suggestions").TypeText("a storm").Press(
		"enter").See("asking for suggestions", "a storm")
	// Stopped before, it would leave its fault to the next.
	s.Until("the request that hangs", func() bool { return n.Load() == 3 })
	s.Press("esc").See("stopped", "✎").Press("r").See("not Ollama", "✎", "enter write").NotSee("stopped")
	s.Press("esc").NotSee("✎")
	s.Until("the end of the request", func() bool { return !s.Engine.Play.Running(s.Chat().Chat.ID) })
}

// After a message without a reply the reply is requested immediately.
func TestBeats_OfAnUnansweredMessage(t *testing.T) {
	t.Parallel()
	down := true
	servers := proposing(tove.Reply)
	servers.Fault = func(c demo.Call) demo.Fault {
		if down && c.Path == "/api/chat" && len(c.Format) == 0 {
			return demo.Fault{Kind: demo.Unavailable}
		}
		return demo.Fault{}
	}
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: servers})
	s.See("‹1/3›").TypeText("Hello?").Press("enter").See("ask for a reply")
	down = false
	s.Press("esc").See("BROWSE").Press("p").See("✎").Press("1")
	s.replied(3, 1).See("“Tove locks")
}

// Acts are marked for the next reply, taken off, and used for another take.
func TestActs(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tove.Reply, Record: true},
		Screen: tui.Options{QuickReplies: []play.QuickReply{{Label: "Rain", Text: "let it rain", Do: play.QuickNudge},
			{Text: "I nod."}}}})
	s.See("‹1/3›").Press("esc").See("BROWSE").Press("a").See("Quick acts", "more speech", "Rain",
		"yours").NotSee("I nod.").Golden("acts")
	s.Press("space").See("✓ shorter").Press("down", "space").See("✓ longer").NotSee("✓ shorter").Press("enter").NotSee(
		"Quick acts").Press("i").See("next: longer")
	s.Say("And now?")
	s.replied(3, 1).See("Tove longer")
	s.Press("esc").See("BROWSE").Press("a").See("✓ longer", "^R retake").TypeText("plainer").Press("ctrl+r")
	s.replied(3, 2).See("longer, plainer")
	if told := s.told(); !strings.Contains(told, "plain words") || !strings.Contains(told, "clearly longer") {
		t.Errorf("the take was told %q", told)
	}
	s.Press("a").See("✓ plainer").TypeText("rain").See("Rain").Press("enter")
	s.replied(3, 3)
	if told := s.told(); !strings.Contains(told, "let it rain") {
		t.Errorf("the nudge was told %q", told)
	}
}
