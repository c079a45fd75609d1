package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureChanged carries a capture in its new state.
type CaptureChanged struct{ Capture storage.Capture }

// BatchChanged says that a capture of a batch stands elsewhere than before.
type BatchChanged struct{ Batch BatchView }

// ContinuityChanged says that a chat's continuity sheet must be read again.
type ContinuityChanged struct{ Chat storage.ChatID }

// PictureRequested carries a capture that the user asked for in the talk; its
// prompt is there and waits for a look.
type PictureRequested struct{ Capture storage.Capture }
