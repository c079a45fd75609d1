package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureChanged carries a capture in its new state.
type CaptureChanged struct{ Capture storage.Capture }

// BatchChanged is emitted when a capture of a batch has changed its state.
type BatchChanged struct{ Batch BatchView }

// ContinuityChanged is emitted when a chat's continuity sheet has changed.
type ContinuityChanged struct{ Chat storage.ChatID }

// PictureRequested is emitted when the prompt of a picture that the user asked for in the chat is
// ready for review.
type PictureRequested struct{ Capture storage.Capture }
