package activation

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
)

// scope is how much of the scanned text a key has to see at once. The text is
// made of units, messages, fields and contents, with a new line before each but
// the first; so what cannot match a new line sees one unit at most, and is looked
// for in each by itself. What can match a few new lines is looked for around the
// units that have what it needs.
type scope uint8

const (
	inUnit scope = iota
	inRegion
	inWindow
)

// maxCrossings is how many units a regex may go on to before it is looked for in
// the whole text at once.
const maxCrossings = 8

// checker is a key that is found by looking at a text by itself: a regex, or a
// plain key that the automaton cannot have whole. Safe for concurrent use.
type checker struct {
	spec
	scope scope
	// crossings is how often a match goes on from one unit to the next, units not
	// counted of which every character is in one of swallows.
	crossings int
	swallows  []func(rune) bool
	// needs are sets of texts, folded: every text that matches has one of each set.
	// Nil if there is nothing of the kind.
	needs [][]string

	pattern string // of a regex, as it is given to the engine

	once sync.Once // regexes are made when one is first needed: most never are
	re   *regexp2.Regexp
	err  error
}

// newChecker is the checker of sp; fault says why there is none.
//
// A pattern that does not mind case is read as if it did, which takes a fourth of the time
// and leaves its words whole: what it needs is looked for in folded text, and no letter of
// ASCII has an equal that folds to something else. By the rules of Unicode one has (ſ, of
// s), so that there it is read as it is.
func newChecker(sp spec) (c *checker, fault string) {
	c = &checker{spec: sp}
	if !sp.regex {
		c.plain()
		return c, ""
	}
	if c.pattern, fault = ecmascript.Ready(sp.text, sp.options); fault != "" {
		return nil, fault
	}
	plain := sp.options
	if plain&regexp2.Unicode == 0 {
		plain &^= regexp2.IgnoreCase
	}
	tree, fault := ecmascript.Parse(c.pattern, plain)
	if fault != "" {
		return nil, fault
	}
	t := reach(tree.Root)
	c.needs = needsOf(tree.Root)
	if t.lines > 0 && plain != sp.options {
		if tree, fault = ecmascript.Parse(c.pattern, sp.options); fault != "" {
			return nil, fault
		}
		t = reach(tree.Root) // its sets have letters of either case
	}
	c.settle(t)
	return c, ""
}

// plain settles the scope and needs of a long key, or one that reaches over a border.
func (c *checker) plain() {
	c.needs = runNeeds([]rune(c.text))
	c.settle(traits{lines: strings.Count(c.text, "\n")})
}

func (c *checker) settle(t traits) {
	switch {
	case t.edges || c.sticky:
		c.scope = inWindow
	case t.lines == 0:
		c.scope = inUnit
	case t.ends || t.looks || t.again || t.lines > maxCrossings:
		c.scope = inWindow
	default:
		c.scope, c.crossings, c.swallows = inRegion, t.lines, t.swallows
	}
}

// find looks for the key in a text. An error says that it was cut off.
func (c *checker) find(text string) (bool, error) {
	if !c.regex {
		if !c.cased {
			text = fold(text)
		}
		return containsPlain(text, &c.spec), nil
	}
	c.once.Do(func() { c.re, c.err = ecmascript.Compile(c.pattern, c.options, matchTimeout) })
	if c.err != nil {
		return false, c.err
	}
	if !c.sticky {
		ok, err := c.re.MatchString(text)
		return ok, cutOff(err)
	}
	m, err := c.re.FindStringMatch(text)
	return m != nil && m.RuneIndex == 0, cutOff(err)
}

func cutOff(err error) error { return ecmascript.CutOff(err, matchTimeout) }

// traits are what a part of a pattern can do at the border of a unit. Where it is
// not clear, it can. The tree is the engine's own reading of the pattern, so there
// is no second opinion on what it means.
type traits struct {
	lines    int               // how many times it can match a new line, runs of a set as one
	swallows []func(rune) bool // those sets
	looks    bool              // asks for what is not there, over a new line
	again    bool              // matches again what was matched before
	ends     bool              // asks for the end of a line
	edges    bool              // asks for the end of the text; or it is not known here
}

const unbounded = 1 << 20

func (t *traits) add(u traits) {
	t.lines = min(t.lines+u.lines, unbounded)
	t.swallows = append(t.swallows, u.swallows...)
	t.looks, t.again = t.looks || u.looks, t.again || u.again
	t.ends, t.edges = t.ends || u.ends, t.edges || u.edges
}

