package voice

import (
	"slices"
	"strings"
	"unicode"
)

// little are words that hardly a sentence of a language does without, and that are no words of
// the others.
var little = map[string][]string{
	"en": strings.Fields("the and of to is was with that her his you she he they it are have not this for but from at my your what"),
	"de": strings.Fields("der die das und ist nicht mit ein eine sich auf dem den von zu ich sie wir ihr dass wie auch nur noch wird war"),
	"fr": strings.Fields("le la les et est une des dans que qui pas pour sur elle nous vous avec ce cette au du mais plus son sa"),
	"es": strings.Fields("el los las y es una con que por para su sus se del al como pero más está ella muy lo le sin"),
	"it": strings.Fields("il gli e è una di che non per con della nel sono lei lui come più ma questo questa si le ha alla"),
	"pt": strings.Fields("o os as e é uma de que não para com da do em ela ele mas mais seu sua no na se ao"),
}

var tongueOf = func() map[string][]string {
	m := map[string][]string{}
	for name, words := range little {
		for _, w := range words {
			m[w] = append(m[w], name)
		}
	}
	return m
}()

var scripts = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Hangul, unicode.Arabic, unicode.Hebrew, unicode.Thai, unicode.Devanagari, unicode.Armenian, unicode.Georgian, unicode.Bengali, unicode.Tamil}

func scriptOf(r rune) int {
	if r < 0x80 {
		return 0
	}
	return slices.IndexFunc(scripts, func(t *unicode.RangeTable) bool { return unicode.Is(t, r) })
}

// Tongue are the languages and scripts that a play has. It is never changed.
type Tongue struct {
	known  map[string]bool // languages
	script [16]bool
}

// NewTongue learns them from what was said and what the card says. A language counts that has
// a twentieth of the little words, a script that has a few letters.
func NewTongue(texts ...string) *Tongue {
	t := &Tongue{known: map[string]bool{}}
	var letters [16]int
	hits, all := map[string]int{}, 0
	for _, text := range texts {
		for _, r := range text {
			if unicode.IsLetter(r) {
				if s := scriptOf(r); s >= 0 {
					letters[s]++
				}
			}
		}
		for name, n := range tongues(text) {
			hits[name] += n
			all += n
		}
	}
	for s, n := range letters {
		t.script[s] = n >= 4
	}
	most := 0
	for _, n := range hits {
		most = max(most, n)
	}
	if most < leastLittle {
		return t // too little is known
	}
	for name, n := range hits {
		t.known[name] = n*20 >= all && n >= 3
	}
	return t
}

// leastLittle is how many little words tell a play's language.
const leastLittle = 8

// LanguageOf is the one that a text is in as far as one can tell by its little words, "" where
// none can be told.
func LanguageOf(text string) string {
	best, name := 0, ""
	for n, c := range tongues(text) {
		if c > best || c == best && n < name {
			best, name = c, n
		}
	}
	if best < 3 {
		return ""
	}
	return name
}

func tongues(text string) map[string]int {
	hits := map[string]int{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for _, name := range tongueOf[word] {
			hits[name]++
		}
	}
	return hits
}

// foreign tells whether a sentence is in a language that the play does not have. What stands
// in quotes is somebody's speech, and may be.
func (t *Tongue) foreign(sentence string) bool {
	known, other := t.hits(sentence)
	return other >= 3 && other > 2*known
}

// hits are how many little words a sentence has of the play's languages, and of the one beside
// them of which it has most.
func (t *Tongue) hits(sentence string) (known, other int) {
	if t == nil || len(t.known) == 0 {
		return 0, 0
	}
	for n, c := range tongues(unquoted(sentence)) {
		if t.known[n] {
			known = max(known, c)
		} else {
			other = max(other, c)
		}
	}
	return known, other
}

// Of a sentence that is being written, how many little words of another language and none of
// the play's make it doubtful, and certain; and in how many of its bytes.
const (
	doubtLittle  = 2
	strayLittle  = 4
	mostStraying = 160
)

// strays judges the language of a sentence before it is whole: it would be read until then.
func (w *Watch) strays() {
	w.astray = false
	from := w.scan.sent
	if w.rules.Tongue == nil || w.replay || w.cut != nil || w.moved || from >= len(w.text) || len(w.text)-from > mostStraying {
		return
	}
	begun := string(w.text[from:])
	begun = begun[:strings.LastIndexFunc(begun, unicode.IsSpace)+1] // a word that is begun may be any
	known, other := w.rules.Tongue.hits(begun)
	if known > 0 || w.inSpeech() {
		return
	}
	if w.astray = other >= doubtLittle; other >= strayLittle {
		w.judge(Found{Kind: Language, At: from}, len(w.text))
	}
}

// strangeLetters is how many letters in a row of a script that the play does not have are no
// name any more.
const strangeLetters = 5

// alien counts letters of a script that the play does not have.
func (w *Watch) alien(r rune, at int) {
	t := w.rules.Tongue
	if t == nil || w.replay || w.cut != nil || r < 0x80 && !unicode.IsLetter(r) {
		return
	}
	if !unicode.IsLetter(r) {
		return
	}
	s := scriptOf(r)
	if s < 0 || t.script[s] || t.script == ([16]bool{}) {
		w.strange = 0
		return
	}
	if w.strange == 0 {
		w.strangeAt = at
	}
	if w.strange++; w.strange >= strangeLetters {
		w.strange = 0
		if !w.foreignSpeech() {
			w.judge(Found{Kind: Language, At: w.strangeAt}, at)
		}
	}
}

// foreignSpeech tells whether the strange letters are somebody's speech, which is all of their
// script: one that changes in its middle is the model's, not a character's.
func (w *Watch) foreignSpeech() bool {
	from := openIn(string(w.text[w.scan.line:w.strangeAt])).speech()
	if from < 0 {
		return false
	}
	for _, r := range string(w.text[w.scan.line+from : w.strangeAt]) {
		if unicode.IsLetter(r) && w.rules.Tongue.script[max(0, scriptOf(r))] {
			return false
		}
	}
	return true
}
