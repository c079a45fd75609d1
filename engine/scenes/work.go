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

// IdlePriority is that of what comes by itself and takes the chat's prompt out of the
// server's cache: it is kept off while the user may be about to go on. What he has asked for
// goes before it, and with what running recaps are made of it.
const (
	IdlePriority    = 9
	runningPriority = 8
)

// unasked has an operation go at a priority of its own.
func unasked(priority int) func(*storage.Operation) {
	return func(op *storage.Operation) { op.Priority = priority }
}

// AppendedPriority lets what follows the chat's prompt go first of all: a recap
// before it would cost the server's cache of that prompt.
const AppendedPriority = 30

// recapResult is what the operations that make recaps leave.
type recapResult struct {
	Recap   storage.RecapID `json:"recap,omitempty"`
	Version int             `json:"version,omitempty"`
	Reused  bool            `json:"reused,omitempty"` // the inputs were those of a version there is
}
