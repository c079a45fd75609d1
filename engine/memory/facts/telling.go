package facts

import (
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Telling is what a prompt tells already, so that nothing is told twice: the messages that stand
// in it, the statements that it tells, and the memories that lines of its recap have absorbed.
// Nothing else counts: that two texts look alike says nothing. The zero value tells nothing.
type Telling struct {
	messages map[storage.NodeID]bool
	lines    map[string]string           // what tells a statement, by its normalised text
	absorbed map[storage.MemoryID]string // what tells a memory
}

// Message notes that a message stands whole in the prompt.
func (t *Telling) Message(id storage.NodeID) {
	if t.messages == nil {
		t.messages = map[storage.NodeID]bool{}
	}
	t.messages[id] = true
}

// Line notes that the prompt tells a statement; by names what tells it, in words. Where it came from
// does not matter.
func (t *Telling) Line(statement, by string) {
	key := text.Normalize(statement)
	if key == "" || t.lines[key] != "" {
		return
	}
	if t.lines == nil {
		t.lines = map[string]string{}
	}
	t.lines[key] = by
}

// Absorb notes that a line that the prompt tells was made of memories too.
func (t *Telling) Absorb(by string, memories ...storage.MemoryID) {
	for _, id := range memories {
		if t.absorbed == nil {
			t.absorbed = map[storage.MemoryID]string{}
		}
		t.absorbed[id] = by
	}
}

// messagesTell names messages where they tell something.
const messagesTell = "the messages in context"

// Of names what tells a fact already: its sources, which all stand in the prompt, or a line with
// the same text. A fact without sources is told by no message.
func (t *Telling) Of(statement string, sources []storage.NodeID) (by string, ok bool) {
	if t.Stand(sources) {
		return messagesTell, true
	}
	return t.ByLine(statement)
}

// Stand reports whether there are sources, and all of them stand in the prompt.
func (t *Telling) Stand(sources []storage.NodeID) bool {
	for _, id := range sources {
		if !t.messages[id] {
			return false
		}
	}
	return len(sources) > 0
}

// ByLine names what tells a statement with the same text.
func (t *Telling) ByLine(statement string) (by string, ok bool) {
	by, ok = t.lines[text.Normalize(statement)]
	return by, ok
}

// OfMemory is Of for a memory, which a line that has absorbed it tells too.
func (t *Telling) OfMemory(id storage.MemoryID, content string, sources []storage.NodeID) (by string, ok bool) {
	if by, ok = t.absorbed[id]; ok {
		return by, true
	}
	return t.Of(content, sources)
}

// MemoryByLine is OfMemory without the messages.
func (t *Telling) MemoryByLine(id storage.MemoryID, content string) (by string, ok bool) {
	return t.OfMemory(id, content, nil)
}
