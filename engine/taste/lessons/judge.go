package lessons

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Verdict says whether a card would still make sense for a story with other people.
type Verdict int

const (
	// Pattern is a card that would: it speaks of moods, situations and people in general.
	Pattern Verdict = iota
	// Undecided is one that the rules cannot tell: the model is asked.
	Undecided
	// Plot is one that would not: it speaks of somebody, something or an event of the story.
	Plot
)

// Judge tells plot from pattern, with the words that made the difference. Plot are
// what d knows of the story, names and quotations, and what is said as one says it
// of somebody and something known: “she” who is nobody of the card, “the stolen
// ledger”, “after they escaped”. One such sign that may be chance, and any word that
// is not known to be of stories in general, leave a card undecided. The rules are
// for English; of other languages they know names and the words of directing.
func (d *Details) Judge(c storage.PreferenceCard) (Verdict, string) {
	fields := []string{c.Preference, c.AppliesTo, c.AvoidApplyingTo}
	for _, text := range fields {
		if found := d.In(text); found != "" {
			return Plot, found
		}
	}
	j := judged{anchors: map[string]bool{}}
	for _, text := range fields {
		terms := termsOf(text)
		j.fields = append(j.fields, reading{text, terms})
		j.anchor(terms)
	}
	for _, r := range j.fields {
		if r.foreign() {
			j.readForeign(r)
		} else {
			j.read(r)
		}
	}
	switch {
	case j.points > 1:
		return Plot, j.found
	case j.points == 1 || j.unknown != "":
		return Undecided, or(j.found, j.unknown)
	}
	return Pattern, ""
}

// judged is a card while it is read.
type judged struct {
	fields  []reading
	anchors map[string]bool // nouns that the card itself brings in, as any of their kind
	person  bool            // and people that he and she may stand for
	points  int             // two are plot
	found   string          // the first that counted
	unknown string          // the first word that may be of one story
}

type reading struct {
	text  string
	terms []term
}

// at is the text of some terms as it stands there.
func (r reading) at(from, to int) string { return r.text[r.terms[from].start:r.terms[to].end] }

func (j *judged) count(points int, found string) {
	if points > 0 && j.found == "" {
		j.found = found
	}
	j.points += points
}

// doubt keeps a word that may be of one story.
func (j *judged) doubt(w string) { j.unknown = or(j.unknown, w) }

// anchor takes up what a card brings in itself: “a weapon”, “letters”, “somebody”.
func (j *judged) anchor(terms []term) {
	for i, t := range terms {
		one := singular(t.text)
		switch {
		case persons()[t.text] || persons()[one]:
			j.person = j.person || determiner(terms, i) != definite || setPieces()[one]
		case roleWords()[one]:
			if determiner(terms, i) == indefinite || one != t.text && determiner(terms, i) == bare {
				j.person, j.anchors[one] = true, true
			}
		case turningPoints()[strings.TrimSuffix(t.text, "s")] && !single(terms, i):
			j.anchors[strings.TrimSuffix(t.text, "s")] = true
		case thingWords()[one] || placeWords()[one] || occasionWords()[one]:
			if k := determiner(terms, i); k == indefinite || one != t.text && k == bare {
				j.anchors[one] = true
			}
		}
	}
}

// The kinds of nouns by what stands before them.
const (
	bare       = iota
	indefinite // a knife, every knife
	definite   // the knife, that knife
	owned      // their knife
	ownedByOne // his knife
)

var (
	definites   = setOf("the this that these those")
	indefinites = setOf("a an any each every some no one other another either neither many several few most all two three four five six more fewer less such own whose enough both")
	owners      = setOf("their its our my your")
	oneOwners   = setOf("his her")
	heOrShe     = setOf("he she")
	himOrHer    = setOf("him hers himself herself")
	// stoppers end what may stand between a determiner and its noun.
	stoppers = setOf(`of for in on at to from by with without within into onto out off up down over under above below between among through during before after until till while when whenever
		where wherever once as if unless than then and or nor but so yet is are was were be been being am do does did has have had will would can could should may might must shall not never who whom
		which what how why that because since though although against across along beside behind near like toward around about except he she it they them him we you i there here only just even also too very`)
)

// determiner tells what stands before a noun.
func determiner(terms []term, i int) int {
	for k := i; k > 0 && i-k < 4; k-- {
		if terms[k].stands {
			return bare
		}
		switch w := terms[k-1].text; {
		case terms[k-1].possessive:
			return owned
		case definites()[w]:
			return definite
		case indefinites()[w]:
			return indefinite
		case owners()[w]:
			return owned
		case oneOwners()[w]:
			return ownedByOne
		case stoppers()[w]:
			return bare
		}
	}
	return bare
}

