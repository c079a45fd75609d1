package lore

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

// scope is how much of the scanned text a key has to see at once. The text is
// made of segments (messages, fields, …), each between a marker, \x01, and a new
// line; so whatever cannot match a new line sees one line of it at most, and
// what can match a new line but no marker sees one segment at most. Both are
// looked for in each part by itself, and what was found is kept with the part.
type scope uint8

const (
	inLine    scope = iota // never matches a new line
	inSegment              // never matches a marker, and does not ask for the text's or a line's ends
	inWindow
)

// checker is a key that is found by looking at a text by itself: a regex, or a
// plain key that the automaton cannot have whole. Safe for concurrent use.
type checker struct {
	spec
	scope scope
	// needs are texts, folded, one of which is in every text that matches; nil if
	// there is nothing of the kind.
	needs []string

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
	line, mark, ends, edges := reach(n)
	switch {
	case edges:
		return inWindow
	case !line:
		return inLine
	case !mark && !ends:
		return inSegment
	}
	return inWindow
}

// reach tells of a pattern whether some part of it matches a new line or a
// marker, asks for the ends of lines, or of the text (or is not known here).
func reach(n *syntax.RegexNode) (line, mark, ends, edges bool) {
	switch {
	case n.IsOneFamily():
		line, mark = n.Ch == '\n', n.Ch == 1
	case n.IsNotoneFamily():
		line, mark = n.Ch != '\n', n.Ch != 1
	case n.IsSetFamily():
		line, mark = n.Set.CharIn('\n'), n.Set.CharIn(1)
	default:
		switch n.T {
		case syntax.NtMulti:
			for _, r := range n.Str {
				line, mark = line || r == '\n', mark || r == 1
			}
		case syntax.NtBol, syntax.NtEol:
			ends = true
		case syntax.NtBoundary, syntax.NtNonboundary, syntax.NtECMABoundary, syntax.NtNonECMABoundary,
			// A back-reference matches what something else has matched before.
			syntax.NtRef, syntax.NtNothing, syntax.NtEmpty, syntax.NtUpdateBumpalong, syntax.NtResetCapture,
			syntax.NtAlternate, syntax.NtConcatenate, syntax.NtLoop, syntax.NtLazyloop, syntax.NtCapture,
			syntax.NtGroup, syntax.NtPosLook, syntax.NtNegLook, syntax.NtAtomic:
		default:
			edges = true
		}
	}
	for _, child := range n.Children {
		l, m, e, g := reach(child)
		line, mark, ends, edges = line || l, mark || m, ends || e, edges || g
	}
	return line, mark, ends, edges
}

// maxNeeds is how many texts a regex may need one of before it is not worth it.
const maxNeeds = 16

// needsOf are texts, one of which is in everything that the pattern matches.
// Only ASCII counts: that is in the folded text wherever it is in the text.
func needsOf(n *syntax.RegexNode) []string {
	if n.Options&syntax.RightToLeft != 0 {
		return nil
	}
	switch n.T {
	case syntax.NtMulti:
		if run := longestRun(n.Str); len(run) >= 2 {
			return []string{run}
		}
	case syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic, syntax.NtPosLook:
		if len(n.Children) == 1 {
			return needsOf(n.Children[0])
		}
	case syntax.NtLoop, syntax.NtLazyloop:
		if n.M > 0 && len(n.Children) == 1 {
			return needsOf(n.Children[0])
		}
	case syntax.NtAlternate:
		var all []string
		for _, child := range n.Children {
			needs := needsOf(child)
			if all = append(all, needs...); needs == nil || len(all) > maxNeeds {
				return nil
			}
		}
		return all
	case syntax.NtConcatenate:
		var best []string
		var run []rune
		for _, child := range n.Children {
			if child.T == syntax.NtMulti && child.Options&syntax.RightToLeft == 0 {
				run = append(run, child.Str...)
			} else if r := single(child); r != 0 {
				run = append(run, r)
			} else {
				best, run = better(best, runNeeds(run)), nil
				best = better(best, needsOf(child))
			}
		}
		return better(best, runNeeds(run))
	}
	return nil
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

func runNeeds(run []rune) []string {
	if text := longestRun(run); len(text) >= 2 {
		return []string{text}
	}
	return nil
}

// better is the one of two needs that fewer texts will have.
func better(a, b []string) []string {
	least := func(needs []string) int {
		n := 0
		for i, text := range needs {
			if i == 0 || len(text) < n {
				n = len(text)
			}
		}
		return n
	}
	if least(b) > least(a) || least(b) == least(a) && len(b) < len(a) {
		return b
	}
	return a
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
