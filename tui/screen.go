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

// Screen is the program over any input and output, for those that drive it without a
// terminal.
type Screen struct {
	app  *app
	prog *tea.Program
}

// NewScreen makes a screen that p paints. Without an engine it can be drawn, and no
// more.
func NewScreen(ctx context.Context, eng *engine.Engine, o Options, p *painter.Painter,
	opts ...tea.ProgramOption) *Screen {
	if eng == nil {
		return &Screen{app: newApp(ctx, nil, &terminal{painter: p}, o, func(tea.Msg) {})}
	}
	a, prog := stage(ctx, eng, o, &terminal{painter: p}, opts...)
	a.unasked = 0 // whoever drives it knows what is open
	return &Screen{app: a, prog: prog}
}

// Show runs the program until the user leaves it.
func (s *Screen) Show() (Outcome, error) { return s.app.show(s.prog, func() {}) }

// Send hands a message to the program that runs.
func (s *Screen) Send(msg tea.Msg) { s.prog.Send(msg) }

// Quit ends the program.
func (s *Screen) Quit() { s.prog.Quit() }

// Update takes a message at once. It is for the screen's own goroutine, or for a
// program that does not run.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	return s.app.update(msg)
}

// Paint draws the screen at once; for whom, see Update.
func (s *Screen) Paint() { s.app.paint() }

// Host returns what the parts ask; for whom, see Update.
func (s *Screen) Host() pane.Host { return s.app }

// Dialogs returns how many dialogs are open; for whom, see Update.
func (s *Screen) Dialogs() int { return len(s.app.dialogs.All) }

// CloseDialogs takes all dialogs away; for whom, see Update.
func (s *Screen) CloseDialogs() { s.app.dialogs.All = nil }

// OpenChat takes a chat for the open one, and shows its messages where it comes with any;
// for whom, see Update.
func (s *Screen) OpenChat(v chats.View) {
	s.app.parts.play.Show(v)
}

// SetScenes sets the scenes of the open chat; for whom, see Update.
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

// Event returns the engine's event that a message of the program brings, nil for any
// other.
func Event(msg tea.Msg) event.Event {
	m, _ := msg.(eventMsg)
	return m.event
}

// Event takes an event of the engine at once; for whom, see Update.
func (s *Screen) Event(ev event.Event) tea.Cmd {
	return s.app.event(ev)
}

// PaneFocused reports whether the pane has the keys; for whom, see Update.
func (s *Screen) PaneFocused() bool { return s.app.mode == keys.Pane }

// Start has a command run as Bubble Tea does.
func (s *Screen) Start(cmd tea.Cmd) {
	if cmd != nil {
		crash.Go("a command", func() { s.app.send(tea.BatchMsg{cmd}) })
	}
}

// Parts are the parts of the screen; for whom, see Update.
func (s *Screen) Parts() []pane.Part { return s.app.parts.all }
