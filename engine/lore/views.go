package lore

import (
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Book is a lorebook for front ends. Service.Entries reads its entries.
type Book struct {
	storage.Lorebook
	Entries  int `json:"entries"`         // there are; in a chat's book those that exist at the chat's place
	Active   int `json:"active"`          // of these, not disabled
	Tokens   int `json:"tokens"`          // of their contents, estimated
	Constant int `json:"constant_tokens"` // tokens of the constant ones: they are in every prompt
	Waiting  int `json:"waiting"`         // changes in the inbox
	// In a chat: the source of the book, whether it counts, and whether the chat itself sets that.
	Source   activation.Source `json:"-"`
	On       bool              `json:"-"`
	Switched bool              `json:"-"`
	Why      string            `json:"-"` // in words: "the character's book", "switched on for this chat"
}

// Row is an entry in a list.
type Row struct {
	storage.LoreEntry
	Book     storage.LorebookID `json:"book"`
	BookName string             `json:"book_name"`
	Tokens   int                `json:"tokens"`
	OnPath   bool               `json:"here"` // only at this place of the tree
	// Stale reports that the scene that taught this state was changed since, or is gone.
	Stale bool `json:"stale"`
	// LastTriggered is the number of the newest message on the path that it triggered at, counted
	// from 1, 0 for none that is known of.
	LastTriggered int `json:"last_fired"`
	Waiting       int `json:"waiting"` // changes in the inbox
}

// State is a state of an entry in its history.
type State struct {
	storage.LoreEntry
	Current bool // in force at the chat's place
	// OnPath reports whether this state's place is on the chat's path.
	OnPath bool
	Scene  string   // the scene that caused it: "Scene 4: The harbour", "" for none
	Facts  []string // that it brought, removed ones not among them
}

// EntryView is an entry with its history, oldest state first.
type EntryView struct {
	Row
	History  []State            `json:"-"`
	Ended    []EndedFact        `json:"-"`        // its facts that have ended, if there is a chat
	Problems []plist.Problem    `json:"problems"` // of its content, if that is intended as a PList
	Faults   []activation.Fault `json:"faults"`   // of its keys
}

// Activation is the result of the lorebooks for the next prompt, or over a text.
type Activation struct {
	activation.Result
	// Pinned are entries that triggered earlier and stay in the history until a fold;
	// those that also trigger now are not among them.
	Pinned []PinnedEntry `json:"stays"`
	// Placement is the placement of keyed entries in the prompt: stay or tail.
	Placement string             `json:"placement"`
	Books     []Book             `json:"-"`
	Faults    []activation.Fault `json:"faults"` // of the books, and those met while running
}

// PinnedEntry is an entry that stays in the prompt's history.
type PinnedEntry struct {
	Entry  storage.EntryID    `json:"id"`
	BookID storage.LorebookID `json:"book"`
	Book   string             `json:"book_name"`
	Name   string             `json:"name"`
	Reason string             `json:"reason"` // why it triggered
	Tokens int                `json:"tokens"`
	At     storage.NodeID     `json:"before"` // the message after it
}

// Proposal is a change that waits for the user's word.
type Proposal struct {
	storage.LoreChange
	BookName string
	Name     string
	Before   *storage.LoreEntry // as it was when the change was made; nil for a new entry
	Hunks    []Hunk             // of the content, in order
	Fields   []field.Change     // the other changes
	Scene    string             // that caused it
	// Outdated reports that the entry has changed since; accepting merges by facts.
	Outdated bool
}

// Hunk is a fact that a change adds, removes or changes, and the messages that it came from.
type Hunk struct {
	Number int `json:"number"` // in its change, from 1
	plist.Hunk
	Messages []storage.NodeID `json:"messages"`
}

// SceneChange is the change of an entry by a scene.
type SceneChange struct {
	Book  storage.LorebookID `json:"book"`
	Entry storage.EntryID    `json:"entry"`
	Name  string             `json:"name"`
	New   bool               `json:"new"`   // the scene made the entry
	Facts []string           `json:"facts"` // that are still in it
	// Outdated are the Facts that the scene's current recap has not taught; nil if they were not
	// compared.
	Outdated []string `json:"outdated,omitzero"`
}

// Imported is the result of importing a book.
type Imported struct {
	Book     storage.Lorebook
	Entries  int
	Format   string
	Warnings []string
}

// CaseResult is the result of a book's saved test case.
type CaseResult struct {
	storage.LoreCase
	OK      bool     `json:"ok"`
	Fired   []string `json:"fired"`   // names of all that triggered
	Missing []string `json:"missing"` // should have triggered
	Extra   []string `json:"extra"`   // triggered and must not
	Unknown []string `json:"unknown"` // names that no entry has
}

// Action is a change that can be applied to several entries together.
type Action string

// The actions. Retype takes the new type, Reorder the order as text.
const (
	Enable     Action = "enable"
	Disable    Action = "disable"
	Delete     Action = "delete"
	Lock       Action = "lock"
	Unlock     Action = "unlock"
	Constant   Action = "constant" // always in the prompt
	Keyed      Action = "keyed"
	Retype     Action = "retype"
	Reorder    Action = "order"
	UndoDelete Action = "undo"
)

// Finding is a finding of the linter in a book.
type Finding = linter.Finding

// Queued is the result of a request for filling.
type Queued struct {
	Operations []storage.OperationID `json:"-"`
	Candidates int                   `json:"candidates"`
	Scenes     int                   `json:"scenes"`
}
