package play_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stubborn is a model that continues the end of the request with its own text, which has each bad
// word until it has been cut there often enough.
type stubborn struct {
	text  string   // with {} at the place of a bad word
	bad   []string // the bad words, one after the other
	plain string   // the word that it writes in the end
}

// write is a demo.Script.
func (m stubborn) write(messages []storage.Node, take int) string {
	kept := ""
	if n := len(messages); n > 0 && messages[n-1].Role == storage.Assistant &&
		messages[n-1].Content != opening(messages) {
		kept = messages[n-1].Content
	}
	word := m.plain
	if take < len(m.bad) && kept == "" {
		word = m.bad[take]
	}
	all := strings.ReplaceAll(m.text, "{}", word)
	if before, _, ok := strings.Cut(m.text, "{}"); ok && strings.HasPrefix(kept, strings.TrimSpace(before)) {
		return " " + word + m.text[len(before)+2:]
	}
	if rest, ok := strings.CutPrefix(all, kept); ok {
		return rest
	}
	return all
}

// opening returns the greeting, which is the first reply in a prompt.
func opening(messages []storage.Node) string {
	for _, m := range messages {
		if m.Role == storage.Assistant {
			return m.Content
		}
	}
	return ""
}

func voiced(v config.Voice, script demo.Script) func(*enginetest.Setup) {
	return func(o *enginetest.Setup) {
		v.Backtrack, v.Ends = true, true
		o.Cfg.Voice, o.Servers.Script = v, script
	}
}

// follow assembles the events of a reply as a screen does, and calls look with the text after each.
func follow(t *testing.T, s *harness, look func(text string)) play.ReplyEnded {
	t.Helper()
	return followAnew(t, s, look, false)
}

// followAnew is like follow; anew allows the reply to begin again, once.
func followAnew(t *testing.T, s *harness, look func(text string), anew bool) play.ReplyEnded {
	t.Helper()
	text, firm := "", ""
	for {
		switch ev := next(s).(type) {
		case play.ReplyDelta:
			if ev.At != len(text) {
				t.Fatalf("a piece for byte %d comes where there are %d", ev.At, len(text))
			}
			text += ev.Content
			if ev.Firm > len(text) || ev.Firm < len(firm) && !strings.HasPrefix(firm, text[:ev.Firm]) {
				t.Fatalf("firm %d of %d, it was %q", ev.Firm, len(text), firm)
			}
			firm = text[:max(ev.Firm, len(firm))]
			look(text)
		case play.ReplyCut:
			if anew && ev.At == 0 {
				anew, firm = false, ""
			}
			if ev.At > len(text) || ev.At < len(firm) {
				t.Fatalf("cut at %d of %d, of which %d are firm", ev.At, len(text), len(firm))
			}
			text = text[:ev.At]
			look(text)
		case play.ReplyEnded:
			if ev.Err == nil && ev.Message.Content != text {
				t.Errorf("the pieces make %q, the message is %q", text, ev.Message.Content)
			}
			if !strings.HasPrefix(text, firm) {
				t.Errorf("%q was firm, and the message is %q", firm, text)
			}
			return ev
		}
	}
}

func next(s *harness) any {
	ctx := s.Context()
	ev, err := s.Feed.Next(ctx)
	if err != nil {
		s.T.Fatal(err)
	}
	return ev
}

func TestBacktrack_CutsAndGoesOn(t *testing.T) {
	t.Parallel()
	m := stubborn{text: "The door falls shut. She feels {}, and turns the key. It is quiet now.",
		bad: []string{"a shiver down her spine"}, plain: "the cold of the wall"}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"shiver down her spine"}}, m.write))})
	_, err := s.Play.Send(s.Chat, "Lock it.")
	enginetest.Must(t, err)
	end := follow(t, s, func(text string) {
		if strings.Contains(text, "shiver down her spine") {
			t.Errorf("it is shown: %q", text)
		}
	})
	want := "The door falls shut. She feels a the cold of the wall, and turns the key. It is quiet now."
	if got := end.Message.Content; got != want && got != strings.Replace(want, "a the", "the", 1) {
		t.Errorf("the reply is %q", got)
	}
	n := s.Node(end.Message.ID)
	if len(n.Rejected) != 1 || n.Rejected[0].Rule != "shiver down her spine" || n.Rejected[0].Set != config.SetMine ||
		n.Rejected[0].Kind != "phrase" || n.Rejected[0].Tries != 1 {
		t.Errorf("rejected: %+v", n.Rejected)
	}
	if n.Usage == nil || n.Usage.Backtracks != 1 || n.Usage.RejectedTokens == 0 || n.State != storage.Complete {
		t.Errorf("%s, usage %+v", n.State, n.Usage)
	}
	checkOnward(t, s)
}

