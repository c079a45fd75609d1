package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// SameName reports whether two names may mean the same person: they are equal after normalisation,
// or one contains all words of the other.
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

// nameWords returns the words of a name without case and accents.
func nameWords(name string) (out []string) {
	for _, w := range text.Words(text.Fold(name)) {
		out = append(out, w)
	}
	return out
}

// hasName reports whether a list has a name that may mean the same person.
func hasName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(o string) bool { return SameName(o, name) })
}

// Calls reports whether a text names somebody by the name or a word of it.
func Calls(s, who string) bool { return callsBy(s, who, s) }

// callsBy is Calls that ignores words of a longer name which the story also writes in lower case,
// such as "the" or "lady".
func callsBy(s, who, story string) bool {
	parts := callNames(who)
	return slices.ContainsFunc(parts, func(p string) bool {
		small := strings.ToLower(p)
		return containsName(s, p) && (len(parts) == 1 || p == small || !text.HasWord(story, small))
	})
}

// containsWords reports whether all words of what are next to each other in a text.
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

// maxParts limits the words of a name that are searched for.
const maxParts = 16

// callNames returns the words that somebody may be called by, without initials. In a name with
// capital letters only capitalised words count: "von" does not.
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

// containsName reports whether a text contains a name as a word. A capitalised name must be
// capitalised in the text, or Will would be found in "will". Scripts without spaces between words
// are searched for the letters.
func containsName(s, name string) bool {
	if strings.ContainsFunc(name, text.Unspaced) {
		return strings.Contains(s, name)
	}
	if unicode.IsUpper(first(name)) {
		return text.HasWord(s, name) || text.HasWord(s, strings.ToUpper(name))
	}
	return containsPhrase(s, name)
}

// containsPhrase reports whether a text contains a phrase as whole words, ignoring case.
func containsPhrase(s, phrase string) bool {
	return text.HasWord(strings.ToLower(s), strings.ToLower(phrase))
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func last(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
