package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RecapState is the state of a recap: Version is the number of the current version, from 1, and 0
// while there is none. Stale means that the recap's inputs have changed.
type RecapState struct {
	Version  int  `json:"version"`
	Versions int  `json:"versions"`
	Stale    bool `json:"stale"`
}

// Scene is a scene on a chat's path, or the messages since the last break.
type Scene struct {
	Number     int            `json:"number"`
	Name       string         `json:"name"`
	First      storage.NodeID `json:"first"` // "" in an open scene without a message, as Last
	Last       storage.NodeID `json:"last"`
	FirstDepth int            `json:"-"`
	LastDepth  int            `json:"-"`
	Messages   int            `json:"messages"` // by the user or the character
	Tokens     int            `json:"tokens"`   // of these, estimated
	Open       bool           `json:"open"`
	Detected   bool           `json:"detected"` // by the program; Rationale says why
	Rationale  string         `json:"rationale,omitempty"`
	Recap      RecapState     `json:"recap"`
	Break      storage.NodeID `json:"break"`     // its last message, "" for the open scene
	Lore       int            `json:"lore"`      // facts for the lorebook that the current recap holds
	InMemory   bool           `json:"in_memory"` // a running recap in force covers it
	Working    bool           `json:"working"`   // a recap is being made or waits to be
	Expanded   bool           `json:"expanded"`  // its recap is shown in the play
}

// Scenes are the scenes of the head's path, oldest first, the open one last.
type Scenes struct {
	Chat    storage.ChatID
	List    []Scene
	Running RecapState
	// Covers is the last message that has left the prompt for a recap, "" while
	// there is none; CoversDepth is its depth, -1 for none.
	Covers      storage.NodeID
	CoversDepth int
	Unchecked   int // messages that detection has not checked yet
	Detecting   bool
	Clock       ClockView
}

// RecapVersion is a version of a recap for front ends.
type RecapVersion struct {
	storage.Recap
	Stale bool
	// Reads are the last messages of the parts that the scene was read in, by their numbers in the
	// scene.
	Reads []int
}

// RecapView is a recap with all its versions, oldest first.
type RecapView struct {
	Chat     storage.ChatID
	Kind     storage.RecapKind
	Scene    Scene // of a scene's recap
	Versions []RecapVersion
	Current  int // index; -1 while there is none
	Working  bool
}

// InterimView is a recap of the beginning of the open scene, up to its message Last. It is removed
// when that scene has its own recap.
type InterimView struct {
	RecapVersion
	First, Last           storage.NodeID
	FirstDepth, LastDepth int
	Messages              int // in them
}

// Version returns the current version, nil while there is none.
func (v RecapView) Version() *RecapVersion {
	if v.Current < 0 || v.Current >= len(v.Versions) {
		return nil
	}
	return &v.Versions[v.Current]
}

// RecapRequest holds the options of a recap. Zero fields mean the values in the settings.
type RecapRequest struct {
	Force       bool   // even if a version of the same inputs exists
	Style       string // bullets, narrative or dialogue
	Instruction string // the user's wish for this version
}

// DetectRequest holds the options of a search of a whole chat for scene breaks.
type DetectRequest struct {
	Min       int  // least messages of a scene, 0 for the setting's
	TableOnly bool // explicit marks only; no model is asked
	Again     bool // look again at messages that were looked at before
}

// Detected is the immediate result of a search, and what is left to a model.
type Detected struct {
	Found int // breaks set by explicit marks
	Left  int // messages that a model will be asked about
	Total int // messages of the path
}

// RecapHit is a recap that matches a search.
type RecapHit struct {
	Chat    storage.ChatID    `json:"chat"`
	Title   string            `json:"title"` // of the chat
	Kind    storage.RecapKind `json:"kind"`
	Scene   int               `json:"scene"` // 0 in a running recap and off the path
	Node    storage.NodeID    `json:"message"`
	Recap   storage.RecapID   `json:"recap"`
	Version int               `json:"version"`
	Name    string            `json:"name"`
	Snippet string            `json:"snippet"`
}

// RecapsRead is the result of importing recaps.
type RecapsRead struct {
	Scenes   int      `json:"scenes"`
	Versions int      `json:"versions"`
	Warnings []string `json:"warnings"`
}
