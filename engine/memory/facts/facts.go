// Package facts is the index of what a play knows: statements with their subjects, the
// messages that they came from, and who may know them. It is pure. It is made of what
// the records say and can be made again from them at any time; it holds nothing of its
// own.
//
// A statement is found by its subjects and by its words.
// Adding one, taking one away and looking for some cost as much as their own words do,
// however much the index holds.
package facts

import "github.com/ghostlight-theatre/ghostlight/storage"

// Kind is where a fact has its home.
type Kind string

// The homes of facts. Played is a sentence of a message itself.
const (
	Played Kind = "message"
	Recap  Kind = "recap"
	Lore   Kind = "lore"
	Memory Kind = "memory"
	Hook   Kind = "hook"
	Thread Kind = "thread"
)

// Fact is one statement.
type Fact struct {
	ID       string // names it among all facts of an index
	Kind     Kind
	Text     string
	Subject  string           // that its home files it under: the name of an entry; "" for none
	Messages []storage.NodeID // that it came from, nil where nobody knows
	// Memories are those that it is, or that a line of a recap tells too.
	Memories []storage.MemoryID
	// Witnesses are those who may know it, nil everybody.
	Witnesses []storage.CharacterID
	// Depth is that of the newest message that it rests on: of two facts that say
	// otherwise the deeper one is later in the story.
	Depth int
}

// Hit is a fact that was found. Score says how well it fits, greater is better; scores
// of one search alone compare.
type Hit struct {
	*Fact
	Score float64
}
