package storage

import (
	"encoding/json"
	"slices"
	"time"
)

// RegexID names a RegexScript.
type RegexID string

// RegexPlace is a kind of text that a regex script acts on.
type RegexPlace string

const (
	RegexUser     RegexPlace = "user"     // what the user says
	RegexReply    RegexPlace = "reply"    // what a character says
	RegexCommand  RegexPlace = "command"  // what a command puts into a chat: narrators' lines
	RegexLore     RegexPlace = "lore"     // entries of lorebooks
	RegexThinking RegexPlace = "thinking" // what a model thought before it spoke
)

// RegexPlaces are all of them, in their order.
var RegexPlaces = []RegexPlace{RegexUser, RegexReply, RegexCommand, RegexLore, RegexThinking}

// RegexMacros says how macros in the pattern of a regex script are treated.
type RegexMacros string

const (
	RegexAsWritten RegexMacros = ""        // they are part of the pattern
	RegexRaw       RegexMacros = "raw"     // they are put in as they are
	RegexEscaped   RegexMacros = "escaped" // they are put in as plain text
)

// RegexScript replaces text. Find is a JavaScript pattern, alone or as /pattern/flags; without the
// flag g only the first match is replaced. In Replace, $1 and $<name> are groups, and $0 and
// {{match}} are the whole match. Each text in Trim is removed from what these insert.
//
// DisplayOnly limits it to the text that the user reads, PromptOnly to the text that the model gets;
// with both it changes these two. With neither it also changes both, except text that was edited,
// unless OnEdit is set, and text from another program. That program applies such scripts to the
// text that it stores.
type RegexScript struct {
	ID          RegexID      `json:"id"`
	Name        string       `json:"name"`
	Find        string       `json:"find"`
	Replace     string       `json:"replace"`
	Trim        []string     `json:"trim"`
	Places      []RegexPlace `json:"places"`
	DisplayOnly bool         `json:"only_shown"`
	PromptOnly  bool         `json:"only_sent"`
	OnEdit      bool         `json:"on_edit"`
	Off         bool         `json:"off"`
	Macros      RegexMacros  `json:"macros"`
	// MinDepth and MaxDepth limit the number of messages after the one that it acts on; nil for no
	// limit.
	MinDepth *int `json:"min_depth"`
	MaxDepth *int `json:"max_depth"`
	// Order is its place among the user's own; those that come first act first.
	Order int `json:"order"`
	// Source is the script as it was imported, whole.
	Source    json.RawMessage `json:"source"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"`
}

// Acts reports whether it acts on texts of a kind.
func (s *RegexScript) Acts(place RegexPlace) bool { return slices.Contains(s.Places, place) }

// Neither reports whether neither DisplayOnly nor PromptOnly is set.
func (s *RegexScript) Neither() bool { return !s.DisplayOnly && !s.PromptOnly }

// Windowed reports whether the script acts on a message depending on the number of messages after
// it.
func (s *RegexScript) Windowed() bool {
	return s.MinDepth != nil && *s.MinDepth > 0 || s.MaxDepth != nil && *s.MaxDepth >= 0
}

// CardRegex holds the user's decision on the regex scripts in a character's card. They act only if
// On is set. Sum is the hash of the scripts that the user has seen: if the card's scripts differ,
// the decision does not apply. Off are the positions, counted from 1, of the scripts whose Off
// state the user has toggled.
type CardRegex struct {
	Character CharacterID `json:"character"`
	On        bool        `json:"on"`
	Sum       string      `json:"sum"`
	Off       []int       `json:"off"`
}

// The tables of regex scripts: the user's own scripts, and the decisions on the scripts of cards.
var (
	RegexScripts = table(bucketRegexScripts, "regex script", func(s *RegexScript) *RegexID { return &s.ID })
	CardRegexes  = table(bucketCardRegexes, "permission for a card's regex scripts",
		func(c *CardRegex) *CharacterID { return &c.Character })
)

// AnyRegex reports whether there may be a regex script that acts, without reading one.
func (tx *Tx) AnyRegex() bool {
	for _, name := range []string{RegexScripts.bucket, CardRegexes.bucket} {
		if b := tx.bucket(name); b != nil {
			if b.last() != nil {
				return true
			}
		}
	}
	return false
}
