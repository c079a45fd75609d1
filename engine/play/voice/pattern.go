package voice

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pattern is a regular expression of a set.
type pattern struct {
	rule   int
	re     *regexp.Regexp
	tree   *syntax.Regexp // while a set is made, as prog
	prog   *syntax.Prog
	reach  int  // how many bytes of folded text it is run over
	back   int  // and how many more at most, to where a word begins
	begins bool // it looks for the beginning of the reply
}

// What an expression sees of the folded text behind what is new: one that may match much, a
// good deal of it.
const (
	reach    = 200
	farReach = 1000
	// mostSteps bounds the instructions of an expression, and of one that sees much.
	mostSteps    = 2000
	mostFarSteps = 400
)

// newPattern reads an expression, which is folded as text is: markup in it says nothing, and
// quotes and dashes are those of every keyboard.
func newPattern(body string) (*pattern, error) {
	if len(body) > MostPattern {
		return nil, fmt.Errorf("a regular expression has at most %d bytes", MostPattern)
	}
	text := "(?is:" + norm.NFC.String(body) + ")" // a folded text has no lines
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p := &pattern{reach: reach, back: wordSpan, tree: tree}
	if foldTree(tree, p) {
		text = tree.String() // which is long where there are classes, and dear to read
	}
	if p.prog, err = syntax.Compile(tree.Simplify()); err != nil {
		return nil, err
	}
	if len(p.prog.Inst) > mostSteps {
		return nil, errors.New("the expression repeats too much to be run at each word")
	}
	if p.re, err = regexp.Compile(text); err != nil {
		return nil, err
	}
	switch least, most := span(tree); {
	case least == 0:
		return nil, errors.New("the expression matches where nothing is, markup aside")
	case matchesAll(p.re):
		return nil, errors.New("the expression matches nearly every text")
	case most > reach && len(p.prog.Inst) <= mostFarSteps:
		p.reach = farReach
	default:
		p.limit(tree)
	}
	return p, nil
}

// foldTree makes of what an expression names what stands for it in folded text, and tells
// whether that is another expression.
func foldTree(re *syntax.Regexp, p *pattern) (changed bool) {
	for _, sub := range re.Sub {
		changed = foldTree(sub, p) || changed
	}
	switch re.Op {
	case syntax.OpBeginText:
		p.begins = true
	case syntax.OpBeginLine:
		re.Op, p.begins, changed = syntax.OpBeginText, true, true
	case syntax.OpEndLine:
		re.Op, changed = syntax.OpEndText, true
	case syntax.OpCharClass:
		if pairs := foldClass(re.Rune); len(pairs) > len(re.Rune) {
			re.Rune, changed = pairs, true
		}
	case syntax.OpLiteral:
		changed = foldLiteral(re) || changed
	}
	return changed
}

func foldLiteral(re *syntax.Regexp) (changed bool) {
	if !slices.ContainsFunc(re.Rune, func(r rune) bool { return r == '-' || r == '…' || standsFor(r) != r }) {
		return false
	}
	var list []*syntax.Regexp
	var run []rune
	flush := func() {
		if len(run) > 0 {
			list = append(list, &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags, Rune: run})
			run = nil
		}
	}
	for _, r := range re.Rune {
		switch to := standsFor(r); to {
		case 0:
		case '-':
			flush()
			list = append(list, &syntax.Regexp{Op: syntax.OpCharClass, Rune: []rune{'-', '-', '—', '—'}})
		case '…':
			run = append(run, '.', '.', '.')
		default:
			run = append(run, to)
		}
	}
	flush()
	switch len(list) {
	case 0:
		*re = syntax.Regexp{Op: syntax.OpEmptyMatch}
	case 1:
		*re = *list[0]
	default:
		*re = syntax.Regexp{Op: syntax.OpConcat, Sub: list}
	}
	return true
}

