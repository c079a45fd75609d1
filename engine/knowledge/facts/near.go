package facts

import (
	"math"
	"strings"
)

// nameCounts is how much more a name tells of what a text is about than another word.
const nameCounts = 3

// Near is how near each of some texts is to what was said last, and before that: by the
// words that it shares with it, names before all, and words that few of the texts have
// more than others. What was said last counts twice. names count nothing, since they
// stand everywhere.
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
			worth := math.Log1p(float64(len(list)) / float64(in[w]))
			if words[i].isName(w) {
				worth *= nameCounts
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
