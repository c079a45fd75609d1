//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package storage

import (
	"os"
	"syscall"
)

// unlock lets go of the lock that bbolt took on f. Closing f is not enough
// while a map of the file is left, which keeps the lock alive.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
