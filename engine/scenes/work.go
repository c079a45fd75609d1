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

// UnaskedPriority is that of recaps that come by themselves: what the user has asked for goes
// before them, and with what running recaps are made of it. They begin while he reads a
// reply, and wait where they would take the chat's prompt out of the server's cache; most do
// not, as long as their messages stand in it.
const (
	UnaskedPriority = 12
	runningPriority = 11
)

// IdlePriority is that of what comes by itself and always takes the chat's prompt out of the
// server's cache: it is kept off while the user may be about to go on.
const IdlePriority = 9

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
