package boards

import (
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Row is a scene of a chat's path with the state of its storyboard.
type Row struct {
	Scene    int                `json:"scene"` // its number
	Node     storage.NodeID     `json:"node"`  // its last message
	Name     string             `json:"name"`
	Working  bool               `json:"working"` // its recap is being made
	Stage    storage.BoardStage `json:"stage"`   // "" if none was begun
	Shots    int                `json:"shots"`
	Calls    int                `json:"calls"` // recorded and in force
	Learned  bool               `json:"learnt"`
	Detached bool               `json:"kept"` // no scene ends there any more: its break was removed
}

// CallView is a call with its number among those of its storyboard.
type CallView struct {
	Number int `json:"number"`
	storage.BoardCall
}

// View is the storyboard of a scene. Before it is begun, its board only has the node.
type View struct {
	storage.Board
	Chat  storage.ChatID `json:"chat"`
	Scene scenes.Scene   `json:"-"`
	Begun bool           `json:"begun"`
	Stale bool           `json:"stale"` // the scene's messages have changed since
	// Working is the tool that the model is working on or that is queued, "" for none; "steer" for
	// a steering line.
	Working string `json:"working"`
	CanUndo bool   `json:"can_undo"`
	CanRedo bool   `json:"can_redo"`
	// Sketches are the newest captures of shots.
	Sketches map[storage.ShotID]storage.Capture `json:"-"`
	Batch    *pictures.BatchView                `json:"-"` // of the newest sketches, nil for none
}

// PlanRequest asks for the next planning step.
type PlanRequest struct {
	// Tool is a planning tool of engine/boards/storyboard; "" is the next one of the board's
	// stage.
	Tool        string
	Beat        storage.BeatID // for generate_beat_package; "" is all that lack one
	Instruction string         // the user's words for this step
	All         bool           // go on until there are shots
}

// SketchRequest says which shots are captured. The zero value means all shots without a current
// capture.
type SketchRequest struct {
	Shots []storage.ShotID
	Again bool // those too that have one
	Send  bool // send each as soon as its prompt is there
	Plain bool // make the prompts without a model
	Kind  string
	// OneSeed gives all pictures of the storyboard the same seed.
	OneSeed bool
}
