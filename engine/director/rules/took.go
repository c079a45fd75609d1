package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of what shows that a reply has taken a hook up.
const (
	maxReply    = 64 << 10 // bytes that are looked at
	nearWords   = 40       // words within which what is told of must stand
	leastTold   = 2        // words that are no names
	leastShare  = 0.6      // of all that the hook says
	leastPhrase = 12       // runes of an opener that counts where it stands word for word
)

// TookUp tells, without a model, whether a reply has clearly taken a hook up: it
// says the opener, or within a few sentences most of the words that tell what
// the hook is about. Names alone show nothing, since they stand everywhere.
func TookUp(h storage.Hook, reply string) bool {
	reply = head(reply, maxReply)
	if opener := letters(head(h.Opener, maxCompared)); utf8.RuneCountInString(opener) >= leastPhrase && strings.Contains(letters(reply), opener) {
		return true
	}
	said := roots(reply)
	return takes(said, roots(head(h.Content, maxCompared))) || takes(said, roots(head(h.Opener, maxCompared)))
}

// letters is a text without anything but its letters and digits, in small ones,
// with a blank between words.
func letters(s string) string { return strings.Join(plainWords(s), " ") }

// root is a word that tells something, at its place among all words.
type root struct {
	stem string
	name bool // it looks like one: short, with a capital letter
	at   int
}

// roots are the words of a text that tell something.
func roots(s string) []root {
	var out []root
	at := 0
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !isWordRune(r) && r != '\'' && r != '’' }) {
		at++
		r, _ := utf8.DecodeRuneInString(w)
		lower := strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'s"), "'", "")
		if commonWords()[lower] || utf8.RuneCountInString(lower) < 3 && !unicode.IsDigit(r) {
			continue
		}
		out = append(out, root{stem: rootOf(lower), name: unicode.IsUpper(r) && utf8.RuneCountInString(lower) <= nameLetters, at: at})
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

// takes tells whether enough of what is meant is said close together.
func takes(said, meant []root) bool {
	plain := map[string]bool{} // what is meant, and whether it is no name
	for _, r := range meant {
		plain[r.stem] = plain[r.stem] || !r.name
	}
	counts := map[string]int{}
	hits, told, from := 0, 0, 0
	for _, r := range said {
		isPlain, known := plain[r.stem]
		if !known {
			continue
		}
		if counts[r.stem]++; counts[r.stem] == 1 {
			hits++
			if isPlain {
				told++
			}
		}
		for ; said[from].at < r.at-nearWords; from++ {
			was, known := plain[said[from].stem]
			if !known {
				continue
			}
			if counts[said[from].stem]--; counts[said[from].stem] == 0 {
				hits--
				if was {
					told--
				}
			}
		}
		if told >= leastTold && float64(hits) >= leastShare*float64(len(plain)) {
			return true
		}
	}
	return false
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
