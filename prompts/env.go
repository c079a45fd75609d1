package prompts

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Env holds the values of macros. The zero Env works: everything is empty.
//
// Text that the author of a card or prompt wrote (Persona, Description and the other card fields,
// Original) may contain macros and is expanded when it is inserted. Everything else (names,
// messages, input, values of variables) is inserted unchanged.
type Env struct {
	User, Char string
	// Group names all characters of the chat; empty means Char alone.
	Group []string

	Persona, Description, Personality, Scenario string
	Examples                                    string // mes_example of the card
	CharPrompt, CharInstruction, CharDepth      string
	SystemPrompt                                string   // for a card without a prompt of its own
	Greetings                                   []string // the first message, then the alternates
	CharVersion, CreatorNotes                   string
	Original                                    string // the text that the card's text replaces
	Model                                       string

	LastMessage, LastUserMessage, LastCharMessage string
	// LastMessageID is the number of the newest message, counted from 0.
	LastMessageID string

	Input      string
	Generation string // normal, continue, impersonate, swipe …

	// Outlets are the values of {{outlet::name}}, by the exact name. Their text is inserted
	// unchanged. OutletMet, if it is not nil, is called with every name that occurs and has a
	// value.
	Outlets   map[string]string
	OutletMet func(name string)

	// Placeholders are the values of {name} in single braces, by the name in lower case; it is
	// matched without regard to case. Their text is inserted unchanged; any other text in single
	// braces is left alone. PlaceholderMet, if it is not nil, is called with every name that
	// occurs.
	Placeholders   map[string]string
	PlaceholderMet func(name string)

	MaxPrompt, MaxContext, MaxReply int

	// Now is the time of all time macros, and its location their time zone. LastActivity is the
	// time of the last change of the play before Now; zero if there is none.
	Now, LastActivity time.Time

	// Seed, Place and Turn determine the results of chance: random and roll use all three, pick
	// only Seed and Place. Seed is the chat, Place the text's place in the prompt, Turn anything
	// that is new in this turn.
	Seed, Place, Turn string

	// Frozen is for text that must not change from turn to turn: macros that follow the newest
	// messages are then empty, and idleDuration is vague. The caller has to freeze Now and leave
	// Turn empty.
	Frozen bool

	// Vars keeps variables from one Expand to the next. Nil means new ones.
	Vars *Vars
}

// Vars holds the variables of the macro language: local and global ones. Both live in this value
// only. It is not safe for concurrent use.
type Vars struct {
	local, global map[string]string
}

// Limits of variables: a card must not grow without end.
const (
	maxVars  = 1000
	maxValue = 64 << 10
)

// NewVars returns an empty store of variables.
func NewVars() *Vars {
	return &Vars{local: map[string]string{}, global: map[string]string{}}
}

// VarsOf returns variables with the given local ones.
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

// Examples splits a card's mes_example at its <START> marks into its dialogues, trimmed and without
// empty ones.
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
