// Package tuitest runs the whole screen in a test: keys are pressed by name, and what
// is shown is compared with golden frames. Only tests import it.
package tuitest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/event"
	"ghostlight/engine/house"
	bundled "ghostlight/engine/library/bundled"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui"
	"ghostlight/tui/desk"
	"ghostlight/tui/painter"
)

// patience is how long a test waits for what must come. It only bounds how long
// a failing test takes.
const patience = 90 * time.Second

// wire is the terminal's end of the line: it keeps every byte, and says when
// there are new ones.
type wire struct {
	mu    sync.Mutex
	all   bytes.Buffer
	fresh chan struct{}
}

func newWire() *wire { return &wire{fresh: make(chan struct{}, 1)} }

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.fresh <- struct{}{}:
	default:
	}
	return w.all.Write(p)
}

// bytes is a copy of all that was written.
func (w *wire) bytes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// Options say what a test's Session is to be like. The zero value is a new
// store with the bundled character, a model chosen, and servers flat out.
type Options struct {
	House    rehearsal.Options
	NoHouse  bool // nobody answers
	Model    string
	Bare     bool   // no model is chosen
	Ollama   string // another address than the house's
	Screen   tui.Options
	Light    bool
	Profile  colorprofile.Profile // 0: true colour
	W, H     int
	Prepare  func(*engine.Engine)
	Lore     config.Lore
	Fill     bool // recaps fill the chat's lorebook
	Learn    bool // from what the user edits
	Direct   bool // each exchange is looked at by the director, for memories and for hooks
	Headless bool // open the engine, no screen yet
	VRAM     config.VRAM
	Config   func(*config.Config) // changes any other setting; may be nil
}

// Session is a screen with everything under it, and a user in front of it.
type Session struct {
	t      testing.TB
	o      Options
	dir    string
	house  *rehearsal.House
	Engine *engine.Engine
	screen *tui.Screen // only to be touched inside In
	out    *wire
	paint  *painter.Painter
	typed  *io.PipeWriter // real bytes of a keyboard
	left   chan tui.Outcome
	fault  error
	ended  bool

	mu    sync.Mutex
	heard map[storage.OperationID]storage.Operation // as the screen was last told
}

