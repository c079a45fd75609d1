//go:build !windows

package tui

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
)

// resized has the system say on sizes that the terminal has another size. Nobody
// needs to look for it.
func resized(sizes chan os.Signal) (looks <-chan time.Time, stop func()) {
	signal.Notify(sizes, syscall.SIGWINCH)
	return nil, func() { signal.Stop(sizes) }
}

// obeySequences does nothing: terminals obey them.
func obeySequences(_, _ *os.File) (restore func()) { return nil }

// suspend leaves the terminal to the shell until it brings the program back. Where nobody
// could do so, as when the program is the terminal's own command, it goes on at once.
func (a *app) suspend() tea.Cmd {
	if a.term.far != nil {
		return suspendFar(a)
	}
	a.term.give()
	return tea.Exec(stopping{}, func(err error) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			back := a.takeTerminal()
			if err != nil {
				return tea.Batch(back, a.Say(event.Warning, err.Error()))
			}
			return back
		})
	})
}

// endEditor asks an editor to end.
func endEditor(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// errNotStopped is what became of a request to stop that the system has not heeded.
var errNotStopped = errors.New("no shell is here that could bring the program back: it was not suspended; ctrl+q leaves it, and the next start is back here")

// stopWait is half of how long the system takes at most to stop a process, with room to
// spare.
const stopWait = 500 * time.Millisecond

// stopping stops the process group until somebody continues it.
type stopping struct{}

// Run implements tea.ExecCommand. A group that no shell looks after is never stopped: the
// system drops the signal, and nobody would ever continue it.
func (stopping) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return errNotStopped
	}
	for range 2 { // who is continued after a long time finds the first wait over before the signal is there
		select {
		case <-continued:
			return nil
		case <-time.After(stopWait):
		}
	}
	return errNotStopped
}

// Suspend stops the process group until a shell continues it; an error says that none is
// here to do so.
func Suspend() error { return stopping{}.Run() }

func (stopping) SetStdin(io.Reader)  {}
func (stopping) SetStdout(io.Writer) {}
func (stopping) SetStderr(io.Writer) {}
