// Package rules is what the director asks after each reply, how its answer is
// judged, and every rule of the stage that needs no model: the shape of a play,
// when pictures are made, which memories and hooks are told, who speaks next. It
// is pure: it reads no store, asks no server and knows no clock.
package rules

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files. PassFile frames the instruction that is appended to a chat's
// own prompt, with one of the pass files for each part; the others are requests
// of their own.
const (
	PassFile         = "director/pass"
	PassBreakFile    = "director/pass-break"
	PassDirectorFile = "director/pass-director"
	PassNextFile     = "director/pass-next"
	PassMemoriesFile = "director/pass-memories"
	PassHooksFile    = "director/pass-hooks"
	PassTakenFile    = "director/pass-taken"
	PassEndedFile    = "director/pass-ended"
	PassAsideFile    = "director/pass-aside"
	EvaluateFile     = "director/evaluate"
	EvaluateNextFile = "director/evaluate-next"
	MemoriesFile     = "director/memories"
	HooksFile        = "director/hooks"
	EndedFile        = "director/ended"
)

// due tells whether a hook is among what is known whose time has come.
func (in Input) due() bool {
	return slices.ContainsFunc(in.Known, func(x Listed) bool { return x.Due })
}

// Prompt is a message of a request.
type Prompt = prompts.Message

// Parts are what is asked.
type Parts struct{ Break, Director, Memories, Hooks bool }

// Any tells whether anything is asked.
func (p Parts) Any() bool { return p.Break || p.Director || p.Memories || p.Hooks }

// lists tells whether what is known is shown, and asked after.
func (p Parts) lists() bool { return p.Memories || p.Hooks }

// Line is a message as a request shows it.
type Line struct {
	ID      storage.NodeID
	Speaker string
	Text    string
	User    bool
}

// Input is what is known of the play when the director is asked.
type Input struct {
	Char, User, Genre, Situation, Question string

	Turn, Budget int
	Over         bool   // the episode had ended before the newest exchange
	Messages     []Line // the last ones, oldest first
	// Fresh are those of them that a scene may begin with, oldest first: the newest
	// exchange.
	Fresh []Line
	// Speakers are the names that may speak next; empty unless several characters
	// play and the director chooses.
	Speakers []string
	// Setting is where and when the scene stood before the newest exchange, "" where
	// nobody has said.
	Setting string
	// Known is what is known and near the exchange: the numbers of an answer mean these.
	Known []Listed
	// Also are other memories, for requests of their own.
	Also []string
	// Aside: the user has said something out of character.
	Aside bool
}
