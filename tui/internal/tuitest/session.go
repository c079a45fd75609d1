// Package tuitest runs the whole screen in a test: keys are pressed by name, and what
// is shown is compared with golden frames. Only tests import it.
package tuitest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Options configure a test's Session. The zero value is a new store with the bundled character, a
// chosen model, and servers without delays.
type Options struct {
	Servers  demo.Options
	Answers  map[demo.Job][]any // before the replies, as for demo.InOrder
	Offline  bool               // the servers do not answer
	Model    string
	Bare     bool   // no model is chosen
	Ollama   string // another address than that of Servers
	Screen   tui.Options
	Light    bool
	Profile  colorprofile.Profile // 0: true colour
	W, H     int
	Prepare  func(*engine.Engine)
	Lore     config.Lore
	Fill     bool // recaps fill the chat's lorebook
	Learn    bool // from the user's edits
	Direct   bool // each exchange is looked at by the director, for memories and for hooks
	Headless bool // open the engine, no screen yet
	VRAM     config.VRAM
	Config   func(*config.Config) // changes any other setting; may be nil
	Wire     func([]byte)         // called with all bytes written to the terminal, when they are; may be nil
}

// Session is a screen with a real engine, driven by a test.
type Session struct {
	t       testing.TB
	o       Options
	dir     string
	servers *demo.Servers
	Engine  *engine.Engine
	screen  *tui.Screen // use it only inside In
	out     *wire
	paint   *painter.Painter
	typed   *io.PipeWriter // the keyboard's bytes
	left    chan tui.Outcome
	fault   error
	ended   bool

	mu    sync.Mutex                                // guards heard, and screen while it is set
	heard map[storage.OperationID]storage.Operation // as the screen last received them
}

