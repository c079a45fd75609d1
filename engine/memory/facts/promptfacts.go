package facts

import (
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PromptFacts holds what a prompt already contains, so that nothing is included twice: its
// messages, its statements, and the memories that lines of its recap also state. Only equal texts
// count, not similar ones. The zero value is empty.
type PromptFacts struct {
	messages map[storage.NodeID]bool
	lines    map[string]string           // the source of a statement, by its normalized text
	absorbed map[storage.MemoryID]string // the source of a memory
}

// AddMessage adds a message that is completely in the prompt.
func (t *PromptFacts) AddMessage(id storage.NodeID) {
	if t.messages == nil {
		t.messages = map[storage.NodeID]bool{}
	}
	t.messages[id] = true
}

// AddLine adds a statement; by names its source in words. Its messages do not matter.
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

// AddMemories adds memories that a line in the prompt also states.
func (t *PromptFacts) AddMemories(by string, memories ...storage.MemoryID) {
	for _, id := range memories {
		if t.absorbed == nil {
			t.absorbed = map[storage.MemoryID]string{}
		}
		t.absorbed[id] = by
	}
}

// messagesSource names messages as a source.
const messagesSource = "the messages in context"

// Source returns the part of the prompt that states a fact: its source messages, if all are in the
// prompt, or a line with the same text. A fact without sources is stated by no message.
func (t *PromptFacts) Source(statement string, sources []storage.NodeID) (by string, ok bool) {
	if t.HasMessages(sources) {
		return messagesSource, true
	}
	return t.LineSource(statement)
}

// HasMessages reports whether sources is not empty and all of them are in the prompt.
func (t *PromptFacts) HasMessages(sources []storage.NodeID) bool {
	for _, id := range sources {
		if !t.messages[id] {
			return false
		}
	}
	return len(sources) > 0
}

// LineSource returns the part of the prompt that has a line with the same text.
func (t *PromptFacts) LineSource(statement string) (by string, ok bool) {
	by, ok = t.lines[text.Normalize(statement)]
	return by, ok
}

// MemorySource is Source for a memory, which may also be stated by a line that absorbed it.
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