// checkOnward checks the requests of a turn: all begin like the first one, with the same context,
// and continue an assistant's message.
func checkOnward(t *testing.T, s *harness) {
	t.Helper()
	type body struct {
		Messages []struct{ Role, Content string }
		Options  struct {
			NumCtx int `json:"num_ctx"`
			Seed   *int
		}
	}
	var first *body
	for _, c := range s.Servers.Calls() {
		if c.Path != "/api/chat" {
			continue
		}
		var b body
		enginetest.Must(t, json.Unmarshal(c.Body, &b))
		if first == nil {
			first = &b
			continue
		}
		n := len(first.Messages)
		if len(b.Messages) != n && len(b.Messages) != n+1 || b.Options.NumCtx != first.Options.NumCtx ||
			b.Options.Seed == nil {
			t.Fatalf("%d messages after %d, options %+v", len(b.Messages), n, b.Options)
		}
		for i, m := range first.Messages {
			if b.Messages[i] != m {
				t.Errorf("message %d is another one", i)
			}
		}
		if len(b.Messages) > n && (b.Messages[n].Role != "assistant" ||
			strings.TrimSpace(b.Messages[n].Content) != b.Messages[n].Content) {
			t.Errorf("it goes on from %+v", b.Messages[n])
		}
	}
}

func TestBacktrack_LetsThroughInTheEnd(t *testing.T) {
	t.Parallel()
	m := stubborn{text: "The door falls shut. She feels {}. It is quiet.", plain: "a shiver down her spine"}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"a shiver down her spine"}}, m.write))})
	turn := s.Say("Lock it.")
	n := s.Node(turn.Message)
	if n.Content != "The door falls shut. She feels a shiver down her spine. It is quiet." ||
		n.State != storage.Complete {
		t.Errorf("%s %q", n.State, n.Content)
	}
	if n.Usage.Backtracks != 5 || len(n.Rejected) < 2 || !n.Rejected[len(n.Rejected)-1].Allowed {
		t.Errorf("%d backtracks, %+v", n.Usage.Backtracks, n.Rejected)
	}
	checkOnward(t, s)
}

func TestBacktrack_NoLineForTheUser(t *testing.T) {
	t.Parallel()
	script := func(messages []storage.Node, take int) string {
		return fmt.Sprintf("She puts the lamp down. It is number %d.\n\nRobin: I take it. I take it and go.", take)
	}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{User: true}, script))})
	_, err := s.Play.Send(s.Chat, "And?")
	enginetest.Must(t, err)
	end := follow(t, s, func(text string) {
		if strings.Contains(text, "Robin:") {
			t.Errorf("shown: %q", text)
		}
	})
	if got := end.Message.Content; got != "She puts the lamp down. It is number 0." ||
		end.Message.State != storage.Complete {
		t.Errorf("%s %q", end.Message.State, got)
	}
	if r := end.Message.Rejected; len(r) != 1 || r[0].Kind != "user" || !r[0].Ended ||
		!strings.HasPrefix(r[0].Text, "Robin") {
		t.Errorf("%+v", r)
	}
}

