package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// terminal is the terminal that the program runs on: its raw mode and its painter. Bubble Tea does
// not touch either when its own renderer is off. Without files, as in tests, there is no raw mode
// to set.
type terminal struct {
	in, out *os.File
	painter *painter.Painter
	state   *term.State // the state to restore; nil while the terminal is not ours
	console func()      // undoes obeySequences; nil if it set nothing

	keys    keyReader                          // nil if in is nil
	ending  chan struct{}                      // closed once the process was asked to end
	outside atomic.Pointer[context.CancelFunc] // ends the editor that uses the terminal
}

// keyReader reads typed keys from a terminal. After Pause, keys go to other programs until Resume.
type keyReader interface {
	io.Reader
	Pause()
	Resume()
}

// release gives the terminal to run until run returns; then done is called.
func (t *terminal) release(run func() error, done tea.ExecCallback) tea.Cmd {
	t.leave()
	return tea.Exec(terminalCommand{run, t.keys}, done)
}

// terminalCommand is a command that has the terminal for a while.
type terminalCommand struct {
	run  func() error
	keys keyReader // nil in tests
}

// Run implements tea.ExecCommand. The keys belong to the program again when it returns: Bubble Tea
// begins to read them before it calls back.
func (b terminalCommand) Run() error {
	if b.keys != nil {
		defer b.keys.Resume()
	}
	return b.run()
}

func (terminalCommand) SetStdin(io.Reader)  {}
func (terminalCommand) SetStdout(io.Writer) {}
func (terminalCommand) SetStderr(io.Writer) {}

// enter puts the terminal into raw mode and enters the screen; query asks it for its capabilities.
func (t *terminal) enter(query string) error {
	if t.in != nil && t.state == nil {
		state, err := term.MakeRaw(t.in.Fd())
		if err != nil {
			return fmt.Errorf("screen: standard input is not a terminal: %w", err)
		}
		t.state, t.console = state, obeySequences(t.in, t.out)
	}
	if err := t.painter.Enter(query); err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

// leave restores the terminal. Restoring it twice does nothing, and a crashing goroutine may do so
// at any time.
func (t *terminal) leave() {
	t.painter.Leave()
	if t.in != nil && t.state != nil {
		if t.console != nil {
			t.console()
		}
		t.keys.Pause()
		_ = term.Restore(t.in.Fd(), t.state)
		t.state, t.console = nil, nil
	}
}

// size returns the current size of the terminal.
func (t *terminal) size() (msg tea.WindowSizeMsg, ok bool) {
	if t.out == nil {
		return msg, false
	}
	w, h, err := term.GetSize(t.out.Fd())
	return tea.WindowSizeMsg{Width: w, Height: h}, err == nil
}

// follow sends every change of the size, beginning with the current one. It ends the program when
// the terminal goes away or a signal asks the process to end.
func (t *terminal) follow(send func(tea.Msg), quit func()) (stop func()) {
	sizes, ends, done := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	looks, stopLooking := resized(sizes)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	crash.Go("the signal handler", func() {
		last, ok := t.size()
		if ok {
			send(last)
		}
		for {
			select {
			case <-sizes:
				if s, ok := t.size(); ok {
					last = s
					send(s)
				}
			case <-looks:
				if s, ok := t.size(); ok && s != last {
					last = s
					send(s)
				}
			case <-ends:
				close(t.ending)
				if end := t.outside.Load(); end != nil {
					(*end)()
				}
				quit()
				return
			case <-done:
				return
			}
		}
	})
	return func() {
		stopLooking()
		signal.Stop(ends)
		close(done)
	}
}
