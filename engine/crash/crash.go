// Package crash starts every goroutine of the program, so that a panic in any
// of them restores the terminal, leaves a report behind and ends the program
// instead of wrecking the user's screen.
package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"
)

var state struct {
	sync.Mutex
	dir     string
	program string
	restore func()
}

// Prepare sets the folder of the reports, the program's name in them, and the function that
// restores the terminal. restore may be nil; it must be safe to call from any goroutine. Later
// calls replace earlier ones.
func Prepare(dir, program string, restore func()) {
	state.Lock()
	defer state.Unlock()
	state.dir, state.program, state.restore = dir, program, restore
}

// Go runs f in a new goroutine. If f panics, the terminal is restored, a report is written and the
// process exits with status 1. name describes in the report the work of f.
func Go(name string, f func()) {
	go func() {
		defer Recover(name)
		f()
	}()
}

// Recover is deferred by code that runs on a goroutine it did not start itself.
// It ends the process as Go does when there is a panic to recover from.
func Recover(name string) {
	if r := recover(); r != nil {
		Report(name, r, debug.Stack())
		os.Exit(1)
	}
}

// Report restores the terminal, writes the report and prints its path to stderr, or the report
// itself if it cannot be written. It does not end the process.
func Report(name string, cause any, stack []byte) {
	state.Lock()
	program, restore := state.program, state.restore
	state.restore = nil
	state.Unlock()
	if restore != nil {
		restore()
	}
	path, text, err := Write(name, cause, stack)
	if err != nil {
		fmt.Fprintln(os.Stderr, text)
		return
	}
	fmt.Fprintf(os.Stderr, "%s crashed; everything up to the last second is saved.\nThe crash report is in %s\n",
		program, path)
}

// Write writes the report of a panic that does not end the program, and returns its path and its
// text. It leaves the terminal alone.
func Write(name string, cause any, stack []byte) (path, text string, err error) {
	state.Lock()
	dir, program := state.dir, state.program
	state.Unlock()
	text = fmt.Sprintf("%s crashed in %s at %s\n\n%v\n\n%s", program, name, time.Now().Format(time.RFC3339),
		cause, stack)
	path, err = write(dir, text)
	return path, text, err
}

func write(dir, text string) (string, error) {
	if dir == "" {
		return "", os.ErrNotExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "crash-"+time.Now().UTC().Format("20060102T150405.000")+".txt")
	return path, os.WriteFile(path, []byte(text), 0o600)
}
