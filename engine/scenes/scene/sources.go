package scene

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Words that carry meaning are compared by their first letters, so that
// "promised" is found in "promise".
const (
	minContent = 4 // letters
	stemLength = 5
)

// emptyWords have letters enough and yet tell nothing.
var emptyWords = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`about above after again against along already also although always among another anything around away back
		because been before being below between both came come could does doing down during each either else even ever every everything from
		gave give goes going gone have having here hers herself himself into itself just keep know like made make many might more most much
		must near never next nothing only onto other others over said same says shall should since some something still such take tell than
		that their them then there these they thing things this those though through till told toward towards under until upon very want
		wants were what when where whether which while whom whose will with within without would your yours yourself
		aber alle allem allen alles also andere auch auf beim bereits bevor bist dabei damit dann darauf dass dein deine denn dessen deren
		dich diese diesem diesen dieser dieses doch dort durch eine einem einen einer eines etwas euch gegen haben habe hatte hatten hier
		hinter ihre ihrem ihren ihrer immer jede jeden jeder jedes jetzt kann kein keine keinen konnte machen mehr mein meine mich nach
		nicht nichts noch oder ohne schon sehr sein seine seinem seinen seiner sich sind soll sollte über unter viel vom wann warum wegen
		weil welche wenn werden wieder will wird wurde wurden zwischen
		ainsi alors après aussi autre autres avait avant avec avoir bien cela celle celui cette chaque chez comme dans depuis deux dont
		elle elles encore entre était étaient être fait faire leur leurs lorsque mais même moins nous parce pendant plus pour pourquoi
		quand quel quelle sans sera seront sont sous suis tous tout toute toutes très vers votre vous
		ahora algo alguna alguno antes aquel aquella aquí aunque cada casi como contra cual cuando desde después donde durante ella ellas
		ellos entonces entre eran eres esta está estaba estar estas este esto estos fueron había hace hacia hasta mientras mucho muchos
		nada otra otras otro otros para pero porque puede quien sido siempre sino sobre también tanto tiene tienen toda todas todo todos
		unas unos usted`) {
		m[w] = true
	}
	return m
})

// stems is the set of a text's meaning: the stems of its words, and pairs of
// letters in scripts that set no blanks. The words in skip do not count.
func stems(text string, skip map[string]bool) map[string]bool {
	set := map[string]bool{}
	letters(text, func(w string, dense bool) bool {
		if dense {
			for f := range strings.FieldsSeq(without(w, skip)) {
				pairs(f, func(p string) { set[p] = true })
			}
		} else if s := stem(w, skip); s != "" {
			set[s] = true
		}
		return true
	})
	return set
}

// without blanks out the words in skip.
func without(run string, skip map[string]bool) string {
	for w := range skip {
		if isDense(firstRune(w)) {
			run = strings.ReplaceAll(run, w, " ")
		}
	}
	return run
}

// share tells whether a text holds anything of a set of stems.
func share(text string, set map[string]bool) bool {
	found := false
	letters(text, func(w string, dense bool) bool {
		if dense {
			pairs(w, func(p string) { found = found || set[p] })
		} else {
			found = set[stem(w, nil)]
		}
		return !found
	})
	return found
}

func stem(w string, skip map[string]bool) string {
	w = strings.ToLower(w)
	n := 0
	for range w {
		n++
	}
	if n < minContent || emptyWords()[w] || skip[w] {
		return ""
	}
	n = 0
	for i := range w {
		if n == stemLength {
			return w[:i]
		}
		n++
	}
	return w
}

// letters gives each run of letters and digits in a text. A dense one is of a
// script that sets no blanks between words.
func letters(text string, yield func(w string, dense bool) bool) {
	start, was := -1, false
	for i, r := range text {
		in, dense := isWordRune(r), r > 0x0E00 && isDense(r)
		if start >= 0 && (!in || dense != was) {
			if !yield(text[start:i], was) {
				return
			}
			start = -1
		}
		if in && start < 0 {
			start, was = i, dense
		}
	}
	if start >= 0 {
		yield(text[start:], was)
	}
}

func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// pairs gives each two neighbouring letters of a run.
func pairs(w string, yield func(string)) {
	r := []rune(w)
	for i := 1; i < len(r); i++ {
		yield(string(r[i-1 : i+1]))
	}
}

// nameWords are the words of names, in lower case.
func nameWords(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		letters(n, func(w string, _ bool) bool {
			m[strings.ToLower(w)] = true
			return true
		})
	}
	return m
}

// cited is a numbered piece of the material that a model's numbers point at.
type cited struct {
	text   string
	nodes  []storage.NodeID
	bullet bool // not a message
	// memories are those that a bullet tells too.
	memories []storage.MemoryID
}

// sources turns the numbers of a bullet into the messages they mean. A number that points nowhere
// is dropped. A bullet taken over as it stood keeps what it had.
func sources(bullet string, numbers []int, material []cited) []storage.NodeID {
	var out []storage.NodeID
	take := func(c cited) {
		for _, id := range c.nodes {
			if id != "" && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	for _, n := range numbers {
		if n >= 1 && n <= len(material) {
			take(material[n-1])
		}
	}
	if same := plainText(bullet); len(out) == 0 {
		for _, c := range material {
			if c.bullet && plainText(c.text) == same {
				take(c)
			}
		}
	}
	return out
}
