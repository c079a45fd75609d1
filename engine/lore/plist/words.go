package plist

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// function holds the small words of a language, which tell what is said nothing
// about and the language much.
var function = [...]func(string) bool{
	wordList(`the a an and or but of to in on at by for from with without into over under about after before during since until between
		is are was were be been being has have had does did not no only also very who whom whose which that this these those there
		when where while because if than then as so such other any some each every all both more most once will would can could
		should must may might just still again up down out off own same too yet via per against among around through toward towards
		upon within never always often now here what how why`),
	wordList(`der die das den dem des ein eine einen einem einer eines und oder aber von vom zu zum zur im in am an auf bei beim mit ohne
		für aus nach vor über unter zwischen gegen durch um ist sind war waren wird werden wurde wurden hat haben hatte hatten nicht
		kein keine keinen nur auch sehr dass weil wenn als wie noch schon seit bis hier dort immer nie wieder kann soll muss will
		darf sowie denn doch damit dabei diese dieser dieses diesen alle alles andere anderen viele mehr`),
	wordList(`le la les un une des du de d l et ou mais à au aux en dans sur sous par pour avec sans chez vers entre contre depuis est sont
		était étaient être a ont avait avaient ne pas plus que qui dont où ce cet cette ces très aussi comme si tout tous toute toutes
		quand après avant toujours jamais encore déjà peut doit été`),
	wordList(`el la los las un una unos unas de del y e o pero a al en por para con sin sobre bajo entre contra desde hasta hacia es son era
		eran está están fue fueron ha han había no que quien cuyo como si muy también más cuando donde este esta estos estas ese esa
		todo todos toda todas otro otra siempre nunca ya aún puede debe`),
}

// english, german, french and spanish are places in the tables of languages.
const (
	english = iota
	german
	french
	spanish
)

// SmallWord tells whether a word in lower case says nothing by itself, in one of
// the languages that are known, pronouns included.
func SmallWord(word string) bool {
	for i := range function {
		if function[i](word) || sure[i](word) || doubtful[i](word) {
			return true
		}
	}
	return word == "it" || word == "its"
}

// Words gives each word of a text with its place, as runs of letters, marks and
// digits; apostrophes inside belong to a word. A dense one is of a script that
// sets no blanks.
func Words(text string, yield func(word string, at int, dense bool) bool) {
	start, was := -1, false
	for i, r := range text {
		in := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && start >= 0
		dense := r > 0x0E00 && isDense(r)
		if start >= 0 && !in && !was && (r == '\'' || r == '’') {
			if next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):]); unicode.IsLetter(next) {
				continue
			}
		}
		if start >= 0 && (!in || dense != was && !unicode.IsMark(r)) {
			if !yield(text[start:i], start, was) {
				return
			}
			start = -1
		}
		if in && start < 0 {
			start, was = i, dense
		}
	}
	if start >= 0 {
		yield(text[start:], start, was)
	}
}

func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// stemLength is how many letters of a word count, so that "promised" is found in
// "promise".
const stemLength = 5

// Stems is what a text is about: the first letters of its words that say
// something, numbers whole, and pairs of letters in scripts that set no blanks.
func Stems(text string) map[string]bool {
	set := map[string]bool{}
	Words(text, func(w string, _ int, dense bool) bool {
		if dense {
			last := rune(-1)
			for _, r := range w {
				if last >= 0 {
					set[string([]rune{last, r})] = true
				}
				last = r
			}
			return true
		}
		if s := Stem(w); s != "" {
			set[s] = true
		}
		return true
	})
	return set
}

// Stem is what Stems takes of one word, "" where it says nothing.
func Stem(w string) string {
	w = strings.ToLower(w)
	for _, s := range []string{"'s", "’s"} {
		w = strings.TrimSuffix(w, s)
	}
	if r, _ := utf8.DecodeRuneInString(w); unicode.IsDigit(r) {
		return w
	}
	if utf8.RuneCountInString(w) < 3 || SmallWord(w) {
		return ""
	}
	n := 0
	for i := range w {
		if n == stemLength {
			return w[:i]
		}
		n++
	}
	return w
}

// maxLikeness is how many bytes of a text are looked at for its likeness.
const maxLikeness = 600

// Likeness tells how much two texts have in common, from 0 to 1, by groups of
// three letters.
func Likeness(a, b string) float64 { return shareOf(trigrams(a), trigrams(b)) }

// trigrams counts the groups of three letters in a text; each word has blanks
// around it.
func trigrams(text string) map[[3]rune]int {
	text = strings.ToValidUTF8(text[:min(len(text), maxLikeness)], "")
	m := map[[3]rune]int{}
	window := [3]rune{' ', ' ', ' '}
	push := func(r rune) {
		window[0], window[1], window[2] = window[1], window[2], r
		m[window]++
	}
	Words(text, func(w string, _ int, _ bool) bool {
		window = [3]rune{' ', ' ', ' '}
		for _, r := range strings.ToLower(w) {
			push(r)
		}
		push(' ')
		return true
	})
	return m
}

func shareOf(a, b map[[3]rune]int) float64 {
	common, all := 0, 0
	for g, n := range a {
		all += n
		common += min(n, b[g])
	}
	for _, n := range b {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 2 * float64(common) / float64(all)
}
