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

// Outcome is the reason why the screen was left.
type Outcome struct {
	Demo bool // the user wants to continue with the demo servers
}

// gcPercent is the garbage collector's percentage while the screen is open. The screen runs beside
// a model that needs the memory, and makes little garbage. With 50 instead of 100, one reply takes
// 40 MiB instead of 41.5, opening a chat of 10,000 messages 87 instead of 119, and 1,000 words take
// no more time than before.
const gcPercent = 50

// Run shows the screen on the terminal until the user leaves it. Crash reports are written to
// crashDir.
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

// firstFrame paints before the event loop runs, with all that is known by then.
func (a *app) firstFrame() {
	size, ok := a.term.size()
	if !ok {
		return
	}
	a.update(tea.ColorProfileMsg{Profile: colorprofile.Detect(a.term.out, os.Environ())})
	a.update(size)
	a.paint()
}

// run runs the screen on any input and output.
func run(ctx context.Context, eng *engine.Engine, o Options, t *terminal, opts ...tea.ProgramOption) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, prog := stage(ctx, eng, o, t, opts...)
	return a.show(prog, func() { collectAt(gcPercent) })
}

// stage makes the screen and the program that runs it.
func stage(ctx context.Context, eng *engine.Engine, o Options, t *terminal,
	opts ...tea.ProgramOption) (*app, *tea.Program) {
	var prog *tea.Program
	a := newApp(ctx, eng, t, o, func(m tea.Msg) { prog.Send(m) })
	if err := a.parts.play.Open(o.Chat); err != nil {
		a.opts.Warnings = append(a.opts.Warnings, failure.Text(err))
	}
	// The painter paints: Bubble Tea's own renderer is off, and its frame clock runs as slowly as
	// possible.
	prog = tea.NewProgram(a, append(opts, tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())...)
	return a, prog
}

// atStart is the percentage until the first frame is shown. A start's garbage stays below the 8 MiB
// that this allows; with a lower value up to four collections ran, a tenth of the start time.
const atStart = 200

// collectAt sets the percentage of the garbage collector, unless the user has set it.
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
