package facts

import (
	"slices"

	"ghostlight/storage"
)

// Telling is what a prompt tells already, so that nothing is told twice. The zero value
// tells nothing.
type Telling struct {
	messages map[storage.NodeID]bool
	told     []told
	words    map[string][]int // of told
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

// Line notes that the prompt tells a text, which came from these messages, as far as
// that is known; by names what tells it, in words.
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

// Of tells what tells a fact already: messages that all stand in the prompt, a line that
// has its words, or one that says the like and came from the same message.
func (t *Telling) Of(text string, messages []storage.NodeID) (by string, ok bool) {
	here := len(messages) > 0
	for _, id := range messages {
		here = here && t.messages[id]
	}
	if here {
		return messagesTell, true
	}
	w := WordsOf(text)
	looked := map[int]bool{}
	for _, word := range w.All {
		for _, i := range t.words[word] {
			if looked[i] {
				continue
			}
			looked[i] = true
			line := &t.told[i]
			if Contains(w, line.words) || shared(messages, line.messages) && Alike(w, line.words) {
				return line.by, true
			}
		}
	}
	return "", false
}

func shared(a, b []storage.NodeID) bool {
	return slices.ContainsFunc(a, func(id storage.NodeID) bool { return slices.Contains(b, id) })
}
