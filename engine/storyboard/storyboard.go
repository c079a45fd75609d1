// Package storyboard plans how a finished scene is told in shots: the list of
// shots, the tools that change it, what a model is told to plan it, and the checks
// of its answers. It is pure.
package storyboard

import (
	"encoding/json"
	"errors"

	"ghostlight/prompts"
	"ghostlight/storage"
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
	Name     string
	Words    string // what it does, for model and user
	Params   json.RawMessage
	Planning bool // the model is asked for its parameters by a prompt file of its own
	Steering bool // the model may choose it for a steering line
}

// Outcome is what a call did.
type Outcome struct {
	Words string           // for the user
	Shots []storage.ShotID // that it made, changed or moved
}

// Tools lists the tools in the order in which a storyboard is made.
func Tools() []Tool { return nil }

// ErrCall: a call cannot be carried out; the error's text says why, for the user
// and for a model that is told so.
var ErrCall = errors.New("the call cannot be carried out")

// Apply carries out a call on a plan, which it leaves as it is, and returns what
// the plan becomes. An index in the parameters is read against the plan before the
// call. A model's planning answer is the parameters of its tool.
func Apply(p storage.Plan, c storage.ToolCall) (storage.Plan, Outcome, error) {
	return p, Outcome{}, ErrCall
}

// Message is one message of the scene.
type Message struct {
	ID   storage.NodeID
	Name string
	Text string
}

// Input is what a request to the model is made of.
type Input struct {
	Char, User string
	Scene      string // its name, "" for none
	Recap      string // "" for none
	Messages   []Message
	Plan       storage.Plan
	Taste      string              // the block of what was learnt, "" for none
	Beat       storage.BeatID      // for GeneratePackage
	Wish       string              // the user's words for this step
	Talk       []storage.BoardTalk // what was said before, for steering
}

// Ask is the request for the parameters of a planning tool.
func Ask(set *prompts.Set, tool string, in Input) []prompts.Message { return nil }

// Schema is the form of the answer to Ask, bounded everywhere.
func Schema(tool string, in Input) json.RawMessage { return nil }

// Take makes a call of a model's answer to Ask. The error says what is wrong with
// it, for the model.
func Take(tool string, in Input, answer json.RawMessage) (storage.ToolCall, error) {
	return storage.ToolCall{}, ErrCall
}

// Steer is the request to carry out the user's line, in.Wish. With native the
// model is offered the tools beside the request, else its answer has the form of
// SteerSchema.
func Steer(set *prompts.Set, in Input, native bool) []prompts.Message { return nil }

// SteerSchema is the form of an answer that chooses tools.
func SteerSchema(in Input) json.RawMessage { return nil }

// Steered is a model's answer to a steering line.
type Steered struct {
	Calls    []storage.ToolCall
	Reply    string
	Question bool // the reply asks which of two readings is meant
}

// TakeSteer reads an answer of SteerSchema's form.
func TakeSteer(in Input, answer json.RawMessage) (Steered, error) { return Steered{}, ErrCall }
