package plist

import "slices"

// work is a content while the changes of another are made in it.
type work struct {
	of     splitting
	pieces []piece
	gone   []bool
	keys   []string
	places map[string][]int // by key, those that are not gone
	behind [][]piece        // what is new, by the piece that it follows
	end    []piece
	know   map[string]bool // what the changes speak of
}

func newWork(s splitting) *work {
	w := &work{of: s, pieces: slices.Clone(s.pieces), gone: make([]bool, len(s.pieces)), keys: make([]string, len(s.pieces)),
		places: make(map[string][]int, len(s.pieces)), behind: make([][]piece, len(s.pieces))}
	for i, p := range w.pieces {
		if !p.head {
			w.keys[i] = factKey(p.text)
			w.places[w.keys[i]] = append(w.places[w.keys[i]], i)
		}
	}
	return w
}

// find is where a fact stands, -1 where it does not.
func (w *work) find(fact string) int {
	if list := w.places[factKey(fact)]; len(list) > 0 {
		return list[0]
	}
	return -1
}

func (w *work) leave(i int) {
	w.places[w.keys[i]] = slices.DeleteFunc(w.places[w.keys[i]], func(x int) bool { return x == i })
}

// change makes one change, and tells whether there was anything to do.
func (w *work) change(hunks []Hunk, at int, careful bool) bool {
	h := &hunks[at]
	if h.Head {
		if h.Kind == Changed && w.pieces[0].head && w.pieces[0].text == h.Before {
			w.pieces[0].text = h.After
			return true
		}
		return false
	}
	switch h.Kind {
	case Removed:
		if i := w.find(h.Before); i >= 0 {
			w.gone[i] = true
			w.leave(i)
			return true
		}
	case Changed:
		if i := w.find(h.Before); i >= 0 {
			w.leave(i)
			w.pieces[i].text, w.keys[i] = h.After, factKey(h.After)
			w.places[w.keys[i]] = append(w.places[w.keys[i]], i)
			return true
		}
	case Added:
		if w.find(h.After) >= 0 || careful && w.otherwise(h.After, hunks) {
			return false
		}
		w.insert(hunks, at)
		return true
	}
	return false
}

// insert puts a fact behind what it stands behind, where that is there.
func (w *work) insert(hunks []Hunk, at int) {
	h := &hunks[at]
	p := piece{lead: h.lead(true), text: h.After}
	const lookBack = 64
	for k := at - 1; k >= max(0, at-lookBack); k-- {
		if hunks[k].Kind == Removed || hunks[k].Kind == Added || hunks[k].Head {
			continue
		}
		if i := w.find(hunks[k].After); i >= 0 {
			w.behind[i] = append(w.behind[i], p)
			return
		}
	}
	w.end = append(w.end, p)
}

// otherwise tells whether the content says something of its own about what a
// fact is about.
func (w *work) otherwise(fact string, hunks []Hunk) bool {
	if w.know == nil {
		w.know = map[string]bool{}
		for i := range hunks {
			w.know[factKey(hunks[i].Before)], w.know[factKey(hunks[i].After)] = true, true
		}
	}
	about := beforeDetails(fact)
	for i, p := range w.pieces {
		if !p.head && !w.gone[i] && !w.know[w.keys[i]] && about != "" && beforeDetails(p.text) == about {
			return true
		}
	}
	return false
}

func (w *work) text() string {
	c := compose{of: w.of}
	for i, p := range w.pieces {
		if !w.gone[i] {
			c.add(p)
		}
		for _, q := range w.behind[i] {
			c.add(q)
		}
	}
	for _, q := range w.end {
		c.add(q)
	}
	return c.text()
}
