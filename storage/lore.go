package storage

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Ids of what belongs to lorebooks.
type (
	LorebookID   string
	EntryID      string
	RevisionID   string
	LoreChangeID string
)

// BookKind is the kind of chats that a lorebook is used in.
type BookKind string

const (
	GlobalBook    BookKind = "global" // in every chat, unless a chat says otherwise
	CharacterBook BookKind = "character"
	ChatBook      BookKind = "chat" // filled by the program
	PersonaBook   BookKind = "persona"
)

// Lorebook is a book of facts about stories. Its entries are in LoreEntries. One whose kind is not
// global belongs to the one owner that is set.
type Lorebook struct {
	ID          LorebookID  `json:"id"`
	Name        string      `json:"name"` // never empty
	Description string      `json:"description"`
	Kind        BookKind    `json:"kind"`
	Character   CharacterID `json:"character"`
	Chat        ChatID      `json:"chat"`
	Persona     PersonaID   `json:"persona"`
	// Also are the ids of other characters and personas in whose chats it counts like in
	// those of its owner.
	Also []string `json:"also"`
	// Off: it counts only in chats that switch it on.
	Off       bool `json:"off"`
	ScanDepth *int `json:"scan_depth"` // messages; nil inherits the setting

	// Format is the dialect it was imported from, "" for none; Source that
	// document without its entries, whole.
	Format  string          `json:"format"`
	Source  json.RawMessage `json:"source"`
	Cases   []LoreCase      `json:"cases"`
	NextUID int             `json:"next_uid"` // greater than every uid in it
	Version int             `json:"version"`  // counts the changes of the book and its entries

	// Removed books count nowhere and can be brought back.
	Removed   bool      `json:"removed"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// LoreCase is a test of a book: a text, and the names of the entries that it
// must trigger and must not.
type LoreCase struct {
	Name  string   `json:"name"`
	Text  string   `json:"text"`
	Fires []string `json:"fires"`
	Not   []string `json:"not"`
}

// LoreEntry is one entry of a lorebook in one of its states. Only Content
// reaches a model. Pointers that are nil inherit the book's or the settings'
// value. The zero value is not a usable entry: see NewLoreEntry.
type LoreEntry struct {
	ID       EntryID  `json:"id"`
	UID      int      `json:"uid"` // unique in its book; names it in files and in timed effects
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"`
	Type     string   `json:"type"`
	Synopsis string   `json:"synopsis"`
	Content  string   `json:"content"`

	Keys          []string  `json:"keys"`
	SecondaryKeys []string  `json:"secondary_keys"`
	Selective     bool      `json:"selective"` // secondary keys count
	Logic         LoreLogic `json:"logic"`
	Constant      bool      `json:"constant"`
	Vectorized    bool      `json:"vectorized"`
	Disabled      bool      `json:"disabled"`

	Order    int          `json:"order"`
	Position LorePosition `json:"position"`
	Depth    int          `json:"depth"` // of position AtDepth
	Role     Role         `json:"role"`
	Outlet   string       `json:"outlet"`

	ScanDepth       *int  `json:"scan_depth"`
	CaseSensitive   *bool `json:"case_sensitive"`
	WholeWords      *bool `json:"whole_words"`
	UseGroupScoring *bool `json:"use_group_scoring"`

	ExcludeRecursion    bool `json:"exclude_recursion"`
	PreventRecursion    bool `json:"prevent_recursion"`
	DelayUntilRecursion int  `json:"delay_until_recursion"` // level; 0: not

	Probability    float64 `json:"probability"` // percent
	UseProbability bool    `json:"use_probability"`
	IgnoreBudget   bool    `json:"ignore_budget"`

	Group         string  `json:"group"` // names, comma-separated
	GroupOverride bool    `json:"group_override"`
	GroupWeight   float64 `json:"group_weight"`

	Sticky   int `json:"sticky"` // all three in messages
	Cooldown int `json:"cooldown"`
	Delay    int `json:"delay"`

	Triggers   []string    `json:"triggers"` // kinds of request; empty: all
	Characters *LoreFilter `json:"characters"`
	// The texts that are scanned besides the messages.
	MatchPersona      bool `json:"match_persona"`
	MatchDescription  bool `json:"match_description"`
	MatchPersonality  bool `json:"match_personality"`
	MatchDepthPrompt  bool `json:"match_depth_prompt"`
	MatchScenario     bool `json:"match_scenario"`
	MatchCreatorNotes bool `json:"match_creator_notes"`

	Locked bool `json:"locked"` // nothing changes it but the user
	// Witnesses are the characters who know all of the entry, nil for everybody. Each fact may have
	// its own.
	Witnesses []CharacterID `json:"witnesses,omitzero"`

	// Facts are the sources of parts of the content. The program writes them.
	Facts []LoreFact `json:"facts"`
	// Source is the complete entry as it was imported.
	Source json.RawMessage `json:"source"`

	// Revision names this state, Before the state that it was made from, and Cause says why it was
	// made. A state with Removed set marks a deleted entry.
	Revision  RevisionID `json:"revision"`
	Before    RevisionID `json:"before"`
	Cause     LoreCause  `json:"cause"`
	At        NodeID     `json:"at"` // the message from which on it holds; "" for everywhere
	AtDepth   int        `json:"at_depth"`
	Removed   bool       `json:"removed"`
	Past      []LorePast `json:"past"` // other states, oldest first
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"` // when this state was made
}

// NewLoreEntry returns an entry with SillyTavern's defaults.
func NewLoreEntry() LoreEntry {
	return LoreEntry{Selective: true, Order: 100, Depth: 4, Probability: 100, UseProbability: true, GroupWeight: 100}
}

