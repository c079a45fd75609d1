package failure

import (
	"errors"

	"ghostlight/storage"
)

// Damaged tells whether a record was missing or could not be read, rather than
// not written.
func Damaged(err error) bool {
	return errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrNotFound)
}
