// Package failure holds the errors of the engine that callers distinguish, and their texts for the
// user.
package failure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The errors that callers distinguish.
var (
	// ErrTurnRunning: a reply is still being written in that chat.
	ErrTurnRunning = errors.New("a reply is still being written in this chat")
	// ErrNoModelChosen: no model was chosen yet, and the server has not exactly one.
	ErrNoModelChosen = errors.New("no model is chosen")
	// ErrRefused: the request cannot be carried out in the present state.
	ErrRefused = errors.New("there is nothing to do")
	// ErrAmbiguous: the user's reference matches more than one thing.
	ErrAmbiguous = errors.New("it is ambiguous")
	// ErrStopped: the user stopped a reply before it had any text.
	ErrStopped = errors.New("stopped before there was any text")
)

// stepError names the step that failed. The name is for the log: Text leaves it out.
type stepError struct {
	step string
	err  error
}

// Wrap adds the name of the failed step, for the log: Text leaves it out.
func Wrap(step string, err error) error { return &stepError{step, err} }

func (e *stepError) Error() string { return e.step + ": " + e.err.Error() }

func (e *stepError) Unwrap() error { return e.err }

// refusal is a reason, in words for the user, why something is not done. It is an ErrRefused.
type refusal struct{ words string }

// Refusef returns an error with a reason, in words for the user, why something is not done. It is an
// ErrRefused.
func Refusef(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func (e *refusal) Error() string { return e.words }

func (e *refusal) Is(target error) bool { return target == ErrRefused }

// Missing means that the user named something that does not exist. It is a storage.ErrNotFound.
type Missing struct{ Kind, Ref string }

func (e *Missing) Error() string { return fmt.Sprintf("no %s %q found", e.Kind, ShortRef(e.Ref)) }

// Is reports whether target is storage.ErrNotFound.
func (e *Missing) Is(target error) bool { return target == storage.ErrNotFound }

// ShortRef returns the beginning of a user's reference: it may be a whole text that was given in
// the wrong place.
func ShortRef(ref string) string {
	if short := FirstRunes(ref, 100); len(short) < len(ref) {
		return short + "…"
	}
	return ref
}

// Ambiguous lists the things that the user may have meant. It is an ErrAmbiguous.
type Ambiguous struct {
	Kind, Ref string
	Hits      []string
}

func (e *Ambiguous) Error() string {
	return fmt.Sprintf("%s %q may be %s; use an id", e.Kind, ShortRef(e.Ref), strings.Join(e.Hits, ", "))
}

// Is reports whether target is ErrAmbiguous.
func (e *Ambiguous) Is(target error) bool { return target == ErrAmbiguous }

// DamagedBackup means that a backup failed its check. The data file itself is not affected.
type DamagedBackup struct {
	Path string
	Err  error
}

func (e *DamagedBackup) Error() string {
	return fmt.Sprintf("the backup %s is damaged (%v): choose another, ghostlight restore lists them", e.Path, e.Err)
}

// Unwrap returns the fault of the backup.
func (e *DamagedBackup) Unwrap() error { return e.Err }

// Damaged reports whether a record was missing or could not be read. It is false for an error of
// writing.
func Damaged(err error) bool {
	return errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrNotFound)
}

// IgnoreMissing returns nil for a missing record, and any other error unchanged.
func IgnoreMissing(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
