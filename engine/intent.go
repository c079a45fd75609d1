package engine

import (
	"ghostlight/storage"
)

// opIntent judges whether a message asks for a picture.
const opIntent = "picture_intent"

// ConfirmAsked has a picture painted that was asked for in the talk, as it
// stands. It is SendCapture without a change.
func (e *Engine) ConfirmAsked(id storage.CaptureID) (storage.Capture, error) {
	return storage.Capture{}, fail("picture", errNotYet)
}
