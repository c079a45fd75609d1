package config

import (
	"time"
)

// Scenes configures how scenes are found and recapped. Its zero value means the defaults.
type Scenes struct {
	NoDetect  bool // do not look for scene breaks after each turn
	NoRecap   bool // do not make recaps of ended scenes unasked
	NoRunning bool // do not merge a finished recap into the running one
	// HoldNewest keeps the newest scene's recap out of the running one until the user merges it or
	// the next scene has ended.
	HoldNewest bool
	NoInterim  bool // do not recap the beginning of the open scene before the history folds within it
	// MinMessages is the minimum length of a detected scene in messages; 0: 1, and 4 if a whole
	// chat is searched for breaks that no mark shows.
	MinMessages int
	Types       string // whose messages go into a recap: user, character or both (default)
	History     int    // recaps that a recap is made of, itself included; 0: 1
	Style       string // bullets (default), narrative or dialogue
	NoLore      bool   // recap without the lorebook entries that trigger at the scene's end
	AllLore     bool   // recap with the entries of all books, not only of the chat's own
	DetectAlone bool   // ask about breaks by a request of its own, not on the chat's prompt
}

// MemoryMode selects the replacement for messages that have left the prompt.
type MemoryMode string

const (
	MemoryRunning MemoryMode = "running" // the running recap
	MemoryScenes  MemoryMode = "scenes"  // the newest scenes' recaps
	MemoryShort   MemoryMode = "short"   // nothing
)

// Memory configures how recaps are put into the prompt. Its zero value means the defaults.
type Memory struct {
	Mode   MemoryMode // "": running
	Role   string     // "": system
	Depth  int        // messages above the newest; 0: before the history
	Keep   *int       // messages before the open scene that stay; nil: 4
	First  int        // messages that a chat begins with and that stay in every prompt
	Recent int        // scenes in mode scenes; 0: 5
	Budget int        // tokens of these; 0: 1500
	Share  int        // per cent of the context that the running recap may take; 0: 20
	FoldAt int        // per cent of its room that the history fills before recapped messages leave it; 0: 80
}

// Jobs configures background work.
type Jobs struct {
	Timeout   time.Duration // of one attempt; 0: ten minutes
	ChatWaits bool          // a turn waits for running work instead of putting it back
}

// The defaults of scenes and memory.
const (
	DefaultMinMessages = 4 // if a whole chat is searched
	DefaultKeep        = 4
	DefaultRecent      = 5
	DefaultBudget      = 1500
	DefaultShare       = 20
	DefaultFoldAt      = 80
	DefaultJobTimeout  = 10 * time.Minute
)
