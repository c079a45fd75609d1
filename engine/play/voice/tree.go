package voice

// tree is an automaton that finds all phrases at once (Aho and Corasick): what a byte costs
// does not grow with their number. Children of a node are a chain, since nearly all have
// one; the root has a table.
type tree struct {
	first, next []int32 // child and sibling, 0 for none
	fail        []int32 // the longest end of this node's text that begins a phrase
	depth       []int32
	leaf        []int32 // the rule that ends here, -1 for none
	hit         []int32 // the nearest node on the way of fails that ends a rule, 0 for none
	label       []byte
	root        [256]int32
	path        []int32 // of the phrase put last
	last        []byte
}

func newTree() *tree {
	t := &tree{path: []int32{0}}
	t.node(0, 0)
	return t
}

func (t *tree) node(label byte, depth int32) int32 {
	t.first, t.next, t.fail = append(t.first, 0), append(t.next, 0), append(t.fail, 0)
	t.depth, t.leaf, t.hit = append(t.depth, depth), append(t.leaf, -1), append(t.hit, 0)
	t.label = append(t.label, label)
	return int32(len(t.label) - 1)
}

// put adds a phrase. Phrases come in order, so that a new one leaves the way of the last and
// never looks for a child.
func (t *tree) put(phrase []byte, rule int32) {
	same := 0
	for same < len(phrase) && same < len(t.last) && phrase[same] == t.last[same] {
		same++
	}
	t.path = t.path[:same+1]
	for _, b := range phrase[same:] {
		above := t.path[len(t.path)-1]
		n := t.node(b, int32(len(t.path)))
		t.next[n], t.first[above] = t.first[above], n
		t.path = append(t.path, n)
	}
	t.last = append(t.last[:0], phrase...)
	if n := t.path[len(t.path)-1]; t.leaf[n] < 0 {
		t.leaf[n] = rule
	}
}

// link sets where to go on when a byte does not fit.
func (t *tree) link() {
	queue := make([]int32, 0, len(t.label))
	for n := t.first[0]; n != 0; n = t.next[n] {
		t.root[t.label[n]] = n
		queue = append(queue, n)
	}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		t.hit[n] = t.hit[t.fail[n]]
		if t.leaf[n] >= 0 {
			t.hit[n] = n
		}
		for c := t.first[n]; c != 0; c = t.next[c] {
			t.fail[c] = t.step(t.fail[n], t.label[c])
			queue = append(queue, c)
		}
	}
	t.path, t.last = nil, nil
}

// step is where byte b leads from node n.
func (t *tree) step(n int32, b byte) int32 {
	for n != 0 {
		for c := t.first[n]; c != 0; c = t.next[c] {
			if t.label[c] == b {
				return c
			}
		}
		n = t.fail[n]
	}
	return t.root[b]
}

// whole tells whether node n is a phrase of one word, which only its end is missing of.
func (t *tree) whole(n int32) bool {
	for c := t.first[n]; c != 0; c = t.next[c] {
		if t.label[c] == wordEnds {
			return t.leaf[c] >= 0
		}
	}
	return false
}
