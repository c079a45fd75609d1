// Package storyboard plans a finished scene as shots: the list of shots, the tools that change it,
// the prompts for planning it, and the checks of the answers. It is pure.
package storyboard

import (
	"encoding/json"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The tools.
const (
	RecommendBeats  = "recommend_key_beats"
	RecommendFiller = "recommend_filler_strategy"
	BudgetPackages  = "budget_beat_packages"
	GeneratePackage = "generate_beat_package"
	GenerateShots   = "generate_scene_shots_from_plan"
	ProposeEdit     = "propose_edit_plan"
	ExecuteEdit     = "execute_edit_plan"
	ModifyShot      = "modify_shot"
	InsertShot      = "insert_shot"
	RemoveShots     = "remove_shots"
	ReorderShots    = "reorder_shots"
	MergeShots      = "merge_shots"
	ConfirmShots    = "confirm_shots"
	// ImportBoard replaces the storyboard with one from a file.
	ImportBoard = "import_board"
)

// Tool is a tool. Params is the JSON schema of its parameters.
type Tool struct {
	Name        string
	Description string // what it does, for model and user
	Params      json.RawMessage
	Planning    bool // a prompt file of its own asks for its parameters
	Steering    bool // the model may choose it for a steering line

	schema *jsonschema.Schema // for reading parameters
}

// Outcome is the result of a call.
type Outcome struct {
	Message string           // for the user
	Shots   []storage.ShotID // created, changed or moved
}

// ErrCall is the error of a call that is not possible; its text says why, for the user and for the
// model.
var ErrCall = errors.New("the call cannot be carried out")

// Message is one message of the scene.
type Message struct {
	ID   storage.NodeID
	Name string
	Text string
	// Mark says who heard a whispered message.
	Mark string

	// For a part of a scene: the message's number in the scene, and whether it began in the
	// previous part.
	Number    int
	Continued bool
}

// Part is the part of a scene that is shown, if the whole does not fit.
type Part struct {
	Messages   []Message // with their numbers
	Number, Of int       // which part it is, from 1; 0 for a selection of messages
	FoundSoFar string    // the beats of the previous parts
	Last       bool      // it is the end of the scene
	// FromParts means that the messages are beats found in the parts. The model chooses among them.
	FromParts bool
}

// Input is the input of a request.
type Input struct {
	Char, User  string
	Scene       string // its name, "" for none
	Recap       string // "" for none
	Messages    []Message
	Part        *Part // nil shows as much of the scene as fits
	SceneBytes  int   // limit of the scene, 0 for the default; the same in all requests of a scene
	BoardBytes  int   // limit of the storyboard, 0 for the default
	Plan        storage.Plan
	Directions  []string            // the user's earlier directions, newest last
	Taste       string              // what was learned of the user's taste, "" for none
	Beat        storage.BeatID      // for GeneratePackage
	Instruction string              // the user's words for this step
	Talk        []storage.BoardTalk // earlier lines and replies, for steering
}