// singular is a noun in its first form, as far as that is easily told.
func singular(w string) string {
	for _, end := range [...][2]string{{"ies", "y"}, {"ves", "f"}, {"ves", "fe"}, {"es", ""}, {"s", ""}} {
		if base, ok := strings.CutSuffix(w, end[0]); ok && len(base) > 1 && nouns(base+end[1]) {
			return base + end[1]
		}
	}
	switch w {
	case "men", "women":
		return w[:len(w)-2] + "an"
	case "children":
		return "child"
	}
	return w
}

func nouns(w string) bool {
	return roleWords()[w] || thingWords()[w] || placeWords()[w] || occasionWords()[w] || persons()[w] || setPieces()[w]
}

// read looks through English.
func (j *judged) read(r reading) {
	tell := capitalsTell(r.terms)
	for i, t := range r.terms {
		one := singular(t.text)
		switch {
		case j.name(r, i, tell):
		case heOrShe()[t.text] && !j.person:
			j.count(2, r.at(i, min(i+1, len(r.terms)-1)))
		case himOrHer()[t.text] && !j.person:
			j.count(1, t.text)
		case t.text == "they" && !j.person && j.happened(r, i):
			j.count(1, r.at(i, min(i+1, len(r.terms)-1)))
		case nouns(one) && !j.modifies(r, i):
			j.noun(r, i, one)
		case oneOwners()[t.text] && !j.person && !j.ownsNoun(r, i):
			j.count(1, r.at(i, min(i+1, len(r.terms)-1)))
		case !isGeneral(t.text) && !nouns(one) && meant(r.terms, i), turningPoints()[t.text] && !j.anchors[t.text] && single(r.terms, i):
			j.doubt(r.at(i, i))
		}
	}
	for _, w := range [...]string{" because ", " since ", " now that ", " secretly ", " already "} {
		if j.points == 1 && strings.Contains(spaced(r.text), w) {
			j.count(1, w)
		}
	}
}

// name counts what is written as a name is: with a capital letter where no sentence
// begins, as the owner of something, or as who does something.
func (j *judged) name(r reading, i int, tell bool) bool {
	t := r.terms[i]
	if !t.capital || styleNames()[t.text] || isCount(t.text) {
		return false
	}
	known := isGeneral(t.text)
	shout := strings.ToUpper(r.at(i, i)) == r.at(i, i)
	switch {
	case !t.initial && tell && t.is > filmWord && !shout && (!known || nouns(t.text)):
		j.count(2, r.at(i, i))
	case t.initial && !known && !nouns(singular(t.text)) && (t.possessive || j.acts(r, i)):
		j.count(2, r.at(i, i))
	default:
		return false
	}
	return true
}

// acts tells whether a word that begins a sentence is who does something in it.
func (j *judged) acts(r reading, i int) bool {
	if i+1 >= len(r.terms) || r.terms[i+1].stands || strings.HasSuffix(r.terms[i].text, "s") || strings.HasSuffix(r.terms[i].text, "ing") || strings.HasSuffix(r.terms[i].text, "ed") {
		return false
	}
	next := r.terms[i+1].text
	switch next {
	case "is", "has", "was", "had", "should", "must", "never", "always", "does", "will", "and":
		return true
	}
	base, ok := strings.CutSuffix(next, "s")
	return ok && len(base) > 2 && !strings.HasSuffix(base, "s") && isGeneral(base) && !nouns(base)
}

// beforeNames are words that somebody or some place is named after: hold on, shots of.
var beforeNames = setOf("on of behind with at to near for from by when whenever until before after while as like and around against toward towards past than")

// meant tells whether a word that is not known is said of one thing: with “the” or an
// owner, or alone as a name is. Any of its kind is any story's, whatever it is.
func meant(terms []term, i int) bool {
	switch determiner(terms, i) {
	case definite, owned, ownedByOne:
		return true
	case indefinite:
		return false
	}
	w := terms[i].text
	if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return terms[i].capital && !terms[i].initial
	}
	return terms[i].capital && !terms[i].initial || isDense(w) || i > 0 && !terms[i].stands && beforeNames()[terms[i-1].text]
}

// modifies tells whether a noun is there for another one: the table scene, car chases.
func (j *judged) modifies(r reading, i int) bool {
	if i+1 >= len(r.terms) || r.terms[i+1].stands {
		return false
	}
	next := r.terms[i+1].text
	return nouns(singular(next)) || modified()[next]
}

