package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GoneError holds the path that the data file had. It is an ErrGone.
type GoneError struct {
	Path    string
	Another bool // another file has that path now
}

func (e *GoneError) Error() string {
	if e.Another {
		return e.Path + " is another file than the one that is open"
	}
	return e.Path + " is no longer there: it, or its folder, was removed or renamed"
}

// Is makes errors.Is(err, ErrGone) true.
func (e *GoneError) Is(target error) bool { return target == ErrGone }

// Gone returns a *GoneError if the path of the open file leads to no file, or to another one. Data
// written then would be lost at the end of the program, or be in a file that nobody looks for.
// After the file is put back, Gone returns nil again. It costs two system calls.
func (s *Store) Gone() error {
	now, err := os.Stat(s.place)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &GoneError{Path: s.path}
	case err != nil: // an unreadable folder says nothing about its files
		return nil
	}
	open, err := s.file.Stat()
	if err == nil && !os.SameFile(open, now) {
		return &GoneError{Path: s.path, Another: true}
	}
	return nil
}

// absolute returns a path that stays valid if the working directory changes.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// CopyTo writes a complete copy of the store to a file that must not exist, even if the data file
// itself is gone. last, if not nil, adds data to the copy that the store does not have. If it
// fails, the copy is kept without that data, and the error says so.
func (s *Store) CopyTo(path string, last func(*Tx) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("copy: %s: %w", path, fs.ErrExist)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return ioError("copy", err)
	}
	if err := writeWhole(path, func(f *os.File) error {
		_, err := s.Backup(f)
		return err
	}); err != nil {
		return ioError("copy", err)
	}
	if last == nil {
		if err := s.checkCopy(path); err != nil {
			return fmt.Errorf("%s was written, and is damaged as the data file is: %w", path, err)
		}
		return nil
	}
	copied, err := Open(path, Options{Program: "ghostlight", Unlock: KeyOr(s.key, nil)})
	if err == nil {
		err = errors.Join(copied.Update(last), copied.Close())
	}
	if err != nil {
		return fmt.Errorf("%s was written, but what was not stored yet is not in it: %w", path, err)
	}
	return nil
}