// LoreFilter keeps an entry to some characters, or away from them.
type LoreFilter struct {
	Exclude bool     `json:"exclude"`
	Names   []string `json:"names"`
	Tags    []string `json:"tags"`
}

// LoreFact is a part of an entry's content and the messages that it came from.
type LoreFact struct {
	Text     string   `json:"text"`
	Chat     ChatID   `json:"chat"`
	Messages []NodeID `json:"messages"`
	// Witnesses are the characters who know it, nil for those who know all of the entry. If Open is
	// set, everybody knows it.
	Witnesses []CharacterID `json:"witnesses,omitzero"`
	Open      bool          `json:"open"`
}

// LoreDropped is a fact that went into a state of an entry and is not in it.
type LoreDropped struct {
	Fact     string   `json:"fact"`
	Why      string   `json:"why"`
	Messages []NodeID `json:"messages"` // that it came from
}

// LorePast is another state of an entry; its revision holds it.
type LorePast struct {
	Revision RevisionID `json:"revision"`
	At       NodeID     `json:"at"`
	AtDepth  int        `json:"at_depth"`
}

// Everywhere reports whether the entry has the same state at every place of a
// tree.
func (e *LoreEntry) Everywhere() bool {
	return e.At == "" && !slices.ContainsFunc(e.Past, func(p LorePast) bool { return p.At != "" })
}

// LoreOrigin is the origin of a state of an entry.
type LoreOrigin string

const (
	LoreByUser     LoreOrigin = "user"
	LoreByScene    LoreOrigin = "scene" // what a recap brought up
	LoreByImport   LoreOrigin = "import"
	LoreByUndo     LoreOrigin = "undo"
	LoreByTakeBack LoreOrigin = "take back"
	LoreByCompact  LoreOrigin = "compaction"
)

// LoreCause says why an entry was changed. What is not known is empty.
type LoreCause struct {
	Origin    LoreOrigin  `json:"origin"`
	Chat      ChatID      `json:"chat"`
	Break     NodeID      `json:"break"` // of the scene
	Recap     RecapID     `json:"recap"`
	Candidate string      `json:"candidate"` // its name
	Operation OperationID `json:"operation"`
	Model     string      `json:"model"`
	// Dropped are the facts that the state was made of and that are not in it.
	Dropped []LoreDropped `json:"dropped"`
}

// LoreRevision keeps an earlier state of an entry. Revisions are never removed while their book
// exists.
type LoreRevision struct {
	ID    RevisionID `json:"id"`
	State LoreEntry  `json:"state"` // Past is empty in it
}

// LoreChangeKind is the kind of a proposed change.
type LoreChangeKind string

const (
	LoreAdds     LoreChangeKind = "new"
	LoreUpdates  LoreChangeKind = "update"
	LoreCompacts LoreChangeKind = "compact"
)

// LoreChange is a change to a lorebook that waits for the user's decision. Before is the revision
// that After was made from, "" for a new entry.
type LoreChange struct {
	ID        LoreChangeID   `json:"id"`
	Book      LorebookID     `json:"book"`
	Kind      LoreChangeKind `json:"kind"`
	Before    RevisionID     `json:"before"`
	After     LoreEntry      `json:"after"`
	Cause     LoreCause      `json:"cause"`
	CreatedAt time.Time      `json:"created_at"`
}

// LoreTurn records the lorebook entries that triggered for a prompt whose newest message is Node,
// and the timed effects that are in force after it.
type LoreTurn struct {
	Node      NodeID           `json:"node"`
	Triggered []TriggeredEntry `json:"fired"`
	Effects   []LoreEffect     `json:"effects"`
	// Gone are entries, each with the hash of its content, that were inserted before older messages
	// and were left out of this turn's prompt. They are not inserted there again.
	Gone []string `json:"gone"`
}

// TriggeredEntry is an entry that triggered. Text is set if it stays in the history before Node: it
// is the text that the model got, with macros expanded.
type TriggeredEntry struct {
	Book   LorebookID `json:"book"`
	Entry  EntryID    `json:"entry"`
	Name   string     `json:"name"`
	Hash   string     `json:"hash"` // of the content that triggered
	Text   string     `json:"text"`
	Reason string     `json:"reason"`
}

// LoreEffectKind is a timed effect's kind.
type LoreEffectKind string

const (
	LoreSticky   LoreEffectKind = "sticky"
	LoreCooldown LoreEffectKind = "cooldown"
)

// LoreEffect is a timed effect. It is in force from Start to End, counted in messages of the path.
// Hash is the hash of the entry at that time.
type LoreEffect struct {
	Kind      LoreEffectKind `json:"kind"`
	Book      LorebookID     `json:"book"`
	UID       int            `json:"uid"`
	Hash      string         `json:"hash"`
	Start     int            `json:"start"`
	End       int            `json:"end"`
	Protected bool           `json:"protected"`
}

// RegexKey splits a key of the form /pattern/flags. A key whose pattern contains an unescaped slash
// is a plain key, since it may be a path. So is one that gives a flag twice, because JavaScript
// rejects it.
func RegexKey(key string) (pattern, flags string, ok bool) {
	end := strings.LastIndexByte(key, '/')
	if end < 2 || key[0] != '/' || strings.Trim(key[end+1:], "gimsuy") != "" {
		return "", "", false
	}
	for i, flag := range key[end+1:] {
		if strings.ContainsRune(key[end+1:][:i], flag) {
			return "", "", false
		}
	}
	pattern = key[1:end]
	for i := range len(pattern) {
		if pattern[i] == '/' && (i == 0 || pattern[i-1] != '\\') {
			return "", "", false
		}
	}
	return strings.ReplaceAll(pattern, `\/`, "/"), key[end+1:], true
}
