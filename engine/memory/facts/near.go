package facts

import (
	"math"
	"strings"
)

// nameWeight is the weight of a shared name; another word has 1.
const nameWeight = 3

// ordinary reports whether a word is too common, being in more than a fifth of the texts.
func ordinary(in, of int) bool { return in > 2 && in*5 > of }

// Near scores texts by their nearness to last, the newest text, and before, the text before it. The
// score counts shared words: names count most, and rare words more than common ones. Words of last
// count twice. names are ignored, since they are everywhere.
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
