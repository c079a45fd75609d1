package prompt

// CacheMiss is a part of a prompt that makes a server read again what it has read before.
type CacheMiss struct {
	Layer  string `json:"layer"` // LayerHistory if the history was folded
	Source string `json:"source"`
	What   string `json:"what"` // description of the change
	// Tokens are read again because of it, in addition to those of any turn.
	Tokens int `json:"tokens"`
	// Fold reports that a new window was chosen, which is necessary from time to time.
	Fold bool `json:"fold,omitempty"`
}

// FindCacheMiss returns the part of next that makes a server read again what it has read with
// prev, in addition to what every turn reads; ok is false if there is none. If messages have left
// the window, that is the cause, even if other parts after the system message have changed with
// them. If count is nil, tokens are estimated.
func FindCacheMiss(prev, next *Prompt, count func(string) int) (b CacheMiss, ok bool) {
	d, known := differ(prev, next)
	if !known || d.last < d.first {
		return CacheMiss{}, false
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

// systemEnds returns the index of the message with the stable part, -1 for none.
func (d *difference) systemEnds() int {
	if d.next.Messages[0].Role == "system" && d.nextHead[0].layer != LayerHistory &&
		d.nextHead[0].layer != LayerRecap {
		return 0
	}
	return -1
}

// changeCause describes a change in words.
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
