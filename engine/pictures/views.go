package pictures

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureRequest asks for a prompt for a picture of a moment. Requested is the user's description
// of the picture; "" captures the scene.
type CaptureRequest struct {
	Kind      string // image (default) or video
	Requested string
	At        storage.NodeID // the newest message of the moment; "" is the chat's head
	Camera    storage.Camera // given to the model; what it leaves out is added
	Words     string         // added after the camera's phrases, "" for none
	Focus     []string       // names of the most important people
	// Order is the shot of a storyboard, nil for none: it ends the request to the model. Hint is
	// the director's wish for the picture, Visual the kind of subject.
	Order        *storage.ShotOrder
	Hint, Visual string
}

// CaptureEdit is the user's edit of a capture. A nil Seed means a random one; zero sizes mean
// those of the character or the workflow.
type CaptureEdit struct {
	ImagePrompt    string
	NegativePrompt string
	Seed           *int64
	Workflow       string
	Width, Height  int
	Camera         storage.Camera
	// Strength is the part of the start picture that changes, if there is one; 0 keeps the current
	// value.
	Strength float64
}

// BatchRequest asks for the prompts of several captures. Nothing is painted until it is sent.
type BatchRequest struct {
	Kind   string // image (default) or video
	By     storage.BatchBy
	At     storage.NodeID // the newest message that counts, for ByAngles; "" is the chat's head
	Angles []string       // keys of capture.Angles, for ByAngles; nil for the default set
	Every  int            // messages, for ByEvery
	Camera storage.Camera // for all of them
	Words  string
	Focus  []string
	// OneSeed and Keep are those of storage.Batch.
	OneSeed, Keep bool
}

// BatchView is a batch with the states of its captures.
type BatchView struct {
	storage.Batch
	Chat      storage.ChatID `json:"chat"`
	Total     int            `json:"total"` // captures that still exist
	Prompting int            `json:"prompting"`
	Drafts    int            `json:"drafts"`
	Painting  int            `json:"painting"` // sent: waiting or being painted
	Done      int            `json:"done"`
	Failed    int            `json:"failed"`
	// Left is the time until the sent ones are painted, 0 if unknown.
	Left time.Duration `json:"left,format:sec"`
}

// SendResult is the result of sending several captures. Faults has the error of each capture that was
// not sent.
type SendResult struct {
	Captures []storage.Capture
	Faults   map[storage.CaptureID]error
}

// NamedCamera is a camera preset.
type NamedCamera struct {
	Name   string         `json:"name"`
	Camera storage.Camera `json:"camera"`
}

// GalleryScene is one scene of a chat with its captures, oldest first. Number counts scenes from
// 1; Name is "" for one without. Captures whose message is not on the path are in a last scene
// with Number 0.
type GalleryScene struct {
	Number   int            `json:"number"`
	Name     string         `json:"name"`
	Last     storage.NodeID `json:"last"` // the scene's last message, "" for the open one
	Captures []GalleryItem  `json:"captures"`
}

// GalleryItem is a capture in the gallery. Variants counts those made from the same one, including
// itself; Variant is its number among them, from 1.
type GalleryItem struct {
	storage.Capture
	Variant  int  `json:"variant"`
	Variants int  `json:"variants"`
	Avatar   bool `json:"avatar"` // its picture is the character's avatar
}

// ExportOptions are the options of an export.
type ExportOptions struct {
	// KeepMetadata keeps what ComfyUI wrote into the file: the whole workflow with the prompt.
	// Without it the file has only pixels.
	KeepMetadata bool
	// Overwrite replaces an existing file.
	Overwrite bool
}

// Types of package comfy for front ends, which do not import it.
type (
	WorkflowValues    = comfy.Map       // which inputs take which value
	WorkflowNodeInput = comfy.NodeInput // one input of one node
)
