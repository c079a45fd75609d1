package scene

import (
	"slices"
	"strings"
	"unicode"
)

// Kinds of cues that the table knows.
const (
	Separator = "separator" // a line that is nothing but a rule
	Heading   = "heading"   // "Chapter 3"
	Mark      = "mark"      // out of character: "((new scene))"
)

// separators says of each glyph how often it must stand in a rule at least. "─" is any
// box-drawing line.
var separators = map[rune]int{
	'-': 3, '*': 3, '=': 3, '~': 3, '_': 3, '#': 3, '+': 3, '–': 3, '—': 2,
	'⸻': 1, '⁂': 1, '※': 1, '❦': 1, '☙': 1, '❧': 1,
	'─': 3, '⎯': 3, '•': 3, '✦': 3, '❖': 3, '◆': 3, '◇': 3,
}

// isSeparator reports whether a line is nothing but a rule.
func isSeparator(s string) bool {
	if len(s) > 400 {
		return false
	}
	if r := firstRune(s); isWordRune(r) || r == '"' {
		return false
	}
	if strings.HasPrefix(s, "<") {
		return strings.HasSuffix(s, ">") && strings.EqualFold(strings.Trim(s, "<>/ "), "hr")
	}
	var glyph rune
	n := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '\t' || r == '\\' || r == '\ufe0f' || r == '\u00a0':
			continue
		case '─' <= r && r <= '╿':
			r = '─'
		}
		if glyph == 0 {
			glyph = r
		}
		if r != glyph {
			return false
		}
		n++
	}
	least, ok := separators[glyph]
	return ok && n >= least
}

