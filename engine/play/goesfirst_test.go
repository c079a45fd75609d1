package play_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The question about a break after a turn never removes the chat's prompt from the server's cache,
// even if the window is about to fold: the next turn would have to wait for the whole prompt.
func TestDetect_StaysOnTheChatsPrompt(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 64
		o.Cfg.Scenes.NoInterim = true
	})}
	s.Exchange(30, "lamp")
	for i := range 30 {
		s.Say(fmt.Sprintf("I look at the lamp for the time number %d, and ask her who else has seen it burn tonight, "+
			"and who has not.", i))
		s.Worked()
	}
	asked, apart, first := 0, 0, ""
	for _, c := range s.Servers.Calls() {
		switch {
		case c.Path != "/api/chat":
		case len(c.Format) == 0:
			first = c.Messages[0].Content
		default:
			if asked++; c.Messages[0].Content != first {
				apart++
			}
		}
	}
	if asked < 20 || apart > 0 {
		t.Errorf("%d questions after 30 turns, %d of them with a prompt of their own", asked, apart)
	}
}

// hold stops the server at the beginning of the first prompt of background work, where it would be
// if the user acted right then, until a turn sends a request: otherwise it reads to the end of what
// it has begun.
type hold struct {
	mu    sync.Mutex
	armed bool
	next  bool
	begun chan struct{}
	turn  chan struct{}
	reads []int // tokens read again since it held
}

func (h *hold) hear(c demo.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Path != "/api/chat" || !h.armed {
		return
	}
	if len(c.Format) == 0 && !c.Reads() {
		close(h.turn)
		h.armed = false
	}
}

func (h *hold) read(r demo.Read) {
	h.mu.Lock()
	if h.next {
		h.reads = append(h.reads, r.Fresh)
	}
	holds := h.armed && !h.next
	if holds {
		h.next = true
		h.reads = []int{r.Fresh}
	}
	h.mu.Unlock()
	if holds {
		close(h.begun)
		<-h.turn
	}
}

// A swipe or a message right after background work has begun makes the server read the rest of that
// work's part, and then the turn: at most a second's worth more than without that work, at 300
// tokens a second.
func TestTurn_AfterBackgroundWorkReadsASecondMore(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]struct {
		all bool // the whole pass, not the break alone

		long bool // the reply is longer than any before, and the prompt full
		act  func(s *harness) error
	}{
		"a swipe after a pass begins":                {all: true, act: swipe},
		"a line after a pass begins":                 {all: true, act: speak},
		"a swipe after a question begins":            {act: swipe},
		"a line after a question begins":             {act: speak},
		"a line after a pass on a long reply begins": {all: true, long: true, act: speak},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &hold{begun: make(chan struct{}), turn: make(chan struct{})}
			var long atomic.Bool
			s := &harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) {
				if how.all {
					o.Cfg.Stage = config.Stage{NoEngaged: true} // a tail that moves has a line read the last reply too
				}
				o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 1024
				o.Cfg.Scenes.NoInterim, o.Cfg.Scenes.NoRecap = true, true
				o.Servers.OnRead, o.Servers.ReadingTime = h.read, time.Second/second
				o.Servers.Script = func(_ []storage.Node, take int) string {
					if long.Load() {
						return told(uint64(take), 600)
					}
					return told(uint64(take), 100)
				}
				spoil := o.Servers.Fault
				o.Servers.Fault = func(c demo.Call) demo.Fault { h.hear(c); return spoil(c) }
			})}
			s.Exchange(40, "lamp")
			s.Say(told(1, 40))
			s.Work()
			long.Store(how.long)
			s.Say(told(2, 40))
			long.Store(false)
			h.mu.Lock()
			h.armed = true
			h.mu.Unlock()
			enginetest.Must(t, s.Start())
			select {
			case <-h.begun:
			case <-s.Context().Done():
				t.Fatal("no pass began")
			}
			enginetest.Must(t, how.act(s))
			if _, err := s.Ended(); err != nil {
				t.Fatal(err)
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			if len(h.reads) < 2 || h.reads[0] > second || h.reads[1] > spoken {
				t.Errorf("the server had to read %v tokens before the reply", h.reads)
			}
		})
	}
}

// spoken is the tokens that a line of these tests takes without any work before it, including the
// reply before it if the tail has moved.
const spoken = 220

func speak(s *harness) error { _, err := s.Play.Send(s.Chat, told(3, 40)); return err }

func swipe(s *harness) error { return s.Play.Regenerate(s.Chat, s.Last().ID) }
