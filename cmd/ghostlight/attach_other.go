//go:build !windows

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifySize has the system say when the terminal has another size.
func notifySize(c chan os.Signal) (stop func()) {
	signal.Notify(c, syscall.SIGWINCH)
	return func() { signal.Stop(c) }
}
