package lore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// scope is how much of the scanned text a key has to see at once. The text is
// made of segments (messages, fields, …), each between a marker, \x01, and a new
// line; so whatever cannot match a new line sees one line of it at most, and
// what cannot match a new line and a marker after it sees one segment at most.
// Both are looked for in each part by itself, and what was found is kept with the
// part.
type scope uint8

const (
	inLine    scope = iota // never matches a new line
	inSegment              // never matches the new line and the marker at a border
	inWindow
)

// checker is a key that is found by looking at a text by itself: a regex, or a
// plain key that the automaton cannot have whole. Safe for concurrent use.
type checker struct {
	spec
	scope scope
	// needs are sets of texts, folded: every text that matches has one of each set.
	// Nil if there is nothing of the kind.
	needs [][]string

	once sync.Once // regexes are made when one is first needed: most never are
	re   *regexp2.Regexp
	err  error
}

// newChecker is the checker of sp; fault says why there is none.
func newChecker(sp spec) (c *checker, fault string) {
	c = &checker{spec: sp}
	if !sp.regex {
		c.plain()
		return c, ""
	}
	defer func() {
		// The parser is another's and the pattern a stranger's: whatever one of them
		// makes of the other, it is the pattern that is at fault.
		if r := recover(); r != nil {
			c, fault = nil, fmt.Sprintf("the regex is not valid: %v", r)
		}
	}()
	tree, err := syntax.Parse(sp.text, syntax.ParseOptions{RegexOptions: syntax.RegexOptions(sp.options)})
	if err != nil {
		return nil, "the regex is not valid: " + reason(err)
	}
	c.scope = scopeOf(tree.Root)
	if sp.sticky {
		c.scope = inWindow
	}
	c.needs = needsOf(tree.Root)
	return c, ""
}

// reason is what is wrong with a pattern, without the pattern.
func reason(err error) string {
	text := err.Error()
	if i := strings.Index(text, " in `"); i > 0 {
		text = text[:i]
	}
	return strings.TrimPrefix(text, "error parsing regexp: ")
}

// plain settles the scope and needs of a long key, or one of several lines.
func (c *checker) plain() {
	switch {
	case !strings.Contains(c.text, "\n"):
		c.scope = inLine
	case !strings.Contains(c.text, "\x01"):
		c.scope = inSegment
	default:
		c.scope = inWindow
	}
	c.needs = runNeeds([]rune(c.text))
}

// find looks for the key in a text. An error says that it was cut off.
func (c *checker) find(text string) (bool, error) {
	if !c.regex {
		if !c.cased {
			text = fold(text)
		}
		return containsPlain(text, &c.spec), nil
	}
	c.once.Do(func() {
		defer func() {
			if r := recover(); r != nil {
				c.err = fmt.Errorf("the regex is not valid: %v", r)
			}
		}()
		c.re, c.err = regexp2.Compile(c.text, c.options)
		if c.err == nil {
			c.re.MatchTimeout = matchTimeout
		}
	})
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

func cutOff(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return errors.New("the regex was cut off: it tries too many ways to match")
	}
	return fmt.Errorf("the regex was cut off after %v: it tries too many ways to match", matchTimeout)
}

// scopeOf is what a pattern has to see. The tree is the engine's own reading of
// it, so there is no second opinion on what it means.
func scopeOf(n *syntax.RegexNode) scope {
	t := reach(n)
	switch {
	case t.edges:
		return inWindow
	case !t.line:
		return inLine
	case t.ends:
		return inWindow
	case !t.mark, !t.crosses && !t.looks:
		return inSegment
	}
	return inWindow
}

// traits are what a part of a pattern can do at a border. Where it is not clear,
// it can.
type traits struct {
	line, mark  bool // match a new line, a marker
	first, last bool // match a marker first, a new line last
	empty       bool // match nothing
	crosses     bool // match a new line and a marker after it
	looks       bool // look around, or match again what was matched before
	ends        bool // ask for the end of a line
	edges       bool // ask for the end of the text; or it is not known here
}

func reach(n *syntax.RegexNode) traits {
	var t traits
	one := func(line, mark bool) {
		t = traits{line: line, mark: mark, first: mark, last: line}
	}
	switch {
	case n.IsOneFamily():
		one(n.Ch == '\n', n.Ch == 1)
	case n.IsNotoneFamily():
		one(n.Ch != '\n', n.Ch != 1)
	case n.IsSetFamily():
		one(n.Set.CharIn('\n'), n.Set.CharIn(1))
	default:
		return compound(n)
	}
	if n.T != syntax.NtOne && n.T != syntax.NtNotone && n.T != syntax.NtSet { // a loop
		t.empty = n.M == 0
		t.crosses = t.line && t.mark && n.N > 1
	}
	return t
}

func compound(n *syntax.RegexNode) traits {
	t := traits{empty: true}
	switch n.T {
	case syntax.NtMulti:
		for _, r := range n.Str {
			t = t.then(traits{line: r == '\n', mark: r == 1, first: r == 1, last: r == '\n'})
		}
	case syntax.NtBol, syntax.NtEol:
		t.ends = true
	case syntax.NtBoundary, syntax.NtNonboundary, syntax.NtECMABoundary, syntax.NtNonECMABoundary,
		syntax.NtNothing, syntax.NtEmpty, syntax.NtUpdateBumpalong, syntax.NtResetCapture:
	case syntax.NtRef:
		t.looks = true
	case syntax.NtAlternate:
		for i, child := range n.Children {
			if c := reach(child); i == 0 {
				t = c
			} else {
				t = t.or(c)
			}
		}
	case syntax.NtConcatenate, syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic:
		for _, child := range n.Children {
			t = t.then(reach(child))
		}
	case syntax.NtLoop, syntax.NtLazyloop:
		for _, child := range n.Children {
			t = t.then(reach(child))
		}
		t.crosses = t.crosses || t.last && t.first && n.N > 1
		t.empty = t.empty || n.M == 0
	case syntax.NtPosLook, syntax.NtNegLook:
		for _, child := range n.Children {
			t = t.then(reach(child))
		}
		t.looks, t.empty = true, true
	default:
		t.edges = true
	}
	return t
}

// either is what both have, and or what one of them may do.
func (t traits) either(u traits) traits {
	return traits{line: t.line || u.line, mark: t.mark || u.mark, crosses: t.crosses || u.crosses,
		looks: t.looks || u.looks, ends: t.ends || u.ends, edges: t.edges || u.edges}
}

func (t traits) or(u traits) traits {
	out := t.either(u)
	out.first, out.last, out.empty = t.first || u.first, t.last || u.last, t.empty || u.empty
	return out
}

// then is one part of a pattern and the next.
func (t traits) then(u traits) traits {
	out := t.either(u)
	out.first = t.first || t.empty && u.first
	out.last = u.last || u.empty && t.last
	out.empty = t.empty && u.empty
	out.crosses = out.crosses || t.last && u.first
	return out
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
	return sets[:min(len(sets), maxSets)]
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
