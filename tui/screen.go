package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Screen is the program on any input and output, for callers that drive it without a terminal.
type Screen struct {
	app  *app
	prog *tea.Program
}

// NewScreen makes a screen that p paints. Without an engine it can only be drawn.
func NewScreen(ctx context.Context, eng *engine.Engine, o Options, p *painter.Painter,
	opts ...tea.ProgramOption) *Screen {
	if eng == nil {
		return &Screen{app: newApp(ctx, nil, &terminal{painter: p}, o, func(tea.Msg) {})}
	}
	a, prog := stage(ctx, eng, o, &terminal{painter: p}, opts...)
	a.unasked = 0 // the driver knows which dialogs are open
	return &Screen{app: a, prog: prog}
}

// Show runs the program until the user leaves it.
func (s *Screen) Show() (Outcome, error) { return s.app.show(s.prog, func() {}) }

// Send sends a message to the running program.
func (s *Screen) Send(msg tea.Msg) { s.prog.Send(msg) }

// Quit ends the program.
func (s *Screen) Quit() { s.prog.Quit() }

// Update handles a message immediately. It must be called on the screen's own goroutine, or for a
// program that does not run.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	return s.app.update(msg)
}

// Paint draws the screen immediately; see Update for the goroutine.
func (s *Screen) Paint() { s.app.paint() }

// Host returns the host of the parts; see Update for the goroutine.
func (s *Screen) Host() pane.Host { return s.app }

// Dialogs returns the number of open dialogs; see Update for the goroutine.
func (s *Screen) Dialogs() int { return len(s.app.dialogs.All) }

// CloseDialogs closes all dialogs; see Update for the goroutine.
func (s *Screen) CloseDialogs() { s.app.dialogs.All = nil }

// OpenChat makes a chat the open one, and shows its messages if it has any; see Update for the
// goroutine.
func (s *Screen) OpenChat(v chats.View) {
	s.app.parts.play.Show(v)
}

// SetScenes sets the scenes of the open chat; see Update for the goroutine.
func (s *Screen) SetScenes(list scenes.Scenes) { s.app.parts.play.SetScenes(list) }

// Ready reports whether all that belongs to the open chat was read; for whom, see
// Update.
func (s *Screen) Ready() bool {
	return s.app.parts.play.Ready()
}

// Busy reports whether a reply is written, or work runs or waits; for whom, see Update.
func (s *Screen) Busy() bool {
	return s.app.Play().Replying() || len(s.app.work.running)+s.app.work.waiting() > 0
}

// Event returns the engine's event in a message of the program, nil for other messages.
func Event(msg tea.Msg) event.Event {
	m, _ := msg.(eventMsg)
	return m.event
}

// Event handles an event of the engine immediately; see Update for the goroutine.
func (s *Screen) Event(ev event.Event) tea.Cmd {
	return s.app.event(ev)
}

// PaneFocused reports whether the pane has the keys; for whom, see Update.
func (s *Screen) PaneFocused() bool { return s.app.mode == keys.Pane }

// Start runs a command like Bubble Tea.
func (s *Screen) Start(cmd tea.Cmd) {
	if cmd != nil {
		crash.Go("a command", func() { s.app.send(tea.BatchMsg{cmd}) })
	}
}

// Parts returns the parts of the screen; see Update for the goroutine.
func (s *Screen) Parts() []pane.Part { return s.app.parts.all }
