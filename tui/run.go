package tui

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/crash"
	"ghostlight/tui/painter"
)

// Outcome is why the screen was left.
type Outcome struct {
	Rehearse bool // the user wants to go on with the rehearsal servers
}

// Run shows the screen on the terminal until the user leaves it. crashDir is
// where reports of crashes go.
func Run(ctx context.Context, eng *engine.Engine, o Options, crashDir string) (Outcome, error) {
	t := &terminal{in: os.Stdin, out: os.Stdout, painter: painter.New(os.Stdout, os.Environ())}
	crash.Prepare(crashDir, "ghostlight", t.give)
	defer crash.Prepare(crashDir, "ghostlight", nil)
	return run(ctx, eng, o, t, tea.WithInput(os.Stdin), tea.WithOutput(os.Stdout))
}

// run drives the screen over any input and output; tests use it with pipes.
func run(ctx context.Context, eng *engine.Engine, o Options, t *terminal, opts ...tea.ProgramOption) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var prog *tea.Program
	a := newApp(ctx, eng, t, o, func(m tea.Msg) { prog.Send(m) })
	if err := a.first(); err != nil {
		a.opts.Warnings = append(a.opts.Warnings, engine.Words(err))
	}
	// The painter paints: Bubble Tea's own renderer is off, and its frame clock
	// turns as slowly as it can.
	prog = tea.NewProgram(a, append(opts, tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics())...)

	feed := eng.Follow()
	defer feed.Close()
	crash.Go("the event pump", func() {
		for {
			ev, err := feed.Next(ctx)
			if err != nil {
				return
			}
			prog.Send(eventMsg{ev})
		}
	})
	if err := t.take(a.query()); err != nil {
		return Outcome{}, err
	}
	defer t.give()
	defer t.follow(prog.Send, prog.Quit)()
	_, err := prog.Run()
	return a.outcome, err
}
