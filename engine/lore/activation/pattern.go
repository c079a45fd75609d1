package activation

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
)

// scope is the amount of the scanned text that one search for a key must see. The text consists of
// units (messages, fields and contents) with a newline before each but the first. A key that cannot
// match a newline is searched for in each unit by itself.
type scope uint8

const (
	inUnit scope = iota
	across       // a match may go on from one unit to the next, a few times
	inAll        // a match may reach anywhere, or depend on what is there
)

// pattern is a key as a book is searched for it. It is safe for concurrent use.
type pattern struct {
	spec
	// tried is set if the key must be searched for in each text by itself: a regex, or a plain key
	// that crosses the border of two units. All others are found by a finder.
	tried bool
	scope scope
	// crossings is the number of times that a match may continue in another unit. It may continue
	// over any number of units whose characters are all in one of runs.
	crossings int
	runs      []func(rune) bool
	// needs are sets of texts, folded: one of each is in every text that matches. Nil if
	// there is nothing of the kind. A finder looks for the first set.
	needs [][]string

	source string    // of a regex, as it is given to the engine
	once   sync.Once // regexes are made when one is first needed: most never are
	re     *regexp2.Regexp
	err    error
}

// borders are the separators of units, and of contents within a unit.
const borders = "\n\x01"

// newPattern returns the pattern of sp; fault says why there is none.
//
// A case-insensitive regex is parsed as case-sensitive, which takes a quarter of the time and keeps
// its words whole: the texts that it needs are searched in folded text, and no ASCII letter has an
// equal that folds to something else. With Unicode rules one has (ſ for s); such a regex is parsed
// as it is.
func newPattern(sp spec) (p *pattern, fault string) {
	p = &pattern{spec: sp, tried: sp.regex || strings.ContainsAny(sp.text, borders)}
	if !p.tried {
		return p, ""
	}
	if !sp.regex {
		p.scope, p.crossings, p.needs = across, strings.Count(sp.text, "\n"), runNeeds([]rune(sp.text))
		return p, ""
	}
	if p.source, fault = ecmascript.Normalize(sp.text, sp.options); fault != "" {
		return nil, fault
	}
	options := sp.options
	if options&regexp2.Unicode == 0 {
		options &^= regexp2.IgnoreCase
	}
	tree, fault := ecmascript.Parse(p.source, options)
	if fault != "" {
		return nil, fault
	}
	p.needs = needsOf(tree.Root)
	r := reachOf(tree.Root)
	switch {
	case r.context || r.lines > maxCrossings || sp.sticky:
		p.scope = inAll
	case r.lines > 0:
		p.scope, p.crossings, p.runs = across, r.lines, r.runs
	}
	return p, ""
}

// find searches a text for the key. It returns an error if the search was cut off.
func (p *pattern) find(text string) (bool, error) {
	if !p.regex {
		if !p.cased {
			text = fold(text)
		}
		return containsPlain(text, &p.spec), nil
	}
	p.once.Do(func() { p.re, p.err = ecmascript.Compile(p.source, p.options, matchTimeout) })
	if p.err != nil {
		return false, p.err
	}
	if !p.sticky {
		ok, err := p.re.MatchString(text)
		return ok, ecmascript.TimeoutError(err, matchTimeout)
	}
	m, err := p.re.FindStringMatch(text)
	return m != nil && m.RuneIndex == 0, ecmascript.TimeoutError(err, matchTimeout)
}

// maxCrossings is the maximum number of units that a regex may continue to. A regex that can
// continue to more is searched for in the whole text.
const maxCrossings = 8

// borderReach describes what a part of a regex can match at the border of a unit. In doubt it can.
// It is computed from the engine's own parse tree.
type borderReach struct {
	lines   int               // how many times it can match a new line, runs of a set as one
	runs    []func(rune) bool // the sets of such runs
	again   bool              // matches again what was matched before
	context bool              // depends on the ends of the text, or on text being absent after a line break
}