// Words of headings, in English, German, French and Spanish: those that are counted,
// those that stand alone, and what they are counted with.
var (
	counted = wordSet(`chapter act scene part episode book volume kapitel akt szene teil folge buch band
		chapitre acte scène partie épisode livre tome capítulo capitulo acto escena parte episodio libro`)
	uncounted = wordSet(`prologue epilogue interlude intermission prolog epilog zwischenspiel épilogue intermède
		prólogo prologo epílogo epilogo interludio`)
	numbers = wordSet(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen twenty thirty
		eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf
		un une deux trois quatre cinq sept huit neuf dix onze douze
		uno una dos tres cuatro cinco seis siete ocho nueve diez once doce`)
	ordinals = wordSet(`first second third fourth fifth sixth seventh eighth ninth tenth final last
		erster erste erstes zweiter zweite zweites dritter dritte drittes vierter vierte viertes
		fünfter fünfte fünftes letzter letztes
		premier première deuxième troisième quatrième cinquième dernier dernière
		primer primera primero segundo segunda tercer tercera tercero cuarto cuarta quinto quinta último última`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// marks are all that a remark out of character may say to be one, in small letters,
// and whether the scene ends with the message.
var marks = map[string]bool{
	"new scene": false, "next scene": false, "scene break": false, "scene change": false, "scene shift": false,
	"change of scene": false,
	"end scene":       true, "end of scene": true, "end of the scene": true, "scene end": true, "scene ends": true,
	"scene ends here": true, "scene over": true,
	"neue szene": false, "nächste szene": false, "szenenwechsel": false, "szenenende": true, "ende der szene": true,
	"nouvelle scène": false, "changement de scène": false, "fin de scène": true, "fin de la scène": true,
	"nueva escena": false, "cambio de escena": false, "fin de escena": true, "fin de la escena": true,
}

// ownMark finds a remark out of character that is all that a line says. A title may
// follow a new scene's after a colon.
func ownMark(l line) *hit {
	if l.quoted || !l.boxed || len(l.core) > maxGroup {
		return nil
	}
	says, title, titled := strings.Cut(l.core, ":")
	says = strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(says)), " "), " .!…")
	closes, ok := marks[says]
	if !ok || titled && (closes || strings.HasSuffix(title, "?")) {
		return nil
	}
	means := "an out-of-character mark for a new scene"
	if closes {
		means = "an out-of-character mark that ends the scene"
	}
	return &hit{kind: Mark, means: means, cue: l.text, closes: closes}
}

// leadingMark finds a remark out of character that a line begins with.
func leadingMark(l line) *hit {
	for _, g := range groups {
		if !strings.HasPrefix(l.text, g.open) {
			continue
		}
		inner := l.text[len(g.open):min(len(l.text), maxGroup)]
		if i := strings.Index(inner, g.shut); i > 0 {
			return ownMark(peel(rawLine{text: l.text[:len(g.open)+i+len(g.shut)]}))
		}
		return nil
	}
	return nil
}

// maxGroup is how long, in bytes, a mark within a line may be.
const maxGroup = 200

var groups = []struct{ open, shut string }{{"((", "))"}, {"[[", "]]"}, {"(", ")"}, {"[", "]"}, {"{", "}"}, {"【", "】"}}

// trailingMark finds a remark out of character at the end of the message.
func (k *look) trailingMark() *hit {
	s := k.last.text
	for _, g := range groups {
		if !strings.HasSuffix(s, g.shut) {
			continue
		}
		head := s[:len(s)-len(g.shut)]
		from := max(0, len(head)-maxGroup)
		i := strings.LastIndex(head[from:], g.open)
		if i < 0 || from+i == 0 && k.before.text == "" {
			return nil
		}
		return ownMark(peel(rawLine{text: s[from+i:]}))
	}
	return nil
}

// heading finds a heading, unless the last one before says the same.
func (k *look) heading(l line) *hit {
	if !countsChapter(l) || plainHeading(k.lastHeading()) == plainHeading(l.core) {
		return nil
	}
	return &hit{kind: Heading, means: "a chapter or scene heading", cue: l.core}
}

// lastHeading is the newest heading in the messages before, "" for none.
func (k *look) lastHeading() string {
	for _, m := range slices.Backward(k.previous) {
		for _, raw := range firstLines(m.Text, 3) {
			if l := peel(raw); countsChapter(l) {
				return l.core
			}
		}
	}
	return ""
}

// plainHeading is what two headings have in common that say the same.
func plainHeading(s string) string {
	var parts []string
	for _, w := range wordsOf(s, 20) {
		parts = append(parts, w.text)
	}
	return strings.Join(parts, " ")
}

// headingWords is how many words of a line count a chapter, 0 for none.
func headingWords(ws []word) int {
	switch {
	case len(ws) > 0 && uncounted[ws[0].text]:
		return 1
	case len(ws) < 2 || !ws[1].joined:
		return 0
	case counted[ws[0].text] && isNumeral(ws[1].text), ordinals[ws[0].text] && counted[ws[1].text]:
		return 2
	}
	return 0
}

// countsChapter reports whether a line is a heading that counts chapters or scenes.
func countsChapter(l line) bool {
	if l.quoted || l.cut {
		return false
	}
	ws := wordsOf(l.core, 3)
	n := headingWords(ws)
	if n == 0 {
		return false
	}
	t := tailOf(l.core, ws[n-1].end)
	ending := strings.ContainsRune(".!?,;", lastRune(l.core))
	switch {
	case t.asks:
		return false
	case len(t.words) == 0:
		return !l.plain || lastRune(l.core) != '!'
	case (l.plain || !t.ended) && !capital(t):
		return false
	case t.titled():
		return true // whatever follows on the same line
	case l.plain && (ending || len(t.words) > 8) || len(t.words) > 12:
		return false
	}
	return t.ended || !ending && len(t.words) <= 6
}

// isNumeral reports whether a word can be the number of a chapter.
func isNumeral(w string) bool { return isDigits(w) || numbers[w] || isRoman(w) }

// isRoman knows the numbers up to 49, which is as many chapters as anybody
// counts in this way.
func isRoman(w string) bool {
	rest := strings.TrimLeft(w, "x")
	tens := len(w) - len(rest)
	if w == "" || tens > 3 {
		return false
	}
	if tens <= 1 && strings.HasPrefix(rest, "l") {
		rest = rest[1:]
	}
	switch rest {
	case "", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix":
		return true
	}
	return false
}

// titled reports whether a colon or a dash leads from the number to a title.
func (t tail) titled() bool {
	rest := strings.TrimLeft(t.rest, " \t")
	return strings.ContainsRune(":–—", firstRune(rest)) || strings.HasPrefix(rest, "- ")
}

// capital reports whether what follows looks like a title.
func capital(t tail) bool {
	r := firstRune(strings.TrimLeft(t.rest, " \t\"'“‘*_:.,;—–-"))
	return unicode.IsUpper(r) || unicode.IsDigit(r) || isDense(r)
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}
