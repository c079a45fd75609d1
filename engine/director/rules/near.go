package rules

import (
	"cmp"
	"slices"
)

// Bounds of the facts that a pass is shown, in tokens and as a share of the context.
const (
	maxFactTokens = 1200
	factsShare    = 0.10
)

// FactsBudget returns the maximum number of tokens for facts in a pass.
func FactsBudget(context int) int { return min(maxFactTokens, int(factsShare*float64(context))) }

// Nearness describes how close a fact is to the messages of a pass. Shared reports whether they
// share a name of the cast or a lorebook key. Score is the number of words that they share, Weight
// is the importance, and Age is the number of messages since the fact came up.
type Nearness struct {
	Shared        bool
	Score, Weight float64
	Age           int
}

// ShownFacts returns the indexes of the facts that a pass contains, in the order of their numbers:
// due hooks, hooks with a story time, then the nearest facts; equally near ones by importance and
// age. They take at most room tokens; count measures a line.
func ShownFacts(list []KnownFact, near []Nearness, room int, count func(string) int) []int {
	var order []int
	for i, x := range list {
		if x.isDue() || x.isAhead() || near[i].Shared || near[i].Score > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(TrueFirst(list[a].isDue(), list[b].isDue()), TrueFirst(list[a].isAhead(), list[b].isAhead()),
			cmp.Compare(near[b].Score, near[a].Score), cmp.Compare(near[b].Weight, near[a].Weight),
			cmp.Compare(near[a].Age, near[b].Age))
	})
	var shown []int
	for _, i := range order {
		if cost := count(factLine(len(shown)+1, list[i])); cost <= room {
			shown, room = append(shown, i), room-cost
		}
	}
	return shown
}
