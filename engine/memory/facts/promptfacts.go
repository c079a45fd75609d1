package facts

import (
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PromptFacts is what a prompt tells already, so that nothing is told twice: the messages that stand
// in it, the statements that it tells, and the memories that lines of its recap have absorbed.
// Nothing else counts: that two texts look alike says nothing. The zero value tells nothing.
type PromptFacts struct {
	messages map[storage.NodeID]bool
	lines    map[string]string           // what tells a statement, by its normalised text
	absorbed map[storage.MemoryID]string // what tells a memory
}

// AddMessage notes that a message stands whole in the prompt.
func (t *PromptFacts) AddMessage(id storage.NodeID) {
	if t.messages == nil {
		t.messages = map[storage.NodeID]bool{}
	}
	t.messages[id] = true
}

// AddLine notes that the prompt tells a statement; by names what tells it, in words. Where it came from
// does not matter.
func (t *PromptFacts) AddLine(statement, by string) {
	key := text.Normalize(statement)
	if key == "" || t.lines[key] != "" {
		return
	}
	if t.lines == nil {
		t.lines = map[string]string{}
	}
	t.lines[key] = by
}

// AddMemories notes that a line that the prompt tells was made of memories too.
func (t *PromptFacts) AddMemories(by string, memories ...storage.MemoryID) {
	for _, id := range memories {
		if t.absorbed == nil {
			t.absorbed = map[storage.MemoryID]string{}
		}
		t.absorbed[id] = by
	}
}

// messagesSource names messages where they tell something.
const messagesSource = "the messages in context"

// Source names what tells a fact already: its sources, which all stand in the prompt, or a line with
// the same text. A fact without sources is told by no message.
func (t *PromptFacts) Source(statement string, sources []storage.NodeID) (by string, ok bool) {
	if t.HasMessages(sources) {
		return messagesSource, true
	}
	return t.LineSource(statement)
}

// HasMessages reports whether there are sources, and all of them stand in the prompt.
func (t *PromptFacts) HasMessages(sources []storage.NodeID) bool {
	for _, id := range sources {
		if !t.messages[id] {
			return false
		}
	}
	return len(sources) > 0
}

// LineSource names what tells a statement with the same text.
func (t *PromptFacts) LineSource(statement string) (by string, ok bool) {
	by, ok = t.lines[text.Normalize(statement)]
	return by, ok
}

// MemorySource is Of for a memory, which a line that has absorbed it tells too.
func (t *PromptFacts) MemorySource(id storage.MemoryID, content string, sources []storage.NodeID) (by string, ok bool) {
	if by, ok = t.absorbed[id]; ok {
		return by, true
	}
	return t.Source(content, sources)
}

// MemoryLineSource is MemorySource without the messages.
func (t *PromptFacts) MemoryLineSource(id storage.MemoryID, content string) (by string, ok bool) {
	return t.MemorySource(id, content, nil)
}