func reachOf(n *syntax.RegexNode) (r borderReach) {
	var in func(rune) bool
	switch {
	case n.IsOneFamily():
		in = func(c rune) bool { return c == n.Ch }
	case n.IsNotoneFamily():
		in = func(c rune) bool { return c != n.Ch }
	case n.IsSetFamily():
		in = n.Set.CharIn
	}
	if in != nil {
		if in('\n') {
			r.lines = 1
			if n.T != syntax.NtOne && n.T != syntax.NtNotone && n.T != syntax.NtSet {
				r.runs = append(r.runs, in)
			}
		}
		return r
	}
	for _, child := range n.Children {
		of := reachOf(child)
		r.lines += of.lines
		r.runs = append(r.runs, of.runs...)
		r.again, r.context = r.again || of.again, r.context || of.context
	}
	switch n.T {
	case syntax.NtMulti:
		r.lines = strings.Count(string(n.Str), "\n")
	case syntax.NtLoop, syntax.NtLazyloop:
		r.lines *= min(max(n.N, 1), maxCrossings+1)
	case syntax.NtNegLook:
		r.context = r.context || r.lines > 0
	case syntax.NtRef:
		r.again = true
	case syntax.NtBol, syntax.NtEol,
		syntax.NtAlternate, syntax.NtConcatenate, syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic, syntax.NtPosLook,
		syntax.NtBoundary, syntax.NtNonboundary, syntax.NtECMABoundary, syntax.NtNonECMABoundary,
		syntax.NtNothing, syntax.NtEmpty, syntax.NtUpdateBumpalong, syntax.NtResetCapture:
	default:
		r.context = true
	}
	r.lines = min(r.lines, maxCrossings+1)
	r.context = r.context || r.again && r.lines > 0
	return r
}

// The maximum number of needed sets of texts of a regex, and of texts in each. Beyond that they are
// not worth it.
const (
	maxSets  = 4
	maxNeeds = 16
)

// needsOf returns sets of texts. Every match contains at least one text of each set. Sets that the
// fewest texts will contain come first. Only ASCII counts, since it is the same in folded text.
func needsOf(n *syntax.RegexNode) (sets [][]string) {
	if n.Options&syntax.RightToLeft != 0 {
		return nil
	}
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
			of := needsOf(child)
			if of == nil || len(all)+len(of[0]) > maxNeeds {
				return nil
			}
			all = append(all, of[0]...)
		}
		slices.Sort(all)
		sets = [][]string{slices.Compact(all)}
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
	slices.SortStableFunc(sets, func(a, b []string) int {
		return cmp.Or(cmp.Compare(shortest(b), shortest(a)), cmp.Compare(len(a), len(b)))
	})
	return sets[:min(len(sets), maxSets)]
}

func shortest(needs []string) int {
	return len(slices.MinFunc(needs, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// single returns the character that a node matches, ignoring case; 0 if there is more than one or
// none.
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

// runNeeds returns the longest run of visible ASCII in text, folded; nil if all are shorter than
// two characters.
func runNeeds(text []rune) [][]string {
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
	if len(best) < 2 {
		return nil
	}
	return [][]string{{fold(string(best))}}
}

// matchesAll reports whether a match can go on over all of a text.
func (p *pattern) matchesAll(text string) bool {
	return slices.ContainsFunc(p.runs, func(in func(rune) bool) bool {
		return strings.IndexFunc(text, func(r rune) bool {
			// The regex was read as if it minds case.
			return !in(r) && !in(unicode.ToLower(r)) && !in(unicode.ToUpper(r))
		}) < 0
	})
}

// mayMatch reports whether a folded text contains what the pattern needs.
func (p *pattern) mayMatch(folded string) bool {
	return !slices.ContainsFunc(p.needs, func(set []string) bool {
		return !slices.ContainsFunc(set, func(need string) bool { return strings.Contains(folded, need) })
	})
}
