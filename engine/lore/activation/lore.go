// Package activation decides which lorebook entries trigger for a prompt, and why. It follows
// SillyTavern's World Info rules, so that imported books act as their authors meant. It is pure: it
// reads no store, calls no server and reads no clock.
//
// Compile builds an Index of books. A Scan activates entries over a chat and caches what it found
// in each text, so that a turn only costs what is new.
package activation

import (
	"math"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Source is the origin of a book in a chat.
type Source int

// The sources.
const (
	Global Source = iota
	Character
	Chat
	Persona
)

// String names the source for the user.
func (s Source) String() string {
	return [...]string{"global", "character", "chat", "persona"}[s]
}

// Strategy is the order in which entries of global and character books are merged.
type Strategy int

// The strategies, by SillyTavern's numbers.
const (
	Evenly Strategy = iota
	CharacterFirst
	GlobalFirst
)

// Settings are the values that entries and books inherit. See DefaultSettings.
type Settings struct {
	Depth          int     // messages that are scanned
	Budget         float64 // percent of the context
	BudgetCap      int     // tokens; 0: none
	IncludeNames   bool    // scan "Name: text"
	Recursive      bool
	MaxSteps       int // of the loop; 0: no bound but the book's own
	MinActivations int
	MaxDepth       int // maximum depth for MinActivations; 0: no bound
	CaseSensitive  bool
	WholeWords     bool
	GroupScoring   bool
	Strategy       Strategy
}

// DefaultSettings returns the default settings of SillyTavern.
func DefaultSettings() Settings {
	return Settings{Depth: 2, Budget: 25, IncludeNames: true, Recursive: true, WholeWords: true,
		Strategy: CharacterFirst}
}

// budgetOf returns the maximum number of tokens of entries that trigger, 0: no bound.
func budgetOf(s *Settings, context int) int {
	budget := 0
	if context > 0 {
		budget = max(1, int(math.Floor(s.Budget*float64(context)/100+0.5)))
	}
	if s.BudgetCap > 0 && (budget == 0 || s.BudgetCap < budget) {
		budget = s.BudgetCap
	}
	return budget
}

// Book is a lorebook with its entries in the order of the file. A book that has several sources
// counts for the source that the formats rank highest.
type Book struct {
	ID        storage.LorebookID
	Name      string
	Source    Source
	ScanDepth *int
	Entries   []storage.LoreEntry
}

// Message is a message to scan. Text is raw.
type Message struct {
	ID   storage.NodeID
	Name string
	Text string
}

// Fields are the texts besides the messages that entries may have scanned.
type Fields struct {
	Persona, Description, Personality, DepthPrompt, Scenario, CreatorNotes string
}

// Input is the input of an activation.
type Input struct {
	Messages []Message // newest first, without messages that no model sees
	// Length is the number of messages on the path, which timed effects count.
	Length  int
	Fields  Fields
	Injects []string // other text of the prompt that is marked for scanning
	Trigger string   // normal, continue, impersonate, swipe, regenerate, quiet; "" is normal
	// Character and Tags describe the next speaker, for the filters of entries.
	Character string
	Tags      []string
	Greeting  int // which greeting the chat began with, from 0
	// Replies is the number of the model's messages on the path, for decorators that count them. 0
	// is unknown: half of Length is used.
	Replies int
	Effects []storage.LoreEffect
	Force   map[storage.EntryID]bool // trigger even if no key matches
	// Context is the tokens of the whole context, that Settings.Budget is a share of; 0: no bound
	// but the cap.
	Context int
	DryRun  bool // see delays only, and start no effects

	// Random returns numbers in [0, 1) for probability and groups, in the order of the calls. Nil
	// draws from a fixed sequence.
	Random func() float64
	// Count counts tokens; nil estimates.
	Count func(string) int
	// Expand expands macros of a key or a content; nil leaves them.
	Expand func(text string) string
}

// Hit is a key that matched. Message is the message in which it matched, "" outside the messages;
// Where then names the text: "description", "recursion: NAME" …
type Hit struct {
	Key       string         `json:"key"`
	Message   storage.NodeID `json:"message"`
	Where     string         `json:"where"`
	Secondary bool           `json:"secondary"`
	Back      int            `json:"-"` // how many messages before the newest; -1 outside the messages
}

// Verdict is the outcome for an entry.
type Verdict string

// The verdicts. Triggered and those with a hit are always reported, all others only by Why.
const (
	Triggered      Verdict = "fired"
	CutByBudget    Verdict = "over budget"
	FailedChance   Verdict = "probability"
	LostGroup      Verdict = "group"
	NoMatch        Verdict = "no key matched"
	SecondaryFault Verdict = "secondary keys"
	NoKeys         Verdict = "no keys"
	Off            Verdict = "disabled"
	OnCooldown     Verdict = "cooldown"
	OnDelay        Verdict = "delay"
	Filtered       Verdict = "filter"          // trigger, character, tags
	Waiting        Verdict = "recursion level" // delayed until a recursion that did not come
	Excluded       Verdict = "not in recursion"
	Decorated      Verdict = "decorator"
)

// Trace is an entry and all that decided about it.
type Trace struct {
	Book     storage.LorebookID `json:"book"`
	BookName string             `json:"book_name"`
	Source   Source             `json:"-"`
	// Entry is as it was compiled, decorators taken off; owned by the Index.
	Entry   *storage.LoreEntry `json:"-"`
	Verdict Verdict            `json:"verdict"`
	// Reason is the verdict in words for the user: "the key “inn” matched in the newest message",
	// "a roll of 63 missed 40 %".
	Reason string   `json:"reason"`
	Hits   []Hit    `json:"matched"`
	Round  int      `json:"round"`  // the round of the loop that decided it, from 1
	Path   []string `json:"path"`   // names of the entries whose content led here, first to last
	Group  string   `json:"group"`  // what the group rolled or why it won or lost, "" outside groups
	Tokens int      `json:"tokens"` // of Text and the new line that ends it
	Text   string   `json:"-"`      // the content as it goes into the prompt, macros expanded
	// The place in the prompt: the entry's own, changed by decorators.
	Position storage.LorePosition `json:"position"`
	Depth    int                  `json:"depth"`
	Role     storage.Role         `json:"role"`
	Outlet   string               `json:"outlet"`
	// Constant entries do not depend on the messages.
	Constant bool `json:"constant"`
}

// Result is the result of an activation.
type Result struct {
	// Triggered are in the order of their place in the prompt: lower order first
	// within each slot (position, depth, role), outlets the other way round.
	Triggered []Trace `json:"-"`
	// Lost had a hit, or would have triggered without one, and did not.
	Lost    []Trace              `json:"-"`
	Effects []storage.LoreEffect `json:"-"`      // in force after this
	Budget  int                  `json:"budget"` // tokens; 0: no bound
	Used    int                  `json:"used"`   // tokens of what triggered
	Over    bool                 `json:"over"`
	Rounds  int                  `json:"rounds"`
	Faults  []Fault              `json:"-"` // met while running: a regex that was cut off
}

// Fault is a problem of an entry, in words for the user. The faulty part of the entry is inactive.
type Fault struct {
	Book  storage.LorebookID `json:"book"`
	Entry storage.EntryID    `json:"entry"`
	Name  string             `json:"name"`
	Key   string             `json:"key"`
	Text  string             `json:"text"` // "the regex is not valid: …"
}
