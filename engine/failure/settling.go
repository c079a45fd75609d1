package failure

import (
	"errors"

	"ghostlight/storage"
)

func IgnoreMissing(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
