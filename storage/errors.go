package storage

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	bolterrors "go.etcd.io/bbolt/errors"
)

// These errors are for use with errors.Is.
var (
	// ErrNotFound: nothing is kept under that id. See NotFoundError.
	ErrNotFound = errors.New("not found")
	// ErrLocked: another process holds the file. See LockedError.
	ErrLocked = errors.New("the data file is in use")
	// ErrNewer: a newer version of the program wrote the file.
	ErrNewer = errors.New("the data file is newer than this program")
	// ErrOlder: the file has to be brought up to date, which a read-only store
	// cannot do.
	ErrOlder = errors.New("the data file is older than this program")
	// ErrTooOld: the file has a version that can no longer be updated.
	ErrTooOld = errors.New("the data file is too old for this program")
	// ErrCorrupt: the file is damaged or no data file of this program.
	ErrCorrupt = errors.New("the data file is damaged")
	// ErrDiskFull: no room, a quota or a file size limit. Nothing of the
	// transaction was kept; the store goes on working.
	ErrDiskFull = errors.New("no room left on the disk")
	// ErrBadID: a key is not a well-formed id.
	ErrBadID = errors.New("not a valid id")
	// ErrTooLarge: a record is larger than MaxRecord.
	ErrTooLarge = errors.New("too large to keep")
	// ErrClosed: the store was closed before.
	ErrClosed = errors.New("the data file is closed")
	// ErrTxClosed is the panic value of a transaction that is used after its end.
	ErrTxClosed = errors.New("a transaction was used after its end")
	// ErrGone: the file that is open is no longer the one that its path leads to. What was
	// stored can still be read. See GoneError.
	ErrGone = errors.New("the data file is gone")
	// ErrReadOnly: a write was tried in a read-only store or transaction.
	ErrReadOnly = errors.New("the data file is open for reading only")
)

// NotFoundError describes a missing record. It is an ErrNotFound.
type NotFoundError struct {
	Kind string // "character", "chat", "message" ...
	ID   string
}

func (e *NotFoundError) Error() string {
	if e.ID == "" {
		return "no " + e.Kind + " was named"
	}
	return fmt.Sprintf("there is no %s %q", e.Kind, clip(e.ID, 80))
}

// Is makes errors.Is(err, ErrNotFound) true.
func (e *NotFoundError) Is(target error) bool { return target == ErrNotFound }

// fullDisk are the system's answers that mean there is no room.
var fullDisk = [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// ioError puts the sentinels of this package in front of what the system or
// bbolt answered to op. It keeps err in the chain. A nil err stays nil.
func ioError(op string, err error) error {
	if err == nil {
		return nil
	}
	for _, errno := range fullDisk {
		// bbolt flattens the error of a failed resize into text, so errors.Is alone may not find
		// it.
		if errors.Is(err, errno) || strings.HasSuffix(err.Error(), errno.Error()) {
			return fmt.Errorf("%s: %w: %w", op, ErrDiskFull, err)
		}
	}
	switch {
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return fmt.Errorf("%s: %w", op, ErrClosed)
	case errors.Is(err, bolterrors.ErrDatabaseReadOnly), errors.Is(err, bolterrors.ErrTxNotWritable):
		return fmt.Errorf("%s: %w", op, ErrReadOnly)
	case errors.Is(err, bolterrors.ErrIncompatibleValue):
		return fmt.Errorf("%s: %w: a record stands where a table should be, or the other way round", op, ErrCorrupt)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// clip shortens s to at most n bytes for an error message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
