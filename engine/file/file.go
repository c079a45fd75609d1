// Package file writes files atomically: completely, or not at all.
package file

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// The errors for an obstacle at the path, other than a regular file, which is fs.ErrExist. An
// obstacle is never changed.
var (
	ErrFolder    = errors.New("is a folder: name a file")
	ErrIrregular = errors.New("is not a regular file")
)

// existsError means that a file exists at the path.
type existsError struct{ path string }

func (e *existsError) Error() string { return e.path + " already exists and was left as it is" }

func (e *existsError) Is(target error) bool { return target == fs.ErrExist }

// Options configure how a file is written.
type Options struct {
	Replace bool        // replaces an existing regular file and keeps its mode; a link to one stays a link
	Mode    fs.FileMode // of a new file; 0 means 0600
}

// Put writes a file beside path, syncs it, and then renames it to path. It returns its size. The
// error is fs.ErrExist, ErrFolder or ErrIrregular for an obstacle, and the error of write
// unchanged; any other error names the file that cannot be written, and the reason.
func Put(path string, how Options, write func(io.Writer) error) (size int64, err error) {
	path, mode, err := target(path, how)
	if err != nil {
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".ghostlight-*")
	if err != nil {
		return 0, Fault(path, err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // already gone if it was renamed
	counted := &counter{to: temp}
	out := bufio.NewWriterSize(counted, 1<<16)
	if err := write(out); err != nil {
		_ = temp.Close() // it is thrown away
		return 0, err
	}
	if err := errors.Join(out.Flush(), temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return 0, Fault(path, err)
	}
	if !how.Replace {
		// A link, unlike a rename, never replaces a file that was created meanwhile. Not every file
		// system has links.
		if err := os.Link(temp.Name(), path); err == nil {
			return counted.n, nil
		} else if errors.Is(err, fs.ErrExist) {
			return 0, &existsError{path}
		}
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return 0, Fault(path, err)
	}
	return counted.n, nil
}

// Write is Put for data in memory.
func Write(path string, how Options, data []byte) error {
	_, err := Put(path, how, func(w io.Writer) error { _, err := w.Write(data); return err })
	return err
}

// target returns the file that a path leads to, and its new mode.
func target(path string, how Options) (string, fs.FileMode, error) {
	mode := how.Mode
	if mode == 0 {
		mode = 0o600
	}
	info, err := os.Stat(path)
	switch {
	case err != nil: // it does not exist; any other fault is reported when it is written
		return path, mode, nil
	case info.IsDir():
		return "", 0, fmt.Errorf("%s %w", path, ErrFolder)
	case !how.Replace:
		return "", 0, &existsError{path}
	case !info.Mode().IsRegular():
		return "", 0, fmt.Errorf("%s %w", path, ErrIrregular)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", 0, Fault(path, err)
	}
	return real, info.Mode().Perm(), nil
}

// counter counts the written bytes.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// Fault returns err as the reason why path cannot be written. The system's error names a temporary
// file that the user does not know. If the folder of path does not exist, the error says that
// instead.
func Fault(path string, err error) error {
	dir := filepath.Dir(path)
	if info, bad := os.Stat(dir); errors.Is(bad, fs.ErrNotExist) || bad == nil && !info.IsDir() {
		return failure.Refusef("there is no folder %s to write to: create it first, or name another one", dir)
	}
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
