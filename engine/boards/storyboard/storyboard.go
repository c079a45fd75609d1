// Package storyboard plans how a finished scene is told in shots: the list of
// shots, the tools that change it, what a model is told to plan it, and the checks
// of its answers. It is pure.
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
	// ImportBoard puts a storyboard from a file in place of what is there.
	ImportBoard = "import_board"
)

// Tool is one tool. Params is the JSON schema of its parameters.
type Tool struct {
	Name        string
	Description string // what it does, for model and user
	Params      json.RawMessage
	Planning    bool // the model is asked for its parameters by a prompt file of its own
	Steering    bool // the model may choose it for a steering line

	schema *jsonschema.Schema // by which parameters are read
}

// Outcome is what a call did.
type Outcome struct {
	Message string           // for the user
	Shots   []storage.ShotID // that it made, changed or moved
}

// ErrCall: a call cannot be carried out; the error's text says why, for the user
// and for a model that is told so.
var ErrCall = errors.New("the call cannot be carried out")

// Message is one message of the scene.
type Message struct {
	ID   storage.NodeID
	Name string
	Text string
	// Mark says of a whispered message who heard it.
	Mark string

	// Of a part of a scene: the message's number in the scene, and whether its beginning
	// stands in the part before.
	Number    int
	Continued bool
}

// Part is what is shown of a scene that is too long to be shown whole.
type Part struct {
	Messages   []Message // with their numbers
	Number, Of int       // which part of the scene it is, from 1; 0 for a choice of messages
	FoundSoFar string    // what the parts before have brought
	Last       bool      // the scene ends with it
	// FromParts: the messages are what was found in the parts, of which the best is chosen.
	FromParts bool
}

// Input is what a request to the model is made of.
type Input struct {
	Char, User  string
	Scene       string // its name, "" for none
	Recap       string // "" for none
	Messages    []Message
	Part        *Part // nil shows the scene as far as it has room
	SceneBytes  int   // bytes that the scene may take, 0 for the usual; the same in all requests of a scene
	BoardBytes  int   // bytes that the storyboard may take, 0 for the usual
	Plan        storage.Plan
	Directions  []string            // what the director has said about the scene before, newest last
	Taste       string              // the block of what was learnt, "" for none
	Beat        storage.BeatID      // for GeneratePackage
	Instruction string              // the user's words for this step
	Talk        []storage.BoardTalk // what was said before, for steering
}
