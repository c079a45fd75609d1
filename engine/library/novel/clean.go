package novel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestLine is how many runes a name or a heading may have.
const longestLine = 300

// legal returns a rune as it may stand in XML 1.0, -1 if it may not. Besides the controls
// that are forbidden, those that are advised against and runes that are none are left out.
func legal(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0xd800 && r < 0xe000:
		return -1
	case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef, r > unicode.MaxRune:
		return -1
	case r >= 0xe0000 && r < 0xe0080, r == '\ufeff', turns(r): // nobody sees them
		return -1
	}
	return r
}

// turns reports whether a rune turns the direction of what follows. Documents say
// themselves which way their parts go.
func turns(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// clean returns a text with the runes alone that may stand in a document.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.Map(legal, s)
}

// line returns a text as a name: on one line, not too long, and without what turns the
// direction of its surroundings.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0x200e || r == 0x200f {
			return -1
		}
		return r
	}, clean(s))
	s = strings.Join(strings.Fields(s), " ")
	if n := 0; len(s) > longestLine {
		for i := range s {
			if n++; n > longestLine {
				return s[:i] + "…"
			}
		}
	}
	return s
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape returns a clean text inside an element or an attribute.
func escape(s string) string { return escaper.Replace(s) }

// rightToLeft are the scripts that are written so.
var rightToLeft = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui}

// direction returns that of a text by its first letter: ltr, rtl, or "" without letters.
func direction(s string) string {
	for _, r := range s {
		switch {
		case r < 0x590 && unicode.IsLetter(r):
			return "ltr"
		case r < 0x590:
		case unicode.In(r, rightToLeft...):
			if unicode.IsLetter(r) {
				return "rtl"
			}
		case unicode.IsLetter(r):
			return "ltr"
		}
	}
	return ""
}

// dirOf returns the attribute of an element whose text goes another way than the story.
func (s *Story) dirOf(text string) string {
	d := direction(text)
	if d == "" || (d == "rtl") == s.RTL {
		return ""
	}
	return ` dir="` + d + `"`
}

// dir returns the direction of the story.
func (s *Story) dir() string {
	if s.RTL {
		return "rtl"
	}
	return "ltr"
}

// scripts are those that tell a language, or nearly.
var scripts = []struct {
	tag   string
	table *unicode.RangeTable
}{{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"zh", unicode.Han}, {"und-Cyrl", unicode.Cyrillic}, {"el", unicode.Greek}, {"he", unicode.Hebrew}, {"und-Arab", unicode.Arabic},
	{"th", unicode.Thai}, {"und-Deva", unicode.Devanagari}, {"und-Latn", unicode.Latin}}

// smallWords are words of languages that no text does without.
var smallWords = map[string]string{
	"the": "en", "and": "en", "with": "en", "his": "en", "her": "en", "of": "en", "to": "en", "you": "en", "that": "en",
	"und": "de", "der": "de", "die": "de", "nicht": "de", "ich": "de", "ist": "de", "das": "de", "mit": "de",
	"le": "fr", "les": "fr", "est": "fr", "et": "fr", "dans": "fr", "je": "fr", "vous": "fr", "pas": "fr",
	"el": "es", "los": "es", "y": "es", "las": "es", "una": "es", "muy": "es", "pero": "es",
	"il": "it", "che": "it", "di": "it", "gli": "it", "sono": "it", "della": "it",
	"não": "pt", "uma": "pt", "você": "pt", "são": "pt", "mas": "pt", "os": "pt",
	"het": "nl", "een": "nl", "niet": "nl", "ik": "nl", "van": "nl",
	"się": "pl", "nie": "pl", "jest": "pl", "na": "pl", "że": "pl",
}

// Tongue guesses of a piece of a story which language it is in, as a tag of BCP 47, and
// whether it is written from right to left. The tag is "" if nothing tells.
func Tongue(sample string) (language string, rtl bool) {
	letters, back, most := 0, 0, 0
	count := map[string]int{}
	for _, r := range sample {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r >= 0x590 && unicode.In(r, rightToLeft...) {
			back++
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				count[s.tag]++
				break
			}
		}
	}
	for _, s := range scripts {
		if count[s.tag] > most {
			language, most = s.tag, count[s.tag]
		}
	}
	if language == "zh" && count["ja"]*10 > most {
		language = "ja" // it has as many signs of Chinese as its own
	}
	if language == "und-Latn" {
		language = latin(sample)
	}
	return language, back*2 > letters
}

// latin tells languages of Latin letters from each other.
func latin(sample string) (language string) {
	count, words := map[string]int{}, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(sample), func(r rune) bool { return !unicode.IsLetter(r) }) {
		words++
		if l := smallWords[w]; l != "" {
			count[l]++
		}
	}
	best, second := 0, 0
	for l, n := range count {
		switch {
		case n > best:
			language, best, second = l, n, best
		case n > second:
			second = n
		}
	}
	if best < 3 || best*20 < words || best < 2*second {
		return ""
	}
	return language
}
