package lessons

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mendedWords begin the summary of an event that mends what was wrong and is no
// sign of taste.
const mendedWords = "mended a mistake: "

// isMended tells such events.
func isMended(e storage.EditEvent) bool { return strings.HasPrefix(e.Summary, mendedWords) }

// mends tells whether changes do nothing but mend what does not agree with the
// story: they touch what is seen and said alone, and the user says that it was
// wrong, or a side or a person is taken for another.
func mends(changes []change, text string) bool {
	says := saysMistake(text)
	for _, c := range changes {
		gone, came := differing(c.was, c.is)
		if !prosaic(c.field) || !says && !(text == "" && swapped(gone, came)) {
			return false
		}
	}
	return len(changes) > 0
}

// saysMistake tells whether the user's words call something wrong as a fact, where
// they go with a change of what is seen or said.
func saysMistake(text string) bool { return saysWrong(text) || doubted(text, hints) }

// saysWrong tells it of any words.
func saysWrong(text string) bool { return speaksOf(spaced(text), mistakes) || doubted(text, doubts) }

func doubted(text string, of []string) bool {
	text = spaced(text)
	return speaksOf(text, of) && !speaksOf(text, feelings)
}

// spaced is a text's words in lower case with one space before and after each.
func spaced(text string) string { return " " + strings.Join(words(text), " ") + " " }

// speaksOf tells whether one of several phrases is in a spaced text. A phrase is the
// beginning of words, or whole words where it ends in a space.
func speaksOf(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, " "+p) })
}

// mistakes are words for what is wrong by any standard, in English, German, French
// and Spanish.
var mistakes = []string{
	"continuity", "mistake", "error", "incorrect", "inaccura", "inconsisten", "typo ", "typos ", "misspel", "factual", "contradict",
	"there any more ", "there anymore ", "no longer there ", "no longer here ", "no longer in ", "n est plus ",
	"kontinuität", "anschlussfehler", "fehler", "tippfehler", "widerspr", "unstimmig",
	"continuité", "erreur", "incohéren", "inexact", "contredit", "contradic", "faute de frappe",
	"continuidad", "equivoca", "incoheren", "inexact", "errata",
}

// doubts are words that say so of facts, and also of what is a matter of taste.
var doubts = []string{
	"wrong", "should not be ", "shouldn t be ", "is not in ", "isn t in ", "was not in ", "wasn t in ", "not in the room", "is not there", "isn t there", "wasn t there",
	"already left", "already gone", "has left", "had left", "already dead", "died ", "he is dead ", "she is dead ", "not what happened", "never happened", "didn t happen", "haven t met", "hasn t met", "have not met",
	"he has no ", "she has no ", "they have no ", "he had no ", "she had no ", "never had ", "does not have ", "doesn t have ", "does not know ", "doesn t know ", "not his ", "not her ",
	"left hand", "right hand", "the other hand",
	"falsch", "stimmt nicht", "ist nicht ", "war nicht ", "schon weg", "schon gegangen", "schon fort", "bereits gegangen", "nicht im raum", "hat kein", "linke hand", "linken hand", "rechte hand", "rechten hand", "korrig",
	"faux ", "fausse ", "n est pas ", "n était pas ", "déjà parti", "pas dans la pièce", "n a pas ", "main gauche", "main droite", "corrig",
	"está mal", "incorrect", "no está ", "no estaba ", "ya no está", "ya se fue", "ya se ha ido", "ya se había ido", "no tiene ", "mano izquierda", "mano derecha", "corrige", "corregi",
}

// hints are such words that are as often said of what is merely wanted.
var hints = []string{
	"should be ", "should have been ", "not yet ", "correct", "in fact ", "actually ", "sollte ", "müsste ", "eigentlich ", "devrait ", "en fait ", "debería ", "en realidad ",
}

// feelings are words that make a matter of taste of it.
var feelings = []string{
	"feel", "mood", "tone ", "pace", "pacing", "rhythm", "tension", "tense", "drama", "atmospher", "too ", "more ", "less ", "closer", "wider", "slower", "faster", "shorter", "longer", "softer", "darker", "boring", "cliché",
	"quieter", "calmer", "tighter", "looser", "colder", "warmer", "harder", "stronger", "lighter", "heavier", "smaller", "bigger", "fewer", "uncomfort", "awkward",
	"stimmung", "gefühl", "tempo", "rhythmus", "spannung", "spannend", "zu ", "mehr ", "weniger ", "näher", "langsamer", "schneller", "kürzer", "länger", "dunkler", "düster", "ruhiger", "leiser", "stiller", "enger", "kälter", "wärmer", "härter", "stärker",
	"ambiance", "ressenti", "rythme", "plus ", "moins ", "trop ", "tendu", "sombre",
	"ambiente", "ánimo", "ritmo", "tensión", "tenso", "más ", "menos ", "demasiado", "oscuro",
}

// pairs are words of which one is easily written for another.
var pairs = [][]string{
	{"left", "right"}, {"linke", "linken", "linker", "linkes", "links", "rechte", "rechten", "rechter", "rechtes", "rechts"},
	{"gauche", "droite", "droit"}, {"izquierda", "izquierdo", "derecha", "derecho"},
	{"he", "she", "they"}, {"him", "her", "them"}, {"his", "her", "their", "hers", "theirs"},
	{"er", "sie"}, {"ihm", "ihr", "ihnen"}, {"sein", "ihr", "seine", "ihre", "seinen", "ihren"}, {"il", "elle", "ils", "elles"}, {"él", "ella"},
}

// swapped tells whether the words that went and those that came are such, or the
// same letters in another order, as in “teh”.
func swapped(gone, came string) bool {
	a, b := differingWords(gone, came)
	if len(a) == 0 || len(a) != len(b) || len(a) > 2 {
		return false
	}
	for i := range a {
		if !sameLetters(a[i], b[i]) && !slices.ContainsFunc(pairs, func(p []string) bool { return slices.Contains(p, a[i]) && slices.Contains(p, b[i]) }) {
			return false
		}
	}
	return true
}

func sameLetters(a, b string) bool {
	x, y := []rune(a), []rune(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// differingWords are the words of each text that the other has not.
func differingWords(gone, came string) (a, b []string) {
	x, y := words(gone), words(came)
	for _, w := range x {
		if !slices.Contains(y, w) {
			a = append(a, w)
		}
	}
	for _, w := range y {
		if !slices.Contains(x, w) {
			b = append(b, w)
		}
	}
	return a, b
}

// renamed tells whether a name of one or two words went for another.
func renamed(gone, came string) bool {
	name := func(s string) bool {
		list := strings.Fields(s)
		return len(list) > 0 && len(list) <= 2 && !slices.ContainsFunc(list, func(w string) bool {
			r, _ := utf8.DecodeRuneInString(w)
			return !unicode.IsUpper(r)
		})
	}
	return name(gone) && name(came)
}
