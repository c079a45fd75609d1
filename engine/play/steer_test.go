package play_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const beat = "The lamp goes out, and Tove locks the door."

// lastTold returns the end of the newest prompt of a turn.
func (s *harness) lastTold() string {
	calls := s.TurnsSent()
	m := calls[len(calls)-1].Messages
	return m[len(m)-1].Content
}

// What the user wants of the next reply is at the end of its prompt, is stored with it, is used
// again for its other takes, and for no later reply.
func TestSteer_IsKeptWithTheReply(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Plain()
	steer, err := s.Play.Steering(beat, "Shorter", "more speech")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Play.SetSteer(s.Chat, steer))
	s.Reopen()
	v, err := s.Play.Prompt(context.Background(), s.Chat, "And now?")
	enginetest.Must(t, err)
	var parts []string
	for _, p := range v.Parts {
		if p.Layer == prompt.LayerNudge && p.Included && p.Tokens > 0 {
			parts = append(parts, p.Source)
		}
	}
	if want := []string{"beat", "acts: shorter, more-speech"}; !slices.Equal(parts, want) {
		t.Errorf("the ledger has %q, not %q", parts, want)
	}
	if end := v.Messages[len(v.Messages)-1]; end.Role != "user" || !strings.Contains(end.Content, beat) {
		t.Errorf("the prompt ends with %+v", end)
	}
	told := func(when string, want bool) {
		t.Helper()
		end := s.lastTold()
		if strings.Contains(end, beat) != want || strings.Contains(end, "Make this reply clearly shorter") != want {
			t.Errorf("%s the prompt ends with %q", when, end)
		}
	}
	s.Say("And now?")
	told("first", true)
	reply := s.Last()
	if c := s.View().Chat; !c.Steer.IsZero() || !reply.Steer.Equal(steer) {
		t.Errorf("the chat keeps %+v, the reply %+v", c.Steer, reply.Steer)
	}
	s.Wait(s.Play.Regenerate(s.Chat, reply.ID))
	told("another take", true)
	_, err = s.Play.Swipe(s.Chat, s.Last().ID, 1)
	s.Wait(err)
	told("a swipe", true)
	if n := s.Last(); !n.Steer.Equal(steer) || n.Siblings != 3 {
		t.Errorf("the third take has %+v", n)
	}
	s.Wait(s.Play.Regenerate(s.Chat, s.Last().Parent))
	told("asked for at the user's message", true)
	s.Wait(s.Play.Nudge(s.Chat, "let it rain"))
	told("with a nudge", true)
	s.Wait(s.Play.Continue(s.Chat))
	told("continued", false)
	s.Say("Then?")
	told("the next reply", false)
	s.Reopen()
	if n := s.Node(reply.ID); !n.Steer.Equal(steer) {
		t.Errorf("after all that the reply has %+v", n.Steer)
	}
}

// An act about the length of a reply replaces the length of the settings, also as a limit of the
// reply.
func TestSteer_AnActAboutLengthCountsAlone(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The lamp stands by the door and the rope is quiet.\n\n", 60)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Voice.Backtrack, o.Cfg.Voice.Length = true, "short"
		o.Servers.Script = func([]storage.Node, int) string { return long }
	})})
	asked := func() (told bool) {
		calls := s.TurnsSent()
		for _, m := range calls[len(calls)-1].Messages {
			told = told || strings.Contains(m.Content, "at most 80 words")
		}
		return told
	}
	s.Say("And now?")
	if !asked() {
		t.Error("without an act the length is not told")
	}
	if n := len(s.Last().Content); n > len(long)/2 {
		t.Errorf("a short reply has %d bytes", n)
	}
	for _, act := range []string{"longer", "shorter", "plainer"} {
		steer, err := s.Play.Steering("", act)
		enginetest.Must(t, err)
		s.Wait(s.Play.Steer(s.Chat, steer))
		if asked() != (act == "plainer") {
			t.Errorf("with %q the length is told: %v", act, asked())
		}
		if n := len(s.Last().Content); n > len(long)/2 != (act != "plainer") {
			t.Errorf("with %q the reply has %d bytes", act, n)
		}
	}
}

