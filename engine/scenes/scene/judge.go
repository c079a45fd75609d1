package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Detection is a model's answer to DetectPrompt or DetectInstruction.
type Detection struct {
	Status    bool   `json:"status"`
	Rationale string `json:"rationale"`
}

// A quotation shorter than this shows nothing.
const (
	minQuoteWords   = 2
	minQuoteLetters = 6
	minQuoteDense   = 2 // letters, in scripts that set no blanks
)

// Bounds of what is compared.
const (
	maxRationale = 1000 // runes
	maxQuotes    = 16
)

// Judge decides whether a model's word that a scene has ended counts: only when
// its rationale quotes something that a candidate really says, whole words of
// it. Letter case, blanks, the kind of quotation marks and the marks of emphasis
// do not matter. at is the candidate with the quotation, the first where several
// have it, and cue what that message says there.
func Judge(d Detection, candidates []Message) (at int, cue string, ok bool) {
	if !d.Status {
		return 0, "", false
	}
	found := quotations(prompts.Bounded(d.Rationale, maxRationale))
	if len(found) == 0 {
		return 0, "", false
	}
	plain := make([]plainForm, len(candidates))
	for i, m := range candidates {
		plain[i] = plainOf(m.Text)
	}
	for _, q := range found {
		for i := range plain {
			if from, to, ok := plain[i].find(q); ok {
				return i, clip(candidates[i].Text[from:to], maxCue), true
			}
		}
	}
	return 0, "", false
}

// quotePairs are the marks that a quotation stands between, and how they close.
var quotePairs = map[rune]string{
	'"': "\"", '“': "”“\"", '„': "“”\"", '”': "”", '«': "»", '»': "«", '‹': "›", '›': "‹", '「': "」", '『': "』",
	'‘': "’", '‚': "‘’", '\'': "'’", '`': "`'´",
}

// quotations are the plain forms of what a rationale quotes and that is long
// enough to show anything.
func quotations(s string) [][]rune {
	var out [][]rune
	r := []rune(s)
	straight := false // whether a straight quotation mark would close
	used := -1        // the straight mark that has closed another kind's quotation
	for i := 0; i < len(r) && len(out) < maxQuotes; i++ {
		closers, opens := quotePairs[r[i]]
		if r[i] == '"' && i != used {
			if straight = !straight; !straight {
				continue
			}
		}
		single := r[i] == '\'' || r[i] == '‘' || r[i] == '‚' || r[i] == '`'
		if !opens || i == used || single && i > 0 && isWordRune(r[i-1]) {
			continue
		}
		end := closing(r, i+1, closers, single)
		if end < 0 {
			continue
		}
		if r[i] != '"' && r[end] == '"' {
			used = end
		}
		if q := plainOf(string(r[i+1 : end])).trimmed(); telling(q) {
			out = append(out, q)
		}
	}
	return out
}

// closing finds the mark that ends a quotation. A single one must not be an
// apostrophe.
func closing(r []rune, from int, closers string, single bool) int {
	for j := from; j < len(r); j++ {
		if strings.ContainsRune(closers, r[j]) && (!single || j+1 == len(r) || !isWordRune(r[j+1])) {
			return j
		}
	}
	return -1
}

// telling tells whether a quotation is long enough to show anything.
func telling(q []rune) bool {
	words, letters, dense := 0, 0, 0
	in := false
	for _, r := range q {
		w := isWordRune(r)
		if w {
			letters++
			if isDense(r) {
				dense++
			}
		}
		if w && !in {
			words++
		}
		in = w || in && isApostrophe(r)
	}
	return words >= minQuoteWords || letters >= minQuoteLetters || dense >= minQuoteDense
}

// plainForm is a text without what Judge takes no notice of: small letters, one
// blank for many, one kind of quotation marks and dashes, no emphasis.
type plainForm struct {
	runes []rune
	at    []int32 // where each came from, in bytes
	size  []int8
}

func plainOf(s string) plainForm {
	p := plainForm{runes: make([]rune, 0, len(s)), at: make([]int32, 0, len(s)), size: make([]int8, 0, len(s))}
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				size = 1
			}
		}
		if r = plainRune(r); r < 0 || r == ' ' && (len(p.runes) == 0 || p.runes[len(p.runes)-1] == ' ') {
			continue
		}
		p.runes, p.at, p.size = append(p.runes, r), append(p.at, int32(i)), append(p.size, int8(size)) //nolint:gosec // texts are far below 2 GB
	}
	return p
}

// plainRune is the rune that stands for r, -1 for none.
func plainRune(r rune) rune {
	switch {
	case unicode.IsSpace(r) || unicode.IsControl(r):
		return ' '
	case r == '*' || r == '_' || r == '`' || isInvisible(r):
		return -1
	case isApostrophe(r) || r == '‘' || r == '‚' || r == '‹' || r == '›':
		return '\''
	case strings.ContainsRune("“”„«»「」『』", r):
		return '"'
	case r >= '‐' && r <= '―' || r == '−':
		return '-'
	}
	return unicode.ToLower(r)
}

// trimmed is the text without signs at its ends: a quotation may end before the
// comma, or bring its own full stop.
func (p plainForm) trimmed() []rune {
	r := p.runes
	for len(r) > 0 && !isWordRune(r[0]) {
		r = r[1:]
	}
	for len(r) > 0 && !isWordRune(r[len(r)-1]) {
		r = r[:len(r)-1]
	}
	return r
}

// find returns where in the text's bytes a quotation stands as whole words.
func (p plainForm) find(q []rune) (from, to int, ok bool) {
	for i := 0; i+len(q) <= len(p.runes); i++ {
		if p.runes[i] != q[0] || !same(p.runes[i:i+len(q)], q) || p.inWord(i) || p.inWord(i+len(q)) {
			continue
		}
		last := i + len(q) - 1
		return int(p.at[i]), int(p.at[last]) + int(p.size[last]), true
	}
	return 0, 0, false
}

func same(a, b []rune) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// inWord tells whether position i lies within a word. Dense scripts have no
// borders to keep.
func (p plainForm) inWord(i int) bool {
	if i == 0 || i == len(p.runes) {
		return false
	}
	before, after := p.runes[i-1], p.runes[i]
	switch {
	case isDense(before) || isDense(after):
		return false
	case before == '\'' && i > 1 && isWordRune(p.runes[i-2]) && isWordRune(after), after == '\'' && isWordRune(before) && i+1 < len(p.runes) && isWordRune(p.runes[i+1]):
		return true
	}
	return isWordRune(before) && isWordRune(after)
}
