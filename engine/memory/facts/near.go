package facts

import (
	"math"
	"strings"
)

// nameWeight is how much more a name tells of what a text is about than another word.
const nameWeight = 3

// ordinary reports whether a word says too little, since more than a fifth of some texts have it.
func ordinary(in, of int) bool { return in > 2 && in*5 > of }

// Near returns how near each of some texts is to what was said last, and before that: by the
// words that it shares with it, names before all, and rare words more than such as many of the
// texts have. What was said last counts twice. names count nothing, since they stand everywhere.
// It ranks, and decides nothing.
func Near(list []string, last, before string, names ...string) []float64 {
	now, past, none := WordsOf(last), WordsOf(before), WordsOf(strings.Join(names, " "))
	words := make([]Words, len(list))
	in := map[string]int{}
	for i, text := range list {
		words[i] = WordsOf(text)
		for _, w := range words[i].All {
			in[w]++
		}
	}
	near := make([]float64, len(list))
	for i := range list {
		for _, w := range words[i].All {
			if none.has(w) {
				continue
			}
			if ordinary(in[w], len(list)) && !words[i].isName(w) {
				continue
			}
			worth := math.Log1p(float64(len(list)) / float64(in[w]))
			if words[i].isName(w) {
				worth *= nameWeight
			}
			switch {
			case now.has(w):
				near[i] += 2 * worth
			case past.has(w):
				near[i] += worth
			}
		}
	}
	return near
}
