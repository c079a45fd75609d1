package text

// shingleWords is the number of neighbouring words in a shingle. With three, two swapped names
// leave few common shingles of a sentence.
const shingleWords = 3

// Shingles are the runs of three neighbouring words of a text, folded. Near copies of a text have
// most of them in common, because they have the same words in the same order. A text of fewer words
// is one run. Two texts of some length that share nearly all runs are copies of each other in
// wording. Whether they say the same is another question: one name or one "not" makes another fact
// of a long sentence.
type Shingles map[uint64]struct{}

// NewShingles returns the shingles of s, none if it has no words.
func NewShingles(s string) Shingles {
	set := Shingles{}
	var window [shingleWords]uint64
	n := 0
	for _, w := range Words(s) {
		copy(window[:], window[1:])
		window[shingleWords-1] = hash(Fold(w))
		if n++; n >= shingleWords {
			set[join(window)] = struct{}{}
		}
	}
	if n > 0 && n < shingleWords {
		set[join(window)] = struct{}{}
	}
	return set
}

// Resemblance returns the similarity of two texts, from 0 for no common runs of words to 1 for the
// same ones: the number of common runs divided by the number of all.
func (s Shingles) Resemblance(other Shingles) float64 {
	both := s.shared(other)
	return float64(both) / float64(max(len(s)+len(other)-both, 1))
}

// Containment returns the part of s that is also in the other text, from 0 to 1.
func (s Shingles) Containment(in Shingles) float64 {
	return float64(s.shared(in)) / float64(max(len(s), 1))
}

// shared counts the shingles that both have.
func (s Shingles) shared(other Shingles) (n int) {
	if len(s) > len(other) {
		s, other = other, s
	}
	for h := range s {
		if _, ok := other[h]; ok {
			n++
		}
	}
	return n
}

// The hash is 64-bit FNV-1a: the same in every run, so that decisions based on it are reproducible.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

func hash(word string) uint64 {
	h := uint64(hashStart)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * hashPrime
	}
	return h
}

// join combines the hashes of words, in their order, into one.
func join(words [shingleWords]uint64) uint64 {
	h := uint64(hashStart)
	for _, w := range words {
		h = (h ^ w) * hashPrime
		h ^= h >> 29
	}
	return h
}
