package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Bounds of the list of what is known.
const (
	knownRoom  = 760 // bytes: 200 tokens at the most, with the numbers
	shownItem  = 100 // bytes of one
	mostListed = 14
	lookedAt   = 24 << 10 // bytes of an exchange
)

// Listed is something known that a pass is shown. Due: a hook whose time has come.
type Listed struct {
	Text string
	Due  bool
}

// Row is a line of the list of what is known: the places of what it says, the one that
// is shown first.
type Row []int

// Rows makes of what is known the list that a pass is shown, as long as there is room:
// what is nearest to the exchange, by how near each is, 0 for not at all. As many hooks
// that are due as a prompt tells come first, whatever was said: only by their numbers can
// an answer say that one was brought up. What says the same is one row.
func Rows(list []Listed, near []float64, same func(i, j int) bool) (rows []Row) {
	var at []int
	for i, x := range list {
		if x.Due || near[i] > 0 {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	room := knownRoom
	need := func(i int) int { return len(text.Shorten(inline(list[i].Text, ""), shownItem)) + len("12.  (due)\n") }
	take := func(wanted func(i int) bool) {
		left := room
		for _, i := range at {
			if slices.ContainsFunc(rows, func(r Row) bool { return slices.Contains(r, i) }) {
				continue
			}
			if n := slices.IndexFunc(rows, func(r Row) bool { return same(r[0], i) }); n >= 0 {
				rows[n] = append(rows[n], i)
				continue
			}
			if n := need(i); n <= left && wanted(i) && len(rows) < mostListed {
				rows, left = append(rows, Row{i}), left-n
			}
		}
		room = left
	}
	take(func(i int) bool { return list[i].Due && len(rows) < MaxHooks })
	take(func(i int) bool { return !list[i].Due })
	take(func(int) bool { return true })
	slices.SortStableFunc(rows, func(a, b Row) int { return First(list[a[0]].Due, list[b[0]].Due) })
	return rows
}

// Fitting leaves of what is known as much as an instruction has room for: fits tells
// whether one has. The numbers of what is left stay as they are.
func Fitting(set *prompts.Set, p Parts, in Input, fits func(instruction string) bool) Input {
	for len(in.Known) > 0 && !fits(Instruction(set, p, in)) {
		in.Known = in.Known[:len(in.Known)-1]
	}
	return in
}

// stemsOf are the words of a text that tell something, by their roots.
func stemsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, r := range roots(s) {
		out[r.stem] = true
	}
	return out
}

// common are the roots that are in both.
func common(a, b map[string]bool) (out []string) {
	for s := range a {
		if b[s] {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// Alike tells whether a text is about what another says: it has most of the shorter
// one's words.
func Alike(a, b string) bool {
	x, y := stemsOf(head(a, maxCompared)), stemsOf(head(b, maxCompared))
	n := len(common(x, y))
	return n >= leastTold && float64(n) >= leastShare*float64(min(len(x), len(y)))
}

// SaysAgain tells whether a text says what another has said in mostly the same words,
// and one of these words is not in the exchange: then that one is not where it comes
// from.
func SaysAgain(text, old, exchange string) bool {
	x, y := stemsOf(head(text, maxCompared)), stemsOf(head(old, maxCompared))
	both := common(x, y)
	if !SameMemory(text, old) && (len(both) < leastTold || float64(len(both)) < leastShare*float64(min(len(x), len(y)))) {
		return false
	}
	said := stemsOf(head(exchange, 2*lookedAt))
	return slices.ContainsFunc(both, func(s string) bool { return !said[s] })
}

// Replacing finds which of several new texts takes the place of an old one: the one
// that has most words in common with it, -1 for none.
func Replacing(old string, news []string) int {
	best, most := -1, 0
	of := stemsOf(head(old, maxCompared))
	for i, n := range news {
		if c := len(common(of, stemsOf(head(n, maxCompared)))); c > most && !SameMemory(old, n) {
			best, most = i, c
		}
	}
	return best
}

// numberedList writes the list of what is known, without a line break at its end.
func numberedList(list []Listed, most int) string {
	var b strings.Builder
	for i, x := range list {
		b.WriteString(numberedLine(i+1, text.Shorten(strings.TrimPrefix(inline(x.Text, nothing), "- "), most), x.Due))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
