package facts

import (
	"slices"
	"strings"
	"unicode"
)

// Covers tells whether a line says all that a statement says: it has all of its words
// but for one in six, all of its names and numbers, and denies no more and no less. What
// is a word longer than the line is news.
func Covers(line, statement Words) bool {
	if len(statement.All) < 2 || line.denies != statement.denies {
		return false
	}
	missing := 0
	for _, w := range statement.All {
		switch {
		case line.has(w):
		case statement.isName(w):
			return false
		default:
			missing++
		}
	}
	return missing*6 <= len(statement.All)
}

// Same tells whether two statements that rest on one message say the same thing of it,
// in whatever words. said are the words of the message: where each of the two has a word
// of it that the other lacks, they are two. "Clara sold the boat to Piet" and "The boat
// of Clara went to Piet" are one; "Clara sold the boat to Piet" and "Clara sold the cart
// to Piet" are two, once boat and cart were said.
func Same(a, b, said Words) bool {
	if a.denies != b.denies || len(said.All) == 0 || !Alike(a, b) {
		return false
	}
	return !a.hasBeside(b, said) || !b.hasBeside(a, said)
}

// Likeness is how much of two statements is the same, from 0 to 1: half as much where one
// of them denies.
func Likeness(a, b Words) float64 {
	common, half := 0, 1.0
	if a.denies != b.denies {
		half = 0.5
	}
	for _, w := range a.All {
		if b.has(w) {
			common++
		}
	}
	return half * float64(common) / float64(max(len(a.All), len(b.All), 1))
}

// hasBeside tells whether a statement has something that another lacks: a word that was
// said, or a name or a number, said or not.
func (w Words) hasBeside(other, said Words) bool {
	for _, x := range w.All {
		if !other.has(x) && (said.has(x) || w.isName(x)) {
			return true
		}
	}
	return false
}

// isName tells whether a word stands for a name or a number in its text.
func (w Words) isName(word string) bool {
	return w.names[word] && !w.lower[word] || strings.ContainsFunc(word, unicode.IsNumber)
}

// Share is how much of a statement's words, but for those of names, some texts have
// between them, from 0 to 1.
func Share(statement, names Words, texts ...Words) float64 {
	all, has := 0, 0
	for _, w := range statement.All {
		if names.has(w) {
			continue
		}
		if all++; slices.ContainsFunc(texts, func(t Words) bool { return t.has(w) }) {
			has++
		}
	}
	return float64(has) / float64(max(all, 1))
}

// Shared is how many words two statements share that a third text does not have, and what
// the others that they share count for: a name counts for two.
func Shared(a, b, without Words) (gone, others int) {
	for _, w := range a.All {
		switch {
		case !b.has(w):
		case !without.has(w):
			gone++
		case a.isName(w) && b.isName(w):
			others += 2
		default:
			others++
		}
	}
	return gone, others
}
