// Package scene has the rules for scenes and recaps: it finds scene breaks without a model, builds
// the prompts, and makes recaps of the answers. It is pure: it reads no store and calls no server.
package scene

import (
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Message is one message of the story as detection and recaps see it. Role is
// storage.User or storage.Assistant.
type Message struct {
	ID   storage.NodeID
	Role storage.Role
	Name string // of who speaks; "" falls back to the user's or the character's
	Text string
	// Heard are the characters who heard a whispered message, besides its speaker; nil is
	// everybody.
	Heard []string

	// For a message in a part of a scene: its number in the scene, 0 for its index in the list, and
	// whether its beginning is in the part before.
	Number int
	Cut    bool
}

// Prompt is one message of a request to a model.
type Prompt = prompts.Message

// Names of the prompt files of this package. The file of a style is StyleFile followed by the
// style.
const (
	DetectFile         = "recap/detect"
	DetectAppendedFile = "recap/detect-appended"
	SceneFile          = "recap/scene"
	SceneAppendedFile  = "recap/scene-appended"
	PartFile           = "recap/part"
	PartAppendedFile   = "recap/part-appended"
	RestFile           = "recap/rest"
	RunningFile        = "recap/running"
	JoinFile           = "recap/join"
	MessageFile        = "recap/message"
	QuestionsFile      = "recap/exam-questions"
	AnswersFile        = "recap/exam-answers"
	MarksFile          = "recap/exam-marks"
	StyleFile          = "recap/style-"
)

// The styles of a recap that the program has. "" means Bullets.
const (
	Bulleted  = "bullets"
	Narrative = "narrative"
	Dialogue  = "dialogue"
)