// modified are words of directing and of situations that a noun often stands before.
var modified = setOf(`shot shots scene scenes beat beats moment moments frame frames line lines light lighting lit level side edge angle angles image images picture pictures interior interiors exterior
	exteriors fight fights chase chases talk talks drama comedy thriller story stories sequence sequences setting settings conversation conversations dialogue work life politics visits insert inserts
	look looks colour colours tones palette composition choreography fighting close closeup up pattern patterns genre style like speed use`)

// noun counts what is said of something as one says it of what is known.
func (j *judged) noun(r reading, i int, one string) {
	kind := determiner(r.terms, i)
	role := roleWords()[one] && !setPieces()[one]
	number := i+1 < len(r.terms) && !r.terms[i+1].stands && (isDigits(r.terms[i+1].text) || spelledOut()[r.terms[i+1].text]) && (i+2 >= len(r.terms) || r.terms[i+2].stands || stoppers()[r.terms[i+2].text])
	switch {
	case setPieces()[one] && kind == definite && i > 0 && nouns(singular(r.terms[i-1].text)) && !setPieces()[singular(r.terms[i-1].text)] && !j.anchors[singular(r.terms[i-1].text)]:
		j.count(1, r.at(i-1, i))
		return
	case number && !persons()[one] && !role && (thingWords()[one] || placeWords()[one]):
		j.count(2, r.at(i, i+1))
		return
	case kind == ownedByOne && !j.person && !setPieces()[one]:
		j.count(2, r.at(max(0, i-1), i))
		return
	case setPieces()[one] || persons()[one] || kind == bare || kind == indefinite:
		return
	case j.anchors[one] || j.generic(r, i):
		return
	case kind == owned && (!r.owner(i) || j.person):
		return // their house: whose the card speaks of
	}
	points := 1
	if qualified(r, i) && !role {
		points = 2
	}
	if role && finished(r, i) {
		points = 2
	}
	j.count(points, r.at(max(0, i-1), i))
}

// owner tells whether somebody with a name owns what stands at i.
func (r reading) owner(i int) bool { return i > 0 && r.terms[i-1].possessive }

// turningPoints are what may happen in any story, and happens in one.
var turningPoints = setOf(`betrayal kiss duel escape reunion revelation discovery sacrifice death birth fall defeat victory argument quarrel fight battle break-up breakup confession
	proposal injury loss rescue arrest disappearance arrival departure`)

// single tells whether a word is said of what happened once: after the betrayal,
// since their first kiss.
func single(terms []term, i int) bool {
	for k := i; k > 1 && i-k < 3; k-- {
		if w := terms[k-1].text; definites()[w] || w == "their" {
			before := terms[k-2].text
			return before == "after" || before == "since" || before == "before" || before == "until"
		}
	}
	return false
}

// generic tells whether a noun with “the” is any of its kind for what follows: the
// captain of a team, the person who lies.
func (j *judged) generic(r reading, i int) bool {
	if i+2 >= len(r.terms) || r.terms[i+1].stands {
		return false
	}
	next := r.terms[i+1].text
	return (next == "of" || next == "in" || next == "between") && indefinites()[r.terms[i+2].text]
}

// qualified tells whether a noun is said to be a certain one: the stolen ledger, the
// garden gate.
func qualified(r reading, i int) bool {
	if i == 0 || r.terms[i].stands {
		return false
	}
	w := r.terms[i-1].text
	if definites()[w] || indefinites()[w] || owners()[w] || oneOwners()[w] || stoppers()[w] {
		return false
	}
	return nouns(singular(w)) || weightOf(w) > filmWord && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en") || strings.HasSuffix(w, "ing") || !isGeneral(w))
}

// finished tells whether somebody is said to have done or to be something for good: the
// late countess, the widow who sold, the captain has.
func finished(r reading, i int) bool {
	if i > 0 && slices.Contains([]string{"late", "dead", "old", "young", "drowned", "murdered", "wounded", "younger", "older", "elder", "missing", "hidden"}, r.terms[i-1].text) {
		return true
	}
	for k := i + 1; k < len(r.terms) && k <= i+2 && !r.terms[k].stands; k++ {
		if past(r.terms[k].text) || slices.Contains([]string{"has", "had", "will"}, r.terms[k].text) {
			return true
		}
	}
	return false
}

// happened tells whether “they” are said to have done something, or begin a sentence.
func (j *judged) happened(r reading, i int) bool {
	for k := i + 1; k < len(r.terms) && k <= i+3 && !r.terms[k].stands; k++ {
		if past(r.terms[k].text) || slices.Contains([]string{"had", "finally", "eventually", "later", "first"}, r.terms[k].text) {
			return true
		}
	}
	return r.terms[i].initial && i == 0
}

