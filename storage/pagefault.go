package storage

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// bbolt trusts the pages of its file. Where one is damaged it panics, runs over the end of a
// slice, or touches memory behind the end of the file. All of this package's transactions run
// in read and write, which return it as an ErrCorrupt: a bad sector must not end the program.

// read runs f in a transaction of bbolt that changes nothing.
func (s *Store) read(f func(*bolt.Tx) error) error {
	return s.catchPageFaults(func() error { return s.db.View(f) })
}

// write runs f in a bbolt transaction, and rolls it back if f returns an error. Before the first
// commit, all used pages are checked, which takes a millisecond per megabyte: bbolt would carry
// data from a damaged page over into sound ones.
func (s *Store) write(f func(*bolt.Tx) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.stuck.Load() {
		return corrupt(s.path, errors.New("its list of free pages cannot be read"))
	}
	var tx *bolt.Tx
	err := s.catchPageFaults(func() error {
		return s.db.Update(func(b *bolt.Tx) error {
			tx = b
			if s.unsound != nil {
				return s.unsound
			}
			if err := f(b); err != nil || s.checked {
				return err
			}
			found := &CheckError{}
			if checkUsed(s.file, false, found); len(found.Faults) > 0 {
				s.unsound = corrupt(s.path, errors.New(found.Faults[0]))
				return s.unsound
			}
			s.checked = true
			return nil
		})
	})
	// A rollback reads the list of free pages again. If that fails too, bbolt's write lock stays
	// taken, and whoever waits for it would wait forever.
	if tx != nil && tx.DB() != nil || tx == nil && errors.Is(err, ErrCorrupt) {
		s.stuck.Store(true)
	}
	return err
}

// catchPageFaults runs what reads the file's pages by bbolt, and makes what a damaged one causes there
// into an ErrCorrupt. Other panics pass.
func (s *Store) catchPageFaults(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of this goroutine alone
	defer func() {
		if r := recover(); r != nil {
			if !ofPages(r) {
				panic(r)
			}
			err = corrupt(s.path, pageError(r))
		}
	}()
	return f()
}

// pageError returns an error in words for a panic that bbolt raised on an unreadable page. The text
// of a Go runtime error would help no user.
func pageError(r any) error {
	if _, ok := r.(runtime.Error); ok {
		return errors.New("a page of it leads nowhere")
	}
	return errors.New(clip(fmt.Sprint(r), 200))
}

// txClosed is bbolt's panic text for a bucket that is read after its transaction's end.
const txClosed = "assertion failed: tx closed"

// ofPages reports whether a panic, which the caller is recovering from, comes from a page that
// cannot be read and not from a fault in the program: memory behind the end of the file was
// touched, or the panic began in bbolt.
func ofPages(r any) bool {
	if _, ok := r.(interface{ Addr() uintptr }); ok {
		return true
	}
	return r != txClosed && beganInBolt()
}

// beganInBolt reports whether the panic that is being recovered from began in bbolt, or in what
// that calls of Go's own packages.
func beganInBolt() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && strings.Contains(f.Function, "go.etcd.io/bbolt"):
			return true
		case panicked && strings.Contains(f.Function, "/ghostlight/"):
			return false
		}
		if !more {
			return false
		}
	}
}
