//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// detach lets a program outlive this one and its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
