package play_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// dense returns a text that the estimate counts as a third of a server's count.
func dense(n int) string { return strings.Repeat("?!?!?!"+strings.Repeat(" ", 14), n) + "?" }

// denseHarness is a harness with a chat that is estimated to fit the context, and does not.
func denseHarness(t *testing.T, change ...func(*enginetest.Setup)) *harness {
	s := &harness{enginetest.NewHarness(t, append([]func(*enginetest.Setup){func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 256
	}}, change...)...)}
	var texts []string
	for i := range 44 {
		texts = append(texts, fmt.Sprintf("%d. %s", i, dense(20)))
	}
	s.Tell(texts...)
	return s
}

// asked returns the number of requests for text, and of those that only count.
func (s *harness) asked() (all, counting int) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" {
			all++
		}
	}
	return all, len(s.readAhead())
}

// A first prompt that a server refuses as too long is counted, shortened and sent again. The
// corrected estimate is kept.
func TestTurn_APromptLongerThanEstimated(t *testing.T) {
	t.Parallel()
	s := denseHarness(t)
	turn := s.Say("Well?")
	if turn.State != storage.Complete || turn.Content == "" {
		t.Fatalf("the turn: %+v", turn)
	}
	all, counting := s.asked()
	if all != 3 || counting != 1 {
		t.Errorf("%d requests, of which %d count; want a refusal, one that counts and the reply; the prompt has %d "+
			"tokens", all, counting, turn.PromptTokens)
	}
	if turn.PromptTokens > 4096-256 || turn.PromptTokens < 2000 {
		t.Errorf("the prompt that was sent then has %d tokens", turn.PromptTokens)
	}
	n := s.Node(turn.Message)
	if n.Window == "" || s.Last().ID != turn.Message {
		t.Errorf("the reply has the window %q, the chat %d messages", n.Window, len(s.Nodes()))
	}
	var ratio float64
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(models.MeterKey(demo.Model), &ratio)
		return err
	}))
	if ratio < 1.4 || ratio > 2.6 {
		t.Errorf("kept is the ratio %v", ratio)
	}
	s.Reopen()
	s.Say("And then?")
	if again, _ := s.asked(); again != all+1 {
		t.Errorf("the next turn took %d requests", again-all)
	}
	s.Sound()
}

// A server that reports the length of the prompt is not asked for it.
func TestTurn_ARefusalThatNamesItsTokens(t *testing.T) {
	t.Parallel()
	s := denseHarness(t)
	s.SpoilBy(demo.Times(1, demo.Fault{Kind: demo.ServerError,
		Text: "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"},
		func(c demo.Call) bool { return c.Path == "/api/chat" }))
	if turn := s.Say("Well?"); turn.State != storage.Complete {
		t.Fatalf("the turn: %+v", turn)
	}
	if all, counting := s.asked(); all != 2 || counting != 0 {
		t.Errorf("%d requests, of which %d count", all, counting)
	}
}

// A prompt that is too long for any estimate is reported, and the requests end.
func TestTurn_ARefusalWithoutEnd(t *testing.T) {
	t.Parallel()
	s := denseHarness(t)
	s.Spoil(demo.Fault{Kind: demo.ServerError, Text: "the input length exceeds the context length"})
	if _, err := s.TrySay("Well?"); err == nil || !strings.Contains(err.Error(), "context") {
		t.Errorf("it ends with %v", err)
	}
	if all, _ := s.asked(); all > 12 {
		t.Errorf("%d requests", all)
	}
	s.SpoilBy(nil)
	s.Sound()
}

// The reading ahead, too, learns from a refusal: the turn after it is sent once.
func TestWarm_APromptLongerThanEstimated(t *testing.T) {
	t.Parallel()
	s := denseHarness(t)
	s.SpoilBy(demo.Times(1, demo.Fault{Kind: demo.ServerError,
		Text: "the input length exceeds the context length"}, demo.Call.Reads))
	s.look(s.Chat)
	before, ahead := s.asked()
	if before != ahead || before < 2 { // a long prompt is read in parts
		t.Errorf("%d requests, of which %d read ahead or count", before, ahead)
	}
	s.look(s.Chat)
	before, _ = s.asked()
	s.Say("Well?")
	if all, _ := s.asked(); all != before+1 {
		t.Errorf("after %d requests that read ahead the turn took %d", before, all-before)
	}
}

// A real server refuses a prompt that the estimate for an unknown model accepted: the first turn of
// a long chat still works.
func TestReal_APromptLongerThanEstimated(t *testing.T) {
	url, model := ollamatest.Real(t)
	s := denseHarness(t, func(o *enginetest.Setup) { o.Cfg.Model, o.Cfg.Sampling.NumPredict = model, 24 })
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	before := len(ollamatest.Readings(t))
	turn, err := s.Play.Send(s.Chat, "Well?")
	enginetest.Must(t, err)
	reply, err := s.Ended()
	for try := 0; try < 5 && err != nil && strings.Contains(err.Error(), "without writing anything"); try++ {
		enginetest.Must(t, s.Play.Regenerate(s.Chat, turn)) // random weights end anywhere
		reply, err = s.Ended()
	}
	enginetest.Must(t, err)
	t.Logf("%d tokens in the prompt; read so far %v", reply.PromptTokens, ollamatest.Readings(t)[before:])
	if reply.PromptTokens == 0 || reply.PromptTokens > 4096-24 {
		t.Errorf("the prompt has %d tokens", reply.PromptTokens)
	}
	s.Sound()
}
