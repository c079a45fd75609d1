// Package file puts files where they are wanted: whole, or not at all.
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

// What is in the way of a file that is to be put in place, beside a regular file, which is
// fs.ErrExist. All of it is left as it is.
var (
	ErrFolder    = errors.New("is a folder: name a file")
	ErrIrregular = errors.New("is not a regular file")
)

// existsError says that a file is in the way.
type existsError struct{ path string }

func (e *existsError) Error() string { return e.path + " already exists and was left as it is" }

func (e *existsError) Is(target error) bool { return target == fs.ErrExist }

// Options says how a file is put in place.
type Options struct {
	Replace bool        // in the place of a regular file that is there, whose mode it gets; a link to one stays a link
	Mode    fs.FileMode // of a new file; 0600 where it is 0
}

// Put writes a file beside path and gives it its name once it is whole and on the disk.
// It returns its size. What is in the way is fs.ErrExist, ErrFolder or ErrIrregular; a fault of
// write comes back as it is; any other says what cannot be written and why.
func Put(path string, how Options, write func(io.Writer) error) (size int64, err error) {
	path, mode, err := target(path, how)
	if err != nil {
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".ghostlight-*")
	if err != nil {
		return 0, Fault(path, err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // gone already where it was renamed
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
		// A link, unlike a renaming, never replaces a file that has come in
		// between. Not every file system has links.
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

// Write is Put for what is at hand.
func Write(path string, how Options, data []byte) error {
	_, err := Put(path, how, func(w io.Writer) error { _, err := w.Write(data); return err })
	return err
}

// target returns the file that a path leads to, and the mode that it gets.
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

// counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// Fault says of an error about a file that was to be written which one that
// is: the system names one of our own that nobody knows.
func Fault(path string, err error) error {
	dir := filepath.Dir(path)
	if info, bad := os.Stat(dir); errors.Is(bad, fs.ErrNotExist) || bad == nil && !info.IsDir() {
		return failure.Refuse("there is no folder %s to write to: create it first, or name another one", dir)
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
