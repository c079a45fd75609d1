package lessons

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Details are what belongs to the scenes of a story, and so to no preference:
//
//   - names of people, places and things, whole or one of their words, in any
//     case, possessive or plural, or at the front of a compound. A name that is an
//     everyday word counts only where a capital letter says so, and one that is a
//     word of directing never does;
//   - ids of shots, beats and records, scenes and shots by their number, and what the
//     scenes call with a capital letter and a number;
//   - what somebody said, quoted;
//   - words with a capital letter that the scenes' texts always write so, where
//     nouns have none of their own, and words that both a scene's story and its
//     shots speak of;
//   - the scenes' own wording: five words in a row as they stand in a scene's
//     texts, or fewer that are telling. Words of directing alone are no detail,
//     nor is what lessons drawn from two scenes say in the same words.
//
// A nil *Details knows of ids and quotations only. It never changes after
// NewDetails and is safe for concurrent use.
type Details struct {
	names   phrases
	titles  phrases         // of words of directing, names where all have a capital letter
	dense   []string        // names in scripts without blanks
	proper  map[string]bool // folded, likely names; true where it is not only sentences that begin with them
	things  map[string]bool // that a scene's story and its shots speak of
	quoted  map[string]bool // what is said in the material
	runs    map[string]int  // from how many words on a run of the material counts
	ids     phrases
	capital map[string]bool // everyday words that are names
}

// Bounds of what is read of memories.
const (
	maxMaterial = 300     // memories
	maxRead     = 8 << 10 // bytes of one text
	maxNames    = 4000
	longRun     = 5 // words that no two texts share by chance
	shortRun    = 2
	tellingRun  = 3 // what the words of a shorter run weigh together
)

// NewDetails collects what belongs to scenes: names of people, places and things
// that are the story's own, what its memories hold, and texts that tell of scenes.
func NewDetails(names []string, memories []storage.TasteMemory, texts ...string) *Details {
	d := &Details{names: phrases{}, titles: phrases{}, proper: map[string]bool{}, things: map[string]bool{}, quoted: map[string]bool{}, runs: map[string]int{}, ids: phrases{}, capital: map[string]bool{}}
	for _, n := range names[:min(len(names), maxNames)] {
		d.addName(n)
	}
	memories = memories[max(0, len(memories)-maxMaterial):]
	small, plot := map[string]bool{}, map[string]bool{}
	for _, m := range memories {
		d.addID(string(m.ID), string(m.Scene), string(m.Chat))
		story := map[string]bool{}
		own, told := material(m)
		for i, text := range append(own, told...) {
			runs := d.addMaterial(text[:min(len(text), maxRead)], small, func(t term) {
				if w := stem(t.text); i == 0 {
					story[w] = true
				} else if story[w] {
					d.things[w] = true
				}
			})
			for _, run := range runs {
				plot[run] = plot[run] || i < len(own)
			}
		}
	}
	for _, text := range texts[max(0, len(texts)-maxMaterial):] {
		for _, run := range d.addMaterial(text[:min(len(text), maxRead)], small, func(term) {}) {
			plot[run] = true
		}
	}
	for w := range small {
		delete(d.proper, w)
	}
	d.allowLessons(memories, plot)
	return d
}

// material are the texts of a memory that tell of its scene: what happens in it,
// its story first, and what is told of the edits, the user's words among it.
func material(m storage.TasteMemory) (plot, told []string) {
	plot, told = []string{m.SceneContextSummary}, []string{m.EditSummary}
	for _, e := range m.Events {
		plot, told = append(plot, e.Summary), append(told, e.UserText)
	}
	for _, l := range m.SceneLearnings {
		told = append(told, l.Evidence)
	}
	return plot, told
}

// addID keeps a record's id where it can be no word and no number.
func (d *Details) addID(ids ...string) {
	for _, id := range ids {
		if terms := termsOf(id[:min(len(id), 100)]); len(terms) > 0 && strings.ContainsAny(id, "0123456789") && strings.ContainsFunc(id, unicode.IsLetter) {
			d.ids.add(textsOf(terms))
		}
	}
}

// addName keeps a name, its distinctive words, and the whole of it in one word.
func (d *Details) addName(name string) {
	terms := termsOf(name[:min(len(name), 400)])
	for len(terms) > 1 && leading()[terms[0].text] {
		terms = terms[1:]
	}
	if len(terms) == 0 {
		return
	}
	words := textsOf(terms)
	if isDense(words[0]) {
		if utf8.RuneCountInString(words[0]) > 1 {
			d.dense = append(d.dense, words[0])
		}
		return
	}
	heaviest := filmWord
	for i, w := range words {
		is := nameWeight(w)
		heaviest = max(heaviest, is)
		switch {
		case len(w) < 2 || isCount(w):
		case is == plainWord && terms[i].capital:
			d.capital[w] = true
		case is == ownWord && (terms[i].capital || len(terms) == 1):
			d.names.add([]string{w})
		}
	}
	switch {
	case len(words) > 1 && heaviest == filmWord:
		d.titles.add(words)
	case len(words) > 1:
		d.names.add(words)
		d.names.add([]string{strings.Join(words, "")})
	}
}

