package play_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// A play continues on a real server when its window is full, and reads its prompts ahead: of
// everything sent in these turns, folds and readings ahead included, little was not in the server's
// cache.
func TestReal_APlayPastTheWindow(t *testing.T) {
	url, model := ollamatest.Real(t)
	before := len(ollamatest.Readings(t))
	url, reads := metered(t, url)
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Sampling.NumCtx = model, 24, 6144
		o.Cfg.Stage.WarmUp = true
		o.Cfg.Stage.NoDirector, o.Cfg.Stage.NoMemories, o.Cfg.Stage.NoHooks = true, true, true
		o.Cfg.Scenes.NoDetect, o.Cfg.Scenes.NoInterim = true, true
	})})
	s.Shut()
	s.Cfg.Ollama = url
	s.Open()
	patient, cancel := context.WithTimeout(t.Context(), 10*enginetest.Patience)
	defer cancel()
	say := func(text string) {
		t.Helper()
		turn, err := s.Play.Send(s.Chat, text)
		enginetest.Must(t, err)
		_, err = s.Play.Wait(patient, s.Chat)
		for try := 0; try < 5 && err != nil && strings.Contains(err.Error(), "without writing anything"); try++ {
			enginetest.Must(t, s.Play.Regenerate(s.Chat, turn)) // random weights end anywhere
			_, err = s.Play.Wait(patient, s.Chat)
		}
		if err != nil {
			t.Fatalf("%q after %v: %v", text, ollamatest.Readings(t)[before:], err)
		}
		play.WarmNow(s.Play, s.Chat) // as after a quiet moment
	}
	say("Hello.") // the model's tokens are counted
	s.Exchange(60, "lamp")
	say("And now the window is full.")
	full, fullReads := len(ollamatest.Readings(t)), len(reads())
	const turns = 12
	for i := range turns {
		say(fmt.Sprintf("I look at the lamp for the time number %d, and ask her who else has seen it burn tonight.", i))
	}
	all := ollamatest.Readings(t)
	prompt, read := 0, 0
	var anew []int
	for _, r := range all[full:] {
		prompt, read = prompt+r.Prompt, read+r.Read
		anew = append(anew, r.Read)
	}
	slices.Sort(anew)
	var took time.Duration
	for _, r := range reads()[fullReads:] {
		took += r.took
	}
	t.Logf("%d prompts to fill the window, %d after it: %d tokens, of which %d were read, %.1f %% stood in the "+
		"cache; median read %d, most %d; prompt_eval_duration %v in all",
		full-before, len(all)-full, prompt, read, 100*(1-float64(read)/float64(prompt)), anew[len(anew)/2],
		anew[len(anew)-1], took)
	if 10*read > prompt {
		t.Errorf("more than a tenth was read anew: %v", all[full:])
	}
	if len(all)-full < turns {
		t.Errorf("%d prompts in %d turns", len(all)-full, turns)
	}
	s.Sound()
}