func TestBacktrack_EndsWithASentence(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{}, nil),
		func(o *enginetest.Setup) { o.Cfg.Sampling.NumPredict = 12 })})
	s.Spoil(demo.Fault{Kind: demo.Say,
		Text: "\"I know that. It was the lamp that I wanted and nothing else in the world.\""})
	turn := s.Say("And?")
	n := s.Node(turn.Message)
	if n.Content != "\"I know that.\"" || n.State != storage.Complete || n.Fault != "" {
		t.Errorf("%s %q %q", n.State, n.Content, n.Fault)
	}
	if len(n.Rejected) != 1 || n.Rejected[0].Kind != "end" ||
		!strings.HasPrefix(n.Rejected[0].Text, "It was the lamp") {
		t.Errorf("%+v", n.Rejected)
	}
	if turn.DoneReason != "length" {
		t.Errorf("done: %s", turn.DoneReason)
	}
}

// Text that has been held back for too long is shown, but of a phrase never all; and nothing of
// it is left when the reply is stopped there.
func TestBacktrack_StopLeavesNoHalfPhrase(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t,
		voiced(config.Voice{Phrases: []string{"a shiver down her spine"}}, func([]storage.Node, int) string {
			return "The door falls shut. She feels a shiver down her spine."
		}))})
	s.Spoil(demo.Fault{Kind: demo.Hang,
		After: len(strings.Fields("The door falls shut . She feels a shiver down her"))})
	_, err := s.Play.Send(s.Chat, "Lock it.")
	enginetest.Must(t, err)
	text := ""
	enginetest.Until(s.Harness, func(d play.ReplyDelta) bool {
		text += d.Content
		return strings.HasSuffix(text, "a shiver down ")
	})
	s.Play.Stop(s.Chat)
	_, err = s.Ended()
	enginetest.Must(t, err)
	n := s.Last()
	if n.State != storage.Stopped || strings.TrimSpace(n.Content) != "The door falls shut. She feels" {
		t.Errorf("%s %q", n.State, n.Content)
	}
	s.Sound()
}

// A continued reply is cut after its old text, and continued from there.
func TestBacktrack_OfAReplyThatGrows(t *testing.T) {
	t.Parallel()
	script := func(messages []storage.Node, take int) string {
		if last := messages[len(messages)-1]; last.Role == storage.Assistant && len(messages) > 3 {
			if strings.HasSuffix(last.Content, "She hums") {
				return " an old song. It is late."
			}
			return " She hums like a testament to the rain. It is late."
		}
		return "The door falls shut, a testament to the rain."
	}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{}, script))})
	first := s.Say("Lock it.")
	s.Cfg.Voice.Phrases = []string{"like a testament to"}
	s.Reopen()
	enginetest.Must(t, s.Play.Continue(s.Chat))
	turn, err := s.Ended()
	enginetest.Must(t, err)
	if n := s.Node(turn.Message); n.ID != first.Message ||
		n.Content != "The door falls shut, a testament to the rain. She hums an old song. It is late." ||
		len(n.Rejected) != 1 {
		t.Errorf("%q %+v", n.Content, n.Rejected)
	}
}

// A model that thinks before it continues is asked not to.
func TestBacktrack_ThinkingModels(t *testing.T) {
	t.Parallel()
	m := stubborn{text: "The door falls shut. She feels {}. It is quiet.", bad: []string{"a shiver down her spine"},
		plain: "nothing"}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"shiver down her spine"}}, m.write),
		func(o *enginetest.Setup) { o.Cfg.Model = demo.ThinkModel })})
	turn := s.Say("Lock it.")
	n := s.Node(turn.Message)
	if !strings.HasSuffix(n.Content, "nothing. It is quiet.") || strings.Count(n.Thinking, "The scene is small") != 1 {
		t.Errorf("%q, thought %q", n.Content, n.Thinking)
	}
	said := false
	for _, c := range s.Servers.Calls() {
		said = said || strings.Contains(string(c.Body), `"think":false`)
	}
	if !said {
		t.Error("it was never asked not to think")
	}
}

