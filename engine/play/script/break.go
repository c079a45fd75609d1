package script

// PrefixBreak is a part of a prompt that makes a server read again what it had read
// before.
type PrefixBreak struct {
	Layer  string `json:"layer"` // LayerHistory where the history was folded
	Source string `json:"source"`
	What   string `json:"what"` // what happened to it, in words
	// Tokens are read again because of it, beside what any turn reads.
	Tokens int `json:"tokens"`
	// Fold: the window was chosen anew, which has to be from time to time.
	Fold bool `json:"fold,omitempty"`
}

// FindPrefixBreak finds what in next makes a server read again what it has read with prev,
// beside what every turn reads; ok is false where nothing does. Where the window
// has left messages behind, that is it, whatever has changed with them behind the
// system message. A nil count estimates.
func FindPrefixBreak(prev, next *Prompt, count func(string) int) (b PrefixBreak, ok bool) {
	d, known := differ(prev, next)
	if !known || d.last < d.first {
		return PrefixBreak{}, false
	}
	if count == nil {
		count = estimate
	}
	for i := d.first; i <= d.last; i++ {
		b.Tokens += d.units[i].tokens
	}
	at := &d.nextHead[d.first]
	if was, had := d.wasInHead(at); had && was == d.first && !d.same(was, d.first) &&
		d.prev.roleOf(&d.prevUnits[was]) == d.next.roleOf(at) {
		text := d.next.textOf(at)
		b.Tokens -= min(at.tokens, count(text[:shared(d.prev.textOf(&d.prevUnits[was]), text)]))
	}
	for _, r := range d.rows {
		if r.First {
			b.Layer, b.Source, b.What = r.Layer, r.Source, changeCause(r)
			break
		}
	}
	if next.Folded && at.message > d.systemEnds() {
		b.Layer, b.Source, b.What, b.Fold = LayerHistory, "the history", "the history was trimmed", true
	}
	return b, true
}

// systemEnds returns the index of the message that the stable part makes, -1 without
// one.
func (d *difference) systemEnds() int {
	if d.next.Messages[0].Role == "system" && d.nextHead[0].layer != LayerHistory &&
		d.nextHead[0].layer != LayerMemory {
		return 0
	}
	return -1
}

// changeCause says in words what a change is.
func changeCause(r changeRow) string {
	if r.Layer == LayerHistory {
		switch r.Kind {
		case Added:
			return "messages were added above the cached ones"
		case Removed:
			return "cached messages were removed"
		case Changed:
			return "a message has changed"
		}
	}
	switch r.Kind {
	case Added:
		return "it was added"
	case Removed:
		return "it was removed"
	case Moved:
		return "it has moved"
	}
	return "it changed"
}
