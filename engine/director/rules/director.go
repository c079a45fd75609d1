// Package rules has the prompts and answers of the director's pass, and every rule that needs no
// model: the phases of a play, when pictures are made, which memories and hooks are in a prompt,
// who speaks next. It is pure: it reads no store, calls no server and reads no clock.
package rules

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files of the pass: PassFile frames the request, and each of the others explains a
// field. The text below their line of dashes is the field's part of the example.
const (
	PassFile         = "director/pass"
	PassBreakFile    = "director/pass-break"
	PassDirectorFile = "director/pass-director"
	PassNextFile     = "director/pass-next"
	PassMemoriesFile = "director/pass-memories"
	PassHooksFile    = "director/pass-hooks"
	PassTakenFile    = "director/pass-taken"
	PassOutdatedFile = "director/pass-outdated"
	PassDueFile      = "director/pass-due"
	PassWhenFile     = "director/pass-when"
	PassPictureFile  = "director/pass-picture"
)

// Prompt is a message of a request.
type Prompt = prompts.Message

// Parts are the parts of an evaluation that are asked for.
type Parts struct{ Break, Director, Memories, Hooks, Picture bool }

// Any reports whether anything is asked.
func (p Parts) Any() bool { return p != Parts{} }

// Union returns the parts that either asks.
func (p Parts) Union(q Parts) Parts {
	return Parts{p.Break || q.Break, p.Director || q.Director, p.Memories || q.Memories, p.Hooks || q.Hooks,
		p.Picture || q.Picture}
}

// facts reports whether facts are shown, and asked about.
func (p Parts) facts() bool { return p.Memories || p.Hooks }

// when reports whether the time of the story is asked.
func (p Parts) when() bool { return p.Director || p.Memories || p.Hooks }

// Line is a message in a request. Hearers are the names of everybody who heard a whisper; nil if it
// is no whisper.
type Line struct {
	ID      storage.NodeID
	Speaker string
	Text    string
	User    bool
	Hearers []string
}

// Input is the state of the play when the director is asked.
type Input struct {
	Char, User, Genre, Situation, Question string

	Turn, Budget int
	Over         bool // the episode had ended before the newest exchange
	// Before are the messages before the numbered ones, for a separate request.
	Before []Line
	// Messages are those since the last pass, oldest first; answers number them from 1.
	Messages []Line
	// Speakers are the names that may speak next; empty unless several characters
	// play and the director chooses.
	Speakers []string
	// Setting is the setting before the messages, and Time the story time in words; "" if unknown.
	Setting, Time string
	// Known are facts that are near the messages: the numbers of an answer mean these,
	// from 1.
	Known []KnownFact
}

// KnownFact is a fact that a pass contains. Due marks a hook whose time has come. DueBy is the
// story time, in words, by which another hook is due.
type KnownFact struct {
	Text  string
	Due   bool
	DueBy string
}

// isDue reports whether a fact is a hook whose time has come.
func (x KnownFact) isDue() bool { return x.Due }

// isAhead reports whether a fact is a hook that is due at a time of the story.
func (x KnownFact) isAhead() bool { return !x.Due && x.DueBy != "" }

// anyFact reports whether a condition is true of any known fact.
func (in Input) anyFact(is func(KnownFact) bool) bool { return slices.ContainsFunc(in.Known, is) }
