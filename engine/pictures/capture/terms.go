package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// term is a word of a text.
type term struct {
	low, word string
	sentence  int
	comma     bool // a comma or the like stands before it
	own       bool // it ends in the mark of a possessive, which low lacks
	who       int  // the person that it names, else nobody or stranger
}

// Who a word names that names none of the people known.
const (
	nobody   = -1
	stranger = -2
)

// terms splits a text into words. Speech is left out.
func terms(text string) []term {
	if len(text) > mostPrompt {
		text = text[:mostPrompt]
	}
	text = unquoted(text)
	out := make([]term, 0, len(text)/5+2)
	sentence, comma := 0, false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !isWordRune(r) {
			switch {
			case strings.ContainsRune(".!?;:\n", r):
				sentence++
			case strings.ContainsRune(",()–—/", r):
				comma = true
			}
			at += size
			continue
		}
		end := wordEnd(text, at)
		word := strings.TrimRightFunc(text[at:end], func(r rune) bool { return isApostrophe(r) || r == '-' })
		t := term{word: word, low: strings.ToLower(strings.ReplaceAll(word, "’", "'")), sentence: sentence, comma: comma, who: nobody}
		if stem, ok := strings.CutSuffix(t.low, "'s"); ok {
			t.low, t.own = stem, true
		}
		out = append(out, t)
		comma = false
		at = end
	}
	return out
}

func wordEnd(text string, at int) int {
	for i, r := range text[at:] {
		if !isWordRune(r) && !isApostrophe(r) && r != '-' {
			return at + i
		}
	}
	return len(text)
}

// nameWords are the people that a comparison knows, by the words of their names.
func nameWords(people []string) map[string]int {
	out := map[string]int{}
	for i, name := range people {
		for _, w := range words(name) {
			low := strings.ToLower(w)
			if particle(w) || utf8.RuneCountInString(w) < 2 {
				continue
			}
			if _, taken := out[low]; !taken {
				out[low] = i
			}
		}
	}
	return out
}

// namePeople notes which words name somebody. A person without a name who is
// said to be one with a name right before it is no other: "Tove, a young woman".
func namePeople(list []term, names map[string]int) {
	for i := range list {
		t := &list[i]
		if who, ok := names[t.low]; ok && !unicode.IsLower(first(t.word)) {
			t.who = who
			continue
		}
		if !others[t.low] {
			continue
		}
		t.who = stranger
		for j := i - 1; j >= max(0, i-5) && list[j].sentence == t.sentence; j-- {
			if list[j].who >= 0 && !list[j].own && j+1 < i && (list[j+1].comma || copulas[list[j+1].low]) && apposed(list[j+1:i]) {
				t.who = list[j].who
				break
			}
		}
	}
}

// apposed tells whether words lead from a name to what it is said to be.
func apposed(list []term) bool {
	if copulas[list[0].low] {
		list = list[1:]
	}
	if len(list) == 0 || list[0].low != "a" && list[0].low != "an" && list[0].low != "the" {
		return false
	}
	for _, t := range list[1:] {
		if closers[t.low] || articlesAll[t.low] {
			return false
		}
	}
	return true
}
