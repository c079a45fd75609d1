package event

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Within are those that act because something happens, in the transaction in which
// it happens: either all of it is stored, or nothing. They are registered while the
// engine is wired, before anything runs, and act in that order; the first error ends
// the transaction. The zero value is ready.
type Within[T any] struct {
	list []func(tx *storage.Tx, what T) error
}

// Then registers those that act.
func (w *Within[T]) Then(act ...func(tx *storage.Tx, what T) error) { w.list = append(w.list, act...) }

// Run has all of them act.
func (w *Within[T]) Run(tx *storage.Tx, what T) error {
	for _, act := range w.list {
		if err := act(tx, what); err != nil {
			return err
		}
	}
	return nil
}

// After are those that act once something is stored. They must not be called inside
// a transaction. They are registered like those of Within. The zero value is ready.
type After[T any] struct {
	list []func(what T)
}

// Then registers those that act.
func (a *After[T]) Then(act ...func(what T)) { a.list = append(a.list, act...) }

// Run has all of them act.
func (a *After[T]) Run(what T) {
	for _, act := range a.list {
		act(what)
	}
}
