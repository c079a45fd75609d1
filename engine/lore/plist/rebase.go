package plist

import "slices"

// rebaser is a content while the changes of another are made in it.
type rebaser struct {
	of     splitting
	pieces []piece
	keys   []string // of the pieces, "" of a head
}

func newRebaser(s splitting) *rebaser {
	w := &rebaser{of: s, pieces: slices.Clone(s.pieces), keys: make([]string, len(s.pieces))}
	for i, p := range w.pieces {
		if !p.head {
			w.keys[i] = factKey(p.text)
		}
	}
	return w
}

// find returns the index of a fact, -1 for none.
func (w *rebaser) find(fact string) int { return slices.Index(w.keys, factKey(fact)) }

// change applies one change and reports whether there was anything to do. If careful is set, it
// adds no fact about which the content says otherwise.
func (w *rebaser) change(hunks []Hunk, at int, careful bool) bool {
	h := &hunks[at]
	if h.Kind == Kept {
		return false
	}
	if h.Head {
		if h.Kind != Changed || !w.pieces[0].head || w.pieces[0].text != h.Before {
			return false
		}
		w.pieces[0].text = h.After
		return true
	}
	if h.Kind == Added {
		if w.find(h.After) >= 0 || careful && w.saysOtherwise(h.After, hunks) {
			return false
		}
		i := w.after(hunks[:at])
		w.pieces, w.keys = slices.Insert(w.pieces, i, piece{text: h.After}), slices.Insert(w.keys, i, factKey(h.After))
		return true
	}
	i := w.find(h.Before)
	switch {
	case i < 0:
		return false
	case h.Kind == Removed:
		w.pieces, w.keys = slices.Delete(w.pieces, i, i+1), slices.Delete(w.keys, i, i+1)
	default:
		w.pieces[i].text, w.keys[i] = h.After, factKey(h.After)
	}
	return true
}

// after returns the index after the last of these facts that the content has, its end for none.
func (w *rebaser) after(hunks []Hunk) int {
	for _, h := range slices.Backward(hunks) {
		if h.Kind == Removed || h.Head {
			continue
		}
		if i := w.find(h.After); i >= 0 {
			return i + 1
		}
	}
	return len(w.pieces)
}

// saysOtherwise reports whether the content has another fact with the same words before its details
// that the changes do not know.
func (w *rebaser) saysOtherwise(fact string, hunks []Hunk) bool {
	about := beforeDetails(fact)
	if about == "" {
		return false
	}
	for i, p := range w.pieces {
		known := func(h Hunk) bool { return factKey(h.Before) == w.keys[i] || factKey(h.After) == w.keys[i] }
		if !p.head && beforeDetails(p.text) == about && !slices.ContainsFunc(hunks, known) {
			return true
		}
	}
	return false
}

func (w *rebaser) text() string {
	c := builder{of: w.of}
	for _, p := range w.pieces {
		c.add(p)
	}
	return c.text()
}
