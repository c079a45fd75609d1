//go:build !windows

package tui

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/sys/unix"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// resized has the system signal a changed size on sizes. No polling is needed, so looks is nil.
func resized(sizes chan os.Signal) (looks <-chan time.Time, stop func()) {
	signal.Notify(sizes, syscall.SIGWINCH)
	return nil, func() { signal.Stop(sizes) }
}

// obeySequences does nothing: these terminals interpret escape sequences anyway.
func obeySequences(_, _ *os.File) (restore func()) { return nil }

// suspend leaves the terminal to the shell until it resumes the program. If no shell could do so,
// because the program is the terminal's own command, it continues immediately.
func (a *app) suspend() tea.Cmd {
	return a.term.release(stopSelf{a.term.ending}.Run, func(err error) tea.Msg {
		return pane.Callback(func() tea.Cmd {
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

// errNotStopped means that the system ignored a request to stop.
var errNotStopped = errors.New("there is no shell to resume from, so the program was not suspended; quit it instead, " +
	"and the next start is back here")

// stopWait is half of the maximum time that the system takes to stop a process, with a margin.
const stopWait = 500 * time.Millisecond

// foregroundPoll is the interval between checks whether the shell has given the terminal back.
const foregroundPoll = 200 * time.Millisecond

// stopSelf stops the process group until a shell resumes it, or until the program is to end.
type stopSelf struct{ ending <-chan struct{} }

// Run stops the process group. A group without a shell is never stopped: the system drops the
// signal, because nobody would ever continue it.
func (s stopSelf) Run() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return errNotStopped
	}
	for range 2 { // if resumed after a long time, the first wait may be over before the signal arrives
		select {
		case <-continued:
			s.waitForeground()
			return nil
		case <-s.ending:
			return nil
		case <-time.After(stopWait):
		}
	}
	return errNotStopped
}

// waitForeground waits until the terminal is ours again. A process that touches it before, such as
// one that was continued only to end, is stopped again.
func (s stopSelf) waitForeground() {
	for !inForeground() {
		select {
		case <-s.ending:
			return
		case <-time.After(foregroundPoll):
		}
	}
}

// inForeground reports whether the terminal lets this process group have it.
func inForeground() bool {
	group, err := unix.IoctlGetInt(int(os.Stdin.Fd()), unix.TIOCGPGRP)
	return err != nil || int32(group) == int32(unix.Getpgrp()) //nolint:gosec // the system has 32 bits of it
}

// keyboard reads a terminal that other programs use for a while. Bubble Tea has its own reader for
// that, which leaves its files open each time.
type keyboard struct {
	file    *os.File
	mu      sync.Mutex
	reader  cancelReader // nil until the next Read
	reading bool
	paused  bool
}

// cancelReader is a reader whose Read can be ended by another goroutine.
type cancelReader interface {
	io.ReadCloser
	Cancel() bool
}

// newKeyboard returns a reader of a terminal.
func newKeyboard(f *os.File) keyReader { return &keyboard{file: f} }

// Read implements io.Reader. Between Pause and Resume it returns io.EOF immediately, also from a
// Read that had begun before.
func (k *keyboard) Read(p []byte) (int, error) {
	r, err := k.begin()
	if err != nil {
		return 0, err
	}
	n, err := r.Read(p)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = false
	if r == k.reader {
		return n, err
	}
	_ = r.Close() // it holds no data that could be lost
	if n > 0 {
		return n, nil
	}
	return 0, io.EOF
}

// begin returns the reader for the next Read.
func (k *keyboard) begin() (cancelReader, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.paused {
		return nil, io.EOF
	}
	if k.reader == nil {
		r, err := uv.NewCancelReader(k.file)
		if err != nil {
			return nil, err
		}
		k.reader = r
	}
	k.reading = true
	return k.reader, nil
}

// Pause ends a running Read. The reading goroutine may be between two Reads, so the reader that it
// would use must be replaced as well: a cancelled one would end the Read that begins after Resume.
func (k *keyboard) Pause() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.paused = true
	if k.reader == nil {
		return
	}
	k.reader.Cancel()
	if !k.reading {
		_ = k.reader.Close()
	}
	k.reader = nil
}

// Resume lets the next Read read the terminal again.
func (k *keyboard) Resume() {
	k.mu.Lock()
	k.paused = false
	k.mu.Unlock()
}
