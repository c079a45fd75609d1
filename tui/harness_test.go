package tui

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
	"ghostlight/engine/house"
	bundled "ghostlight/engine/library/bundled"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
	"ghostlight/themes"
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

// stageOptions say what a test's session is to be like. The zero value is a new
// store with the bundled character, a model chosen, and servers flat out.
type stageOptions struct {
	house    rehearsal.Options
	noHouse  bool // nobody answers
	model    string
	bare     bool   // no model is chosen
	ollama   string // another address than the house's
	screen   Options
	light    bool
	profile  colorprofile.Profile // 0: true colour
	w, h     int
	prepare  func(*engine.Engine)
	headless bool // open the engine, no screen yet
	vram     config.VRAM
}

// session is a screen with everything under it, and a user in front of it.
type session struct {
	t     testing.TB
	o     stageOptions
	dir   string
	house *rehearsal.House
	eng   *engine.Engine
	app   *app // only to be touched inside in
	prog  *tea.Program
	out   *wire
	paint *painter.Painter
	typed *io.PipeWriter // real bytes of a keyboard
	left  chan Outcome
	fault error
	ended bool

	mu    sync.Mutex
	heard map[storage.OperationID]storage.Operation // as the screen was last told
}

// begin opens a store, starts the servers and puts the screen on.
func begin(t testing.TB, o stageOptions) *session {
	t.Helper()
	s := &session{t: t, o: o, dir: t.TempDir()}
	if s.o.w == 0 {
		s.o.w, s.o.h = 80, 24
	}
	if s.o.house.Script == nil {
		s.o.house.Script = bundled.Reply
	}
	if !o.noHouse {
		h, err := rehearsal.Start(s.o.house)
		if err != nil {
			t.Fatal(err)
		}
		s.house = h
	}
	t.Cleanup(func() {
		s.close()
		if s.house != nil {
			if err := s.house.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	s.open()
	if !o.headless {
		s.raise()
	}
	return s
}

// open opens the engine on the session's directory.
func (s *session) open() {
	s.t.Helper()
	cfg := config.Config{DataDir: s.dir, Program: "test", Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}, VRAM: s.o.vram}
	if s.house != nil {
		cfg.Ollama, cfg.Comfy = s.house.OllamaURL, []string{s.house.ComfyURL}
	}
	cfg.Lore.NoFill, cfg.Taste.Off = true, true
	cfg.Stage.NoDirector, cfg.Stage.NoMemories, cfg.Stage.NoHooks = true, true, true
	if s.o.ollama != "" {
		cfg.Ollama = s.o.ollama
	}
	e, err := engine.Open(cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.eng = e
	s.must(e.Library.EnsureBundled())
	if !s.o.bare {
		model := s.o.model
		if model == "" {
			model = rehearsal.Model
		}
		s.must(e.House.SetDefaultModel(model))
	}
	if s.o.prepare != nil {
		s.o.prepare(e)
		s.o.prepare = nil
	}
	s.must(e.Start())
}

// raise puts the screen on.
func (s *session) raise() {
	s.t.Helper()
	o := s.o.screen
	o.Log = slog.New(slog.DiscardHandler)
	if o.Themes == nil {
		set, errs := themes.Load("")
		if len(errs) > 0 {
			s.t.Fatal(errs)
		}
		o.Themes = set
	}
	if o.Dark == nil {
		dark := !s.o.light
		o.Dark = &dark
	}
	if o.Images == "" {
		o.Images = "blocks"
	}
	profile := s.o.profile
	if profile == 0 {
		profile = colorprofile.TrueColor
	}
	in, typed := io.Pipe()
	s.out, s.typed, s.ended = newWire(), typed, false
	env := []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	s.paint = painter.New(s.out, env)
	ctx, cancel := context.WithCancel(context.Background())
	s.listen()
	s.app, s.prog = stage(ctx, s.eng, o, &terminal{painter: s.paint},
		tea.WithInput(in), tea.WithOutput(s.out), tea.WithEnvironment(env), tea.WithColorProfile(profile), tea.WithFilter(s.hear))
	s.app.update(tea.ColorProfileMsg{Profile: profile}) // as the first frame of a real terminal does
	s.left = make(chan Outcome, 1)
	left := s.left
	go func() {
		defer cancel()
		out, err := s.app.show(s.prog)
		s.fault = err
		_ = in.Close()
		left <- out
	}()
	s.size(s.o.w, s.o.h)
	s.until("the scenes of the chat", func() (read bool) {
		if !s.inUnlessLeft(func(a *app) { read = a.view.Chat.ID == "" || a.reads.Nth > 0 && !a.reads.busy }) {
			return true
		}
		return read
	})
}

// close takes the screen down and closes the engine.
func (s *session) close() {
	s.t.Helper()
	if s.prog != nil && !s.ended {
		s.prog.Quit()
		s.gone()
	}
	if s.eng != nil {
		s.must(s.eng.Close())
		s.eng = nil
	}
}

// gone waits until the screen was left, and tells why it was.
func (s *session) gone() Outcome {
	s.t.Helper()
	if s.ended {
		return Outcome{}
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
	return Outcome{}
}

// again ends the program, as ctrl+q does, and starts it anew on the same store.
func (s *session) again() {
	s.t.Helper()
	s.press("ctrl+q")
	s.gone()
	s.close()
	s.open()
	s.raise()
}

func (s *session) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// in runs f on the screen's own goroutine, after all keys that were pressed
// before, and waits for it.
func (s *session) in(f func(a *app)) {
	s.t.Helper()
	if !s.inUnlessLeft(f) {
		s.t.Fatalf("the screen was left (%v)", s.fault)
	}
}

// inUnlessLeft is in; false where the screen was left before.
func (s *session) inUnlessLeft(f func(a *app)) bool {
	s.t.Helper()
	done := make(chan struct{})
	s.prog.Send(onTime{func() tea.Cmd { f(s.app); close(done); return nil }})
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

// size makes the terminal w × h cells.
func (s *session) size(w, h int) { s.prog.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// press presses keys, by the names that the key table uses.
func (s *session) press(keys ...string) *session {
	s.t.Helper()
	for _, k := range keys {
		s.prog.Send(keyNamed(s.t, k))
	}
	return s
}

// typeText types text, a key per character.
func (s *session) typeText(text string) *session {
	for _, r := range text {
		s.prog.Send(keyOf(r))
	}
	return s
}

// pasteText pastes, as a terminal does that brackets what is pasted.
func (s *session) pasteText(text string) *session {
	s.prog.Send(tea.PasteMsg{Content: text})
	return s
}

// frame is what stands on the screen, a line per row.
func (s *session) frame() string { return s.paint.Text() }

// now is the screen as it is after all that was pressed before.
func (s *session) now() string {
	s.t.Helper()
	s.in(func(a *app) { a.paint() })
	return s.frame()
}

// waitFor waits until the screen shows what ok looks for.
func (s *session) waitFor(what string, ok func(frame string) bool) *session {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !ok(s.frame()) {
		select {
		case <-s.out.fresh:
		case out := <-s.left:
			s.left <- out
			s.t.Fatalf("the screen was left before it showed %s (%v)", what, s.fault)
		case <-deadline.C:
			s.t.Fatalf("waiting for %s; the screen shows\n%s", what, s.frame())
		}
	}
	return s
}

// see waits until all texts are on the screen.
func (s *session) see(texts ...string) *session {
	s.t.Helper()
	return s.waitFor(strings.Join(texts, " and "), func(f string) bool {
		for _, text := range texts {
			if !strings.Contains(f, text) {
				return false
			}
		}
		return true
	})
}

// notSee waits until none of the texts is on the screen.
func (s *session) notSee(texts ...string) *session {
	s.t.Helper()
	return s.waitFor("no "+strings.Join(texts, ", no "), func(f string) bool {
		for _, text := range texts {
			if strings.Contains(f, text) {
				return false
			}
		}
		return true
	})
}

// until waits for something that is not on the screen.
func (s *session) until(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-deadline.C:
			s.t.Fatalf("waiting for %s; the screen shows\n%s", what, s.frame())
		}
	}
}

// listen begins to note what the screen is told of operations. Those that have
// ended by now are never told of.
func (s *session) listen() {
	s.t.Helper()
	ops, err := s.eng.House.Operations()
	s.must(err)
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
func (s *session) hear(_ tea.Model, msg tea.Msg) tea.Msg {
	if m, ok := msg.(desk.Answer); ok && late > 0 {
		prog := s.prog
		time.AfterFunc(rand.N(late), func() { prog.Send(onTime{m}) })
		return nil
	}
	if m, ok := msg.(onTime); ok {
		return m.answer
	}
	if m, ok := msg.(eventMsg); ok {
		if ev, ok := m.event.(house.OperationChanged); ok {
			s.mu.Lock()
			s.heard[ev.Operation.ID] = ev.Operation
			s.mu.Unlock()
		}
	}
	return msg
}

func ended(op storage.Operation) bool {
	return op.Status != storage.Pending && op.Status != storage.InProgress
}

// untold tells whether there is work, or an end of work, that the screen has not
// heard of. What was put off does not count.
func (s *session) untold() bool {
	s.t.Helper()
	ops, err := s.eng.House.Operations()
	s.must(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, op := range ops {
		if was := s.heard[op.ID]; !queue.PutOff(op, time.Now()) && (!ended(op) || was.Status != op.Status || was.Attempts != op.Attempts) {
			return true
		}
	}
	return false
}

// still waits until no reply is written, no work runs any more, and the screen
// has heard of all that.
func (s *session) still() *session {
	s.t.Helper()
	s.until("the end of all work", func() bool {
		busy := s.untold()
		if !busy {
			s.in(func(a *app) { busy = a.turn.running || len(a.work.running)+a.work.waiting() > 0 })
		}
		return !busy
	})
	return s
}

// painted waits until the open chat has n pictures, and the screen shows the
// newest one.
func (s *session) painted(n int) *session {
	s.t.Helper()
	s.until("the pictures", func() bool {
		all, err := s.eng.Pictures.Captures(s.chat().Chat.ID)
		s.must(err)
		var done []storage.Capture
		for _, c := range all {
			if c.ImagePath != "" {
				done = append(done, c)
			}
		}
		return len(done) == n && s.hangs(done[0].ID)
	})
	return s.still()
}

// hangs tells whether the play shows a capture as a picture, not as one that is
// being painted.
func (s *session) hangs(id storage.CaptureID) (ok bool) {
	s.t.Helper()
	s.in(func(a *app) {
		for _, it := range a.play.Items {
			ok = ok || it.Msg.Picture != nil && it.Msg.Picture.ID == id && it.Msg.Picture.ImagePath != ""
		}
	})
	return ok
}

// chat is the open chat with its newest messages, from the store.
func (s *session) chat() chats.View {
	s.t.Helper()
	id, ok, err := s.eng.Chats.Last()
	if err != nil || !ok {
		s.t.Fatalf("no chat: %v", err)
	}
	v, err := s.eng.Play.View(id, 0)
	s.must(err)
	return v
}

// texts is what the open chat's messages say, oldest first.
func (s *session) texts() []string {
	s.t.Helper()
	var out []string
	for _, m := range s.chat().Messages {
		out = append(out, m.Content)
	}
	return out
}

// withChat makes a chat with the bundled character, to be used as prepare.
func withChat(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) { newToveChat(t, e) }
}

func newToveChat(t testing.TB, e *engine.Engine) storage.ChatID {
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

// say sends a line and waits for the whole reply.
func (s *session) say(text string) *session {
	s.t.Helper()
	n := len(s.texts())
	s.typeText(text).press("enter")
	s.until("the reply to "+text, func() bool { return len(s.texts()) >= n+2 })
	return s.still()
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f12": tea.KeyF12,
}

// keyNamed is the message of a key press, as the terminal's decoder makes it.
func keyNamed(t testing.TB, name string) tea.KeyPressMsg {
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
		return keyOf(r[0])
	}
	return tea.KeyPressMsg{Code: r[0], Mod: mod}
}

func keyOf(r rune) tea.KeyPressMsg {
	if r == '\n' {
		return tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
	}
	k := tea.KeyPressMsg{Code: r, Text: string(r)}
	if unicode.IsUpper(r) {
		k.Code, k.ShiftedCode, k.Mod = unicode.ToLower(r), r, tea.ModShift
	}
	return k
}