// The steer of a take can be changed for the next one, and a take without a steer passes none on.
func TestRetake(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Plain()
	s.Say("Hello.")
	first := s.Last()
	enginetest.Must(t, s.Play.SetSteer(s.Chat, storage.Steer{Beat: "for later"}))
	s.Wait(s.Play.RegenerateSteered(s.Chat, first.ID, storage.Steer{Acts: []string{"slower"}}))
	if end := s.lastTold(); !strings.Contains(end, "Slow down") || strings.Contains(end, "for later") {
		t.Errorf("the take was told %q", end)
	}
	second := s.Last()
	if c := s.View().Chat; c.Steer.Beat != "for later" || second.Parent != first.Parent || second.Siblings != 2 {
		t.Errorf("%+v, and the chat keeps %+v", second, c.Steer)
	}
	s.Wait(s.Play.RegenerateSteered(s.Chat, second.ID, storage.Steer{}))
	if end := s.lastTold(); strings.Contains(end, "Slow down") || !s.Last().Steer.IsZero() {
		t.Errorf("without it the take was told %q", end)
	}
	s.Wait(s.Play.Steer(s.Chat, storage.Steer{Acts: []string{"darker"}}))
	if n := s.Last(); n.Siblings != 4 || !strings.Contains(s.lastTold(), "darker") {
		t.Errorf("in the place of the last reply: %+v", n)
	}
	if err := s.Play.RegenerateSteered(s.Chat, "nothing", storage.Steer{}); err == nil {
		t.Error("a message that is not there was answered")
	}
}

// The steer is stored with the user's line, or neither is.
func TestSendSteered(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Plain()
	s.Spoil(demo.Fault{Kind: demo.Unavailable})
	steer := storage.Steer{Beat: beat}
	_, err := s.Play.SendLine(s.Chat, play.Line{Text: "And now?", Steer: &steer})
	enginetest.Must(t, err)
	if _, err := s.Ended(); err == nil {
		t.Fatal("the server was there")
	}
	if c := s.View().Chat; !c.Steer.Equal(steer) {
		t.Errorf("the failed turn has left %+v", c.Steer)
	}
	s.Spoil(demo.Fault{})
	s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID))
	if !strings.Contains(s.lastTold(), beat) || !s.Last().Steer.Equal(steer) || !s.View().Chat.Steer.IsZero() {
		t.Errorf("the reply after all was told %q", s.lastTold())
	}
	for name, bad := range map[string][]string{"unknown": {"louder"},
		"too many": {"shorter", "slower", "more-speech", "more-senses", "plainer", "lighter", "surprise"}} {
		if _, err := s.Play.Steering("", bad...); err == nil {
			t.Errorf("%s acts were taken", name)
		}
	}
	if got, err := s.Play.Steering("", "shorter", "longer", "longer"); err != nil ||
		!slices.Equal(got.Acts, []string{"longer"}) {
		t.Errorf("of two that are against each other stay %q, %v", got.Acts, err)
	}
	if _, err := s.Play.Steering(strings.Repeat("x", 5000)); err == nil {
		t.Error("an endless beat was taken")
	}
}

// Each act has a text, and knows the one that it is against.
func TestActs(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	list := s.Play.Acts()
	for _, a := range list {
		if a.Instruction == "" || a.Description == "" {
			t.Errorf("%+v says nothing", a)
		}
		i := slices.IndexFunc(list, func(o play.Act) bool { return o.Name == a.Against })
		if a.Against != "" && (i < 0 || list[i].Against != a.Name) {
			t.Errorf("%s is against %q", a.Name, a.Against)
		}
	}
}

// Proposals are requested at the end of the prompt that the server has read, and leave nothing
// behind.
func TestBeats(t *testing.T) {
	t.Parallel()
	var reads []demo.Read
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Servers.OnRead = func(r demo.Read) { reads = append(reads, r) }
	})})
	for range 4 {
		s.Say("Hello. " + strings.Repeat("And more of the story of the old mill. ", 20))
	}
	before := s.Nodes()
	list, err := s.Play.Beats(context.Background(), s.Chat, "", nil)
	enginetest.Must(t, err)
	if len(list) != 3 || list[0] == list[1] {
		t.Errorf("proposed: %q", list)
	}
	r := reads[len(reads)-1]
	if r.Job != demo.ProposalsJob || r.Fresh > r.Last+20 || r.Prompt < 1000 {
		t.Errorf("the question read %+v", r)
	}
	calls := s.Asked()
	if flat := enginetest.Flat(calls[len(calls)-1]); !strings.Contains(flat, "nobody knows how") {
		t.Errorf("it is not told that the user speaks first: %s", flat)
	}
	more, err := s.Play.Beats(context.Background(), s.Chat, "a storm", list)
	enginetest.Must(t, err)
	if calls = s.Asked(); !strings.Contains(enginetest.Flat(calls[len(calls)-1]), "a storm") ||
		!strings.Contains(enginetest.Flat(calls[len(calls)-1]), list[1]) {
		t.Error("the wish, or what is not wanted, is not told")
	}
	for _, p := range more {
		if slices.Contains(list, p) {
			t.Errorf("%q is proposed again", p)
		}
	}
	if v := s.View(); len(s.Nodes()) != len(before) || v.Running != "" || !v.Chat.Steer.IsZero() {
		t.Errorf("something was left behind: %+v", v.Chat)
	}
	// After a message without a reply, they are requested at the end of that reply's own prompt.
	s.Spoil(demo.Fault{Kind: demo.Unavailable})
	_, _ = s.TrySay("What is in the letter?")
	s.Spoil(demo.Fault{})
	_, err = s.Play.Beats(context.Background(), s.Chat, "", nil)
	enginetest.Must(t, err)
	if calls = s.Asked(); strings.Contains(enginetest.Flat(calls[len(calls)-1]), "nobody knows how") {
		t.Error("the user has spoken")
	}
	s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID))
	if r = reads[len(reads)-1]; r.Structured || r.Fresh > 40 {
		t.Errorf("the reply after it read %+v", r)
	}
}