// nameWeight is the weight of a word of a name: given names that are words too are
// everyday words.
func nameWeight(w string) weight {
	if nameWords()[w] {
		return plainWord
	}
	return weightOf(w)
}

// leading are words that a name may begin with and be the same without.
var leading = setOf("the a an der die das le la les el los las mr mrs ms dr")

// addMaterial keeps what a text of a memory says of its scene. Words that stand
// there in small letters go to small, those that may name a thing to thing. It
// returns the runs that count.
func (d *Details) addMaterial(text string, small map[string]bool, thing func(term)) (runs []string) {
	terms := termsOf(text)
	tell := capitalsTell(terms)
	for i := range terms {
		terms[i].telling = ofOneStory(terms[i])
	}
	for i, t := range terms {
		if len(t.text) > 3 && t.telling && t.is == ownWord && !everydayWords()[t.text] && (tell || t.capital) { // where nouns have capital letters, only nouns
			thing(t)
		}
		before, _ := utf8.DecodeLastRuneInString(text[:t.start])
		switch {
		case !t.capital:
			small[t.text] = true
		case tell && len(t.text) > 2 && t.is == ownWord:
			begins := t.initial || strings.ContainsRune("“\"„«*(", before)
			d.proper[t.text] = d.proper[t.text] || !begins || t.possessive
		}
		if tell && t.capital && (!t.initial || t.is > filmWord) && i+1 < len(terms) && !terms[i+1].stands && isDigits(terms[i+1].text) {
			d.names.add(textsOf(terms[i : i+2])) // Pier 19, Room 214
		}
		for n := shortRun; n <= longRun && i+n <= len(terms); n++ {
			if n > 1 && terms[i+n-1].stands {
				break // a run ends where a clause does
			}
			if run := terms[i : i+n]; counts(run) {
				runs = append(runs, runOf(run))
				d.runs[runOf(run)] = n
			}
		}
	}
	for _, q := range quotations(text) {
		spoken := termsOf(q)
		if len(spoken) > 0 {
			d.quoted[runOf(spoken)] = true
		}
		if len(spoken) > 2 && len(spoken) < longRun && weightIn(spoken) > filmWord {
			d.runs[runOf(spoken)] = len(spoken)
		}
	}
	return runs
}

// ofOneStory tells whether a word may be of one story: not one of moods and
// situations, however a scene is told with it.
func ofOneStory(t term) bool {
	one := singular(t.text)
	return nouns(one) && !setPieces()[one] && !persons()[one] || !isGeneral(t.text)
}

// counts tells whether a run of words is telling enough to be known again. One of
// nothing but moods and situations is any story's.
func counts(run []term) bool {
	if !slices.ContainsFunc(run, func(t term) bool { return t.telling }) {
		return false
	}
	sum := weightIn(run)
	if len(run) >= longRun {
		return sum > filmWord
	}
	own := slices.ContainsFunc(run, func(t term) bool { return t.is == ownWord })
	return sum >= tellingRun && own && run[0].is > filmWord
}

func weightIn(run []term) weight {
	sum := filmWord
	for _, t := range run {
		sum += t.is
	}
	return sum
}

// allowLessons takes back what lessons say in the same words: what is told of
// edits, of any lesson; words and runs of the plot only where the lessons of two
// scenes have them.
func (d *Details) allowLessons(memories []storage.TasteMemory, plot map[string]bool) {
	scenes := map[string]int{}
	for _, m := range memories {
		here := map[string]bool{}
		for _, l := range m.SceneLearnings {
			for _, text := range []string{l.Learning, l.AppliesTo, l.AvoidApplyingTo} {
				terms := termsOf(text[:min(len(text), maxRead)])
				for i := range terms {
					for n := 1; n <= longRun && i+n <= len(terms); n++ {
						here[runOf(terms[i:i+n])] = true
					}
				}
			}
		}
		for run := range here {
			if scenes[run]++; scenes[run] > 1 || !plot[run] {
				delete(d.runs, run)
			}
			if scenes[run] > 1 {
				delete(d.things, run)
			}
		}
	}
}

func textsOf(terms []term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.text
	}
	return out
}

// runOf is a run of words, the same for plurals.
func runOf(terms []term) string {
	words := textsOf(terms)
	for i, w := range words {
		words[i] = stem(w)
	}
	return strings.Join(words, " ")
}

// stem is a word without what may make a plural or a genitive of it.
func stem(w string) string {
	if base, ok := strings.CutSuffix(w, "s"); ok && len(base) > 2 && !strings.HasSuffix(base, "s") {
		return base
	}
	return w
}

