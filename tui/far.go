package tui

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Far is the terminal of another process. That process has it in raw mode; what is read
// are its keys, what is written goes to it as it is.
type Far interface {
	io.Reader
	io.Writer
	// Env is what its programs know of it, as os.Environ gives it.
	Env() []string
	// Size is how many cells it has now.
	Size() (width, height int)
	// Resized tells that it may have another size.
	Resized() <-chan struct{}
	// Edit has the user edit a text there, and waits for it.
	Edit(text string) (string, error)
	// Suspend gives it to its shell, and waits until that brings it back.
	Suspend() error
}

// RunFar shows a screen of its own on the terminal of another process, beside those that
// the program shows already, until the user leaves it or ctx ends. What the user has
// chosen about rehearsals concerns the whole program and is not heeded.
func RunFar(ctx context.Context, eng *engine.Engine, o Options, far Far) error {
	o.Pause = cmp.Or(o.Pause, wordPause)
	t := &terminal{far: far, painter: painter.New(far, far.Env())}
	_, err := run(ctx, eng, o, t, tea.WithInput(far), tea.WithOutput(far), tea.WithEnvironment(far.Env()))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// environ is the environment of the terminal's programs.
func (t *terminal) environ() []string {
	if t.far != nil {
		return t.far.Env()
	}
	return os.Environ()
}

// profile is how many colours the terminal has.
func (t *terminal) profile() colorprofile.Profile {
	if t.far != nil {
		return colorprofile.Env(t.far.Env())
	}
	return colorprofile.Detect(t.out, os.Environ())
}

// followFar is follow for a terminal of another process, whose end is that of the
// screen's context.
func (t *terminal) followFar(send func(tea.Msg), _ func()) (stop func()) {
	done := make(chan struct{})
	crash.Go("the size of a far terminal", func() {
		for {
			if s, ok := t.size(); ok {
				send(s)
			}
			select {
			case <-t.far.Resized():
			case <-done:
				return
			}
		}
	})
	return func() { close(done) }
}

// editFar is EditText where the editor has to run in another process.
func editFar(a *app, text string, take func(string) tea.Cmd) tea.Cmd {
	if len(text) > mostEdited {
		return a.Say(event.Warning, "this text is too long for an editor over --attach")
	}
	a.term.give()
	return a.Do(func() func() tea.Cmd {
		got, err := a.term.far.Edit(text)
		return func() tea.Cmd {
			back := a.takeTerminal()
			if err != nil {
				return tea.Batch(back, a.Fail(err))
			}
			return tea.Batch(back, take(edited(text, got)))
		}
	})
}

// suspendFar gives the terminal to its shell for a while.
func suspendFar(a *app) tea.Cmd {
	a.term.give()
	return a.Do(func() func() tea.Cmd {
		err := a.term.far.Suspend()
		return func() tea.Cmd {
			back := a.takeTerminal()
			if err != nil {
				return tea.Batch(back, a.Say(event.Warning, err.Error()))
			}
			return back
		}
	})
}

// Edit runs the user's editor on a text, on the terminal of this process, and returns
// what it left.
func Edit(ctx context.Context, text string) (string, error) {
	c, path, err := editor(ctx, text)
	if err != nil {
		return "", err
	}
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = c.Run()
	got, readErr := readEdited(path)
	if err = errors.Join(err, readErr); err != nil {
		return "", err
	}
	return got, nil
}
