// Package facts is the index of the known facts in a play: statements with their subjects, their
// source messages, and the characters who may know them. It is pure. The index is derived from the
// records and can be rebuilt from them at any time.
//
// A statement is found by its subjects and its words. The cost of adding, removing and searching
// depends on the words involved, not on the size of the index.
package facts

import "github.com/ghostlight-theatre/ghostlight/storage"

// Kind is the kind of record that holds a fact.
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
	Messages []storage.NodeID // that it came from, nil if unknown
	// Memories are the memory that the fact is, or the memories that a recap line also states.
	Memories []storage.MemoryID
	// Witnesses are the characters who may know it, nil for everybody.
	Witnesses []storage.CharacterID
	// Depth is that of the newest message that it rests on: of two contradicting facts the deeper
	// one is later in the story.
	Depth int
}

// Hit is a search result. Higher scores fit better; scores of different searches cannot be
// compared.
type Hit struct {
	*Fact
	Score float64
}
