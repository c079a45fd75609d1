package voice

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// pattern is a regular expression of a set.
type pattern struct {
	rule   int
	re     *regexp.Regexp
	needs  []string // each match contains one of these; nil if none are known
	reach  int      // bytes before the new text that it runs over too
	begins bool     // it matches only at the beginning of the reply
	heads  []string // beginnings of all matches, if there are few
	whole  bool     // heads are whole matches
}

const (
	maxReach = 1000
	// wordSpan is the assumed length of the longest word, in bytes.
	wordSpan = 30
	// maxSteps limits the instructions of an expression.
	maxSteps = 2000
	far      = 1 << 20
)

// plainPattern normalizes an expression like plain text: markup is removed, and quotes, dashes and
// blanks become those on every keyboard.
var plainPattern = strings.NewReplacer(`\*`, "", `\_`, "", "_", "", "~", "", "`", "", `\~`, "", "\\`", "",
	"…", `\.\.\.`,
	"’", "'", "‘", "'", "ʼ", "'", "´", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‐", "-", "‑", "-", "–",
	"—", "―", "—", "\u00a0", " ")

// newPattern compiles an expression.
func newPattern(body string) (*pattern, error) {
	if len(body) > MaxPattern {
		return nil, fmt.Errorf("a regular expression may have at most %d bytes", MaxPattern)
	}
	body = "(?is:" + plainPattern.Replace(norm.NFC.String(body)) + ")"
	tree, err := syntax.Parse(body, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxSteps {
		return nil, errors.New("the expression repeats too much and would be too slow")
	}
	re, err := regexp.Compile(body)
	if err != nil {
		return nil, err
	}
	for _, s := range []string{"", "a b", "a."} {
		if at := re.FindStringIndex(s); at != nil && at[0] == at[1] {
			return nil, errors.New("the expression also matches an empty text")
		}
	}
	if matchesAll(re) {
		return nil, errors.New("the expression matches nearly every text")
	}
	p := &pattern{re: re, needs: needed(tree), reach: min(widest(tree)+wordSpan, maxReach), begins: looksForBegin(tree)}
	p.heads, p.whole = heads(tree, []string{""})
	return p, nil
}

// Limits of the beginnings of an expression: their number, and the letters of a class.
const (
	maxHeads = 64
	fewRunes = 4
)

// heads returns the texts that an expression may begin with, each appended to those in before, and
// whether they are all that it matches.
func heads(re *syntax.Regexp, before []string) (list []string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return each(before, string(re.Rune)), true
	case syntax.OpCharClass:
		letters := fewOf(re.Rune)
		for _, r := range letters {
			list = append(list, each(before, string(r))...)
		}
		whole = letters != nil
	case syntax.OpCapture:
		return heads(re.Sub[0], before)
	case syntax.OpQuest:
		more, ok := heads(re.Sub[0], before)
		list, whole = slices.Concat(before, more), ok
		return list, whole && len(list) <= maxHeads
	case syntax.OpConcat:
		list, whole = before, true
		for _, sub := range re.Sub {
			if list, whole = heads(sub, list); !whole {
				return list, false
			}
		}
		return list, true
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			more, ok := heads(sub, before)
			list, whole = append(list, more...), whole && ok
		}
	case syntax.OpWordBoundary, syntax.OpBeginText, syntax.OpBeginLine, syntax.OpEmptyMatch:
		return before, true
	default:
		return before, false
	}
	if len(list) == 0 || len(list) > maxHeads {
		return before, false
	}
	return list, whole
}

// fewOf returns the letters of a class, each in one case, nil if there are many.
func fewOf(ranges []rune) (list []rune) {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if one := oneCase(r); !slices.Contains(list, one) {
				list = append(list, one)
			}
			if len(list) > fewRunes {
				return nil
			}
		}
	}
	return list
}

// each returns every text with behind appended.
func each(texts []string, behind string) (list []string) {
	for _, s := range texts {
		list = append(list, s+behind)
	}
	return list
}

// looksForBegin reports whether an expression has a ^.
func looksForBegin(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpBeginLine || slices.ContainsFunc(re.Sub, looksForBegin)
}

// needed returns texts such that each match of an expression contains one of them, nil if none are
// known.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.Map(oneCase, string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if list := needed(sub); shortest(list) > shortest(best) {
				best = list
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			list := needed(sub)
			if list == nil {
				return nil
			}
			all = append(all, list...)
		}
		return all
	}
	return nil
}

// shortest returns the length of the shortest text, 0 for none.
func shortest(list []string) int {
	if len(list) == 0 {
		return 0
	}
	return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
}

// widest returns the most bytes that an expression matches. A word of any length counts as wordSpan
// bytes.
func widest(re *syntax.Regexp) (most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune))
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 2
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		switch sub := re.Sub[0]; {
		case re.Op == syntax.OpRepeat && re.Max >= 0:
			return min(far, widest(sub)*re.Max)
		case sub.Op == syntax.OpCharClass && !inClass(sub.Rune, ' '):
			return wordSpan
		}
		return far
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			most = max(most, widest(sub))
		}
		return most
	}
	for _, sub := range re.Sub {
		most = min(far, most+widest(sub))
	}
	return most
}

