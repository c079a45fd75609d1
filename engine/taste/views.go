package taste

import (
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// View is the known taste of the user in a story.
type View struct {
	storage.Taste                // zero without a profile
	Name          string         // of the story
	Summary       string         // the user's own, or the profile's
	Cards         []lessons.Card // the user's hand on them
	Memories      []Memory       // newest first
	Working       bool           // something is being learnt, or waits to be
	Off           bool           // nothing is learnt, see config.Taste
	Mute          bool           // no plan contains it, see config.Taste
	Overrides     storage.ProfileEdits
}

// Memory holds the lessons of one scene.
type Memory struct {
	storage.TasteMemory
	ChatTitle string
	SceneName string // "Scene 3: The harbour"; "" if it is gone
}

// Action is an action on cards.
type Action string

const (
	MuteCards    Action = "mute"
	UnmuteCards  Action = "unmute"
	DeleteCards  Action = "delete"
	RestoreCards Action = "restore" // as the program has them
)
