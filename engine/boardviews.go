package engine

import (
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// BoardRow is a scene of a chat's path and how far its storyboard has come.
type BoardRow struct {
	Scene  Scene
	Stage  storage.BoardStage // "" where none was begun
	Shots  int
	Calls  int // recorded and in force
	Learnt bool
	Kept   bool // no scene ends there any more; of the scene only its break is told
}

// BoardView is the storyboard of a scene. Where none was begun its board is empty
// but for the node.
type BoardView struct {
	storage.Board
	Chat  storage.ChatID
	Scene Scene
	Begun bool
	Stale bool // the scene's messages have changed since
	// Working is the tool that the model is being asked for, or waits to be, ""
	// for none; "steer" for a steering line.
	Working          string
	CanUndo, CanRedo bool
	// Sketches are the newest captures of shots.
	Sketches map[storage.ShotID]storage.Capture
	Batch    *BatchView // of the newest sketches, nil for none
}

// PlanRequest asks the model for the next step of a storyboard.
type PlanRequest struct {
	// Tool is a planning tool of engine/storyboard; "" is the next one of the
	// board's stage.
	Tool string
	Beat storage.BeatID // for generate_beat_package; "" is all that lack one
	Wish string         // the user's words for this step
	All  bool           // go on until there are shots
}

// SketchRequest says which shots become captures. Zero fields: all shots that
// have no capture of their present form.
type SketchRequest struct {
	Shots []storage.ShotID
	Again bool // those too that have one
	Send  bool // send each as soon as its prompt is there
	Plain bool // make the prompts without a model
	Kind  string
}

// TasteView is what is known of how the user directs a story.
type TasteView struct {
	storage.Taste                // zero without a profile
	Name          string         // of the story
	Summary       string         // the user's own, or the profile's
	Cards         []lessons.Card // the user's hand on them
	Memories      []TasteMemory  // newest first
	Working       bool           // something is being learnt, or waits to be
	Off           bool           // nothing is learnt, see TasteConfig
	Mute          bool           // no plan is told of it, likewise
	Hand          storage.TasteHand
}

// TasteMemory is what one scene has taught.
type TasteMemory struct {
	storage.TasteMemory
	ChatTitle string
	SceneName string // "Scene 3: The harbour"; "" where it is gone
}

// TasteAction is what is done to cards.
type TasteAction string

const (
	MuteCards    TasteAction = "mute"
	UnmuteCards  TasteAction = "unmute"
	DeleteCards  TasteAction = "delete"
	RestoreCards TasteAction = "restore" // as the program has them
)

// TasteConfig is how the program learns. Its zero value means the defaults.
type TasteConfig struct {
	Off   bool // learn nothing by itself
	Mute  bool // tell no plan what was learnt
	Stats bool // tell the numbers too
}
