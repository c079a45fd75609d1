package novel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is the limit of a name or a heading, in runes.
const maxLine = 300

// xmlRune returns a rune if it may be in an XML 1.0 document, else -1. Control characters that are
// discouraged and noncharacters are left out too.
func xmlRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0xd800 && r < 0xe000:
		return -1
	case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef, r > unicode.MaxRune:
		return -1
	case r >= 0xe0000 && r < 0xe0080, r == '\ufeff', isDirectional(r): // they are invisible
		return -1
	}
	return r
}

// isDirectional reports whether a rune changes the direction of the following text. Documents set
// the direction of their parts themselves.
func isDirectional(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// clean returns a text with only the runes that a document may have.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.Contains(s, "\r") {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.Map(xmlRune, s)
}

// cleanLine returns a text as a name: on one line, limited, and without direction changes.
func cleanLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0x200e || r == 0x200f {
			return -1
		}
		return r
	}, clean(s))
	s = strings.Join(strings.Fields(s), " ")
	if n := 0; len(s) > maxLine {
		for i := range s {
			if n++; n > maxLine {
				return s[:i] + "…"
			}
		}
	}
	return s
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape returns a clean text for an element or an attribute.
func escape(s string) string { return escaper.Replace(s) }

// rightToLeft are the right-to-left scripts.
var rightToLeft = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
	unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui}

// direction returns the direction of a text by its first letter: ltr, rtl, or "" without letters.
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

// dirOf returns the dir attribute of an element whose text has another direction than the story.
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

// scripts are scripts that identify a language, or almost.
var scripts = []struct {
	tag   string
	table *unicode.RangeTable
}{{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"zh", unicode.Han},
	{"und-Cyrl", unicode.Cyrillic}, {"el", unicode.Greek}, {"he", unicode.Hebrew}, {"und-Arab", unicode.Arabic},
	{"th", unicode.Thai}, {"und-Deva", unicode.Devanagari}, {"und-Latn", unicode.Latin}}

// smallWords are frequent words of languages.
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

// DetectLanguage guesses the language of a sample, as a BCP 47 tag, and whether it is written from
// right to left. The tag is "" if unknown.
func DetectLanguage(sample string) (language string, rtl bool) {
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
		language = "ja" // it has as many Chinese characters as its own
	}
	if language == "und-Latn" {
		language = detectLatin(sample)
	}
	return language, back*2 > letters
}

// detectLatin distinguishes languages in Latin script.
func detectLatin(sample string) (language string) {
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