// pasts are past forms that do not end in -ed and are no participle of every day.
var pasts = setOf(`found lost told went came took gave left broke fled stole met knew kept hid fell ran saw said swore wrote bought sold paid fought killed won threw caught drew flew rode sank shot spoke
	stood woke wore became began brought built chose drank drove ate felt forgot heard held led lay made meant read sat sent slept spent struck taught thought understood was were did`)

func past(w string) bool { return pasts()[w] || len(w) > 4 && strings.HasSuffix(w, "ed") }

// ownsNoun tells whether his or her is followed by a noun that is counted itself.
func (j *judged) ownsNoun(r reading, i int) bool {
	for k := i + 1; k < len(r.terms) && k <= i+3 && !r.terms[k].stands && !stoppers()[r.terms[k].text]; k++ {
		if one := singular(r.terms[k].text); nouns(one) && !setPieces()[one] && !j.modifies(r, k) {
			return true
		}
	}
	return false
}

// isGeneral tells whether a word may be said of any story.
func isGeneral(w string) bool {
	if weightOf(w) == filmWord || generalWords()[w] || moreWords()[w] || plainVerbs()[w] || stoppers()[w] || persons()[w] || setPieces()[w] {
		return true
	}
	for _, end := range generalEndings {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) > 2 {
			return true
		}
	}
	for _, f := range formsOf(w) {
		if generalWords()[f] || moreWords()[f] || weightOf(f) == filmWord || plainVerbs()[f] {
			return true
		}
	}
	return false
}

// plainVerbs are the words of every day.
var plainVerbs = setOf(plainWords)

// formsOf are what a word may be a form of.
func formsOf(w string) (out []string) {
	if base, ok := strings.CutSuffix(w, "ies"); ok {
		out = append(out, base+"y")
	}
	if base, ok := strings.CutSuffix(w, "ied"); ok {
		out = append(out, base+"y")
	}
	for _, end := range [...]string{"s", "es", "d", "ed", "ing", "er", "ers", "est", "or", "ors", "n't"} {
		base, ok := strings.CutSuffix(w, end)
		if !ok || len(base) < 2 || len(base) < 3 && end != "ing" {
			continue
		}
		out = append(out, base, base+"e")
		if n := len(base); n > 2 && base[n-1] == base[n-2] {
			out = append(out, base[:n-1])
		}
	}
	for _, front := range [...]string{"un", "re", "over", "under", "mis", "non", "pre", "mid", "out", "half", "semi", "anti", "co"} {
		if base, ok := strings.CutPrefix(w, front); ok && len(base) > 3 {
			out = append(out, base)
		}
	}
	return out
}

// Words that tell English from other languages.
var (
	englishWords = setOf(`the of when while before after with and or for is are not who to from than by only more less where`)
	foreignWords = setOf(`der die das den dem des ein eine einen einem einer und bei wenn nicht vor nach von zu im am auf mit oder aber sich statt kein keine le la les du un une et dans quand avant pour plus avec
		sur sans entre qui el los las del una y en cuando antes para con que entre sin il lo gli di che per della nel quando prima dopo een het van bij voor niet och att som med inte na w z do nie si
		os as uma dos das com não nao ao`)
)

// foreign tells whether a text is in another language than English.
func (r reading) foreign() bool {
	english, foreign, strange := 0, 0, 0
	for _, t := range r.terms {
		switch {
		case englishWords()[t.text]:
			english++
		case foreignWords()[t.text]:
			foreign++
		case strings.ContainsFunc(t.text, func(c rune) bool { return c > unicode.MaxLatin1 }):
			strange++
		case t.is == filmWord && !weighsEnglish(t.text):
			foreign++
		}
	}
	return strange > 0 || foreign > english
}

// weighsEnglish tells whether a word of directing is an English one.
func weighsEnglish(w string) bool { return englishFilm()[w] || !foreignFilm()[w] }

var (
	englishFilm = setOf(joiningWords + shotWords + sceneWords + pictureWords)
	foreignFilm = setOf(germanWords + frenchWords + spanishWords)
)

// readForeign knows of another language the words of directing alone: what has
// others is for the model.
func (j *judged) readForeign(r reading) {
	tell := capitalsTell(r.terms)
	for i, t := range r.terms {
		switch {
		case j.name(r, i, tell):
		case t.is > filmWord && !isGeneral(t.text):
			j.doubt(r.at(i, i))
		case slices.Contains([]string{"er", "sie", "ihr", "ihm", "il", "elle", "lui", "ella", "ele", "ela", "lei"}, t.text):
			j.doubt(r.at(i, i))
		}
	}
}