// Begin opens a store, starts the servers and puts the screen on.
func Begin(t testing.TB, o Options) *Session {
	t.Helper()
	s := &Session{t: t, o: o, dir: t.TempDir()}
	if s.o.W == 0 {
		s.o.W, s.o.H = 80, 24
	}
	if s.o.House.Script == nil {
		s.o.House.Script = bundled.Reply
	}
	if !o.NoHouse {
		h, err := rehearsal.Start(s.o.House)
		if err != nil {
			t.Fatal(err)
		}
		s.house = h
	}
	t.Cleanup(func() {
		s.Close()
		if s.house != nil {
			if err := s.house.Close(); err != nil {
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

// open opens the engine on the Session's directory.
func (s *Session) open() {
	s.t.Helper()
	cfg := config.Config{DataDir: s.dir, Program: "test", Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}, Lore: s.o.Lore, VRAM: s.o.VRAM}
	if s.house != nil {
		cfg.Ollama, cfg.Comfy = s.house.OllamaURL, []string{s.house.ComfyURL}
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
			model = rehearsal.Model
		}
		s.Must(e.House.SetDefaultModel(model))
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
	profile := s.o.Profile
	if profile == 0 {
		profile = colorprofile.TrueColor
	}
	in, typed := io.Pipe()
	s.out, s.typed, s.ended = newWire(), typed, false
	env := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	s.paint = painter.New(s.out, env)
	ctx, cancel := context.WithCancel(context.Background())
	s.listen()
	s.screen = tui.NewScreen(ctx, s.Engine, o, s.paint,
		tea.WithInput(in), tea.WithOutput(s.out), tea.WithEnvironment(env), tea.WithColorProfile(profile), tea.WithFilter(s.hear))
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
		if !s.inUnlessLeft(func(v *tui.Screen) { read = v.Ready() }) {
			return true
		}
		return read
	})
}

// Close takes the screen down and closes the engine.
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

// Gone waits until the screen was left, and tells why it was.
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

// Again ends the program, as ctrl+q does, and starts it anew on the same store.
func (s *Session) Again() {
	s.t.Helper()
	s.Press("ctrl+q")
	s.Gone()
	s.Close()
	s.open()
	s.raise()
}

// Must ends the test where there is an error.
func (s *Session) Must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// In runs f on the screen's own goroutine, after all keys that were pressed
// before, and waits for it.
func (s *Session) In(f func(*tui.Screen)) {
	s.t.Helper()
	if !s.inUnlessLeft(f) {
		s.t.Fatalf("the screen was left (%v)", s.fault)
	}
}

// inUnlessLeft is in; false where the screen was left before.
func (s *Session) inUnlessLeft(f func(*tui.Screen)) bool {
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

// Size makes the terminal w × h cells.
func (s *Session) Size(w, h int) { s.screen.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// Press presses keys, by the names that the key table uses.
func (s *Session) Press(keys ...string) *Session {
	s.t.Helper()
	for _, k := range keys {
		s.screen.Send(KeyNamed(s.t, k))
	}
	return s
}

// TypeText types text, a key per character.
func (s *Session) TypeText(text string) *Session {
	for _, r := range text {
		s.screen.Send(KeyOf(r))
	}
	return s
}

// PasteText pastes, as a terminal does that brackets what is pasted.
func (s *Session) PasteText(text string) *Session {
	s.screen.Send(tea.PasteMsg{Content: text})
	return s
}

// Frame is what stands on the screen, a line per row.
func (s *Session) Frame() string { return s.paint.Text() }

// Now is the screen as it is after all that was pressed before.
func (s *Session) Now() string {
	s.t.Helper()
	s.In(func(v *tui.Screen) { v.Paint() })
	return s.Frame()
}

// WaitFor waits until the screen shows what ok looks for.
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

// listen begins to note what the screen is told of operations. Those that have
// ended by now are never told of.
func (s *Session) listen() {
	s.t.Helper()
	ops, err := s.Engine.House.Operations()
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

// lateEnv makes what comes back to the screen late: up to so long, such as
// 100ms, for each answer of a command. It brings out tests, and screens, that
// take for granted what has yet to be read.
const lateEnv = "GHOSTLIGHT_TEST_LATE"

var late, _ = time.ParseDuration(os.Getenv(lateEnv)) // 0 where it is not set

// onTime is an answer that has been late, or need not be.
type onTime struct{ answer desk.Answer }

// hear sees each message before the screen does.
func (s *Session) hear(_ tea.Model, msg tea.Msg) tea.Msg {
	if m, ok := msg.(desk.Answer); ok && late > 0 {
		time.AfterFunc(rand.N(late), func() { s.screen.Send(onTime{m}) })
		return nil
	}
	if m, ok := msg.(onTime); ok {
		return m.answer
	}
	if ev, ok := tui.Event(msg).(house.OperationChanged); ok {
		s.mu.Lock()
		s.heard[ev.Operation.ID] = ev.Operation
		s.mu.Unlock()
	}
	return msg
}

func ended(op storage.Operation) bool {
	return op.Status != storage.Pending && op.Status != storage.InProgress
}

// untold tells whether there is work, or an end of work, that the screen has not
// heard of. What was put off does not count.
func (s *Session) untold() bool {
	s.t.Helper()
	ops, err := s.Engine.House.Operations()
	s.Must(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, op := range ops {
		if was := s.heard[op.ID]; !queue.PutOff(op, time.Now()) && (!ended(op) || was.Status != op.Status || was.Attempts != op.Attempts) {
			return true
		}
	}
	return false
}

// Still waits until no reply is written, no work runs any more, and the screen
// has heard of all that.
func (s *Session) Still() *Session {
	s.t.Helper()
	s.Until("the end of all work", func() bool {
		busy := s.untold()
		if !busy {
			s.In(func(v *tui.Screen) { busy = v.Busy() })
		}
		return !busy
	})
	return s
}

// Chat is the open chat with its newest messages, from the store.
func (s *Session) Chat() chats.View {
	s.t.Helper()
	id, ok, err := s.Engine.Chats.Last()
	if err != nil || !ok {
		s.t.Fatalf("no chat: %v", err)
	}
	v, err := s.Engine.Play.View(id, 0)
	s.Must(err)
	return v
}

// Texts is what the open chat's messages say, oldest first.
func (s *Session) Texts() []string {
	s.t.Helper()
	var out []string
	for _, m := range s.Chat().Messages {
		out = append(out, m.Content)
	}
	return out
}

// WithChat makes a chat with the bundled character, to be used as prepare.
func WithChat(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) { NewChat(t, e) }
}

// NewChat makes a chat with the bundled character and opens it.
func NewChat(t testing.TB, e *engine.Engine) storage.ChatID {
	t.Helper()
	tove, err := e.Library.FindCharacter(bundled.Character().Card.Name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Chats.New(tove.ID, "")
	if err == nil {
		err = e.Chats.Opened(c.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// Say sends a line and waits for the whole reply.
func (s *Session) Say(text string) *Session {
	s.t.Helper()
	n := len(s.Texts())
	s.TypeText(text).Press("enter")
	s.Until("the reply to "+text, func() bool { return len(s.Texts()) >= n+2 })
	return s.Still()
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f12": tea.KeyF12,
}

// KeyNamed is the message of a key press, as the terminal's decoder makes it.
func KeyNamed(t testing.TB, name string) tea.KeyPressMsg {
	t.Helper()
	var mod tea.KeyMod
	base := name
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if strings.Contains(base, prefix) {
			mod |= m
			base = strings.Replace(base, prefix, "", 1)
		}
	}
	if code, ok := namedKeys[base]; ok {
		k := tea.Key{Code: code, Mod: mod}
		if base == "space" && mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	r := []rune(base)
	if len(r) != 1 {
		t.Fatalf("there is no key %q", name)
	}
	if mod == 0 {
		return KeyOf(r[0])
	}
	return tea.KeyPressMsg{Code: r[0], Mod: mod}
}

// KeyOf is the key press that types a character.
func KeyOf(r rune) tea.KeyPressMsg {
	if r == '\n' {
		return tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
	}
	k := tea.KeyPressMsg{Code: r, Text: string(r)}
	if unicode.IsUpper(r) {
		k.Code, k.ShiftedCode, k.Mod = unicode.ToLower(r), r, tea.ModShift
	}
	return k
}

// Silent takes away what the status line says.
func (s *Session) Silent() *Session {
	s.In(func(v *tui.Screen) { v.Desk().Say(event.Info, "") })
	return s
}

// Send hands a message to the program.
func (s *Session) Send(msg tea.Msg) { s.screen.Send(msg) }

// Written is all that was written to the terminal.
func (s *Session) Written() string { return s.out.bytes() }

// House are the servers that answer, nil for none.
func (s *Session) House() *rehearsal.House { return s.house }

// SetHouse has other servers answer from the next start on. They are closed with the
// session.
func (s *Session) SetHouse(h *rehearsal.House) { s.house = h }

// Dir is where all is stored.
func (s *Session) Dir() string { return s.dir }

// T is the test that the session belongs to.
func (s *Session) T() testing.TB { return s.t }
