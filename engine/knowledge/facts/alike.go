package facts

// mostOf is how many of the words of the shorter of two statements the longer one must
// have for both to say the same, from 0 to 1.
const mostOf = 0.75

// Alike tells whether one of two statements says what the other says: it has all that
// may be names or numbers of the shorter one, and three quarters of its words, and denies
// it no more and no less. Two statements of one word are never alike.
func Alike(a, b Words) bool {
	if len(a.All) > len(b.All) {
		a, b = b, a
	}
	if len(a.All) < 2 || a.denies != b.denies {
		return false
	}
	common, names := 0, 0
	for _, w := range a.All {
		switch {
		case b.has(w):
			common++
			if a.names[w] && b.names[w] {
				names++
			}
		case a.names[w] && !a.lower[w] || w[0] >= '0' && w[0] <= '9':
			return false
		}
	}
	if float64(common) >= mostOf*float64(len(a.All)) {
		return true
	}
	// In other words, and of the same two: too little for a long one.
	return names >= 2 && common*2 >= len(a.All)
}

// Contains tells whether one of two statements has all words of the other, but for one
// in six.
func Contains(a, b Words) bool {
	if len(a.All) > len(b.All) {
		a, b = b, a
	}
	missing := 0
	for _, w := range a.All {
		if !b.has(w) {
			missing++
		}
	}
	return len(a.All) > 1 && missing*6 <= len(a.All)
}

// Otherwise tells whether two statements say different things of the same: all but one
// or two of their words are the same, and among these is a name. "Clara waits at the
// well" and "Clara waits at the mill" do so.
func Otherwise(a, b Words) bool {
	if len(a.All) < 3 || len(b.All) < 3 || len(a.All) > 40 || len(b.All) > 40 {
		return false
	}
	common, names := 0, 0
	for _, w := range a.All {
		if b.has(w) {
			common++
			if a.names[w] && b.names[w] {
				names++
			}
		}
	}
	left, right := len(a.All)-common, len(b.All)-common
	return names > 0 && common >= 2 && left > 0 && right > 0 && left <= 2 && right <= 2 && common >= max(left, right)
}

// Opposed tells whether one of two statements denies what the other says.
func Opposed(a, b Words) bool { return a.denies != b.denies && Contains(a, b) }
