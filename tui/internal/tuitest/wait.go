package tuitest

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// patience is how long a test waits for something that must happen. It only bounds how long a
// failing test takes.
const patience = 90 * time.Second

// wire is the terminal's end of the connection: it keeps every byte and signals new ones.
type wire struct {
	mu    sync.Mutex
	all   bytes.Buffer
	fresh chan struct{}
	told  func([]byte)
}

func newWire(told func([]byte)) *wire { return &wire{fresh: make(chan struct{}, 1), told: told} }

func (w *wire) Write(p []byte) (int, error) {
	if w.told != nil {
		w.told(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.fresh <- struct{}{}:
	default:
	}
	return w.all.Write(p)
}

// bytes returns a copy of all bytes written.
func (w *wire) bytes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// Frame returns the text on the screen, one line per row.
func (s *Session) Frame() string { return s.paint.Text() }

// Now returns the current screen, after all keys pressed before.
func (s *Session) Now() string {
	s.t.Helper()
	s.In(func(v *tui.Screen) { v.Paint() })
	return s.Frame()
}

// WaitFor waits until the screen satisfies ok.
func (s *Session) WaitFor(what string, ok func(frame string) bool) *Session {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !ok(s.Frame()) {
		select {
		case <-s.out.fresh:
		case out := <-s.left:
			s.left <- out
			s.t.Fatalf("the screen was left before it showed %s (%v)", what, s.fault)
		case <-deadline.C:
			s.t.Fatalf("waiting for %s; the screen shows\n%s", what, s.Frame())
		}
	}
	return s
}

// See waits until all texts are on the screen.
func (s *Session) See(texts ...string) *Session {
	s.t.Helper()
	return s.WaitFor(strings.Join(texts, " and "), func(f string) bool {
		for _, text := range texts {
			if !strings.Contains(f, text) {
				return false
			}
		}
		return true
	})
}

// NotSee waits until none of the texts is on the screen.
func (s *Session) NotSee(texts ...string) *Session {
	s.t.Helper()
	return s.WaitFor("no "+strings.Join(texts, ", no "), func(f string) bool {
		for _, text := range texts {
			if strings.Contains(f, text) {
				return false
			}
		}
		return true
	})
}

// Until waits for something that is not on the screen.
func (s *Session) Until(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-deadline.C:
			s.t.Fatalf("waiting for %s; the screen shows\n%s", what, s.Frame())
		}
	}
}

// listen begins to record the operations that the screen hears of. Operations that have ended by
// now are recorded immediately, because no event about them will follow.
func (s *Session) listen() {
	s.t.Helper()
	ops, err := s.Engine.Queue.List()
	s.Must(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = map[storage.OperationID]storage.Operation{}
	for _, op := range ops {
		if ended(op) {
			s.heard[op.ID] = op
		}
	}
}

// lateEnv delays the answers of commands by up to the given time, such as 100ms. This finds tests
// and screens that rely on data that has not been read yet.
const lateEnv = "GHOSTLIGHT_TEST_LATE"

var late, _ = time.ParseDuration(os.Getenv(lateEnv)) // 0 if it is not set

// onTime is an answer that was delayed, or need not be.
type onTime struct{ answer pane.Callback }

// hear receives each message before the screen does.
func (s *Session) hear(_ tea.Model, msg tea.Msg) tea.Msg {
	if m, ok := msg.(pane.Callback); ok && late > 0 {
		time.AfterFunc(rand.N(late), func() { s.shown().Send(onTime{m}) })
		return nil
	}
	if m, ok := msg.(onTime); ok {
		return m.answer
	}
	if ev, ok := tui.Event(msg).(queue.Changed); ok {
		s.mu.Lock()
		s.heard[ev.Operation.ID] = ev.Operation
		s.mu.Unlock()
	}
	return msg
}

func ended(op storage.Operation) bool {
	return op.Status != storage.Pending && op.Status != storage.InProgress
}

// hasUnseenWork reports whether there is work, or an end of work, that the screen has not
// heard of. What was put off does not count.
func (s *Session) hasUnseenWork() bool {
	s.t.Helper()
	ops, err := s.Engine.Queue.List()
	s.Must(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, op := range ops {
		if was := s.heard[op.ID]; !queue.IsPostponed(op, time.Now()) &&
			(!ended(op) || was.Status != op.Status || was.Attempts != op.Attempts) {
			return true
		}
	}
	return false
}

// Still waits until no reply is written, no work runs, and the screen has received all events about
// it.
func (s *Session) Still() *Session {
	s.t.Helper()
	s.Until("the end of all work", func() bool {
		busy := s.hasUnseenWork()
		if !busy {
			s.In(func(v *tui.Screen) { busy = v.Busy() })
		}
		return !busy
	})
	return s
}
