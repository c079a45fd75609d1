package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// SameName reports whether two names may mean the same person: they are equal after
// normalisation, or one holds all words of the other.
func SameName(a, b string) bool {
	x, y := nameWords(a), nameWords(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return text.Equal(a, b)
	}
	for _, w := range x {
		if !slices.Contains(y, w) {
			return false
		}
	}
	return true
}

// nameWords are the words of a name without regard to case and accents.
func nameWords(name string) (out []string) {
	for _, w := range text.Words(text.Fold(name)) {
		out = append(out, w)
	}
	return out
}

// hasName reports whether a list holds a name that may mean the same person.
func hasName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(o string) bool { return SameName(o, name) })
}

// Calls reports whether a text calls somebody by name, or by a word of it.
func Calls(text, who string) bool {
	return slices.ContainsFunc(callNames(who), func(p string) bool { return named(text, p) })
}

// says reports whether all words of what stand in a text one after the other.
func says(s, what string) bool {
	want := nameWords(what)
	if len(want) == 0 {
		return false
	}
	have := nameWords(s)
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.Equal(have[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// title reports whether a word of a name says nothing of who is meant.
func title(word string) bool {
	switch strings.ToLower(word) {
	case "the", "of", "and", "von", "van", "der", "den", "de", "la", "le", "du", "da", "di", "del", "el", "al",
		"mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord":
		return true
	}
	return false
}

// maxParts is how many words of a name are looked for.
const maxParts = 16

// callNames are the words that somebody may be called by.
func callNames(name string) []string {
	all := strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) && !isApostrophe(r) })
	var parts []string
	for _, p := range all {
		p = strings.TrimFunc(p, isApostrophe)
		if p != "" && !title(p) &&
			(utf8.RuneCountInString(p) > 1 || len(all) == 1 || !unicode.Is(unicode.Latin, first(p))) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		parts = all
	}
	return parts[:min(len(parts), maxParts)]
}

// named reports whether text holds a name as a word. A name that begins with a
// capital letter must do so in the text, else Will would be found in "will".
// Scripts that set no blanks between words are searched for the bare letters.
func named(s, name string) bool {
	if strings.ContainsFunc(name, text.Unspaced) {
		return strings.Contains(s, name)
	}
	capital := unicode.IsUpper(first(name))
	for at := 0; at < len(s); {
		i := find(s[at:], name)
		if i < 0 {
			return false
		}
		if !capital || unicode.IsUpper(first(s[at+i:])) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[at+i:])
		at += i + size
	}
	return false
}

// find returns where text first holds phrase as whole words, letter case aside, or -1.
func find(text, phrase string) int {
	n := utf8.RuneCountInString(phrase)
	if n == 0 {
		return -1
	}
	head := phrase[:after(phrase, 1)]
	before := rune(' ')
	for i, r := range text {
		end := -1
		if strings.EqualFold(text[i:i+after(text[i:], 1)], head) { // a cheap look first
			end = after(text[i:], n)
		}
		if end >= 0 && strings.EqualFold(text[i:i+end], phrase) {
			next, _ := utf8.DecodeRuneInString(text[i+end:])
			if !joins(before, first(phrase)) && !joins(last(phrase), next) {
				return i
			}
		}
		before = r
	}
	return -1
}

// after is the length in bytes of the first n runes of s, -1 if s is shorter.
func after(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		if at >= len(s) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func joins(a, b rune) bool {
	return (isWordRune(a) || a == '_') && (isWordRune(b) || b == '_')
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func last(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
