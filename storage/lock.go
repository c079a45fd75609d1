package storage

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unicode"
)

// LockedError says which process has the data file open. PID is 0 when that
// could not be found out. It is an ErrLocked.
type LockedError struct {
	Path    string
	PID     int
	Program string
	Since   time.Time
}

func (e *LockedError) Error() string {
	holder := "another process"
	if e.PID > 0 {
		name := e.Program
		if name == "" {
			name = "another process"
		}
		holder = fmt.Sprintf("%s (process %d", name, e.PID)
		if !e.Since.IsZero() {
			holder += ", since " + e.Since.Local().Format("2 Jan 15:04")
		}
		holder += ")"
	}
	return fmt.Sprintf("%s is in use by %s: close that first, or use another data folder", e.Path, holder)
}

// Is makes errors.Is(err, ErrLocked) true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// holder is the content of the sidecar file. It is only used to word a refusal: the system's lock
// on the data file decides, and a sidecar left by a crashed process has no effect.
type holder struct {
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Since   time.Time `json:"since"`
}

func sidecarPath(path string) string { return path + ".lock" }

// writeSidecar is called with the lock held.
func writeSidecar(path, program string) error {
	data, err := json.Marshal(holder{PID: os.Getpid(), Program: program, Since: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	name := sidecarPath(path)
	// Removed first, so that neither an old file's mode nor a link stays.
	_ = os.Remove(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(name)
	}
	return err
}

func lockedError(path string) *LockedError {
	e := &LockedError{Path: path}
	f, err := os.Open(sidecarPath(path))
	if err != nil {
		return e
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return e
	}
	var h holder
	// A process that is gone cannot be the one that holds the lock.
	if json.Unmarshal(data, &h) != nil || h.PID <= 0 || !alive(h.PID) {
		return e
	}
	e.PID, e.Since = h.PID, h.Since
	e.Program = clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, h.Program), 60)
	return e
}

// alive reports whether there is a process pid, ours or another user's.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" { // there, FindProcess only finds running processes, and Signal cannot test one
		_ = p.Release() // was only looked for
		return true
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || os.IsPermission(err)
}
