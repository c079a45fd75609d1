package facts

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// Words are what a text is compared by: the stems of the words that carry meaning, each
// once, and which of them may be names.
type Words struct {
	All   []string
	names map[string]bool // of All: written with a capital
	lower map[string]bool // of All: written without one
	// denies: it holds a word that turns what it says into its opposite, and no second.
	denies bool
}

// Bounds of what is read of a text.
const (
	mostBytes = 8 << 10
	mostWords = 400
	leastWord = 3 // letters, for a word without a capital
	stemmed   = 6 // letters that tell a word from others
)

// WordsOf reads the words of a text, of its first 8 KiB.
func WordsOf(text string) Words {
	w := Words{names: map[string]bool{}, lower: map[string]bool{}}
	if len(text) > mostBytes {
		text = text[:mostBytes]
	}
	seen := map[string]bool{}
	runs(text, func(run string, dense bool) bool {
		if dense {
			pairs(run, func(p string) { w.add(seen, p, false) })
			return len(w.All) < mostWords
		}
		first, _ := utf8.DecodeRuneInString(run)
		capital := unicode.IsUpper(first)
		low := strings.ToLower(run)
		n := utf8.RuneCountInString(low)
		if denials()[low] || strings.HasSuffix(low, "n't") || strings.HasSuffix(low, "n’t") {
			w.denies = !w.denies
		}
		if empty()[low] || n < leastWord && !capital && !unicode.IsNumber(first) || n < 2 && !unicode.IsNumber(first) {
			return true
		}
		w.add(seen, stem(low, n), capital)
		return len(w.All) < mostWords
	})
	return w
}

func (w *Words) add(seen map[string]bool, word string, capital bool) {
	if !seen[word] {
		seen[word] = true
		w.All = append(w.All, word)
	}
	if capital {
		w.names[word] = true
	} else {
		w.lower[word] = true
	}
}

// has tells whether a word is among them.
func (w Words) has(word string) bool { return w.names[word] || w.lower[word] }

// stem cuts a word to what its forms have in common; one with a number stays whole.
func stem(w string, runes int) string {
	if strings.ContainsFunc(w, unicode.IsNumber) {
		return w
	}
	if runes > 3 {
		for _, end := range []string{"'s", "’s", "es", "s"} {
			if cut, ok := strings.CutSuffix(w, end); ok && len(cut) > 2 && !strings.HasSuffix(cut, "s") {
				w = cut
				break
			}
		}
	}
	n := 0
	for i := range w {
		if n == stemmed {
			return w[:i]
		}
		n++
	}
	return w
}

// runs gives each run of letters and digits. A dense one is of a script that sets no
// blanks between words.
func runs(text string, yield func(run string, dense bool) bool) {
	words.Runs(text, func(from, to int, dense bool) bool { return yield(text[from:to], dense) })
}

// denials are the words that turn a statement into its contrary. The French "ne" is
// none, for "pas" stands beside it.
var denials = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`no not never nobody none nor nothing without neither cannot
		nicht kein keine keinen keiner keinem keines nie niemals nichts niemand ohne weder
		pas jamais rien personne sans aucun aucune nunca jamás nadie nada sin ningún ninguno ninguna tampoco`) {
		m[w] = true
	}
	return m
})

// pairs gives each two neighbouring letters of a run.
func pairs(run string, yield func(string)) {
	last := -1
	for i, r := range run {
		if last >= 0 {
			yield(run[last : i+utf8.RuneLen(r)])
		}
		last = i
	}
}

// empty are the words that tell nothing of what a sentence is about.
var empty = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a about above after again against ago all almost alone along already also although always am among an and
		another any anybody anything are around as ask asked at away back be because been before behind being below beside between both but by came can
		cannot come could did do does doing done down during each either else enough even ever every everybody everything few first for from further gave
		get give go goes going gone got had has have having he her here hers herself him himself his how however i if in indeed into is it its itself
		just keep kept knew know known last later least less let like little long made make many may maybe me might mine more most much must my myself
		near neither never new next no nobody none nor not nothing now of off often oh okay old on once one only onto or other others our out over own
		perhaps please put quite rather really said same saw say says see seen shall she should since so some somebody someone something soon still such
		take taken tell than thank that the their them themselves then there these they thing things think this those though through till time to
		today together told tomorrow tonight too took toward towards turn under until up upon us very want wants was way we went were what when where
		whether which while who whom whose why will with within without would yes yesterday yet you your yours yourself
		i'm i'll i've i'd it's that's don't can't won't isn't aren't didn't doesn't wasn't couldn't wouldn't let's you're they're we're he's she's there's what's
		aber als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des dich die dies dir doch dort du ein eine
		einem einen einer er es etwas euch für habe haben hat hatte hier ich ihm ihn ihr ihre im in ist ja jetzt kann kein keine man mein mich mir mit
		nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so um und uns vom von vor war was wenn wer wie wieder will
		wir wird wo zu zum zur
		ai au aux avec ce ces cette dans de des du elle elles en est et il ils je la le les leur lui ma mais me mes moi mon ne nous on ou où par pas
		plus pour qu que qui sa se ses si son sont sur ta te tes toi ton tu un une vos votre vous y
		al como con cuando de del donde el ella ellos en era es esta este ha hay la las lo los mas me mi mis muy no nos o para pero por que se si sin
		sobre son su sus te tu un una y ya yo`) {
		m[w] = true
	}
	return m
})
