package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// Words are the words of a text for searching and ranking: folded, each once, with their
// capitalization.
type Words struct {
	All   []string
	names map[string]bool // of All: written with a capital
	lower map[string]bool // of All: written without one
	// inside are words that are capitalised within a sentence, where that means more than at its
	// start.
	inside map[string]bool
}

// Bounds of what is read of a text.
const (
	maxBytes = 8 << 10
	maxWords = 400
	minWord  = 2 // letters of a word without a number
)

// WordsOf returns the words in the first 8 KiB of a text. An apostrophe separates words. In scripts
// without blanks a word is a pair of characters.
func WordsOf(text string) Words {
	w := Words{names: map[string]bool{}, lower: map[string]bool{}, inside: map[string]bool{}}
	if len(text) > maxBytes {
		text = text[:maxBytes]
	}
	end := -1 // of the word before
	words.Each(text, func(x words.Word) bool {
		capital, inside := x.Capital, end >= 0 && !strings.ContainsAny(text[min(end, x.From):x.From], sentenceStarts)
		end = x.To
		for part := range strings.FieldsFuncSeq(x.Text, isApostrophe) {
			w.add(part, capital)
			if capital && inside && w.has(part) {
				w.inside[part] = true
			}
			capital = false
		}
		return len(w.All) < maxWords
	})
	return w
}

// sentenceStarts are signs after which a sentence may begin.
const sentenceStarts = ".!?…:;\n\"“”„«»*()[]—–"

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

// add adds a word unless it is a single letter.
func (w *Words) add(word string, capital bool) {
	if utf8.RuneCountInString(word) < minWord && !strings.ContainsFunc(word, unicode.IsNumber) {
		return
	}
	if !w.has(word) {
		w.All = append(w.All, word)
	}
	if capital {
		w.names[word] = true
	} else {
		w.lower[word] = true
	}
}

// HasWord reports whether a folded word is among them.
func (w Words) HasWord(word string) bool { return w.has(word) }

// has reports whether a word is among them.
func (w Words) has(word string) bool { return w.names[word] || w.lower[word] }

// Has reports whether w contains all words of other. No Words contain a text without words.
func (w Words) Has(other Words) bool {
	return len(other.All) > 0 && w.Shared(other) == len(other.All)
}

// Shared returns the number of words of other that are in w.
func (w Words) Shared(other Words) (n int) {
	for _, x := range other.All {
		if w.has(x) {
			n++
		}
	}
	return n
}

// Without returns the words that are not in other.
func (w Words) Without(other Words) (out []string) {
	for _, x := range w.All {
		if !other.has(x) {
			out = append(out, x)
		}
	}
	return out
}

// isName reports whether a word always has a capital, or contains a digit.
func (w Words) isName(word string) bool {
	return w.names[word] && !w.lower[word] || strings.ContainsFunc(word, unicode.IsNumber)
}
