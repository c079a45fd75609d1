package enginetest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Main runs the tests of a package. A child of the test binary that is to be killed runs
// one of the victims instead: those that are given, and those that packages share.
func Main(m *testing.M, victims ...Victim) {
	if name := os.Getenv(victimName); name != "" {
		os.Exit(runVictim(name, append(victims, Victim{workVictim, workOff}, Victim{paintVictim, paintAway})))
	}
	// The clock of the engine of patterns ends by itself, a little after the last look at it.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

// Patience is the longest time that a test waits for an expected event.
const Patience = 2 * time.Minute

// Harness is an engine with its own demo servers and an open chat.
type Harness struct {
	*engine.Engine
	T       testing.TB
	Cfg     config.Config
	Servers *demo.Servers
	Feed    *event.Feed
	Seen    []event.Event // taken from the feed so far
	Chat    storage.ChatID

	mu     sync.Mutex
	faults func(demo.Call) demo.Fault
}

// Setup holds the options of a test.
type Setup struct {
	Servers demo.Options
	Cfg     config.Config
}

func NewHarness(t testing.TB, change ...func(*Setup)) *Harness {
	t.Helper()
	s := &Harness{T: t}
	o := Setup{Servers: demo.Options{Record: true, Scripted: demo.InOrder(usual())},
		Cfg: config.Config{DataDir: t.TempDir(), Model: demo.Model, Program: "test",
			// Tests of detection, of filling and of the director switch them on.
			Scenes: config.Scenes{NoDetect: true}, Lore: config.Lore{NoFill: true},
			Images: config.Images{Off: true},
			Stage:  config.Stage{NoDirector: true, NoMemories: true, NoHooks: true, NoteEvery: 1}}}
	o.Servers.Fault = s.fault
	for _, f := range change {
		f(&o)
	}
	var err error
	if s.Servers, err = demo.Start(o.Servers); err != nil {
		t.Fatal(err)
	}
	o.Cfg.Ollama, o.Cfg.Comfy = s.Servers.OllamaURL, []string{s.Servers.ComfyURL}
	s.Cfg = o.Cfg
	s.Open()
	t.Cleanup(func() {
		s.Shut()
		if err := s.Servers.Close(); err != nil {
			t.Error(err)
		}
	})
	Must(t, s.Library.EnsureBundled())
	who, err := s.Library.Characters()
	if err != nil || len(who) != 1 {
		t.Fatalf("the bundled character: %v %v", who, err)
	}
	chat, err := s.Chats.New(who[0].ID, "")
	if err != nil {
		t.Fatal(err)
	}
	s.Chat = chat.ID
	s.Seen = nil
	s.DrainFeed()
	return s
}

// Open opens the engine on the harness's data.
func (s *Harness) Open() {
	s.T.Helper()
	e, err := engine.Open(s.Cfg)
	if err != nil {
		s.T.Fatal(err)
	}
	s.Engine, s.Feed = e, e.Follow()
}

func (s *Harness) Shut() {
	s.T.Helper()
	if s.Engine == nil {
		return
	}
	s.Feed.Close()
	if err := s.Close(); err != nil {
		s.T.Error(err)
	}
	s.Engine = nil
}

func (s *Harness) Reopen() {
	s.T.Helper()
	s.Shut()
	s.Open()
}

func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Spoil lets requests for text go wrong from now on.
func (s *Harness) Spoil(f demo.Fault) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" {
			return demo.Fault{}
		}
		return f
	})
}

func (s *Harness) SpoilBy(f func(demo.Call) demo.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

func (s *Harness) fault(c demo.Call) demo.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		return demo.Fault{}
	}
	return s.faults(c)
}

func (s *Harness) Context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	s.T.Cleanup(cancel)
	return ctx
}

// Until takes events from the feed up to the first one of type E that fits.
func Until[E event.Event](s *Harness, fits func(E) bool) E {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for {
		ev, err := s.Feed.Next(ctx)
		if err != nil {
			var want E
			s.T.Fatalf("waiting for %T: %v; seen so far: %s", want, err, Names(s.Seen))
		}
		s.Seen = append(s.Seen, ev)
		if e, ok := ev.(E); ok && (fits == nil || fits(e)) {
			return e
		}
	}
}

// DrainFeed takes the events that have come already.
func (s *Harness) DrainFeed() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		ev, err := s.Feed.Next(ctx)
		if err != nil {
			return
		}
		s.Seen = append(s.Seen, ev)
	}
}

// Say sends a line and waits for the end of the reply.
func (s *Harness) Say(text string) play.TurnResult {
	s.T.Helper()
	turn, err := s.TrySay(text)
	if err != nil {
		s.T.Fatalf("saying %q: %v", text, err)
	}
	return turn
}

func (s *Harness) TrySay(text string) (play.TurnResult, error) {
	s.T.Helper()
	if _, err := s.Play.Send(s.Chat, text); err != nil {
		s.T.Fatalf("sending %q: %v", text, err)
	}
	return s.Ended()
}

// Ended waits for the end of the turn that runs.
func (s *Harness) Ended() (play.TurnResult, error) {
	s.T.Helper()
	turn, err := s.Play.Wait(s.Context(), s.Chat)
	if errors.Is(err, context.DeadlineExceeded) {
		s.T.Fatal("the turn does not end")
	}
	return turn, err
}

func (s *Harness) View() chats.View {
	s.T.Helper()
	v, err := s.Play.View(s.Chat, 0)
	if err != nil {
		s.T.Fatal(err)
	}
	return v
}

// Last returns the message that ends the chat.
func (s *Harness) Last() chats.Message {
	s.T.Helper()
	v := s.View()
	return v.Messages[len(v.Messages)-1]
}

func (s *Harness) Node(id storage.NodeID) (n storage.Node) {
	s.T.Helper()
	Must(s.T, s.Core().Store.View(func(tx *storage.Tx) (err error) { n, err = tx.Node(s.Chat, id); return err }))
	return n
}

func (s *Harness) Nodes() (list []storage.Node) {
	s.T.Helper()
	Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, n := range tx.Nodes(s.Chat) {
			list = append(list, n)
		}
		return nil
	}))
	return list
}

// Sound fails the test when the store has a fault or a message is left open.
func (s *Harness) Sound() {
	s.T.Helper()
	for _, c := range s.Doctor(s.Context()) {
		if (c.Name == "store" || c.Name == "pictures") && !c.OK {
			s.T.Errorf("%s: %s", c.Name, c.Detail)
		}
	}
	Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for id, c := range storage.Chats.All(tx) {
			for _, n := range tx.Nodes(id) {
				if n.State == storage.Draft && !s.Play.Running(id) {
					s.T.Errorf("chat %s: message %s is left as a draft: %q", c.Title, n.ID, n.Content)
				}
			}
		}
		return nil
	}))
}

// ManualClock is a clock that a test sets by hand.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

func NewClock() *ManualClock { return &ManualClock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
