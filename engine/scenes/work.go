package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations on scenes.
const (
	OpDetect     = "detect_scene_break"
	opDetectAll  = "detect_scenes"
	opRecap      = "generate_scene_recap"
	opRunning    = "combine_running_recap"
	opMessage    = "recap_message"
	opJoin       = "join_scene_recaps"
	opRecallTest = "examine_recap"
	opInterim    = "recap_open_scene"
)

// RecapPriority is the priority of recaps and the like that the user has asked for: above work that
// nobody waits for.
const RecapPriority = 20

// UnaskedPriority is the priority of automatic recaps, and of merging recaps into the running one:
// requests of the user run before them.
const UnaskedPriority = 9

// AppendedPriority is the priority of the pass after a turn, which runs first: the chat's next
// prompt may need its results.
const AppendedPriority = 30

// withPriority sets the priority of an operation.
func withPriority(priority int) func(*storage.Operation) {
	return func(op *storage.Operation) { op.Priority = priority }
}

// recapResult is the result of the operations that make recaps.
type recapResult struct {
	Recap   storage.RecapID `json:"recap,omitempty"`
	Version int             `json:"version,omitempty"`
	Reused  bool            `json:"reused,omitempty"` // a version with the same inputs exists
}

// Jobs are the queued operations of scenes that ask a model. They depend on the services that
// contribute to prompts, and on the chat's prompt.
type Jobs struct {
	*Service
	prompts models.PromptAppender
	from    Sources
}

// Sources supply the contents of a recap's prompt besides the messages of its scene.
type Sources struct {
	// Memories returns the memories of a story that are known at the end of a scene to all of
	// audience; nil is everybody.
	Memories func(tx *storage.Tx, c storage.Chat, last storage.NodeID, audience []storage.CharacterID) []scene.Memory
	// Lore returns the lorebook entries that a recap of a scene need not repeat.
	Lore func(tx *storage.Tx, c storage.Chat, after, last storage.NodeID) ([]SceneEntry, error)
	// Taste describes the user's taste in recaps, "" if nothing is known.
	Taste func(tx *storage.Tx, c storage.Chat) string
}

// NewJobs makes the jobs of a service.
func NewJobs(svc *Service, prompts models.PromptAppender, from Sources) *Jobs {
	return &Jobs{Service: svc, prompts: prompts, from: from}
}
