// Package process starts other programs that continue to run when this one ends.
package process

import (
	"os/exec"
	"runtime"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// Start starts a program, which continues to run when this one ends, and does not wait for it.
func Start(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	crash.Go("waiting for "+name, func() { _ = cmd.Wait() })
	return nil
}

// Open opens a file in the system's viewer.
func Open(path string) error {
	if runtime.GOOS == "darwin" {
		return Start("open", path)
	}
	return Start("xdg-open", path)
}