// Begin opens a store, starts the servers and shows the screen.
func Begin(t testing.TB, o Options) *Session {
	t.Helper()
	s := &Session{t: t, o: o, dir: t.TempDir()}
	if s.o.W == 0 {
		s.o.W, s.o.H = 80, 24
	}
	scripted := []demo.Scripted{demo.InOrder(o.Answers)}
	if s.o.Servers.Script == nil {
		play := tove.New()
		s.o.Servers.Script = play.Reply
		scripted = append(scripted, play.Answer, harbour())
	}
	if s.o.Servers.Scripted == nil {
		s.o.Servers.Scripted = firstOf(scripted)
	}
	if !o.Offline {
		h, err := demo.Start(s.o.Servers)
		if err != nil {
			t.Fatal(err)
		}
		s.servers = h
	}
	t.Cleanup(func() {
		s.Close()
		if s.servers != nil {
			if err := s.servers.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	s.open()
	if !o.Headless {
		s.raise()
	}
	return s
}

// firstOf answers with the first script that has an answer.
func firstOf(list []demo.Scripted) demo.Scripted {
	return func(job demo.Job, messages []storage.Node) (json.RawMessage, bool) {
		for _, scripted := range list {
			if answer, ok := scripted(job, messages); ok {
				return answer, true
			}
		}
		return nil, false
	}
}

// open opens the engine on the Session's directory.
func (s *Session) open() {
	s.t.Helper()
	cfg := config.Config{DataDir: s.dir, Program: "test", Ollama: "http://127.0.0.1:1",
		Comfy: []string{"http://127.0.0.1:1"}, Lore: s.o.Lore, VRAM: s.o.VRAM}
	if s.servers != nil {
		cfg.Ollama, cfg.Comfy = s.servers.OllamaURL, []string{s.servers.ComfyURL}
	}
	cfg.Lore.NoFill = !s.o.Fill
	cfg.Stage.NoDirector, cfg.Stage.NoMemories, cfg.Stage.NoHooks = !s.o.Direct, !s.o.Direct, !s.o.Direct
	cfg.Taste.Off = !s.o.Learn
	if s.o.Ollama != "" {
		cfg.Ollama = s.o.Ollama
	}
	if s.o.Config != nil {
		s.o.Config(&cfg)
	}
	e, err := engine.Open(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Engine = e
	s.Must(e.Library.EnsureBundled())
	if !s.o.Bare {
		model := s.o.Model
		if model == "" {
			model = demo.Model
		}
		s.Must(e.Models.SetDefaultModel(model))
		s.Must(e.Settings.SetSetupStep(settings.SetupDone))
	}
	if s.o.Prepare != nil {
		s.o.Prepare(e)
		s.o.Prepare = nil
	}
	s.Must(e.Start())
}

// raise puts the screen on.
func (s *Session) raise() {
	s.t.Helper()
	o := s.o.Screen
	o.Log = slog.New(slog.DiscardHandler)
	if o.Themes == nil {
		set, errs := themes.Load("")
		if len(errs) > 0 {
			s.t.Fatal(errs)
		}
		o.Themes = set
	}
	if o.Dark == nil {
		dark := !s.o.Light
		o.Dark = &dark
	}
	if o.Images == "" {
		o.Images = "blocks"
	}
	if o.Copy == nil {
		o.Copy = func(context.Context, string) clipboard.Result { return clipboard.Copied }
	}
	profile := s.o.Profile
	if profile == 0 {
		profile = colorprofile.TrueColor
	}
	in, typed := io.Pipe()
	s.out, s.typed, s.ended = newWire(s.o.Wire), typed, false
	env := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	s.paint = painter.New(s.out)
	ctx, cancel := context.WithCancel(context.Background())
	s.listen()
	screen := tui.NewScreen(ctx, s.Engine, o, s.paint,
		tea.WithInput(in), tea.WithOutput(s.out), tea.WithEnvironment(env), tea.WithColorProfile(profile),
		tea.WithFilter(s.hear))
	s.mu.Lock()
	s.screen = screen
	s.mu.Unlock()
	s.screen.Update(tea.ColorProfileMsg{Profile: profile}) // as the first frame of a real terminal does
	s.left = make(chan tui.Outcome, 1)
	left := s.left
	go func() {
		defer cancel()
		out, err := s.screen.Show()
		s.fault = err
		_ = in.Close()
		left <- out
	}()
	s.Size(s.o.W, s.o.H)
	s.Until("the scenes of the chat", func() (read bool) {
		if !s.InUnlessLeft(func(v *tui.Screen) { read = v.Ready() }) {
			return true
		}
		return read
	})
}

// shown returns the screen, for other goroutines than the test's.
func (s *Session) shown() *tui.Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen
}

// Close closes the screen and the engine.
func (s *Session) Close() {
	s.t.Helper()
	if s.screen != nil && !s.ended {
		s.screen.Quit()
		s.Gone()
	}
	if s.Engine != nil {
		s.Must(s.Engine.Close())
		s.Engine = nil
	}
}

// Gone waits until the screen was left, and returns the outcome.
func (s *Session) Gone() tui.Outcome {
	s.t.Helper()
	if s.ended {
		return tui.Outcome{}
	}
	select {
	case out := <-s.left:
		s.ended = true
		if s.fault != nil {
			s.t.Errorf("the screen ended with %v", s.fault)
		}
		return out
	case <-time.After(patience):
		s.t.Fatal("the screen was not left")
	}
	return tui.Outcome{}
}

// Again quits the program with ctrl+q and starts it again on the same store.
func (s *Session) Again() {
	s.t.Helper()
	s.Press("ctrl+q")
	s.Gone()
	s.Reopen()
}

// Must fails the test immediately if err is not nil.
func (s *Session) Must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// In runs f on the screen's own goroutine, after all keys pressed before, and waits for it.
func (s *Session) In(f func(*tui.Screen)) {
	s.t.Helper()
	if !s.InUnlessLeft(f) {
		s.t.Fatalf("the screen was left (%v)", s.fault)
	}
}

// Silent clears the status line.
func (s *Session) Silent() *Session {
	s.In(func(v *tui.Screen) { v.Host().Say(event.Info, "") })
	return s
}

// Send sends a message to the program.
func (s *Session) Send(msg tea.Msg) { s.screen.Send(msg) }

// Written returns all bytes written to the terminal.
func (s *Session) Written() string { return s.out.bytes() }

// Servers returns the servers, nil for none.
func (s *Session) Servers() *demo.Servers { return s.servers }

// SetServers sets the servers that answer from the next start on. They are closed with the session.
func (s *Session) SetServers(h *demo.Servers) { s.servers = h }

// Dir returns the data directory.
func (s *Session) Dir() string { return s.dir }

// T returns the test of the session.
func (s *Session) T() testing.TB { return s.t }

// Quit ends the program as the signal handler does.
func (s *Session) Quit() { s.screen.Quit() }

// Reopen restarts the program on the same store.
func (s *Session) Reopen() {
	s.t.Helper()
	s.Close()
	s.open()
	s.raise()
}

// Write sends bytes from the keyboard.
func (s *Session) Write(bytes string) {
	s.t.Helper()
	_, err := s.typed.Write([]byte(bytes))
	s.Must(err)
}

// Styled returns the current screen with its styles.
func (s *Session) Styled() string { return s.paint.Styled() }

// InUnlessLeft is In, but returns false if the screen was left before.
func (s *Session) InUnlessLeft(f func(*tui.Screen)) bool {
	s.t.Helper()
	done := make(chan struct{})
	s.screen.Send(onTime{func() tea.Cmd { f(s.screen); close(done); return nil }})
	select {
	case <-done:
	case out := <-s.left:
		s.left <- out
		return false
	case <-time.After(patience):
		s.t.Fatal("the screen does not move any more")
	}
	return true
}
