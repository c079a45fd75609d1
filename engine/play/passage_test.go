package play_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func withScript(o *enginetest.Setup) { o.Servers.Script = tove.Reply }

// written follows a passage to its end.
func (s *harness) written(p play.Passage) (play.PassageWritten, string) {
	enginetest.Must(s.T, s.Play.Rewrite(s.Chat, p))
	raw := ""
	for {
		ev := enginetest.Until[play.PassageWritten](s.Harness, nil)
		if raw += ev.Text; ev.Finished {
			return ev, raw
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, withScript)})
	s.Say("Hello.")
	before := s.Nodes()
	text := "*She waits.* The rain goes on outside, as it has all night. \"Well?\""
	from := strings.Index(text, "The rain")
	p := play.Passage{Message: s.View().Chat.Head, Text: text, From: from, To: strings.Index(text, " \"Well"),
		Instruction: "shorter"}
	ev, raw := s.written(p)
	if ev.Err != nil || ev.Passage != "*For the length of a breath, under the one lamp, nobody moves.*" ||
		!strings.Contains(raw, "<passage>") || ev.State != storage.Complete {
		t.Errorf("written: %+v of %q", ev, raw)
	}
	if v := s.View(); len(s.Nodes()) != len(before) || v.Running != "" || v.Draft != "" {
		t.Errorf("something was left behind: %+v", v)
	}
	p.From, p.To, p.Instruction = len("*She waits.*"), len("*She waits.*"), ""
	if ev, _ = s.written(p); ev.Err != nil || !strings.HasPrefix(ev.Passage, " *For the length") {
		t.Errorf("written on: %+v", ev)
	}
	s.Spoil(demo.Fault{Kind: demo.HTML})
	if ev, _ = s.written(p); ev.Err == nil || ev.Passage != "" {
		t.Errorf("of another server came %+v", ev)
	}
	for name, bad := range map[string]play.Passage{
		"outside":        {Text: "abc", From: 1, To: 9},
		"turned round":   {Text: "abc", From: 2, To: 1},
		"in a character": {Text: "é", From: 1, To: 2},
		"of space":       {Text: "a  b", From: 1, To: 3},
		"of nobody":      {Text: "abc", To: 3, Message: "nothing"},
		"too much asked": {Text: "abc", To: 3, Instruction: strings.Repeat("x", 5000)},
	} {
		if err := s.Play.Rewrite(s.Chat, bad); err == nil {
			t.Errorf("a passage %s is taken", name)
		}
	}
	if s.Play.Running(s.Chat) {
		t.Error("what was refused keeps the chat")
	}
}

// An answer of nothing, or of nothing but wrapping, is reported.
func TestRewrite_Nothing(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", " ", "<passage></passage>", "```\n```"} {
		s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
			o.Servers.Script = func([]storage.Node, int) string { return answer }
		})})
		ev, _ := s.written(play.Passage{Text: "One.", To: 4})
		if ev.Err == nil || ev.Passage != "" {
			t.Errorf("of %q came %+v", answer, ev)
		}
	}
}

// A rewrite is a turn: only one runs at a time, it can be stopped, and its prompt is the one that
// the server has read, with the request after it.
func TestRewrite_IsATurn(t *testing.T) {
	t.Parallel()
	var reads []demo.Read
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Servers.OnRead = func(r demo.Read) { reads = append(reads, r) }
	})})
	for range 4 {
		s.Say("Hello. " + strings.Repeat("And more of it. ", 20))
	}
	p := play.Passage{Message: s.View().Chat.Head, Text: "*She waits.*", To: 12, Instruction: "longer"}
	s.written(p)
	p.Instruction = "in past tense"
	s.written(p)
	talk := slices.DeleteFunc(slices.Clone(reads), func(r demo.Read) bool { return r.Structured })
	first, again := talk[len(talk)-2], talk[len(talk)-1]
	if first.Fresh > first.Last+20 || first.Prompt < 1000 {
		t.Errorf("the first read %+v", first)
	}
	if again.Fresh > 40 {
		t.Errorf("another wish read %+v", again)
	}
	s.Spoil(demo.Fault{Kind: demo.Hang, After: 4})
	enginetest.Must(t, s.Play.Rewrite(s.Chat, p))
	enginetest.Until[play.PassageWritten](s.Harness, nil)
	if err := s.Play.Rewrite(s.Chat, p); !errors.Is(err, failure.ErrTurnRunning) {
		t.Errorf("a second one: %v", err)
	}
	if _, err := s.Play.Send(s.Chat, "Meanwhile."); !errors.Is(err, failure.ErrTurnRunning) {
		t.Errorf("a message meanwhile: %v", err)
	}
	s.Play.Stop(s.Chat)
	ev := enginetest.Until(s.Harness, func(ev play.PassageWritten) bool { return ev.Finished })
	if ev.State != storage.Stopped || ev.Err != nil && !errors.Is(ev.Err, failure.ErrStopped) {
		t.Errorf("stopped: %+v", ev)
	}
}

// A line is written from its outline, which is kept with the sent texts.
func TestImpersonate_Outline(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, withScript)})
	s.Say("Hello.")
	enginetest.Must(t, s.Play.Impersonate(s.Chat, " I hand her the key. "))
	text := ""
	for {
		ev := enginetest.Until[play.LineSuggested](s.Harness, nil)
		if text += ev.Text; ev.Finished {
			break
		}
	}
	asked := s.Asked()
	if told := asked[len(asked)-1].Messages; text == "" ||
		!strings.Contains(told[len(told)-1].Content, "I hand her the key.") {
		t.Errorf("the line is %q, of %q", text, told[len(told)-1].Content)
	}
	if sent, err := s.Chats.SentHistory(s.Chat); err != nil || !slices.Contains(sent, "I hand her the key.") {
		t.Errorf("kept: %q, %v", sent, err)
	}
	if err := s.Play.Impersonate(s.Chat, strings.Repeat("x", 5000)); err == nil {
		t.Error("an outline of any length is taken")
	}
}
