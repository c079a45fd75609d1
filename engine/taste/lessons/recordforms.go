package lessons

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Ids of shots and beats, of records, and anything that mixes letters and digits
// at length.
var (
	shotID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])([sb][0-9]{1,4})(?:[^\pL\pN]|$)`) })
	recordID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[0-9a-z]{4,}(?:[-_][0-9a-z]{4,})*`) })
	hashed   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#\s?[0-9]+`) })
)

// recordLetters is how long letters and digits in a row are that must be an id.
const recordLetters = 8

// isRecord tells whether a word is an id. One that is joined of several is where one
// of them is: 35mm-50mm is none.
func isRecord(w string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(w, func(r rune) bool { return r == '-' || r == '_' }), mixed)
}

// mixed tells whether letters and digits take turns in a word at length.
func mixed(w string) bool {
	digits, turns := 0, 0
	for i := range len(w) {
		digit := '0' <= w[i] && w[i] <= '9'
		if digit {
			digits++
		}
		if i > 0 && digit != ('0' <= w[i-1] && w[i-1] <= '9') {
			turns++
		}
	}
	return len(w) >= recordLetters && digits > 1 && turns > 1
}

// numbered is the first id in a text, or a scene or shot by its number.
func numbered(text string, terms []term) string {
	if m := shotID().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if found := recordIn(text); found != "" {
		return found
	}
	if found := hashed().FindString(text); found != "" {
		return found
	}
	for i := range terms {
		if i+1 < len(terms) && !terms[i+1].stands && isNumbered(terms, i) {
			return text[terms[i].start:terms[i+1].end]
		}
	}
	return ""
}

func recordIn(text string) string {
	for _, w := range recordID().FindAllString(text, -1) {
		if isRecord(w) {
			return w
		}
	}
	return ""
}

// Numbers and ordinals in words, what makes a noun any one of its kind, and what is counted.
var (
	spelledOut = setOf("one two three four five six seven eight nine ten eleven twelve")
	ordinals   = setOf("third fourth fifth sixth seventh eighth ninth tenth 2nd 3rd 4th 5th 6th 7th 8th 9th 10th dritten vierten funften tercera cuarta troisieme quatrieme")
	anyOf      = setOf("each every per any a no all most jede jeder jeden pro chaque cada")
	units      = setOf(`second seconds sec s shot shots beat beats filler fillers cut cuts insert inserts wide wides more fewer less extra or percent times
		sekunden secondes segundos`)
)

// isNumbered tells whether a noun and a number name one scene or shot. "In each
// scene two wides" and "shots 2 seconds longer" do not.
func isNumbered(terms []term, i int) bool {
	number := terms[i+1].text
	digits := isDigits(number)
	if ordinals()[terms[i].text] {
		return number == "scene" || number == "szene" || number == "escena"
	}
	switch terms[i].text {
	case "scene", "scenes", "chapter", "episode", "act", "szene", "szenen", "kapitel", "folge", "chapitre", "escena", "escenas", "capitulo":
		if !digits && !spelledOut()[number] {
			return false
		}
	case "shot", "shots", "beat", "beats", "message", "einstellung", "plano", "node":
		if !digits {
			return false
		}
	default:
		return false
	}
	if i > 0 && anyOf()[terms[i-1].text] {
		return false
	}
	if i+2 >= len(terms) || terms[i+2].stands {
		return true
	}
	return !units()[terms[i+2].text]
}

func isDigits(w string) bool { return strings.Trim(w, "0123456789") == "" }

// quoteEnds are the marks that a quotation may begin with, and what ends it.
var quoteEnds = map[rune]string{'“': "”\"", '"': "\"", '„': "“”\"", '«': "»", '»': "«", '‘': "’", '「': "」", '『': "』"}

// quotations are the quoted parts of a text; one that is not ended goes on to the
// end.
func quotations(text string) []string {
	var out []string
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		ends := quoteEnds[r]
		if r == '\'' && (at == 0 || strings.ContainsRune(" (\n", rune(text[at-1]))) {
			ends = "'"
		}
		at += size
		if ends == "" {
			continue
		}
		stop := quoteStop(text[at:], ends)
		out = append(out, text[at:at+stop])
		at += stop
		_, size = utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return out
}

// quoteStop is where a quotation ends. An apostrophe within a word ends none.
func quoteStop(text, ends string) int {
	for i, r := range text {
		if !strings.ContainsRune(ends, r) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		if !isQuoteMark(r) || !isTermRune(next) {
			return i
		}
	}
	return len(text)
}
