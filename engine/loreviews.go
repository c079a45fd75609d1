package engine

import (
	"ghostlight/engine/lore/activation"
	"ghostlight/engine/lore/plist"
	"ghostlight/engine/lore/scribe"
	"ghostlight/storage"
)

// Book is a lorebook as a front end shows it. Its entries are read with
// LoreEntries.
type Book struct {
	storage.Lorebook
	Entries  int // there are; in a chat's book those that exist at the chat's place
	Active   int // of these, not disabled
	Tokens   int // of their contents, estimated
	Constant int // tokens of the constant ones: they are in every prompt
	Waiting  int // changes in the inbox
	// In a chat: where the book comes in from, whether it counts, and whether
	// the chat itself says so.
	Source   activation.Source
	On       bool
	Switched bool
	Why      string // in words: "the character's book", "switched on for this chat"
}

// LoreRow is an entry in a list.
type LoreRow struct {
	storage.LoreEntry
	Book     storage.LorebookID
	BookName string
	Tokens   int
	Here     bool // only at this place of the tree
	// Stale: the scene that taught this state has been changed since, or is gone.
	Stale bool
	// Fired is the depth of the newest message on the path that it fired at, -1
	// for none that is known of.
	Fired   int
	Waiting int // changes in the inbox
}

// LoreState is a state of an entry in its history.
type LoreState struct {
	storage.LoreEntry
	Current bool // what counts at the chat's place
	// OnPath tells whether this state's place is on the chat's path.
	OnPath bool
	Scene  string   // the scene that caused it: "Scene 4: The harbour", "" for none
	Facts  []string // that it brought, removed ones not among them
}

// LoreEntryView is an entry with its history, oldest state first.
type LoreEntryView struct {
	LoreRow
	History  []LoreState
	Problems []plist.Problem    // of its content, where that is meant to be a PList
	Faults   []activation.Fault // of its keys
}

// LoreActivation is what the lorebooks do for the next prompt, or over a text.
type LoreActivation struct {
	activation.Result
	// Stays are entries that fired earlier and stay in the history until a fold;
	// those that also fire now are not among them.
	Stays []LoreStanding
	// Placement is how keyed entries stand in the prompt: stay or tail.
	Placement string
	Books     []Book
	Faults    []activation.Fault // of the books
}

// LoreStanding is an entry that stays in the prompt's history.
type LoreStanding struct {
	Name, Book string
	BookID     storage.LorebookID
	Entry      storage.EntryID
	At         storage.NodeID // before which it stands
	Tokens     int
	Reason     string // why it fired
}

// LoreProposal is a change that waits for the user's word.
type LoreProposal struct {
	storage.LoreChange
	BookName string
	Name     string
	Before   *storage.LoreEntry // as it was when the change was made; nil for a new entry
	Hunks    []plist.Hunk       // of the content, in order
	// Sources are the messages that each hunk came from, by its index.
	Sources [][]storage.NodeID
	Fields  []LoreField // what else changes
	Scene   string      // that caused it
	// Outdated: the entry has been changed since; accepting goes by facts.
	Outdated bool
}

// LoreField is a change of a field other than the content.
type LoreField struct{ Name, Before, After string }

// LoreTaught is what a scene has taught an entry.
type LoreTaught struct {
	Book  storage.LorebookID
	Entry storage.EntryID
	Name  string
	New   bool     // the scene made the entry
	Facts []string // that are still in it
}

// LoreImported is what came of importing a book.
type LoreImported struct {
	Book     storage.Lorebook
	Entries  int
	Format   string
	Warnings []string
}

// LoreCaseResult is what a saved case of a book came to.
type LoreCaseResult struct {
	storage.LoreCase
	Fired   []string // names of all that fired
	Missing []string // should have fired
	Extra   []string // fired and must not
	Unknown []string // names that no entry has
	OK      bool
}

// LoreAction is done to several entries at once.
type LoreAction string

// The actions. Retype takes the new type, Reorder the order as text.
const (
	LoreEnable   LoreAction = "enable"
	LoreDisable  LoreAction = "disable"
	LoreDelete   LoreAction = "delete"
	LoreLock     LoreAction = "lock"
	LoreUnlock   LoreAction = "unlock"
	LoreConstant LoreAction = "constant" // always in the prompt
	LoreKeyed    LoreAction = "keyed"
	LoreRetype   LoreAction = "retype"
	LoreReorder  LoreAction = "order"
	LoreUndo     LoreAction = "undo"
)

// LoreConfig is how lorebooks are used and filled. Its zero value means the
// defaults.
type LoreConfig struct {
	Settings  *activation.Settings // nil: lore.DefaultSettings
	Placement string               // stay or tail; "": DefaultPlacement
	NoFill    bool                 // do not fill the chat's book from recaps
	Types     []string             // of entries; nil: scribe.Types
	Review    map[string]string    // by type, "default" for the rest: apply or review; what is missing: apply
	Compact   int                  // runes of content from which on compaction is proposed; 0: 1200, < 0: never
}

// LoreFinding is what the linter found in a book.
type LoreFinding = scribe.Finding

// LoreQueued is what a request for filling has queued.
type LoreQueued struct {
	Operations []storage.OperationID
	Candidates int
	Scenes     int
}
