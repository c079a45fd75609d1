package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// asked are the requests for text so far, oldest first.
func (s *stage) asked() (calls []rehearsal.Call) {
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" && len(c.Messages) > 0 { // and not to unload
			calls = append(calls, c)
		}
	}
	return calls
}

func flat(c rehearsal.Call) string {
	var b strings.Builder
	for _, m := range c.Messages {
		fmt.Fprintf(&b, "<%s>%s", m.Role, m.Content)
	}
	return b.String()
}

// common is how many bytes two texts share at their beginning.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// options are what a request set.
func options(t *testing.T, c rehearsal.Call) (numCtx int, never bool) {
	t.Helper()
	var body struct {
		Options struct {
			NumCtx int `json:"num_ctx"`
		}
		Truncate, Shift *bool
	}
	must(t, json.Unmarshal(c.Body, &body))
	return body.Options.NumCtx, body.Truncate != nil && !*body.Truncate && body.Shift != nil && !*body.Shift
}

func TestPrompt_StandsThroughALongChat(t *testing.T) {
	t.Parallel()
	const turns, context = 60, 3072
	s := newStage(t, func(o *setup) {
		o.cfg.Sampling = storage.Profile{NumCtx: context, NumPredict: 200}
		o.house.Script = func(m []storage.Node, _ int) string {
			return fmt.Sprintf("*The lamp flickers for the %d. time.* \"%s\"", len(m), strings.Repeat("So it goes on, and the rain does not stop. ", 2))
		}
	})
	// The bundled character has a note four messages up, which costs them: here
	// it stands at the end, like the author's.
	who := s.view().Character
	who.Card.DepthPromptDepth = 0
	_, err := s.SaveCharacter(who)
	must(t, err)
	must(t, s.SetAuthorNote(s.chat, "It is raining."))
	for i := range turns {
		if i == turns/2 {
			s.reopen()
		}
		if i == 10 {
			s.hangPicture()
		}
		s.say(fmt.Sprintf("*I take step %d.* \"What do you see?\"", i))
	}
	calls := s.asked()
	if len(calls) != turns {
		t.Fatalf("%d requests for %d turns", len(calls), turns)
	}
	var shares []float64
	folds := 0
	for i := 1; i < turns; i++ {
		prev, next := flat(calls[i-1]), flat(calls[i])
		share := float64(common(prev, next)) / float64(len(prev))
		if shares = append(shares, share); calls[i].Messages[1].Content != calls[i-1].Messages[1].Content {
			folds++
		}
	}
	slices.Sort(shares)
	median := shares[len(shares)/2]
	t.Logf("median share %.3f, %d folds in %d turns", median, folds, turns)
	if median < 0.95 || folds == 0 || folds > turns/12 {
		t.Errorf("median share %.3f, %d folds in %d turns", median, folds, turns)
	}
	for _, c := range calls {
		if n, never := options(t, c); n != context || !never {
			t.Errorf("request %d: num_ctx %d", c.N, n)
		}
		if strings.Contains(flat(c), string(storage.SceneCapture)) || slices.ContainsFunc(c.Messages, func(m storage.Node) bool { return m.Content == "" }) {
			t.Errorf("request %d holds the picture", c.N)
		}
	}
	// The estimate has learned what the server counts.
	last := s.last()
	if last.Usage == nil || last.Usage.EstimatedRead <= 0 || last.Usage.EstimatedRead > last.Usage.PromptTokens/2 {
		t.Errorf("the cost of the last prompt: %+v", last.Usage)
	}
}

func TestPrompt_ThoughtsStayAway(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Model = rehearsal.ThinkModel })
	turn := s.say("one")
	if turn.Thinking == "" {
		t.Fatal("the model does not think")
	}
	s.say("two")
	s.wait(s.Continue(s.chat))
	calls := s.asked()
	for _, c := range calls {
		if strings.Contains(flat(c), turn.Thinking[:20]) {
			t.Errorf("request %d sends thoughts back: %s", c.N, flat(c))
		}
	}
	if !strings.Contains(flat(calls[1]), turn.Content) {
		t.Error("the reply itself was not sent back byte for byte")
	}
}

func TestPrompt_View(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("one")
	s.hangPicture()
	must(t, s.SetAuthorNote(s.chat, "Nobody mentions the ferry."))
	p, err := s.Prompt(s.context(), s.chat, "two")
	must(t, err)
	s.say("two")
	calls := s.asked()
	sent := calls[len(calls)-1].Messages
	if len(sent) != len(p.Messages) {
		t.Fatalf("shown were %d messages, sent %d", len(p.Messages), len(sent))
	}
	for i, m := range p.Messages {
		if m.Role != string(sent[i].Role) || m.Content != sent[i].Content {
			t.Errorf("message %d: shown %q, sent %q", i, m.Content, sent[i].Content)
		}
	}
	sum := 0
	for _, part := range p.Ledger {
		if part.Included {
			sum += part.Tokens
		}
	}
	if sum != p.Tokens || p.Tokens > p.Room || p.Model != rehearsal.Model || p.Options.NumCtx != DefaultContext || p.Options.NumPredict != DefaultReply {
		t.Errorf("the ledger's %d tokens, %d in all, room %d: %+v", sum, p.Tokens, p.Room, p.Options)
	}
	if p.PredictedReread <= 0 || p.PredictedReread >= p.Tokens/2 {
		t.Errorf("predicted to be read again: %d of %d", p.PredictedReread, p.Tokens)
	}
	// A process that has sent nothing predicts nearly the same.
	same, err := s.Prompt(s.context(), s.chat, "three")
	must(t, err)
	s.reopen()
	fresh, err := s.Prompt(s.context(), s.chat, "three")
	must(t, err)
	if d := fresh.PredictedReread - same.PredictedReread; d < -5 || d > 5 {
		t.Errorf("predicted %d, after a restart %d", same.PredictedReread, fresh.PredictedReread)
	}
	must(t, s.house.Close())
	if p, err = s.Prompt(s.context(), s.chat, ""); err != nil || len(p.Messages) == 0 {
		t.Errorf("without a server: %d messages, %v", len(p.Messages), err)
	}
}
