package plist

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is how many bytes of a name are compared.
const maxName = 400

// SameName tells whether two names are spellings of one: case, punctuation, an
// article in front and the s of a possessive do not count, nor do accents where
// one of the two is written without any.
func SameName(a, b string) bool {
	fa, fb := FoldName(a), FoldName(b)
	if fa == "" || fb == "" {
		a, b = oneLine(a), oneLine(b)
		return a == b && a != ""
	}
	return SameFolded(fa, fb)
}

// SameFolded is SameName of two names that FoldName has made.
func SameFolded(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b && a != ""
	}
	if len(a) == utf8.RuneCountInString(a) && len(b) == utf8.RuneCountInString(b) { // no accents on either side
		return false
	}
	return plainLetters(a, b) || plainLetters(b, a)
}

// FoldName is a name without what SameName does not count; it keeps accents.
func FoldName(name string) string {
	name = norm.NFC.String(strings.ToValidUTF8(name[:min(len(name), maxName)], ""))
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !strings.ContainsRune("'’ʼ`´{}", r)
	})
	out := words[:0]
	for i, w := range words {
		w = apostrophes.Replace(w)
		if i < len(words)-1 {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
		}
		if i == 0 { // l'auberge
			if rest, ok := strings.CutPrefix(w, "l'"); ok && utf8.RuneCountInString(rest) > 3 {
				w = rest
			}
		}
		if w = strings.ReplaceAll(w, "'", ""); w != "" {
			out = append(out, w)
		}
	}
	if len(out) > 1 && articles(out[0]) && utf8.RuneCountInString(strings.Join(out[1:], "")) > 3 {
		out = out[1:]
	}
	return strings.Join(out, " ")
}

var apostrophes = strings.NewReplacer("’", "'", "ʼ", "'", "`", "'", "´", "'")

var articles = wordList(`the a an der die das den dem ein eine einen le la les un une el los las una`)

// plainLetters tells whether plain has no accents and is accented without them.
// What is left of short names is too little to tell two apart.
func plainLetters(accented, plain string) bool {
	if utf8.RuneCountInString(plain) < 4 || hasAccent(plain) {
		return false
	}
	return strip(accented, false) == plain || strip(accented, true) == plain
}

func hasAccent(s string) bool { return strip(s, false) != s }

var (
	twoLetters = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "oe", "å", "aa")
	oneLetter  = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th")
)

// strip takes the accents off Latin letters. Marks of other scripts tell words
// apart and stay.
func strip(s string, german bool) string {
	if german {
		s = twoLetters.Replace(s)
	}
	s = oneLetter.Replace(s)
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(s) {
		if latin && unicode.Is(unicode.Mn, r) {
			continue
		}
		latin = unicode.Is(unicode.Latin, r)
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// wordList is a set of words in lower case, made when it is first asked.
func wordList(words string) func(word string) bool {
	set := sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
	return func(word string) bool { return set()[word] }
}
