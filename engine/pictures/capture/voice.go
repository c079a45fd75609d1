package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func pronoun(low string) bool {
	switch low {
	case "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves":
		return true
	}
	return false
}

// countable reports whether a Roman numeral one may follow a word: "Act I".
func countable(word string) bool {
	switch strings.ToLower(word) {
	case "act", "scene", "part", "chapter", "war", "book", "volume", "type", "phase", "mark", "stage", "class", "level":
		return true
	}
	return false
}

// firstPerson lists the first-person pronouns of a text, each once, as written;
// what stands in quotation marks is somebody's speech and does not count.
func firstPerson(text string) []string {
	var found []string
	seen := map[string]bool{}
	before := ""
	for _, word := range words(unquoted(text)) {
		stem, _, _ := strings.Cut(strings.ReplaceAll(word, "’", "'"), "'")
		low := strings.ToLower(stem)
		numeral := stem == "I" && stem == word && countable(before)
		country := stem == "US" // not a pronoun, unless the whole text shouts
		if pronoun(low) && !numeral && !country && !seen[low] {
			seen[low] = true
			found = append(found, word)
		}
		before = word
	}
	return found
}

// words splits text at everything that is neither letter, digit nor an
// apostrophe inside a word. A hyphen joins: the I of "I-beam" is no pronoun.
func words(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool {
		return !isWordRune(r) && !isApostrophe(r) && r != '-' && r != '_'
	})
	out := all[:0]
	for _, w := range all {
		if w = strings.TrimFunc(w, func(r rune) bool { return isApostrophe(r) || r == '-' || r == '_' }); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// closing gives the quotation marks that may end what mark begins, "" where it
// begins nothing.
func closing(mark rune) string {
	switch mark {
	case '"':
		return `"`
	case '“':
		return "”\""
	case '„':
		return "“”"
	case '«':
		return "»"
	case '»':
		return "«"
	case '「':
		return "」"
	case '『':
		return "』"
	case '\'', '‘':
		return "'’"
	}
	return ""
}

// maxSpeech is the longest quoted speech, in bytes.
const maxSpeech = 2000

// unquoted returns text without what stands in quotation marks. A mark that is
// not closed within its paragraph opens nothing.
func unquoted(text string) string {
	if !strings.ContainsAny(text, `"“„«»「『'‘`) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	before := rune(' ')
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if length := quotation(text[i:], r, before); length > 0 {
			b.WriteByte(' ')
			i += length
			before = ' '
			continue
		}
		b.WriteString(text[i : i+size])
		i += size
		before = r
	}
	return b.String()
}

// quotation is the length of the quoted speech that s begins with, 0 if it
// begins with none. before is the rune in front of s.
func quotation(s string, mark, before rune) int {
	ends := closing(mark)
	single := mark == '\'' || mark == '‘'
	if ends == "" || single && isWordRune(before) {
		return 0
	}
	start := utf8.RuneLen(mark)
	if start >= len(s) {
		return 0
	}
	if next, _ := utf8.DecodeRuneInString(s[start:]); single && !isWordRune(next) {
		return 0
	}
	previous := rune(' ')
	for i, r := range s[start:min(len(s), maxSpeech)] {
		if r == '\n' && strings.HasPrefix(strings.TrimLeft(s[start+i+1:], " \t\r"), "\n") {
			return 0
		}
		if strings.ContainsRune(ends, r) && (!single || closes(s[start+i:], previous)) {
			return start + i + utf8.RuneLen(r)
		}
		previous = r
	}
	return 0
}

// closes tells a closing single quotation mark from an apostrophe: speech ends
// behind punctuation, and no letter follows.
func closes(s string, previous rune) bool {
	_, size := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[size:])
	return !isWordRune(next) && unicode.IsPunct(previous)
}
