package play_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestPrompt_StandsThroughALongChat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("60 turns, one after another")
	}
	const turns, context = 60, 3072
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Sampling = storage.Profile{NumCtx: context, NumPredict: 200}
		o.Servers.Script = func(m []storage.Node, _ int) string {
			return fmt.Sprintf("*The lamp flickers for the %d. time.* \"%s\"", len(m),
				strings.Repeat("So it goes on, and the rain does not stop. ", 2))
		}
	})})
	// The bundled character has a note four messages up, which costs reading them again: here it is
	// at the end, like the author's.
	who := s.View().Character
	who.Card.DepthPromptDepth = 0
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "It is raining."))
	for i := range turns {
		if i == turns/2 {
			s.Reopen()
		}
		if i == 10 {
			s.HangPicture()
		}
		s.Say(fmt.Sprintf("*I take step %d.* \"What do you see?\"", i))
	}
	calls := s.Asked()
	if len(calls) != turns {
		t.Fatalf("%d requests for %d turns", len(calls), turns)
	}
	var shares []float64
	folds := 0
	for i := 1; i < turns; i++ {
		prev, next := enginetest.Flat(calls[i-1]), enginetest.Flat(calls[i])
		share := float64(enginetest.Common(prev, next)) / float64(len(prev))
		if shares = append(shares, share); calls[i].Messages[1].Content != calls[i-1].Messages[1].Content {
			folds++
		}
	}
	slices.Sort(shares)
	median := shares[len(shares)/2]
	t.Logf("median share %.3f, %d folds in %d turns", median, folds, turns)
	if median < 0.95 || folds == 0 || folds > turns/10 {
		t.Errorf("median share %.3f, %d folds in %d turns", median, folds, turns)
	}
	for _, c := range calls {
		if n, never := enginetest.Options(t, c); n != context || !never {
			t.Errorf("request %d: num_ctx %d", c.N, n)
		}
		if strings.Contains(enginetest.Flat(c), string(storage.SceneCapture)) ||
			slices.ContainsFunc(c.Messages, func(m storage.Node) bool { return m.Content == "" }) {
			t.Errorf("request %d holds the picture", c.N)
		}
	}
	// The estimate has learned the server's counts.
	last := s.Last()
	if last.Usage == nil || last.Usage.EstimatedRead <= 0 || last.Usage.EstimatedRead > last.Usage.PromptTokens/2 {
		t.Errorf("the cost of the last prompt: %+v", last.Usage)
	}
}

func TestPrompt_ThoughtsStayAway(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Model = demo.ThinkModel })})
	turn := s.Say("one")
	if turn.Thinking == "" {
		t.Fatal("the model does not think")
	}
	s.Say("two")
	s.Wait(s.Play.Continue(s.Chat))
	calls := s.Asked()
	for _, c := range calls {
		if strings.Contains(enginetest.Flat(c), turn.Thinking[:20]) {
			t.Errorf("request %d sends thoughts back: %s", c.N, enginetest.Flat(c))
		}
	}
	if !strings.Contains(enginetest.Flat(calls[1]), turn.Content) {
		t.Error("the reply itself was not sent back byte for byte")
	}
}

func TestPrompt_View(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Say("one")
	s.HangPicture()
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "Nobody mentions the ferry."))
	p, err := s.Play.Prompt(s.Context(), s.Chat, "two, {{char}}")
	enginetest.Must(t, err)
	s.Say("two, {{char}}")
	calls := s.Asked()
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
	for _, part := range p.Parts {
		if part.Included {
			sum += part.Tokens
		}
	}
	if sum != p.Tokens || p.Tokens > p.Budget || p.Model != demo.Model ||
		p.Options.NumCtx != config.DefaultContext || p.Options.NumPredict != config.DefaultReply {
		t.Errorf("the ledger's %d tokens, %d in all, room %d: %+v", sum, p.Tokens, p.Budget, p.Options)
	}
	if p.PredictedReread <= 0 || p.PredictedReread >= p.Tokens/2 {
		t.Errorf("predicted to be read again: %d of %d", p.PredictedReread, p.Tokens)
	}
	// A process that has sent nothing predicts nearly the same.
	same, err := s.Play.Prompt(s.Context(), s.Chat, "three")
	enginetest.Must(t, err)
	s.Reopen()
	fresh, err := s.Play.Prompt(s.Context(), s.Chat, "three")
	enginetest.Must(t, err)
	if d := fresh.PredictedReread - same.PredictedReread; d < -5 || d > 5 {
		t.Errorf("predicted %d, after a restart %d", same.PredictedReread, fresh.PredictedReread)
	}
	enginetest.Must(t, s.Servers.Close())
	if p, err = s.Play.Prompt(s.Context(), s.Chat, ""); err != nil || len(p.Messages) == 0 {
		t.Errorf("without a server: %d messages, %v", len(p.Messages), err)
	}
}