// Text before a closing tag without an opening one is thought: it leaves the reply, its records are
// dropped, and the model does not get it again.
func TestBacktrack_ThoughtsThatWereNeverOpened(t *testing.T) {
	t.Parallel()
	script := func(messages []storage.Node, _ int) string {
		return "I should let a shiver run. He is late.\n</think>\n\n*She looks up.* Late."
	}
	s := &harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"a shiver"}}, script))}
	turn := s.Say("Hello.")
	n := s.Node(turn.Message)
	if n.Content != "*She looks up.* Late." || !strings.Contains(n.Thinking, "He is late.") || len(n.Rejected) != 0 ||
		n.State != storage.Complete {
		t.Errorf("%q, thought %q, rejected %+v, %s", n.Content, n.Thinking, n.Rejected, n.State)
	}
	s.Say("Hello?")
	calls := s.Servers.Calls()
	if last := string(calls[len(calls)-1].Body); strings.Contains(last, "He is late.") {
		t.Errorf("the model is told its thoughts: %s", last)
	}
}

// If a model has thought with both tags before, only the text of a later request is moved to its
// thinking.
func TestBacktrack_ThoughtsOfARequestThatGoesOn(t *testing.T) {
	t.Parallel()
	script := func(messages []storage.Node, _ int) string {
		if last := messages[len(messages)-1]; last.Role == storage.Assistant &&
			strings.Contains(last.Content, "The lamp") {
			return "I should not say that.\n</think>\n\nShe turns the key."
		}
		return "<think>He is late.</think>*She looks up.* The lamp burns low. A shiver runs down her spine."
	}
	s := &harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"a shiver"}}, script))}
	turn := s.Say("Hello.")
	n := s.Node(turn.Message)
	if n.Content != "*She looks up.* The lamp burns low. She turns the key." ||
		!strings.Contains(n.Thinking, "not say that") || len(n.Rejected) != 1 || n.State != storage.Complete {
		t.Errorf("%q, thought %q, rejected %+v, %s", n.Content, n.Thinking, n.Rejected, n.State)
	}
}

// proposed follows a line or a passage to its end, and calls look with the text so far.
func proposed(t *testing.T, s *harness,
	look func(text string)) (text string, rejected []storage.Rejected, passage string) {
	t.Helper()
	grow := func(at int, more string) {
		if at > len(text) {
			t.Fatalf("a piece for byte %d comes where there are %d", at, len(text))
		}
		text = text[:at] + more
		look(text)
	}
	for {
		switch ev := next(s).(type) {
		case play.LineSuggested:
			if grow(ev.At, ev.Text); ev.Firm > len(text) {
				t.Fatalf("firm %d of %d", ev.Firm, len(text))
			}
			if ev.Finished {
				enginetest.Must(t, ev.Err)
				return text, ev.Rejected, ""
			}
		case play.PassageWritten:
			if grow(ev.At, ev.Text); ev.Finished {
				enginetest.Must(t, ev.Err)
				return text, ev.Rejected, ev.Passage
			}
		}
	}
}

// The user's own line is watched for phrases and for other speakers, but not for the user. Phrases
// of the user's outline are allowed.
func TestBacktrack_TheUsersLine(t *testing.T) {
	t.Parallel()
	m := stubborn{text: "I take the lamp. I feel {}, and wait.", bad: []string{"a shiver down my spine"},
		plain: "the cold"}
	script := func(messages []storage.Node, take int) string {
		if !slices.ContainsFunc(messages, func(m storage.Node) bool { return m.Content == "It is late." }) {
			return "It is late."
		}
		return m.write(messages, take) + "\n\nRobin: I take it.\n\nTove: And then you go."
	}
	s := (&harness{enginetest.NewHarness(t,
		voiced(config.Voice{User: true, Speaker: true, Phrases: []string{"shiver down my spine"}}, script))})
	s.Say("Hello.")
	ask := func(outline string) (string, []storage.Rejected) {
		enginetest.Must(t, s.Play.Impersonate(s.Chat, outline))
		text, rejected, _ := proposed(t, s, func(text string) {
			if strings.Contains(text, "Tove:") || outline == "" && strings.Contains(text, "down my spine") {
				t.Errorf("it is shown: %q", text)
			}
		})
		return text, rejected
	}
	text, rejected := ask("")
	if !strings.HasSuffix(text, "the cold, and wait.\n\nRobin: I take it.") || len(rejected) != 2 ||
		rejected[0].Kind != "phrase" || rejected[1].Kind != "speaker" {
		t.Errorf("%q, rejected %+v", text, rejected)
	}
	if text, rejected = ask("tell her of the shiver down my spine"); !strings.Contains(text, "shiver down my spine") ||
		len(rejected) != 1 {
		t.Errorf("%q, rejected %+v", text, rejected)
	}
}

