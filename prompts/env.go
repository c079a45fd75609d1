package prompts

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Env is what macros stand for. The zero Env works: everything is empty.
//
// Text that the author of a card or prompt wrote (Persona, Description and the
// other card fields, Original) may hold macros of its own and is expanded where
// it is put in. Everything else (names, messages, input, values of variables)
// is put in as it is.
type Env struct {
	User, Char string
	// Group names all characters of the chat; empty means Char alone.
	Group []string

	Persona, Description, Personality, Scenario string
	Examples                                    string // mes_example as the card has it
	CharPrompt, CharInstruction, CharDepth      string
	SystemPrompt                                string   // what stands where the card has no prompt of its own
	Greetings                                   []string // the first message, then the alternates
	CharVersion, CreatorNotes                   string
	Original                                    string // what the card's text stands in place of
	Model                                       string

	LastMessage, LastUserMessage, LastCharMessage string
	// LastMessageID is the number of the newest message, counted from 0.
	LastMessageID string

	Input      string
	Generation string // normal, continue, impersonate, swipe …

	// Outlets are what {{outlet::name}} stands for, by its exact name. Their text
	// is put in as it is. OutletMet, where it is set, is told of every name that
	// comes up and stands for something.
	Outlets   map[string]string
	OutletMet func(name string)

	// Placeholders are what {name} in single braces stands for, by its name in
	// lower case, matched without regard to case. Their text is put in as it is;
	// any other text in single braces is left alone. PlaceholderMet, where it is
	// set, is told of every one that comes up.
	Placeholders   map[string]string
	PlaceholderMet func(name string)

	MaxPrompt, MaxContext, MaxReply int

	// Now is the clock, and its location the zone, of all time macros.
	// LastActivity is when the play last moved before now; zero if never.
	Now, LastActivity time.Time

	// Seed, Place and Turn drive chance: random and roll draw from all three,
	// pick from Seed and Place alone. Seed is the chat, Place the text's place
	// in the prompt, Turn whatever is new in this turn.
	Seed, Place, Turn string

	// Frozen is for text that must not change from turn to turn: macros that
	// follow the newest messages are then empty and idleDuration is vague. It
	// is for the caller to freeze Now and leave Turn empty.
	Frozen bool

	// Vars keeps variables from one Expand to the next. Nil means fresh ones.
	Vars *Vars
}

// Vars holds the variables of the macro language: local and global ones. Both
// live as long as the value does. Not safe for concurrent use.
type Vars struct {
	local, global map[string]string
}

// Bounds of variables: a card must not grow without end.
const (
	maxVars  = 1000
	maxValue = 64 << 10
)

// NewVars returns an empty store of variables.
func NewVars() *Vars {
	return &Vars{local: map[string]string{}, global: map[string]string{}}
}

// VarsOf are variables of which local ones are set already.
func VarsOf(local map[string]string) *Vars {
	v := NewVars()
	for _, name := range slices.Sorted(maps.Keys(local)) {
		v.set(false, name, local[name])
	}
	return v
}

func (v *Vars) scope(global bool) map[string]string {
	if v.local == nil {
		v.local, v.global = map[string]string{}, map[string]string{}
	}
	if global {
		return v.global
	}
	return v.local
}

func (v *Vars) set(global bool, name, value string) {
	m := v.scope(global)
	if _, has := m[name]; !has && len(m) >= maxVars {
		return
	}
	m[strings.Clone(name)] = cutText(value, maxValue)
}

// Examples splits a card's mes_example at its <START> marks into the dialogues
// it holds, trimmed, leaving out empty ones.
func Examples(text string) []string {
	const mark = "<start>"
	var blocks []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			blocks = append(blocks, s)
		}
	}
	begin := 0
	for i := 0; i+len(mark) <= len(text); i++ {
		if text[i] == '<' && strings.EqualFold(text[i:i+len(mark)], mark) {
			add(text[begin:i])
			begin = i + len(mark)
			i = begin - 1
		}
	}
	add(text[begin:])
	return blocks
}
