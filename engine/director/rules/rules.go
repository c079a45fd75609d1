package rules

import (
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The phases of a play.
const (
	Establish  = "establish"
	Develop    = "develop"
	Escalate   = "escalate"
	Resolution = "resolution"
)

// Phase returns the phase of a play after turn turns.
func Phase(turn int) string {
	switch {
	case turn < 4:
		return Establish
	case turn < 9:
		return Develop
	case turn < 16:
		return Escalate
	}
	return Resolution
}

// lastTurns is the number of turns before the end of the budget in which the prompt of a play says
// that the end is near.
const lastTurns = 3

// TurnsLeft returns how many turns of a budget are left if its last ones have begun, else 0.
func TurnsLeft(turn, budget int) int {
	if left := budget - max(turn, 0); budget > 0 && left > 0 && left <= lastTurns {
		return left
	}
	return 0
}

// PhaseWords describes the state of a play: its turn, the rest of its budget if it has one, and the
// hints of the phase.
func PhaseWords(turn, budget int) string {
	turn = max(turn, 0)
	var where string
	switch left := budget - turn; {
	case budget <= 0 && Phase(turn) == Resolution:
		return fmt.Sprintf("turn %d", turn) // nothing says that it ends
	case budget <= 0:
		where = fmt.Sprintf("turn %d", turn)
	case left <= 0:
		return fmt.Sprintf("turn %d of %d: the play is at its end", turn, budget)
	case left <= lastTurns:
		return fmt.Sprintf("turn %d of %d: the play is about to end", turn, budget)
	default:
		where = fmt.Sprintf("turn %d of %d", turn, budget)
	}
	return where + ": " + phases[Phase(turn)]
}

var phases = map[string]string{
	Establish:  "people and place are being established",
	Develop:    "things develop",
	Escalate:   "things escalate",
	Resolution: "a resolution may come",
}

// Rhythm reports whether a picture is made at a turn by the rhythm alone. An
// interval of 0 is the default.
func Rhythm(mode storage.SceneMode, interval, turn int) bool {
	if interval <= 0 {
		interval = storage.DefaultInterval
	}
	return mode == storage.ScenesRhythmic && turn > 0 && turn%interval == 0
}

// Picture decides whether an automatic picture is made after a turn and says why, in words for the
// user. seen is nil if there is no evaluation: then only the rhythm counts.
func Picture(mode storage.SceneMode, interval, turn int, seen *storage.Evaluation) (picture bool, why string) {
	mode = storage.Episode{SceneMode: mode}.Mode()
	if mode == storage.ScenesOff {
		return false, "Pictures are made by hand only."
	}
	if seen != nil {
		if kind := matchWord(seen.VisualType, visualTypes); kind != "" && kind != noPicture {
			if hint := text.Shorten(prompts.OneLine(seen.VisualHint), maxHint); hint != "" {
				return true, "The director saw a picture (" + kind + "): " + hint
			}
			return true, "The director saw a picture (" + kind + ")."
		}
	}
	if Rhythm(mode, interval, turn) {
		if interval <= 0 {
			interval = storage.DefaultInterval
		}
		return true, fmt.Sprintf("One is made every %s.", counted(interval, "turn"))
	}
	if seen == nil {
		return false, "The director saw nothing of this exchange."
	}
	return false, "The director saw no moment for a picture."
}

// maxHint is the maximum length of a hint, in bytes.
const maxHint = 160

// IsComplete reports whether a play is complete after a turn, and why: either the director's
// evaluation says so, or the turn budget is used up. A budget of 0 is none.
func IsComplete(seen *storage.Evaluation, turn, budget int) (storage.EndedBy, bool) {
	switch {
	case seen != nil && matchWord(seen.Status, statuses) == "done":
		return storage.EndedSemantic, true
	case budget > 0 && turn >= budget:
		return storage.EndedByTurns, true
	}
	return "", false
}

// Afford reports whether an automatic picture can be paid, and what is left of the allowance before
// it. With an allowance of 0 no picture is made, whatever it costs.
func Afford(allowance, spent, cost int) (ok bool, left int) {
	allowance, spent, cost = max(allowance, 0), max(spent, 0), max(cost, 0)
	left = max(0, allowance-spent)
	return allowance > 0 && cost <= left, left
}
