package play_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// spent counts the tokens that the server reads from the user's act until it has read that act's
// prompt.
type spent struct {
	mu          sync.Mutex
	on, asked   bool
	over        bool
	reads, last []int
}

func (c *spent) hear(call demo.Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = c.asked || c.on && call.Path == "/api/chat" && len(call.Format) == 0 && !call.Reads()
}

func (c *spent) read(r demo.Read) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last = append(c.last, r.Fresh); c.on && !c.over {
		c.reads, c.over = append(c.reads, r.Fresh), c.asked
	}
}

// of returns the cost of an act.
func (c *spent) of(s *harness, act func(*harness) error) (sum int) {
	s.T.Helper()
	c.mu.Lock()
	c.on = true
	c.mu.Unlock()
	enginetest.Must(s.T, act(s))
	if _, err := s.Ended(); err != nil {
		s.T.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.reads {
		sum += n
	}
	return sum
}

// acts are the user's possible acts after a reply.
var acts = map[string]func(*harness) error{
	"a turn": speak, "a swipe": swipe,
	"a line for the user": func(s *harness) error { return s.Play.Impersonate(s.Chat, "") },
	"a continuation":      func(s *harness) error { return s.Play.Continue(s.Chat) },
}

// queued adds a recap of the played scene to the queue, like an automatic one.
func (s *harness) queued() storage.OperationID {
	s.T.Helper()
	at := s.PathIDs()
	node := at[len(at)-3]
	_, err := s.Scenes.SetBreak(s.Chat, node, true)
	enginetest.Must(s.T, err)
	id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{})
	enginetest.Must(s.T, err)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		op, err := storage.Operations.Get(tx, id)
		op.Priority = scenes.UnaskedPriority
		return errors.Join(err, storage.Operations.Put(tx, id, op))
	}))
	return id
}

func (s *harness) statusOf(id storage.OperationID) (status storage.OperationStatus) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		op, err := storage.Operations.Get(tx, id)
		status = op.Status
		return err
	}))
	return status
}

// isRead waits until all of the next prompt has been read ahead.
func (s *harness) isRead() {
	s.T.Helper()
	enginetest.Must(s.T, enginetest.Eventually(s.Harness, func() bool {
		if s.working() {
			return false
		}
		v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
		return err == nil && v.PredictedReread < play.WarmLeast && !play.Warms(s.Play)
	}))
}

// between is background work, and how far it has come when the user acts.
type between struct {
	setup func(o *enginetest.Setup)
	cast  bool // several play
	ahead bool // without the work the next prompt would be read ahead as well
	long  bool // the reply is longer than any before, and the prompt full
	roomy bool // the context has room for more than the prompt
	folds bool // the next prompt folds: another reply to the last turn has the one before
	comes func(s *harness)
}

func apart(o *enginetest.Setup)      { o.Cfg.Stage.Separate = true }
func readsAhead(o *enginetest.Setup) { o.Cfg.Stage.WarmUp = true }
func detects(o *enginetest.Setup)    { o.Cfg.Scenes.NoDetect, o.Cfg.Scenes.DetectAlone = false, true }

func both(list ...func(o *enginetest.Setup)) func(o *enginetest.Setup) {
	return func(o *enginetest.Setup) {
		for _, f := range list {
			f(o)
		}
	}
}

// ended has work that is queued done, and the prompt read again.
func ended(s *harness) {
	enginetest.Must(s.T, s.Start())
	s.isRead()
}

var works = map[string]between{
	"the next prompt, read and folded": {setup: readsAhead, long: true, folds: true, comes: func(s *harness) {
		enginetest.Must(s.T, s.Start())
		play.WarmNow(s.Play, s.Chat)
		s.isRead()
	}},
	"a recap of its own that has ended": {setup: both(apart, readsAhead), folds: true,
		comes: func(s *harness) { s.queued(); ended(s) }},
	"a question of its own that has ended": {setup: both(detects, readsAhead), comes: ended},
	"a recap of several that has ended": {setup: readsAhead, cast: true, ahead: true,
		comes: func(s *harness) { s.queued(); ended(s) }},
	"a recap on the prompt": {setup: readsAhead, roomy: true, comes: func(s *harness) {
		id := s.queued()
		enginetest.Must(s.T, s.Start())
		enginetest.Must(s.T, enginetest.Eventually(s.Harness, func() bool { return s.statusOf(id) == storage.Completed }))
	}},
	"a recap on the prompt that has ended": {setup: readsAhead, folds: true,
		comes: func(s *harness) { s.queued(); ended(s) }},
}

// begins returns a harness with a long chat whose newest reply has just come.
func (b between) begins(t *testing.T, c *spent, with bool) *harness {
	t.Helper()
	var long atomic.Bool
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		b.setup(o)
		if o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 1024; b.roomy {
			o.Cfg.Sampling.NumCtx = 16384
		}
		o.Cfg.Scenes.NoInterim = true
		o.Servers.OnRead, o.Servers.ReadingTime = c.read, time.Second/second
		o.Servers.Script = func(_ []storage.Node, take int) string {
			if long.Load() {
				return told(uint64(take), 600)
			}
			return told(uint64(take), 100)
		}
		spoil := o.Servers.Fault
		o.Servers.Fault = func(call demo.Call) demo.Fault { c.hear(call); return spoil(call) }
	})}
	if b.cast {
		s.Joined("Mara")
	}
	s.Exchange(40, "lamp")
	s.Say(told(1, 40))
	if with {
		s.Play.EnterChat(s.Chat)
	}
	for i := 0; b.long && i < 5; i++ {
		s.Say(told(uint64(i), 40))
	}
	long.Store(b.long)
	s.Say(told(2, 40))
	long.Store(false)
	return s
}

// second is the number of tokens that a server reads in a second.
const second = 300

// Whatever the user does after background work, or during work that follows the chat's prompt, the
// server reads at most a second's worth of tokens more than without that work.
func TestTurn_BesideBackgroundWork(t *testing.T) {
	t.Parallel()
	for name, b := range works {
		for what, act := range acts {
			if b.folds && what != "a turn" {
				continue
			}
			t.Run(what+" beside "+name, func(t *testing.T) {
				t.Parallel()
				var without, with spent
				before := b.begins(t, &without, b.ahead)
				if b.ahead {
					ended(before)
				}
				alone := without.of(before, act)
				s := b.begins(t, &with, true)
				b.comes(s)
				if beside := with.of(s, act); beside > alone+second {
					t.Errorf("the server read %d tokens (%v, after %v), %d without that work", beside, with.reads,
						tail(with.last), alone)
				}
				s.Sound()
			})
		}
	}
}

func tail(list []int) []int { return slices.Clone(list[max(0, len(list)-6):]) }
