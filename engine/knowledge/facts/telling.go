package facts

import "ghostlight/storage"

// Telling is what a prompt tells already, so that nothing is told twice. The zero value
// tells nothing.
type Telling struct {
	messages map[storage.NodeID]bool
	told     []told
	words    map[string][]int // of told
}

type told struct {
	words Words
	by    string
}

// Message notes that a message stands in the prompt.
func (t *Telling) Message(id storage.NodeID) {
	if t.messages == nil {
		t.messages = map[storage.NodeID]bool{}
	}
	t.messages[id] = true
}

// Line notes that the prompt tells a text; by names what does, in words.
func (t *Telling) Line(text, by string) {
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
	t.told = append(t.told, told{w, by})
}

// Messages are named by this where they tell something.
const messagesTell = "the messages in the prompt"

// Of tells what tells a fact already: messages that all stand in the prompt, or a line
// that says the same.
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
			if Alike(w, t.told[i].words) {
				return t.told[i].by, true
			}
		}
	}
	return "", false
}
