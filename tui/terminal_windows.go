package tui

import (
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/windows"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
)

// sizeLook is the interval between checks of the console's size.
const sizeLook = 200 * time.Millisecond

// resized returns a channel that says when to check for another size: Windows has no signal for it.
func resized(chan os.Signal) (looks <-chan time.Time, stop func()) {
	t := time.NewTicker(sizeLook)
	return t.C, t.Stop
}

// obeySequences makes the console interpret escape sequences, and send keys as such: by default an
// old one does neither. restore undoes that.
func obeySequences(in, out *os.File) (restore func()) {
	keys := consoleMode(in, windows.ENABLE_VIRTUAL_TERMINAL_INPUT)
	orders := consoleMode(out, windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
	return func() { keys(); orders() }
}

// consoleMode adds to the mode of a console. A file that is not a console stays unchanged.
func consoleMode(f *os.File, add uint32) (restore func()) {
	h, was := windows.Handle(f.Fd()), uint32(0)
	if windows.GetConsoleMode(h, &was) != nil || windows.SetConsoleMode(h, was|add) != nil {
		return func() {}
	}
	return func() { _ = windows.SetConsoleMode(h, was) } // nobody is left to report an error to
}

// endEditor ends an editor: Windows cannot ask.
func endEditor(p *os.Process) error { return p.Kill() }

// suspend shows that it is not possible: Windows has no job control.
func (a *app) suspend() tea.Cmd {
	return a.Say(event.Info, "Windows cannot suspend programs; quit it instead, and the next start is back here")
}

// console is the console itself, which Bubble Tea reads in its own way.
type console struct{ *os.File }

// newKeyboard returns a reader of a console.
func newKeyboard(f *os.File) keyReader { return console{f} }

// Pause does nothing: Bubble Tea ends the Read.
func (console) Pause() {}

// Resume does nothing.
func (console) Resume() {}
