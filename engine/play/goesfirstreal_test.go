package play_test

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// firstWord sends a line and returns how long its reply takes to begin; false if a model of random
// weights writes nothing.
func (s *harness) firstWord(text string) (took time.Duration, ok bool) {
	s.T.Helper()
	s.DrainFeed()
	began := time.Now()
	_, err := s.Play.Send(s.Chat, text)
	enginetest.Must(s.T, err)
	for {
		ev, err := s.Feed.Next(s.Context())
		enginetest.Must(s.T, err)
		switch ev.(type) {
		case play.ReplyDelta:
			if !ok {
				took, ok = time.Since(began), true
			}
		case play.ReplyEnded:
			return took, ok
		}
	}
}

// A turn is sent to a real server while it reads a question about a break, also when the window is
// about to fold. The server then reads the turn's own line and less than a part more, or a folded
// prompt once.
func TestReal_ATurnGoesFirst(t *testing.T) {
	url, model := ollamatest.Real(t)
	s := &harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Sampling.NumCtx = model, 24, 8192
		o.Cfg.Scenes.NoInterim = true
	})}
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	const say = "And what else is there to be said about the lamp?"
	s.Exchange(27, "lamp")
	whole, _ := s.firstWord("Hello.")                                 // has the whole prompt read
	if list := ollamatest.Readings(t); s.Models.TokenMS(model) == 0 { // without a reply the pace is unknown
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			return s.Models.LearnPace(tx, model, list[len(list)-1].Read, whole.Milliseconds())
		}))
	}
	s.Worked()
	alone, _ := s.firstWord(say)
	enginetest.Must(t, s.Start())
	met, dear := 0, 0
	for range 12 {
		begun := len(ollamatest.Readings(t))
		enginetest.Must(t, enginetest.Eventually(s.Harness,
			func() bool { return len(ollamatest.Readings(t)) > begun || !s.working() }))
		if s.working() {
			met++
		}
		before := len(ollamatest.Readings(t))
		took, ok := s.firstWord(say)
		read, prompt := 0, 0
		for _, r := range ollamatest.Readings(t)[before:] {
			read, prompt = max(read, r.Read), max(prompt, r.Prompt)
		}
		t.Logf("first word after %v (%v), %d of %d tokens read at once; without such work after %v, at %.2f ms a token",
			took, ok, read, prompt, alone, s.Models.TokenMS(model))
		if read*2 > prompt {
			dear++
		}
	}
	if dear > 1 {
		t.Errorf("%d of 12 turns had most of their prompts read again, %d of them during background work", dear, met)
	}
}

// working reports whether background work runs, or is about to.
func (s *harness) working() bool {
	ops, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, op := range ops {
		if op.Status == storage.InProgress || op.Status == storage.Pending {
			return true
		}
	}
	return false
}
