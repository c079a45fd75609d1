package facts

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Telling is what a prompt tells already, so that nothing is told twice. The zero value
// tells nothing.
type Telling struct {
	// Said gives the words of a message, so that what rests on it can be compared in
	// other words too; nil knows no message. See Reading.
	Said func(storage.NodeID) string

	messages map[storage.NodeID]bool
	told     []told
	words    map[string][]int // of told
	read     map[storage.NodeID]Words
}

// Reading returns the telling with another Said, for one that reads in a transaction and
// must not be kept longer than that. Both share what was noted and read before.
func (t *Telling) Reading(said func(storage.NodeID) string) *Telling {
	if t.read == nil {
		t.read = map[storage.NodeID]Words{}
	}
	now := *t
	now.Said = said
	return &now
}

type told struct {
	words    Words
	messages []storage.NodeID
	by       string
}

// Message notes that a message stands in the prompt.
func (t *Telling) Message(id storage.NodeID) {
	if t.messages == nil {
		t.messages = map[storage.NodeID]bool{}
	}
	t.messages[id] = true
}

// Line notes that the prompt tells a statement, which came from these messages, as far
// as that is known; by names what tells it, in words.
func (t *Telling) Line(text, by string, messages ...storage.NodeID) {
	w := WordsOf(text)
	if len(w.All) < 2 {
		return
	}
	if t.words == nil {
		t.words = map[string][]int{}
	}
	for _, word := range w.All {
		t.words[word] = append(t.words[word], len(t.told))
	}
	t.told = append(t.told, told{w, messages, by})
}

// Messages are named by this where they tell something.
const messagesTell = "the messages in the prompt"

// Of tells what tells a fact already: messages that all stand in the prompt, or a line.
func (t *Telling) Of(text string, messages []storage.NodeID) (by string, ok bool) {
	here := len(messages) > 0
	for _, id := range messages {
		here = here && t.messages[id]
	}
	if here {
		return messagesTell, true
	}
	return t.ByLine(text, messages)
}

// ByLine names the line that tells a fact already: it says all that the fact says, or
// it came from one message with it and says the same of that.
func (t *Telling) ByLine(text string, messages []storage.NodeID) (by string, ok bool) {
	w := WordsOf(text)
	looked := map[int]bool{}
	for _, word := range w.All {
		for _, i := range t.words[word] {
			if looked[i] {
				continue
			}
			looked[i] = true
			line := &t.told[i]
			if Covers(line.words, w) || t.same(w, messages, line) {
				return line.by, true
			}
		}
	}
	return "", false
}

// same tells whether a fact and a line that came from one message say the same of it.
func (t *Telling) same(w Words, messages []storage.NodeID, line *told) bool {
	if t.Said == nil || !Alike(w, line.words) {
		return false
	}
	return slices.ContainsFunc(messages, func(id storage.NodeID) bool {
		return slices.Contains(line.messages, id) && Same(w, line.words, t.said(id))
	})
}

// said are the words of a message.
func (t *Telling) said(id storage.NodeID) Words {
	w, ok := t.read[id]
	if !ok {
		if t.read == nil {
			t.read = map[storage.NodeID]Words{}
		}
		w = WordsOf(t.Said(id))
		t.read[id] = w
	}
	return w
}