func reach(n *syntax.RegexNode) (t traits) {
	var in func(rune) bool
	switch {
	case n.IsOneFamily():
		ch := n.Ch
		in = func(r rune) bool { return r == ch }
	case n.IsNotoneFamily():
		ch := n.Ch
		in = func(r rune) bool { return r != ch }
	case n.IsSetFamily():
		in = n.Set.CharIn
	}
	if in != nil {
		if in('\n') {
			t.lines = 1
			if n.T != syntax.NtOne && n.T != syntax.NtNotone && n.T != syntax.NtSet {
				t.swallows = []func(rune) bool{in}
			}
		}
		return t
	}
	for _, child := range n.Children {
		t.add(reach(child))
	}
	switch n.T {
	case syntax.NtMulti:
		for _, r := range n.Str {
			if r == '\n' {
				t.lines++
			}
		}
	case syntax.NtLoop, syntax.NtLazyloop:
		if t.lines > 0 {
			t.lines = min(t.lines*min(max(n.N, 1), unbounded), unbounded)
		}
	case syntax.NtNegLook:
		t.looks = t.looks || t.lines > 0
	case syntax.NtRef:
		t.again = true
	case syntax.NtBol, syntax.NtEol:
		t.ends = true
	case syntax.NtAlternate, syntax.NtConcatenate, syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic, syntax.NtPosLook,
		syntax.NtBoundary, syntax.NtNonboundary, syntax.NtECMABoundary, syntax.NtNonECMABoundary,
		syntax.NtNothing, syntax.NtEmpty, syntax.NtUpdateBumpalong, syntax.NtResetCapture:
	default:
		t.edges = true
	}
	return t
}

// How many sets of texts a regex is asked to need, and how many texts each may
// have, before it is not worth it.
const (
	maxSets  = 4
	maxNeeds = 16
)

// needsOf are sets of texts, one of each of which is in everything that the
// pattern matches. Only ASCII counts: that is in the folded text wherever it is in
// the text.
func needsOf(n *syntax.RegexNode) [][]string {
	if n.Options&syntax.RightToLeft != 0 {
		return nil
	}
	var sets [][]string
	switch n.T {
	case syntax.NtMulti:
		sets = runNeeds(n.Str)
	case syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic, syntax.NtPosLook:
		if len(n.Children) == 1 {
			sets = needsOf(n.Children[0])
		}
	case syntax.NtLoop, syntax.NtLazyloop:
		if n.M > 0 && len(n.Children) == 1 {
			sets = needsOf(n.Children[0])
		}
	case syntax.NtAlternate:
		var all []string
		for _, child := range n.Children {
			needs := needsOf(child)
			if len(needs) == 0 || len(all) > maxNeeds {
				return nil
			}
			all = append(all, needs[0]...)
		}
		if slices.Sort(all); len(all) <= maxNeeds {
			sets = [][]string{slices.Compact(all)}
		}
	case syntax.NtConcatenate:
		var run []rune
		for _, child := range n.Children {
			if child.T == syntax.NtMulti && child.Options&syntax.RightToLeft == 0 {
				run = append(run, child.Str...)
			} else if r := single(child); r != 0 {
				run = append(run, r)
			} else {
				sets = append(append(sets, runNeeds(run)...), needsOf(child)...)
				run = nil
			}
		}
		sets = append(sets, runNeeds(run)...)
	}
	// Those that the fewest texts will have come first.
	slices.SortStableFunc(sets, func(a, b []string) int {
		return cmp.Or(cmp.Compare(shortest(b), shortest(a)), cmp.Compare(len(a), len(b)))
	})
	keep := 0
	for keep < len(sets) && keep < maxSets && (keep == 0 || shortest(sets[keep]) >= 3) {
		keep++ // two letters are in nearly every text
	}
	return sets[:keep]
}

func shortest(needs []string) int {
	n := len(needs[0])
	for _, text := range needs {
		n = min(n, len(text))
	}
	return n
}

// single is the character that a node matches, but for its case; 0 if there is
// more than one or none.
func single(n *syntax.RegexNode) rune {
	switch {
	case n.Options&syntax.RightToLeft != 0:
	case n.T == syntax.NtOne:
		return n.Ch
	case n.T == syntax.NtSet && !n.Set.IsNegated():
		chars := n.Set.GetSetChars(4)
		for _, r := range chars {
			if fold(string(r)) != fold(string(chars[0])) {
				return 0
			}
		}
		if len(chars) > 0 {
			return []rune(fold(string(chars[0])))[0]
		}
	}
	return 0
}

func runNeeds(run []rune) [][]string {
	if text := longestRun(run); len(text) >= 2 {
		return [][]string{{text}}
	}
	return nil
}

// longestRun is the longest run of visible ASCII in text, folded, as far as an
// automaton takes it.
func longestRun(text []rune) string {
	best, from := text[:0], 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] >= ' ' && text[i] < 0x7f {
			continue
		}
		if i-from > len(best) {
			best = text[from:i]
		}
		from = i + 1
	}
	return fold(string(best[:min(len(best), maxText)]))
}