// standsFor is the sign by which folded text has one, 0 where it has none.
func standsFor(r rune) rune {
	switch {
	case r == '*' || r == '_' || r == '~' || r == '`':
		return 0
	case r == '‐' || r == '‑':
		return '-'
	case apostrophe(r):
		return '\''
	case quoteMark(r):
		return '"'
	case longDash(r):
		return '—'
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// foldClass adds to a class what stands in folded text for what it has.
func foldClass(pairs []rune) []rune {
	has := func(r rune) bool { return inClass(pairs, r) }
	out := slices.Clone(pairs)
	for _, r := range "\n\u00a0’‘ʼ´“”„«»–—―" {
		if to := standsFor(r); has(r) && !has(to) && !has('a') { // a class of letters too is one of what is left out
			out = append(out, to, to)
		}
	}
	if has('-') && !has('—') {
		out = append(out, '—', '—')
	}
	return out
}

// wordSpan is how long a word is taken to be at most.
const wordSpan = 30

// span is how many letters an expression matches at least and at most.
func span(re *syntax.Regexp) (least, most int) {
	const far = 1 << 20
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return span(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, m := span(sub)
			least, most = min(far, least+l), min(far, most+m)
		}
		return least, most
	case syntax.OpAlternate:
		for i, sub := range re.Sub {
			l, m := span(sub)
			if i == 0 {
				least = l
			}
			least, most = min(least, l), max(most, m)
		}
		return least, most
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return spanRepeat(re, far)
	}
	return 0, 0
}

func spanRepeat(re *syntax.Regexp, far int) (least, most int) {
	l, m := span(re.Sub[0])
	from, to := 0, -1
	switch re.Op {
	case syntax.OpPlus:
		from = 1
	case syntax.OpQuest:
		to = 1
	case syntax.OpRepeat:
		from, to = re.Min, re.Max
	}
	least = min(far, l*from)
	switch {
	case to >= 0:
		return least, min(far, m*to)
	case re.Sub[0].Op == syntax.OpCharClass && !inClass(re.Sub[0].Rune, ' '):
		return least, max(least, wordSpan)
	}
	return least, far
}

// limit has an expression run over no more than it can match. Where one word of it may be of
// any length that is all of what stands there without a blank; with more such words, and with
// what may match much, it stays as far as for others.
func (p *pattern) limit(tree *syntax.Regexp) {
	switch most, words := widest(tree); {
	case words == 0:
		p.reach = min(p.reach, most)
	case words == 1:
		p.reach, p.back = min(p.reach, most), reach
	}
}

// widest is how many bytes of folded text an expression matches at most, and how many words of
// any length are in it, of which each counts as a long one.
func widest(re *syntax.Regexp) (most, words int) {
	const far = 1 << 20
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			wide := max(1, utf8.RuneLen(r))
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				wide = max(wide, utf8.RuneLen(f))
			}
			most += wide
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, 0
	case syntax.OpCapture, syntax.OpQuest:
		return widest(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			m, w := widest(sub)
			most, words = min(far, most+m), words+w
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			m, w := widest(sub)
			most, words = max(most, m), max(words, w)
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if most, words = widest(re.Sub[0]); re.Op == syntax.OpRepeat && re.Max >= 0 {
			return min(far, most*re.Max), words * re.Max
		}
		if _, m := spanRepeat(re, far); m < far {
			return m, 1
		}
		return far, 0
	}
	return most, words
}

func inClass(pairs []rune, r rune) bool {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] <= r && r <= pairs[i+1] {
			return true
		}
	}
	return false
}

// matchesAll tells whether an expression would leave nothing of any reply.
func matchesAll(re *regexp.Regexp) bool {
	single := 0
	for _, letter := range []string{"a", "e", "i", "o", "t", "n", "s", "r"} {
		if re.MatchString(letter) {
			single++
		}
	}
	if single > 3 || re.MatchString(" ") {
		return true
	}
	for _, text := range []string{"the lamp burns.", "sie geht!", "il est tard?", "no hay nadie."} {
		if !re.MatchString(text) {
			return false
		}
	}
	return true
}
