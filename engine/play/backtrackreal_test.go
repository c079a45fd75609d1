package play_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A real server continues a reply that was cut, out of its cache. The banned phrase is taken from
// what its model writes anyway.
func TestReal_BacktrackGoesOnFromTheCache(t *testing.T) {
	url, model := ollamatest.Real(t)
	const enough = 80 // words
	seed := 11
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Sampling.Seed = model, 300, &seed
	})}
	s.Cfg.Ollama = url
	s.Reopen()
	ask := func(banned ...string) (storage.Node, time.Duration) {
		return enginetest.Once(s.Harness, config.Voice{Backtrack: len(banned) > 0, Phrases: banned})
	}
	ask() // loads the model, and has it read the prompt
	free, freely := ask()
	for seed < 100 && len(strings.Fields(free.Content)) < enough { // random weights end anywhere
		seed++
		free, freely = ask()
	}
	words := strings.Fields(free.Content)
	if len(words) < enough {
		t.Skipf("the model of random weights says too little: %q", free.Content)
	}
	phrase := strings.Join(words[len(words)/2:len(words)/2+3], " ")
	cut, took := ask(phrase)
	t.Logf("without a cut %d tokens in %v; %q cut %d times, %d tokens in %v; %d ms until the next words; prompt read "+
		"in %d ms",
		free.Usage.ReplyTokens, freely.Round(time.Millisecond), phrase, cut.Usage.Backtracks, cut.Usage.ReplyTokens,
		took.Round(time.Millisecond), cut.Usage.BacktrackMS, cut.Usage.PromptEvalMS)
	if cut.Usage.Backtracks == 0 || strings.Contains(strings.Join(strings.Fields(cut.Content), " "), phrase) {
		t.Errorf("%q was cut %d times; the reply is %q", phrase, cut.Usage.Backtracks, cut.Content)
	}
	if cut.State == storage.Broken {
		t.Errorf("it broke: %s", cut.Fault)
	}
}
