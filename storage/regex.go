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

// RegexMacros is what becomes of macros in the pattern of a regex script.
type RegexMacros string

const (
	RegexAsWritten RegexMacros = ""        // they are part of the pattern
	RegexRaw       RegexMacros = "raw"     // they are put in as they are
	RegexEscaped   RegexMacros = "escaped" // they are put in as plain text
)

// RegexScript finds texts and says what stands in their place. Find is a pattern of
// JavaScript, alone or as /pattern/flags; only with the flag g it finds more than the
// first. In Replace, $1 and $<name> are groups, $0 and {{match}} all that was found; Trim
// are texts that are taken out of what those stand for.
//
// OnlyShown acts on what the user reads, OnlySent on what the model is told; both on
// both. Neither acts on both too, but not on what was edited, unless OnEdit, and not on
// what another program wrote, which has done it: there such scripts act on what is stored.
type RegexScript struct {
	ID        RegexID      `json:"id"`
	Name      string       `json:"name"`
	Find      string       `json:"find"`
	Replace   string       `json:"replace"`
	Trim      []string     `json:"trim"`
	Places    []RegexPlace `json:"places"`
	OnlyShown bool         `json:"only_shown"`
	OnlySent  bool         `json:"only_sent"`
	OnEdit    bool         `json:"on_edit"`
	Off       bool         `json:"off"`
	Macros    RegexMacros  `json:"macros"`
	// MinDepth and MaxDepth are how many messages may stand behind the one it acts on; nil
	// for any number.
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

// Neither tells that it names neither what is shown nor what is sent.
func (s *RegexScript) Neither() bool { return !s.OnlyShown && !s.OnlySent }

// Windowed reports whether how far back a message stands decides whether it acts there.
func (s *RegexScript) Windowed() bool {
	return s.MinDepth != nil && *s.MinDepth > 0 || s.MaxDepth != nil && *s.MaxDepth >= 0
}

// CardRegex is what the user has said of the regex scripts in a character's card, which
// act only where On. Sum tells the scripts that were meant: others are none that the user
// has seen. Off are the places of those that were switched off, counted from 1.
type CardRegex struct {
	Character CharacterID `json:"character"`
	On        bool        `json:"on"`
	Sum       string      `json:"sum"`
	Off       []int       `json:"off"`
}

// The tables of regex scripts: the user's own, and what is said of those of cards.
var (
	RegexScripts = table(bucketRegexScripts, "regex script", func(s *RegexScript) *RegexID { return &s.ID })
	CardRegexes  = table(bucketCardRegexes, "word on the regex scripts of a card",
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
