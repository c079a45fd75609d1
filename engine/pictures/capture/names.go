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
func Calls(s, who string) bool { return callsBy(s, who, s) }

// callsBy is Calls, where a word of several that a story also writes small is no name, such as
// "the" or "lady".
func callsBy(s, who, story string) bool {
	parts := callNames(who)
	return slices.ContainsFunc(parts, func(p string) bool {
		small := strings.ToLower(p)
		return containsName(s, p) && (len(parts) == 1 || p == small || !text.HasWord(story, small))
	})
}

// containsWords reports whether all words of what stand in a text one after the other.
func containsWords(s, what string) bool {
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

// maxParts is how many words of a name are looked for.
const maxParts = 16

// callNames are the words that somebody may be called by. Initials are none, and where a name
// has capital letters only words with one are: "von" is not.
func callNames(name string) []string {
	all := strings.FieldsFunc(name, func(r rune) bool { return !isWordRune(r) && !isApostrophe(r) })
	hasCapital := strings.ContainsFunc(name, unicode.IsUpper)
	var parts []string
	for _, p := range all {
		p = strings.TrimFunc(p, isApostrophe)
		initial := utf8.RuneCountInString(p) == 1 && len(all) > 1 && unicode.Is(unicode.Latin, first(p))
		if p != "" && !initial && (!hasCapital || unicode.IsUpper(first(p))) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		parts = all
	}
	return parts[:min(len(parts), maxParts)]
}

// containsName reports whether a text holds a name as a word. A name that begins with a capital letter
// must do so in the text, else Will would be found in "will". Scripts that set no blanks between
// words are searched for the bare letters.
func containsName(s, name string) bool {
	if strings.ContainsFunc(name, text.Unspaced) {
		return strings.Contains(s, name)
	}
	if unicode.IsUpper(first(name)) {
		return text.HasWord(s, name) || text.HasWord(s, strings.ToUpper(name))
	}
	return containsPhrase(s, name)
}

// containsPhrase reports whether a text holds a phrase as whole words, letter case aside.
func containsPhrase(s, phrase string) bool {
	return text.HasWord(strings.ToLower(s), strings.ToLower(phrase))
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func last(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
