// Package taste learns from what the user changes how this user directs: what a
// scene's edits come to, what the scenes of a story have in common, and what of
// that is told to a model that plans. It is pure.
package taste

import (
	"encoding/json"

	"ghostlight/prompts"
	"ghostlight/storage"
)

// Harvested is what the recorded calls of a storyboard come to.
type Harvested struct {
	Events  []storage.EditEvent
	Summary *storage.ShotSummary // nil without shots
	Counts  storage.EditCounts
}

// Harvest compares the lists of shots before and after each call, oldest first, by
// the ids of shots. Calls are those in force, none that was taken back.
func Harvest(calls []storage.BoardCall) Harvested { return Harvested{} }

// FromEdits makes events of what the user changed in prompts of captures and in
// recaps, oldest first.
func FromEdits(edits []storage.Edit) []storage.EditEvent { return nil }

// Scene is what a scene's lessons are drawn from.
type Scene struct {
	Char, User string
	Name       string
	Recap      string   // or the beginning of its messages
	Names      []string // of people, places and things that are the story's own
	Harvested
}

// Lessons is a model's answer about one scene.
type Lessons struct {
	SceneContextSummary string                  `json:"sceneContextSummary"`
	EditSummary         string                  `json:"editSummary"`
	SceneLearnings      []storage.SceneLearning `json:"sceneLearnings"`
}

// AskLessons is the request to distil a scene's lessons, LessonsSchema the form of
// the answer.
func AskLessons(set *prompts.Set, s Scene) []prompts.Message { return nil }

// LessonsSchema is the form of the answer to AskLessons.
func LessonsSchema() json.RawMessage { return nil }

// CheckLessons says what is wrong with an answer, for the model.
func CheckLessons(s Scene, l Lessons) error { return nil }

// KeepLessons is what of an answer is kept: no broad lessons, none from mended
// mistakes.
func KeepLessons(s Scene, l Lessons) Lessons { return l }

// Worth tells whether there is anything to learn from.
func Worth(h Harvested) bool { return false }

// Story is what a profile is made of.
type Story struct {
	Memories []storage.TasteMemory
	Before   storage.Taste     // zero for none
	Hand     storage.TasteHand // likewise
	Names    []string          // of people, places and things that are the story's own
}

// Profile is a model's answer about a story.
type Profile struct {
	ProfileSummary  string                   `json:"profileSummary"`
	PreferenceCards []storage.PreferenceCard `json:"preferenceCards"`
}

// AskProfile is the request for a profile, ProfileSchema the form of the answer.
func AskProfile(set *prompts.Set, s Story) []prompts.Message { return nil }

// ProfileSchema is the form of the answer to AskProfile.
func ProfileSchema() json.RawMessage { return nil }

// CheckProfile says what is wrong with an answer, for the model.
func CheckProfile(s Story, p Profile) error { return nil }

// KeepProfile makes the profile to store of an answer: details of scenes, weak
// contradictions and lessons of single scenes that nothing confirms are left out,
// repeated ones become one card, and cards that were there before keep their ids.
// Numbers are computed. Scope and times are the caller's.
func KeepProfile(s Story, p Profile) storage.Taste { return storage.Taste{} }

// Stats are the numbers of all memories, in words.
func Stats(memories []storage.TasteMemory) string { return "" }

// Card is a card as the user sees it: the program's, with the user's hand on it.
type Card struct {
	storage.PreferenceCard
	Own     bool // the user's own, or the user's words
	Muted   bool // never told
	Deleted bool
}

// Cards puts the user's hand on a profile's cards. Deleted ones are last.
func Cards(t storage.Taste, h storage.TasteHand) []Card { return nil }

// Block is what of a profile is told for a tool; its text is "" where there is
// nothing to tell. It holds nothing of any scene.
func Block(set *prompts.Set, tool string, t storage.Taste, h storage.TasteHand, names []string) storage.TasteUsed {
	return storage.TasteUsed{}
}
