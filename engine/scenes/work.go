package scenes

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
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
	UnaskedPriority = 9
	runningPriority = 8
)

// IdlePriority is that of what comes by itself and always takes the chat's prompt out of the
// server's cache: it, and what is below, does not begin while the user may be about to go on.
const IdlePriority = 7

// Resume has the recaps begin that were told to wait.
func Resume(c *core.Core) error {
	var list []storage.OperationID
	err := c.Store.Update(func(tx *storage.Tx) error {
		list = nil
		for _, op := range storage.Operations.Backward(tx) {
			if (op.Type != opRecap && op.Type != opRunning) || !queue.PutOff(op, c.Config.Now()) {
				continue
			}
			op.NotBefore = time.Time{}
			if err := storage.Operations.Put(tx, op.ID, op); err != nil {
				return err
			}
			list = append(list, op.ID)
		}
		return nil
	})
	if err != nil {
		return failure.Fail("go on with recaps", err)
	}
	c.Queue.Moved(list...)
	return nil
}

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
