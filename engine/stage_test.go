package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		os.Exit(victim(dir))
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what has to come.
const patience = 2 * time.Minute

// stage is an engine with a house of its own and a chat that is open.
type stage struct {
	*Engine
	t     testing.TB
	cfg   Config
	house *rehearsal.House
	feed  *Feed
	seen  []Event // taken from the feed so far
	chat  storage.ChatID

	mu     sync.Mutex
	faults func(rehearsal.Call) rehearsal.Fault
}

// setup is what a test may choose.
type setup struct {
	house rehearsal.Options
	cfg   Config
}

func newStage(t testing.TB, change ...func(*setup)) *stage {
	t.Helper()
	s := &stage{t: t}
	o := setup{house: rehearsal.Options{Record: true}, cfg: Config{DataDir: t.TempDir(), Model: rehearsal.Model, Program: "test",
		Scenes: SceneConfig{NoDetect: true}, Lore: LoreConfig{NoFill: true}, // tests of detection, of filling and of the stage switch them on
		Stage: StageConfig{NoDirector: true, NoMemories: true, NoHooks: true, NoteEvery: 1}}}
	o.house.Fault = s.fault
	for _, f := range change {
		f(&o)
	}
	var err error
	if s.house, err = rehearsal.Start(o.house); err != nil {
		t.Fatal(err)
	}
	o.cfg.Ollama, o.cfg.Comfy = s.house.OllamaURL, []string{s.house.ComfyURL}
	s.cfg = o.cfg
	s.open()
	t.Cleanup(func() {
		s.close()
		if err := s.house.Close(); err != nil {
			t.Error(err)
		}
	})
	must(t, s.EnsureBundled())
	who, err := s.Characters()
	if err != nil || len(who) != 1 {
		t.Fatalf("the bundled character: %v %v", who, err)
	}
	chat, err := s.NewChat(who[0].ID, "")
	if err != nil {
		t.Fatal(err)
	}
	s.chat = chat.ID
	s.seen = nil
	s.drainFeed()
	return s
}

// open opens the engine on the stage's data.
func (s *stage) open() {
	s.t.Helper()
	e, err := Open(s.cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Engine, s.feed = e, e.Follow()
}

func (s *stage) close() {
	s.t.Helper()
	if s.Engine == nil {
		return
	}
	s.feed.Close()
	if err := s.Close(); err != nil {
		s.t.Error(err)
	}
	s.Engine = nil
}

func (s *stage) reopen() {
	s.t.Helper()
	s.close()
	s.open()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// spoil lets requests for text go wrong from now on.
func (s *stage) spoil(f rehearsal.Fault) {
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Path != "/api/chat" {
			return rehearsal.Fault{}
		}
		return f
	})
}

func (s *stage) spoilBy(f func(rehearsal.Call) rehearsal.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

func (s *stage) fault(c rehearsal.Call) rehearsal.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		return rehearsal.Fault{}
	}
	return s.faults(c)
}

func (s *stage) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

// until takes events from the feed up to the first one of type E that fits.
func until[E Event](s *stage, fits func(E) bool) E {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		ev, err := s.feed.Next(ctx)
		if err != nil {
			var want E
			s.t.Fatalf("waiting for %T: %v; seen so far: %s", want, err, names(s.seen))
		}
		s.seen = append(s.seen, ev)
		if e, ok := ev.(E); ok && (fits == nil || fits(e)) {
			return e
		}
	}
}

// drainFeed takes the events that have come already.
func (s *stage) drainFeed() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		ev, err := s.feed.Next(ctx)
		if err != nil {
			return
		}
		s.seen = append(s.seen, ev)
	}
}

// say sends a line and waits for the end of the reply.
func (s *stage) say(text string) Turn {
	s.t.Helper()
	turn, err := s.trySay(text)
	if err != nil {
		s.t.Fatalf("saying %q: %v", text, err)
	}
	return turn
}

func (s *stage) trySay(text string) (Turn, error) {
	s.t.Helper()
	if _, err := s.Send(s.chat, text); err != nil {
		s.t.Fatalf("sending %q: %v", text, err)
	}
	return s.ended()
}

// ended waits for the end of the turn that runs.
func (s *stage) ended() (Turn, error) {
	s.t.Helper()
	turn, err := s.Wait(s.context(), s.chat)
	if errors.Is(err, context.DeadlineExceeded) {
		s.t.Fatal("the turn does not end")
	}
	return turn, err
}

func (s *stage) view() View {
	s.t.Helper()
	v, err := s.View(s.chat, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// last is the message that ends the chat.
func (s *stage) last() Message {
	s.t.Helper()
	v := s.view()
	return v.Messages[len(v.Messages)-1]
}

func (s *stage) node(id storage.NodeID) (n storage.Node) {
	s.t.Helper()
	must(s.t, s.store.View(func(tx *storage.Tx) (err error) { n, err = tx.Node(s.chat, id); return err }))
	return n
}

func (s *stage) nodes() (list []storage.Node) {
	s.t.Helper()
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		for _, n := range tx.Nodes(s.chat) {
			list = append(list, n)
		}
		return nil
	}))
	return list
}

// sound fails the test when the store has a fault or a message is left open.
func (s *stage) sound() {
	s.t.Helper()
	for _, c := range s.Doctor(s.context()) {
		if (c.Name == "store" || c.Name == "pictures") && !c.OK {
			s.t.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		for id, c := range storage.Chats.All(tx) {
			for _, n := range tx.Nodes(id) {
				if n.State == storage.Draft && !s.Running(id) {
					s.t.Errorf("chat %s: message %s is left as a draft: %q", c.Title, n.ID, n.Content)
				}
			}
		}
		return nil
	}))
}

// manualClock moves only when it is told to.
type manualClock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *manualClock { return &manualClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
