package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"ghostlight/engine/crash"
	"ghostlight/tui/painter"
)

// terminal is the terminal that the program runs on: its raw mode and its
// painter. Bubble Tea leaves both alone when its own renderer is off. Without
// files, as in tests, there is no raw mode to set.
type terminal struct {
	in, out *os.File
	painter *painter.Painter
	state   *term.State // what to go back to; nil while the terminal is not ours
}

// take puts the terminal into raw mode and enters the screen; query asks it
// what the program wants to know.
func (t *terminal) take(query string) error {
	if t.in != nil && t.state == nil {
		state, err := term.MakeRaw(t.in.Fd())
		if err != nil {
			return fmt.Errorf("screen: standard input is not a terminal: %w", err)
		}
		t.state = state
	}
	if err := t.painter.Enter(query); err != nil {
		return fmt.Errorf("screen: %w", err)
	}
	return nil
}

// give gives the terminal back as it was. Giving it back twice does nothing, and
// a crashing goroutine may do so at any time.
func (t *terminal) give() {
	t.painter.Leave()
	if t.in != nil && t.state != nil {
		_ = term.Restore(t.in.Fd(), t.state)
		t.state = nil
	}
}

// size is how large the terminal is now.
func (t *terminal) size() (msg tea.WindowSizeMsg, ok bool) {
	if t.out == nil {
		return msg, false
	}
	w, h, err := term.GetSize(t.out.Fd())
	return tea.WindowSizeMsg{Width: w, Height: h}, err == nil
}

// follow tells of every change of the size, the present one first, and ends the
// program when the terminal goes away or somebody asks the process to end.
func (t *terminal) follow(send func(tea.Msg), quit func()) (stop func()) {
	sizes, ends, done := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(sizes, syscall.SIGWINCH)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	crash.Go("the signal handler", func() {
		for {
			if s, ok := t.size(); ok {
				send(s)
			}
			select {
			case <-sizes:
			case <-ends:
				quit()
				return
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(sizes)
		signal.Stop(ends)
		close(done)
	}
}