// Careless answers are used as far as possible, else reported.
func TestBeats_OfCarelessModels(t *testing.T) {
	t.Parallel()
	three := `{"proposals":["Tove hides the key.","The storm takes the roof.","Nobody is there at all."]}`
	for name, c := range map[string]struct {
		answers []string // the last one again and again
		want    []string // nil for an error
	}{
		"prose around it": {[]string{"Sure! Here you go:\n```json\n" + three + "\n```\nLet me know."},
			[]string{"Tove hides the key.", "The storm takes the roof.", "Nobody is there at all."}},
		"for the user": {[]string{`{"proposals":["Robin opens it.","Tove waits.","Robin laughs."]}`},
			[]string{"Tove waits."}},
		"for the user at first": {[]string{`{"proposals":["Robin opens it.","Tove waits.","Robin laughs."]}`, three},
			[]string{"Tove hides the key.", "The storm takes the roof.", "Nobody is there at all."}},
		"two": {[]string{`{"proposals":["One thing happens.","Another thing happens."]}`},
			[]string{"One thing happens.", "Another thing happens."}},
		"ten": {[]string{`{"proposals":["a","b","c","d","e","f","g","h","i","j"]}`},
			[]string{"a", "b", "c"}},
		"a list, no JSON": {
			[]string{"1. **Beat 1:** Tove hides the key.\n2) \"The storm takes the roof.\"\n- Nobody is there."},
			[]string{"Tove hides the key.", "The storm takes the roof.", "Nobody is there."}},
		"a refusal, twice": {[]string{
			`{"proposals":["I'm sorry, but I can't help with that.","I cannot continue this story.","Sorry."]}`}, nil},
		"a refusal, then better": {[]string{"I can't assist with that.", three},
			[]string{"Tove hides the key.", "The storm takes the roof.", "Nobody is there at all."}},
		"one thing three times": {[]string{`{"proposals":["Tove waits.","tove waits","**Tove waits!**"]}`},
			[]string{"Tove waits."}},
		"Russian, then English": {
			[]string{
				`{"proposals":["Она прячет ключ и молчит.","Буря уносит крышу, и становится холодно.","Никого нет."]}`,
				three}, []string{"Tove hides the key.", "The storm takes the roof.", "Nobody is there at all."}},
		"Russian, and again": {[]string{`{"proposals":["Она прячет ключ и молчит."]}`},
			[]string{"Она прячет ключ и молчит."}},
		"nothing": {[]string{""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
				o.Servers.Answer = func(format json.RawMessage, _ []storage.Node) (string, bool) {
					if (demo.Call{Format: format}).Job() != demo.ProposalsJob {
						return "", false
					}
					n++
					return c.answers[min(n, len(c.answers))-1], true
				}
			})})
			s.Plain()
			s.Say("I look at the door and wait for what she has to say to all of this.")
			got, err := s.Play.Beats(context.Background(), s.Chat, "", nil)
			if (err != nil) != (c.want == nil) || !slices.Equal(got, c.want) {
				t.Errorf("%q, %v", got, err)
			}
			if s.Play.Running(s.Chat) {
				t.Error("the chat is not free again")
			}
		})
	}
}

// It is stopped like a turn, and by the caller.
func TestBeats_Stopped(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Plain()
	reached := make(chan struct{}, 2)
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Job() != demo.ProposalsJob {
			return demo.Fault{}
		}
		reached <- struct{}{}
		return demo.Fault{Kind: demo.Hang}
	})
	for name, stop := range map[string]func(context.CancelFunc){
		"as a turn":   func(context.CancelFunc) { s.Play.Stop(s.Chat) },
		"by who asks": func(cancel context.CancelFunc) { cancel() },
	} {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			_, err := s.Play.Beats(ctx, s.Chat, "", nil)
			ended <- err
		}()
		<-reached
		if _, err := s.Play.Send(s.Chat, "Meanwhile."); !errors.Is(err, failure.ErrTurnRunning) {
			t.Errorf("a message meanwhile: %v", err)
		}
		stop(cancel)
		if err := <-ended; !errors.Is(err, failure.ErrStopped) {
			t.Errorf("stopped %s: %v", name, err)
		}
		cancel()
	}
}
