package voice

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// opened is a quote, a bracket or markup that a text has opened.
type opened struct {
	closing string // what closes it
	from    int    // where it stands
	speech  bool
}

// quotations follow what a paragraph opens and closes. Quotes are of many languages: the one
// that opens in English closes in German.
type quotations struct{ list []opened }

// mostOpen bounds what is open at once: more is no text.
const mostOpen = 16

func (q *quotations) push(closing string, from int, speech bool) {
	if len(q.list) >= mostOpen {
		return
	}
	q.list = append(q.list, opened{closing, from, speech})
}

// pop closes the innermost that closing closes.
func (q *quotations) pop(closing string) bool {
	for i := len(q.list) - 1; i >= 0; i-- {
		if strings.TrimSpace(q.list[i].closing) == closing {
			q.list = slices.Delete(q.list, i, i+1)
			return true
		}
	}
	return false
}

func (q *quotations) toggle(mark string, from int, speech bool) {
	if !q.pop(mark) {
		q.push(mark, from, speech)
	}
}

// speech is where the outermost quote begins that is open, -1 where none is.
func (q *quotations) speech() int {
	for _, o := range q.list {
		if o.speech {
			return o.from
		}
	}
	return -1
}

// closing is what closes all that is open.
func (q *quotations) closing() string {
	var b strings.Builder
	for _, o := range slices.Backward(q.list) {
		b.WriteString(o.closing)
	}
	return b.String()
}

// openIn is what is open at the end of a paragraph, without what is only begun there.
func openIn(para string) *quotations {
	q := &quotations{}
	for i := 0; i < len(para); {
		i += q.take(para, i)
	}
	return q
}

// around are the runes before and behind some bytes of a text, 0 at its ends.
func around(text string, from, to int) (before, behind rune) {
	if from > 0 {
		before, _ = utf8.DecodeLastRuneInString(text[:from])
	}
	if to < len(text) {
		behind, _ = utf8.DecodeRuneInString(text[to:])
	}
	return before, behind
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func blank(r rune) bool { return r == 0 || unicode.IsSpace(r) }

// take takes what stands at byte i, and tells how many bytes that is.
func (q *quotations) take(text string, i int) int {
	if b := text[i]; b < utf8.RuneSelf && (b >= 'A' || b == ' ') && b != '_' && b != '`' && b != '~' && b != '[' && b != ']' {
		return 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	before, behind := around(text, i, i+n)
	switch r {
	case '*', '_', '`', '~':
		return q.markup(text, i, r)
	case '"':
		if !q.pop("“") {
			q.toggle("\"", i, true)
		}
	case '“':
		if !q.pop("“") {
			q.push("”", i, true)
		}
	case '”':
		_ = q.pop("”") || q.pop("“")
	case '„':
		q.push("“", i, true)
	case '«', '»':
		q.guillemet(r, behind, i)
	case '‚':
		q.push("‘", i, true)
	case '‘':
		if !q.pop("‘") {
			q.push("’", i, true)
		}
	case '’', '\'':
		q.apostrophe(text[i+n:], r, before, behind, i)
	case '(', '[':
		if before != ':' && before != ';' && before != '-' {
			q.push(map[rune]string{'(': ")", '[': "]"}[r], i, false)
		}
	case '「', '『', '（', '《':
		q.push(map[rune]string{'「': "」", '『': "』", '（': "）", '《': "》"}[r], i, r == '「' || r == '『')
	case ')', ']', '」', '』', '）', '》':
		q.pop(string(r))
	}
	return n
}

// guillemet takes one of « and »: each opens in some languages and closes in others. Where a
// blank stands behind one that opens, one stands before the other.
func (q *quotations) guillemet(r, behind rune, at int) {
	other := "»"
	if r == '»' {
		other = "«"
	}
	if q.pop(string(r)) {
		return
	}
	if behind != 0 && behind != '\n' && unicode.IsSpace(behind) {
		if r == '»' {
			return // it closes what was opened in another paragraph
		}
		other = string(behind) + other
	}
	q.push(other, at, true)
}

// elided are words that begin with an apostrophe.
var elided = []string{"tis", "twas", "twere", "twill", "til", "cause", "em", "bout", "round", "cuz", "nough", "nuff", "s", "ne", "nen"}

func (q *quotations) apostrophe(rest string, r, before, behind rune, at int) {
	if inWord(before) && inWord(behind) {
		return
	}
	if !blank(before) && (!inWord(before) || !inWord(behind)) && q.pop(string(r)) {
		return
	}
	if r != '\'' || !blank(before) && !strings.ContainsRune("(*_\"“—", before) || !unicode.IsUpper(behind) && behind != '¿' && behind != '¡' {
		return
	}
	word := strings.ToLower(rest)
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	if !slices.Contains(elided, word) {
		q.push("'", at, true)
	}
}

// markup takes a run of one mark. One with blanks around it opens nothing, as that of a list
// or between scenes; nor does one inside a word.
func (q *quotations) markup(text string, i int, r rune) int {
	n := len(text[i:]) - len(strings.TrimLeft(text[i:], string(r)))
	before, behind := around(text, i, i+n)
	mark := text[i : i+n]
	switch {
	case n > 3 || r == '~' && n != 2 || blank(before) && blank(behind) && (behind != 0 || before == 0):
	case r == '_' && inWord(before) && inWord(behind):
	case blank(behind) || !q.hasOpen(mark):
		if !q.pop(mark) && !blank(behind) {
			q.push(mark, i, false)
		}
	default:
		q.pop(mark)
	}
	return n
}

func (q *quotations) hasOpen(mark string) bool {
	return slices.ContainsFunc(q.list, func(o opened) bool { return o.closing == mark })
}

// Open are the marks that close what is open in the last paragraph of a text, "" where nothing
// is.
func Open(text string) string {
	return openIn(text[strings.LastIndexByte(text, '\n')+1:]).closing()
}

// unquoted is a text without what stands in quotes.
func unquoted(s string) string {
	var b strings.Builder
	var q quotations
	for i := 0; i < len(s); {
		if s[i] == '\n' {
			q = quotations{}
		}
		n := q.take(s, i)
		if q.speech() < 0 {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