// In is the first detail that a text holds, as it stands there, or "" for none.
func (d *Details) In(text string) string {
	if found := d.named(text); found != "" || d == nil {
		return found
	}
	terms := termsOf(text)
	for i := range terms {
		for n := shortRun; n <= longRun && i+n <= len(terms); n++ {
			run := terms[i : i+n]
			if d.runs[runOf(run)] == n {
				return text[run[0].start:run[n-1].end]
			}
		}
	}
	return ""
}

// named is In without the scenes' own wording, which what is told as evidence of a
// preference may share.
func (d *Details) named(text string) string {
	terms := termsOf(text)
	if found := numbered(text, terms); found != "" {
		return found
	}
	if d != nil {
		if found := d.name(text, terms); found != "" {
			return found
		}
	}
	for _, q := range quotations(text) {
		if d.speech(termsOf(q)) {
			return q
		}
	}
	return ""
}

// name is the first name or id in a text.
func (d *Details) name(text string, terms []term) string {
	tell := capitalsTell(terms)
	for i, t := range terms {
		named := tell && t.capital && (!t.initial || t.possessive)
		switch n, titled := max(d.names.at(terms[i:]), d.ids.at(terms[i:])), d.titles.at(terms[i:]); {
		case n > 0:
			return text[t.start:terms[i+n-1].end]
		case tell && titled > 0 && !slices.ContainsFunc(terms[i:i+titled], func(t term) bool { return !t.capital }):
			return text[t.start:terms[i+titled-1].end]
		case d.things[stem(t.text)] || t.is == ownWord && d.compound(t.text):
			return text[t.start:t.end]
		case t.capital && slices.ContainsFunc(singulars(t.text), func(w string) bool { return d.isProper(w, named) }):
			return text[t.start:t.end]
		case named && d.capital[t.text]:
			return text[t.start:t.end]
		}
	}
	if len(d.dense) > 0 && isDense(text) {
		folded := fold(text)
		for _, n := range d.dense {
			if strings.Contains(folded, n) {
				return n
			}
		}
	}
	return ""
}

// compound tells whether a word is made of a name and another word.
func (d *Details) compound(w string) bool {
	for at := leastBase; at <= len(w)-leastBase; at++ {
		if rest := w[at:]; d.names.hasWord(w[:at]) && min(weightOf(rest), weightOf(strings.TrimPrefix(rest, "s"))) < ownWord {
			return true
		}
	}
	return false
}

// isProper tells whether a word with a capital letter is a likely name; named says
// that the letter is no matter of where the word stands.
func (d *Details) isProper(w string, named bool) bool {
	sure, likely := d.proper[w]
	return sure || likely && named
}

// speech tells whether quoted words are somebody's: words of the material, or so
// many that they are no term of directing.
func (d *Details) speech(terms []term) bool {
	telling := slices.ContainsFunc(terms, func(t term) bool { return t.is > filmWord })
	return telling && (len(terms) > 2 || d != nil && d.quoted[runOf(terms)])
}

// Scrub is a text without the sentences that hold a detail.
func (d *Details) Scrub(text string) string { return scrub(text, d.In) }

func scrub(text string, in func(string) string) string {
	text = prompts.OneLine(text)
	if in(text) == "" {
		return text
	}
	kept := slices.DeleteFunc(sentences(text), func(s string) bool { return in(s) != "" })
	if text = strings.Join(kept, " "); in(text) != "" {
		return "" // a detail that reaches over the end of a sentence
	}
	return text
}

// phrases are names by their first word.
type phrases map[string][][]string

func (p phrases) add(words []string) {
	if !slices.ContainsFunc(p[words[0]], func(w []string) bool { return slices.Equal(w, words) }) {
		p[words[0]] = append(p[words[0]], words)
	}
}

func (p phrases) hasWord(w string) bool {
	return slices.ContainsFunc(p[w], func(words []string) bool { return len(words) == 1 })
}

// at is how many terms a name takes that stands at the front, 0 for none. A word of
// directing or of every day is no plural of a name.
func (p phrases) at(terms []term) int {
	for _, first := range singulars(terms[0].text) {
	next:
		for _, words := range p[first] {
			if len(words) > len(terms) || len(words) == 1 && first != terms[0].text && terms[0].is < ownWord {
				continue
			}
			for i, w := range words[1:] {
				if !slices.Contains(singulars(terms[i+1].text), w) {
					continue next
				}
			}
			return len(words)
		}
	}
	return 0
}

// singulars are what a word may be a plural, a genitive or another form with an
// apostrophe of, the word first.
func singulars(w string) []string {
	out := []string{w}
	for _, end := range []string{"s", "es"} {
		if base, ok := strings.CutSuffix(w, end); ok && len(base) > 1 {
			out = append(out, base)
		}
	}
	if base, _, ok := strings.Cut(w, "'"); ok && len(base) > 1 {
		out = append(out, base)
	}
	return out
}
