package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations on scenes.
const (
	OpDetect    = "detect_scene_break"
	opDetectAll = "detect_scenes"
	opRecap     = "generate_scene_recap"
	opRunning   = "combine_running_recap"
	opMessage   = "recap_message"
	opJoin      = "join_scene_recaps"
	opExam      = "examine_recap"
	opInterim   = "recap_open_scene"
)

// RecapPriority lets recaps go before what waits for nobody.
const RecapPriority = 20

// UnaskedPriority is that of recaps that come by themselves, and of the merging of recaps into the
// running one: what the user has asked for goes before them.
const UnaskedPriority = 9

// AppendedPriority lets the pass after a turn go first of all: the chat's next prompt may need
// what it finds.
const AppendedPriority = 30

// withPriority has an operation go at a priority of its own.
func withPriority(priority int) func(*storage.Operation) {
	return func(op *storage.Operation) { op.Priority = priority }
}

// recapResult is what the operations that make recaps leave.
type recapResult struct {
	Recap   storage.RecapID `json:"recap,omitempty"`
	Version int             `json:"version,omitempty"`
	Reused  bool            `json:"reused,omitempty"` // the inputs were those of a version there is
}
