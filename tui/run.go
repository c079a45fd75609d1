package tui

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Outcome is why the screen was left.
type Outcome struct {
	Rehearse bool // the user wants to go on with the rehearsal servers
}

// gcPercent is the garbage collector's percentage while the screen is open. The screen
// stands beside a model that wants the memory, and makes little garbage: with 50 instead
// of 100, one reply takes 40 MiB instead of 41.5, opening a chat of 10,000 messages 87
// instead of 119, and 1,000 words no more time than before.
const gcPercent = 50

// Run shows the screen on the terminal until the user leaves it. crashDir is
// where reports of crashes go.
func Run(ctx context.Context, eng *engine.Engine, o Options, crashDir string) (Outcome, error) {
	collectAt(atStart)
	o.Pause = cmp.Or(o.Pause, wordPause)
	keys := newKeyboard(os.Stdin)
	t := &terminal{in: os.Stdin, out: os.Stdout, painter: painter.New(os.Stdout), keys: keys,
		ending: make(chan struct{})}
	crash.Prepare(crashDir, "ghostlight", t.leave)
	defer crash.Prepare(crashDir, "ghostlight", nil)
	return run(ctx, eng, o, t, tea.WithInput(keys), tea.WithOutput(os.Stdout))
}

// firstFrame paints before the event loop turns, with all that is known by then.
func (a *app) firstFrame() {
	size, ok := a.term.size()
	if !ok {
		return
	}
	a.update(tea.ColorProfileMsg{Profile: colorprofile.Detect(a.term.out, os.Environ())})
	a.update(size)
	a.paint()
}

// run drives the screen over any input and output.
func run(ctx context.Context, eng *engine.Engine, o Options, t *terminal, opts ...tea.ProgramOption) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, prog := stage(ctx, eng, o, t, opts...)
	return a.show(prog, func() { collectAt(gcPercent) })
}

// stage makes the screen and the program that will drive it.
func stage(ctx context.Context, eng *engine.Engine, o Options, t *terminal,
	opts ...tea.ProgramOption) (*app, *tea.Program) {
	var prog *tea.Program
	a := newApp(ctx, eng, t, o, func(m tea.Msg) { prog.Send(m) })
	if err := a.parts.play.Open(o.Chat); err != nil {
		a.opts.Warnings = append(a.opts.Warnings, failure.Words(err))
	}
	// The painter paints: Bubble Tea's own renderer is off, and its frame clock
	// turns as slowly as it can.
	prog = tea.NewProgram(a, append(opts, tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())...)
	return a, prog
}

// atStart is the same until the first frame is shown: what a start makes stays below the
// 8 MiB that this leaves, where with less up to four collections ran, a tenth of a start.
const atStart = 200

// collectAt sets how much garbage there may be, unless the user has.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// show takes the terminal and runs the program until the user leaves it; shown is called
// after the first frame.
func (a *app) show(prog *tea.Program, shown func()) (Outcome, error) {
	feed := a.eng.Follow()
	defer feed.Close()
	crash.Go("the event pump", func() {
		for {
			ev, err := feed.Next(a.ctx)
			if err != nil {
				return
			}
			prog.Send(eventMsg{ev})
		}
	})
	if err := a.term.enter(a.query()); err != nil {
		return Outcome{}, err
	}
	defer a.term.leave()
	a.firstFrame()
	shown()
	defer a.term.follow(prog.Send, prog.Quit)()
	_, err := prog.Run()
	a.parts.play.Leave()
	return a.outcome, err
}
