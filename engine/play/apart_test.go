package play_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// asides counts the requests after turns, and those of them that do not begin with the chat's
// prompt: they remove it from the server's cache.
type asides struct {
	mu           sync.Mutex
	first        string // beginning of the chat's prompt
	asked, apart int
}

func (a *asides) hear(c demo.Call) {
	if c.Path != "/api/chat" || len(c.Messages) == 0 || c.Reads() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch c.Job() {
	case demo.AfterTurnJob, demo.DetectJob:
		if a.asked++; c.Messages[0].Content != a.first {
			a.apart++
		}
	default:
		if len(c.Format) == 0 {
			a.first = c.Messages[0].Content
		}
	}
}

// The room that a turn leaves for the pass after it follows the model's own tokens: the window
// fills and folds many times, and the pass is always asked on the chat's prompt.
func TestPass_StaysOnTheChatsPrompt(t *testing.T) {
	t.Parallel()
	for _, how := range []struct {
		chars   float64 // of a token
		context int
		turns   int
	}{{2.2, 8192, 40}, {5, 4096, 40}, {0, 4096, 40}} {
		t.Run(fmt.Sprint(how.chars), func(t *testing.T) {
			t.Parallel()
			var a asides
			c := playSession(t, how.turns, 1000, false, func(o *enginetest.Setup) {
				o.Cfg.Sampling.NumCtx = how.context
				o.Servers.TokenChars = how.chars
				spoil := o.Servers.Fault
				o.Servers.Fault = func(c demo.Call) demo.Fault { a.hear(c); return spoil(c) }
			})
			a.mu.Lock()
			defer a.mu.Unlock()
			t.Logf("%d turns, %d folds, %d passes, %d of them apart", len(c.turns), c.folds, a.asked, a.apart)
			if c.folds < 3 || a.asked < how.turns-2 || a.apart > 0 {
				t.Errorf("%d folds, %d passes after %d turns, %d of them with a prompt of their own", c.folds, a.asked,
					how.turns, a.apart)
			}
		})
	}
}

// After a reply longer than any before there may be no room left for the pass. It is then asked on
// the part that the next turn has to begin with anyway.
func TestPass_AfterALongReply(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("45 turns, one after another")
	}
	const turns, every, long = 45, 9, 900
	var a asides
	var r readings
	var turn atomic.Int64
	s := &harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 5120, 1024
		o.Cfg.Stage = config.Stage{}
		o.Cfg.Scenes.NoInterim, o.Cfg.Scenes.NoRecap = true, true
		o.Servers.OnRead = r.add
		o.Servers.Script = func([]storage.Node, int) string {
			if n := turn.Load(); n%every == every-1 {
				return told(uint64(n), long)
			}
			return told(uint64(turn.Load()), 150)
		}
		spoil := o.Servers.Fault
		o.Servers.Fault = func(c demo.Call) demo.Fault { a.hear(c); return spoil(c) }
	})}
	for n := range turns {
		turn.Store(int64(n))
		s.Say(told(uint64(n)+1000, 40))
		if read := r.last(); n > 0 && n%every == 0 && read.Fresh > 200 {
			t.Errorf("turn %d, after a long reply, read %d of %d tokens", n, read.Fresh, read.Prompt)
		}
		s.Work()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked < turns || a.apart > 0 {
		t.Errorf("%d passes after %d turns, %d of them with a prompt of their own", a.asked, turns, a.apart)
	}
	s.Sound()
}
