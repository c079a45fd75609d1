package event

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TxHooks are functions that run in the transaction of the change that they react to, so that all
// of it is stored or nothing. They are added while the engine is wired, before anything runs, and
// run in that order. The first error aborts the transaction. The zero value is ready.
type TxHooks[T any] struct {
	list []func(tx *storage.Tx, what T) error
}

// Add appends hooks. It must not be called once the engine runs.
func (w *TxHooks[T]) Add(act ...func(tx *storage.Tx, what T) error) { w.list = append(w.list, act...) }

// Run calls the hooks in order and returns the first error.
func (w *TxHooks[T]) Run(tx *storage.Tx, what T) error {
	for _, act := range w.list {
		if err := act(tx, what); err != nil {
			return err
		}
	}
	return nil
}

// CommitHooks are functions that run after something was stored. They are added like TxHooks. The
// zero value is ready.
type CommitHooks[T any] struct {
	list []func(what T)
}

// Add appends hooks. It must not be called once the engine runs.
func (a *CommitHooks[T]) Add(act ...func(what T)) { a.list = append(a.list, act...) }

// Run calls the hooks in order. It must not be called inside a transaction.
func (a *CommitHooks[T]) Run(what T) {
	for _, act := range a.list {
		act(what)
	}
}