func inClass(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// matchesAll reports whether an expression would leave nothing of any reply.
func matchesAll(re *regexp.Regexp) bool {
	single := 0
	for letter := range strings.SplitSeq("a e i o t n s r", " ") {
		if re.MatchString(letter) {
			single++
		}
	}
	if single > 3 || re.MatchString(" ") {
		return true
	}
	for _, s := range []string{"the lamp burns.", "sie geht!", "il est tard?", "no hay nadie."} {
		if !re.MatchString(s) {
			return false
		}
	}
	return true
}

// plain is a text normalized for expressions: in one case, composed, without markup, with one blank
// for each run of white space, and with uniform quotes and dashes. The text is added in pieces.
type plain struct {
	out  []byte
	at   []int32 // for each byte of out, its position in the text
	read int     // bytes of the text
	last int     // beginning of the last letter in out, which a mark may combine with
}

// add adds the new part of a text. It returns the first byte of out that has changed or is new.
func (p *plain) add(s []byte) (changed int) {
	changed = len(p.out)
	for p.read < len(s) {
		r, n := utf8.DecodeRune(s[p.read:])
		changed = min(changed, p.rune(r, p.read))
		p.read += n
	}
	return changed
}

func (p *plain) rune(r rune, at int) (changed int) {
	changed = len(p.out)
	put := func(r rune) {
		p.last = len(p.out)
		p.out = utf8.AppendRune(p.out, r)
		for len(p.at) < len(p.out) {
			p.at = append(p.at, int32(at))
		}
	}
	switch {
	case isMarkup(r), isInvisible(r):
	case unicode.IsSpace(r):
		if n := len(p.out); n > 0 && p.out[n-1] != ' ' {
			put(' ')
		}
	case isApostrophe(r):
		put('\'')
	case isQuote(r):
		put('"')
	case r == '‐' || r == '‑':
		put('-')
	case r == '…':
		put('.')
		put('.')
		put('.')
	case r != '-' && unicode.Is(unicode.Pd, r) || r == '−':
		put('—')
	case unicode.IsMark(r) && p.last < len(p.out):
		both := norm.NFC.String(string(p.out[p.last:]) + string(r))
		if utf8.RuneCountInString(both) == 1 { // the same accent is written in two ways
			r, _ = utf8.DecodeRuneInString(both)
			changed, at = p.last, int(p.at[p.last])
			p.out, p.at = p.out[:p.last], p.at[:p.last]
		}
		put(oneCase(r))
	default:
		put(oneCase(r))
	}
	return changed
}

// oneCase returns one letter for all case variants of r, including ß and the long s.
func oneCase(r rune) rune {
	least := r
	if r >= utf8.RuneSelf || r >= 'a' && r <= 'z' {
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
	}
	return unicode.ToLower(least)
}

// expressions runs the regular expressions over the new text. A match at the very end may become
// longer, or another word: it is judged when more text follows or the reply is over.
func (w *Filter) expressions(over bool) {
	changed := w.plain.add(w.text)
	w.looked = min(w.looked, changed)
	w.pending = -1
	if w.rules.Set == nil {
		return
	}
	w.need(changed)
	out, looked := w.plain.out, len(w.plain.out)
	for i := range w.rules.Set.patterns {
		p := &w.rules.Set.patterns[i]
		from := wordAt(out, w.looked-p.reach)
		if p.begins && from > 0 || w.needs[i] <= from {
			continue
		}
		for _, m := range p.re.FindAllIndex(out[from:], -1) {
			begin, end := from+m[0], from+m[1]
			start := int(w.plain.at[begin])
			switch {
			case end <= w.looked: // it was judged when it came
			case end == len(out) && !over:
				looked = min(looked, end-1)
				if w.pending < 0 || start < w.pending {
					w.pending = start
				}
			default:
				w.find(Found{Kind: Phrase, Rule: w.rules.Set.rules[p.rule], At: start}, w.source(end))
			}
		}
	}
	w.looked = looked
}

// need records which expressions have needed text in the new part: the others do not have to run.
func (w *Filter) need(changed int) {
	set, out := w.rules.Set, w.plain.out
	if w.needs == nil {
		w.needs = make([]int, len(set.patterns))
	}
	news := out[max(0, changed-set.longest):]
	for i, p := range set.patterns {
		if p.needs == nil || slices.ContainsFunc(p.needs,
			func(s string) bool { return bytes.Contains(news, []byte(s)) }) {
			w.needs[i] = len(out)
		}
	}
}

// wordAt returns the beginning of the word that contains a byte, if it is not too far back.
func wordAt(out []byte, at int) int {
	from := max(0, at)
	for from > 0 && out[from-1] != ' ' && at-from < maxReach {
		from--
	}
	for from > 0 && !utf8.RuneStart(out[from]) {
		from--
	}
	return from
}

// source returns the byte of the text after the one that produced byte end-1 of plain.
func (w *Filter) source(end int) int {
	at := int(w.plain.at[end-1])
	_, n := utf8.DecodeRune(w.text[at:])
	return at + n
}
