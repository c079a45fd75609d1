// Package words extracts the words of texts for search: without regard to case and accents, and as
// pairs of characters in scripts that put no blanks between words.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Word is a word and its position in a text, in bytes. Capital means that its first letter is upper
// case.
type Word struct {
	Text     string
	From, To int
	Capital  bool
}

// Each yields the words of a text in order. For a run of a dense script it yields each character
// with the one after it, and the last one alone.
func Each(text string, yield func(Word) bool) {
	Runs(text, func(from, to int, dense bool) bool {
		run := text[from:to]
		if !dense {
			first, _ := utf8.DecodeRuneInString(run)
			return yield(Word{Fold(run), from, to, unicode.IsUpper(first)})
		}
		for i, r := range run {
			end := i + utf8.RuneLen(r)
			if next, n := utf8.DecodeRuneInString(run[end:]); n > 0 && next != utf8.RuneError {
				end += n
			}
			if !yield(Word{Fold(run[i:end]), from + i, from + end, false}) {
				return false
			}
		}
		return true
	})
}

// Fold returns the form of a word for comparison: in lower case and without accents.
func Fold(word string) string {
	ascii := true
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return strings.ToLower(word)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

// Runs yields the position of each run of letters and digits of a text. dense means that its script
// puts no blanks between words.
func Runs(text string, yield func(from, to int, dense bool) bool) {
	start, was := -1, false
	end := func(to int) bool {
		run := strings.TrimRight(text[start:to], "'’")
		return run == "" || yield(start, start+len(run), was)
	}
	for i, r := range text {
		in := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || (r == '\'' || r == '’') && start >= 0
		dense := in && r > 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
			unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
		if start >= 0 && (!in || dense != was) {
			if !end(i) {
				return
			}
			start = -1
		}
		if in && start < 0 {
			start, was = i, dense
		}
	}
	if start >= 0 {
		end(len(text))
	}
}

// Query is a search for words.
type Query struct {
	// Begin are prefixes, in any order: for each of them the text must have a word that begins with
	// it.
	Begin []string
	// Exact, if it is not "", must occur in the text exactly except for case: the user has put it
	// into quotes. Within is its first word, which may begin within a word of the text; Begin are
	// the others.
	Exact, Within string
}

// maxAsked limits the words of a query.
const maxAsked = 32

// Parse parses a query that a user has typed. A query without words searches for nothing.
func Parse(typed string) (q Query) {
	typed = strings.TrimSpace(typed)
	if inner, ok := strings.CutPrefix(typed, `"`); ok {
		q.Exact = strings.TrimSuffix(inner, `"`)
		typed = inner
	}
	dense := ""
	Each(typed, func(w Word) bool {
		if one := utf8.RuneCountInString(w.Text) == 1; one && dense != "" && strings.HasSuffix(dense, w.Text) {
			dense = "" // the last character of a run is part of the pair before it
			return true
		}
		dense = ""
		if r, _ := utf8.DecodeRuneInString(w.Text); r > 0x0E00 {
			dense = w.Text
		}
		q.Begin = append(q.Begin, w.Text)
		return len(q.Begin) < maxAsked
	})
	if q.Exact != "" && len(q.Begin) > 0 {
		q.Within, q.Begin = q.Begin[0], q.Begin[1:]
	}
	return q
}

// Empty reports whether the query searches for nothing.
func (q Query) Empty() bool { return len(q.Begin) == 0 && q.Exact == "" }

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Match reports whether a text matches the query, and returns the matching places in order, at most
// most (0: all).
func (q Query) Match(text string, most int) (at []Span, ok bool) {
	if q.Exact != "" {
		span, ok := find(text, q.Exact)
		if !ok {
			return nil, false
		}
		return []Span{span}, true
	}
	missing, met := len(q.Begin), make([]bool, len(q.Begin))
	Each(text, func(w Word) bool {
		meets := false
		for i, b := range q.Begin {
			if !strings.HasPrefix(w.Text, b) {
				continue
			}
			if meets = true; !met[i] {
				met[i] = true
				missing--
			}
		}
		if meets && (most == 0 || len(at) < most) {
			at = append(at, Span{w.From, w.To})
		}
		return missing > 0 || most == 0 || len(at) < most
	})
	return at, missing == 0
}

// Filter returns a function that reports whether a text in its JSON form may match, without
// decoding it; nil if every text has to be decoded.
func (q Query) Filter() func(stored []byte) bool {
	for _, r := range q.Exact {
		if r < ' ' || strings.ContainsRune(`"\\<>&`, r) || r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return nil // it is stored in another form
		}
	}
	if q.Exact == "" {
		return nil
	}
	return func(stored []byte) bool {
		_, ok := find(stored, q.Exact)
		return ok
	}
}

// find returns the position of part in text, without regard to case.
func find[T string | []byte](text T, part string) (Span, bool) {
	first, _ := utf8.DecodeRuneInString(part)
	for i := 0; i < len(text); i++ {
		if i += nextByte(text[i:], first); i >= len(text) {
			break
		}
		if n, ok := begins(text[i:], part); ok && n > 0 {
			return Span{i, i + n}, true
		}
	}
	return Span{}, false
}

// nextByte returns the index of the next byte of text that may begin the letter want in either
// case, or len(text) if there is none.
func nextByte[T string | []byte](text T, want rune) int {
	if want >= utf8.RuneSelf {
		return 0
	}
	low, high := byte(unicode.ToLower(want)), byte(unicode.ToUpper(want))
	for i := range len(text) {
		// Two letters of ASCII have others beyond it that are the same in lower case.
		if c := text[i]; c == low || c == high || c >= utf8.RuneSelf && (low == 'k' || low == 'i') {
			return i
		}
	}
	return len(text)
}

// begins reports whether text begins with part, and returns the length of that beginning in bytes.
func begins[T string | []byte](text T, part string) (n int, ok bool) {
	for _, want := range part {
		if n >= len(text) {
			return 0, false
		}
		got, size := rune(text[n]), 1
		if got >= utf8.RuneSelf {
			got, size = utf8.DecodeRuneInString(string(text[n:min(len(text), n+utf8.UTFMax)]))
		}
		if want != got && unicode.ToLower(want) != unicode.ToLower(got) {
			return 0, false
		}
		n += size
	}
	return n, true
}
