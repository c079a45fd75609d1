package scenes

import (
	"errors"

	"ghostlight/storage"
)

// SceneGone tells whether a chat or a scene is not there any more.
func SceneGone(err error) bool {
	return errors.Is(err, ErrNoScene) || errors.Is(err, storage.ErrNotFound)
}
