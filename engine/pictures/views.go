package pictures

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureRequest asks for a prompt for a picture of a moment. Requested is what
// the user asked to see; "" captures the scene.
type CaptureRequest struct {
	Kind      string // image (default) or video
	Requested string
	At        storage.NodeID // the newest message that counts; "" is the chat's head
	Camera    storage.Camera // how it is looked at; the model is told, and what it leaves out is added
	Words     string         // plain words added after those, "" for none
	Focus     []string       // names of those who matter most
	// Order is the shot of a storyboard that is drawn, nil for none: it ends the request
	// to the model. Hint is what the director of the story wants to see, Visual what kind
	// of thing that is.
	Order        *storage.ShotOrder
	Hint, Visual string
}

// CaptureEdit is what the user made of a capture before it is sent or kept. A
// nil Seed means a random one; zero sizes mean the character's or the workflow's
// own.
type CaptureEdit struct {
	ImagePrompt    string
	NegativePrompt string
	Seed           *int64
	Workflow       string
	Width, Height  int
	Camera         storage.Camera
	// Strength is how much may change of the picture that it begins with, where it
	// begins with one; 0 leaves that as it is.
	Strength float64
}

// BatchRequest asks for the prompts of several captures in one go. Nothing of it
// is painted before it is sent.
type BatchRequest struct {
	Kind   string // image (default) or video
	By     storage.BatchBy
	At     storage.NodeID // the newest message that counts, for ByAngles; "" is the chat's head
	Angles []string       // keys of capture.Angles, for ByAngles; nil for a usual set
	Every  int            // messages, for ByEvery
	Camera storage.Camera // for all of them
	Words  string
	Focus  []string
	// OneSeed and Keep are those of storage.Batch.
	OneSeed, Keep bool
}

// BatchView is a batch and where its captures stand.
type BatchView struct {
	storage.Batch
	Chat      storage.ChatID `json:"chat"`
	Total     int            `json:"total"` // captures that are still there
	Prompting int            `json:"prompting"`
	Drafts    int            `json:"drafts"`
	Painting  int            `json:"painting"` // sent, painted now or waiting for it
	Done      int            `json:"done"`
	Failed    int            `json:"failed"`
	// Left is how long the painting of those that are sent will take, 0 while that
	// is not known.
	Left time.Duration `json:"left,format:sec"`
}

// Sent is what came of sending several captures. Faults holds, by capture, why
// one was not sent.
type Sent struct {
	Captures []storage.Capture
	Faults   map[storage.CaptureID]error
}

// NamedCamera is a combination of camera controls that the user keeps.
type NamedCamera struct {
	Name   string         `json:"name"`
	Camera storage.Camera `json:"camera"`
}

// GalleryScene is one scene of a chat with its captures, oldest first. Number
// counts scenes from 1; Name is "" for one without. Captures whose message is on
// no path of the head stand in a last scene with Number 0.
type GalleryScene struct {
	Number   int            `json:"number"`
	Name     string         `json:"name"`
	Last     storage.NodeID `json:"last"` // the scene's last message, "" for the open one
	Captures []GalleryItem  `json:"captures"`
}

// GalleryItem is a capture in the gallery. Variants counts those made from the
// same one, itself included; Variant is its place among them from 1.
type GalleryItem struct {
	storage.Capture
	Variant  int  `json:"variant"`
	Variants int  `json:"variants"`
	Avatar   bool `json:"avatar"` // its picture is the character's avatar
}

// ExportOptions say how a picture is exported.
type ExportOptions struct {
	// KeepGraph leaves in the file what ComfyUI wrote into it: the whole workflow,
	// prompt included. Without it the file holds pixels only.
	KeepGraph bool
	// Overwrite replaces a file that is there.
	Overwrite bool
}

// What workflows are made of, under names for front ends, which know nothing of
// the package that speaks to the server.
type (
	WorkflowValues    = comfy.Map       // which inputs take which value
	WorkflowNodeInput = comfy.NodeInput // one input of one node
)