// A rewritten passage is watched as far as that makes sense: it may repeat its old text, and speak
// for whomever its text speaks for.
func TestBacktrack_APassage(t *testing.T) {
	t.Parallel()
	m := stubborn{text: "<passage>Robin: I wait. The rain {}, as it does.</passage>",
		bad: []string{"is a testament to the night"}, plain: "goes on"}
	s := (&harness{enginetest.NewHarness(t,
		voiced(config.Voice{User: true, Repeat: true, Phrases: []string{"testament to"}}, m.write))})
	p := play.Passage{Text: "Robin: I wait. The rain goes on, as it does.", Instruction: "shorter"}
	p.To = len(p.Text)
	enginetest.Must(t, s.Play.Rewrite(s.Chat, p))
	_, rejected, passage := proposed(t, s, func(text string) {
		if strings.Contains(text, "testament to") {
			t.Errorf("it is shown: %q", text)
		}
	})
	if !strings.HasSuffix(passage, "goes on, as it does.") || !strings.HasPrefix(passage, "Robin: I wait.") ||
		len(rejected) != 1 || rejected[0].Rule != "testament to" {
		t.Errorf("%q, rejected %+v", passage, rejected)
	}
}

// A reply of a model that cannot continue a partial reply, as its template says or as it shows, is
// begun again when it is cut, three times at most, and that is recorded.
func TestBacktrack_ModelsThatBeginAnew(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]demo.Restarts{"told": demo.RestartsByTemplate,
		"untold": demo.RestartsSilently} {
		n := 0
		anew := map[string]int{"told": 2, "untold": 1}[name] // the second answer shows it if the template does not
		script := func([]storage.Node, int) string {
			if n++; n > 2 {
				return "The door falls shut. She feels the cold of the wall. It is quiet now."
			}
			return "The door falls shut. She feels a shiver down her spine. It is quiet."
		}
		s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{Phrases: []string{"a shiver down her spine"}}, script),
			func(o *enginetest.Setup) { o.Servers.Restarts = how })})
		_, err := s.Play.Send(s.Chat, "Lock it.")
		enginetest.Must(t, err)
		end := followAnew(t, s, func(text string) {
			if strings.Contains(text, "down her spine") || strings.Count(text, "The door falls") > 1 {
				t.Errorf("%s: shown %q", name, text)
			}
		}, how == demo.RestartsSilently)
		if end.Message.Content != "The door falls shut. She feels the cold of the wall. It is quiet now." ||
			end.Message.Usage.Restarts != anew {
			t.Errorf("%s: %q, usage %+v", name, end.Message.Content, end.Message.Usage)
		}
		if asked := len(s.TurnsSent()); asked != 3 {
			t.Errorf("%s: asked %d times, not 3", name, asked)
		}
		v, err := s.Play.Prompt(s.Context(), s.Chat, "")
		enginetest.Must(t, err)
		if v.Last == nil || v.Last.Restarts != anew {
			t.Errorf("%s: the inspector has %+v", name, v.Last)
		}
		n = -100 // it never behaves
		reply := s.Say("And?")
		if m := s.Node(reply.Message); m.Usage.Restarts != 3 ||
			!strings.Contains(m.Content, "a shiver down her spine") || !m.Rejected[len(m.Rejected)-1].Allowed {
			t.Errorf("%s: never behaving: %q, %+v", name, m.Content, m.Usage)
		}
		// A continued reply ends where it would be cut: its beginning is the user's.
		n = 100
		s.Say("Then?")
		n = -100
		before := s.Last().Content
		enginetest.Must(t, s.Play.Continue(s.Chat))
		_, err = s.Ended()
		if m := s.Last(); !strings.HasPrefix(m.Content, before) || strings.Contains(m.Content, "down her spine") {
			t.Errorf("%s: continued %q, %v", name, m.Content, err)
		}
	}
}
