package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many words two texts about the same thing share at least.
const (
	leastTold  = 2   // words that tell something
	leastShare = 0.6 // of the shorter text's
)

// letters is a text without anything but its letters and digits, in small ones,
// with a blank between words.
func letters(s string) string { return strings.Join(plainWords(s), " ") }

// root is a word that tells something.
type root struct {
	stem string
	name bool // it looks like one: short, with a capital letter
}

// roots are the words of a text that tell something.
func roots(s string) []root {
	var out []root
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !isWordRune(r) && r != '\'' && r != '’' }) {
		r, _ := utf8.DecodeRuneInString(w)
		lower := strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'s"), "'", "")
		if commonWords()[lower] || utf8.RuneCountInString(lower) < 3 && !unicode.IsDigit(r) {
			continue
		}
		out = append(out, root{stem: rootOf(lower), name: unicode.IsUpper(r) && utf8.RuneCountInString(lower) <= nameLetters})
	}
	return out
}

// nameLetters is how long a word may be that passes for a name: in German, all
// things have capital letters.
const nameLetters = 6

// rootLetters is how many letters of a word are compared, so that "promised" is
// found in "promise".
const rootLetters = 5

func rootOf(w string) string {
	w = stem(w)
	n := 0
	for i := range w {
		if n == rootLetters && !unicode.IsDigit(rune(w[0])) {
			return w[:i]
		}
		n++
	}
	return w
}

// commonWords tell nothing by themselves.
var commonWords = wordSet(`the a an and or but of to in on at by for from with without into over under about after before during since until
		is are was were be been being has have had does did do not no only also very who whom whose which that this these those there here
		when where while because if than then as so such other any some each every all both more most once will would can could should must
		may might just still again up down out off own same too yet per against among around through toward towards upon within never
		always often now what how why it its he him his she her hers they them their theirs you your yours we us our ours i me my mine
		im youre ive dont didnt doesnt isnt wasnt cant wont id ill youve lets let get got give gave go goes going gone went come came coming say
		says said tell tells told ask asks asked know knows knew think thinks thought want wants wanted like likes need needs make makes made
		take takes took see sees saw look looks looked thing things something anything nothing someone anyone one two way time times back
		really well good great little much many lot even ever maybe perhaps yes okay sure right want wish talk talks talked mention bring
		remember remind reminder forget follow later soon today tomorrow next last new old
		der die das den dem des ein eine einen einem einer und oder aber von zu zum zur im am auf bei mit ohne für aus nach vor über unter um
		ist sind war waren wird werden hat haben hatte nicht kein keine nur auch sehr dass weil wenn als wie noch schon ich du er sie es
		wir ihr mich dich sich mir dir ihm ihn ihre sein seine mein dein
		le les un une du et ou mais au aux dans sur sous par pour avec sans est sont ne pas que qui elle il elles ils je tu nous vous son sa
		el los las una del y o en por para con sin es son no que se su sus yo él ella`)
