package voice

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// needs tells of regular expressions which words each cannot match without, and finds those
// words with an automaton: an expression runs only near one of its own. The sixty of the
// English list took 0.9 ms at each token, two fifths of all that a streaming reply did; so
// they take 0.02 (BenchmarkWatchBundled).
type needs struct {
	tree *tree
	of   [][]int // for each word the patterns that need it
	all  []int   // the patterns that have no such word
}

const (
	// leastNeed is how many letters a word has at least: shorter ones stand everywhere.
	leastNeed = 3
	// mostNeeds is how many words there may be one of which an expression needs.
	mostNeeds = 64
)

// newNeeds reads what patterns need.
func newNeeds(patterns []pattern) needs {
	n := needs{tree: newTree()}
	by := map[string][]int{}
	for i, p := range patterns {
		words := needed(p.tree)
		if len(words) == 0 {
			n.all = append(n.all, i)
		}
		for _, word := range words {
			by[word] = append(by[word], i)
		}
	}
	list := make([]string, 0, len(by))
	for word := range by {
		list = append(list, word)
	}
	slices.Sort(list)
	for i, word := range list {
		n.tree.put([]byte(word), int32(i))
		n.of = append(n.of, by[word])
	}
	n.tree.link()
	return n
}

// needed are words of which one stands in all that an expression matches; nil where there is
// none that is worth looking for.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if word := plainest(re.Rune); letters(word) >= leastNeed {
			return []string{word}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := needed(sub); rarer(words, best) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := needed(sub)
			if len(words) == 0 || len(all)+len(words) > mostNeeds {
				return nil
			}
			all = append(all, words...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	return nil
}

// rarer tells whether one of some words stands in fewer texts than one of others does. The
// shortest of them tells; and words of grammar, of which there is no choice, stand alone.
func rarer(words, than []string) bool {
	if len(words) == 0 || len(than) == 0 {
		return len(words) > 0
	}
	return cmp.Or(cmp.Compare(shortest(words), shortest(than)), cmp.Compare(len(words), len(than))) > 0
}

func shortest(words []string) int {
	least := letters(words[0])
	for _, word := range words {
		least = min(least, letters(word))
	}
	return least
}

func letters(word string) (n int) {
	for _, r := range word {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// plainest is the longest part of a literal that stands in folded text in one form alone.
func plainest(literal []rune) string {
	best, from := "", 0
	for i := 0; i <= len(literal); i++ {
		if i < len(literal) && oneForm(literal[i]) {
			continue
		}
		part := make([]byte, 0, i-from)
		for _, r := range literal[from:i] {
			part = utf8.AppendRune(part, unicode.ToLower(r))
		}
		if len(part) > len(best) {
			best = string(part)
		}
		from = i + 1
	}
	return best
}

// oneForm tells whether all letters that an expression takes for r, in which case never
// counts, are the same in lower case: the long s is not the s.
func oneForm(r rune) bool {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if unicode.ToLower(f) != unicode.ToLower(r) {
			return false
		}
	}
	return true
}

// needing follows a folded text and keeps where the words end that patterns need.
type needing struct {
	node int32
	read int
	ends []int // by pattern, the last one
}

// again goes back to where the text is another one than it was.
func (f *needing) again(n *needs, plain []byte, to int) {
	if f.read <= to {
		return
	}
	f.node, f.read = 0, to
	for _, b := range plain[max(0, to-MostPattern):to] {
		f.node = n.tree.step(f.node, b)
	}
}

// take reads what of a text is new.
func (f *needing) take(n *needs, patterns int, plain []byte) {
	if f.ends == nil {
		f.ends = make([]int, patterns)
	}
	t := n.tree
	for ; f.read < len(plain); f.read++ {
		f.node = t.step(f.node, plain[f.read])
		for h := t.hit[f.node]; h != 0; h = t.hit[t.fail[h]] {
			for _, p := range n.of[t.leaf[h]] {
				f.ends[p] = f.read + 1
			}
		}
	}
	for _, p := range n.all {
		f.ends[p] = len(plain)
	}
}
