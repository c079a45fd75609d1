package lessons

import (
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// What a preference says is read in two parts: its subject, which are the words
// that tell what it is about, and its direction, which is in which way it goes
// along a few axes: more or less of something, longer or shorter, closer or wider
// and so on. That is all that is understood of it. A direction told in words that
// are not in the lists is none, so what is missed is kept beside what it
// contradicts, with its condition.

// axis is one of the ways in which preferences can go against each other.
type axis int

const (
	amount axis = iota
	length
	distance
	motion
	height
	order // before or after something: tells preferences apart, contradicts none
	axes
)

// pull is a word's direction on an axis.
type pull struct {
	axis axis
	way  int // 1 or -1
}

var pulls = sync.OnceValue(func() map[string]pull {
	m := map[string]pull{}
	put := func(a axis, way int, words string) {
		for w := range strings.FieldsSeq(words) {
			m[w] = pull{a, way}
		}
	}
	put(amount, 1, `add adds added adding insert inserts inserted inserting more extra additional increase include use uses using prefer prefers favour favor keep keeps give
		mehr hinzufugen einfugen verwenden bevorzugen behalten plus ajouter inserer utiliser preferer garder mas agregar anadir insertar usar preferir`)
	put(amount, -1, `remove removes removed removing less fewer reduce reduces cut cuts drop drops dropped dropping omit omits skip skips delete deletes deleted
		omitted skipped reduced reducing strip strips stripped eliminate eliminates eliminated prune prunes sparingly minimal weniger entfernen weglassen
		streichen moins retirer supprimer enlever menos quitar eliminar`)
	put(length, 1, `longer long extend extended lengthen slower slow slowly langer langere langeren lange langen langsam langsamer
		prolonger long longue longs longues lent lente largo larga largos largas lento lenta alargar`)
	put(length, -1, `shorter short shorten trim trims trimmed trimming quick quicker quickly fast faster brief brisk rapid kurz kurzer kurzere kurzeren kurze kurzen schnell schneller schnelle court courte
		courts courtes rapide rapides corto corta cortos cortas rapido rapida acortar`)
	put(distance, 1, `closer close closeup closeups tight tighter tighten naher nahaufnahme nahaufnahmen grossaufnahme grossaufnahmen enger serre serres gros cercano cercanos primer
		primeros`)
	put(distance, -1, `wide wider wides widen establishing distant totale totalen weit weiter weite weiten large larges general generales abierto abiertos`)
	put(motion, 1, `moving movement move moves handheld dolly push track tracking pan pans panning bewegt bewegung bewegte mouvement movimiento`)
	put(motion, -1, `static still locked fixed steady unmoving statisch starr fixe fixes fijo fija fijos estatico`)
	put(height, 1, `high overhead`)
	put(height, -1, `low`)
	put(order, 1, `before vor avant antes`)
	put(order, -1, `after nach apres despues`)
	return m
})

// holdWords go for length where nothing else says how long.
var holdWords = setOf("hold holds holding held linger lingers lingering pause pauses halten gehalten tenir mantener")

// negations turn round what follows them.
var negations = setOf("not never no don't doesn't avoid avoids avoiding vermeiden kein keine keinen nicht nie ne pas jamais eviter evitar nunca")

// frontWords is how far from the front of a preference a word stands that says
// what is to be done: "do not add", "use fewer".
const frontWords = 4

// cutsTo are the words that make of a cut a change of the picture, not a loss.
var cutsTo = setOf("to on away back between in at from into with before after")

// alikeWords are words that count as the first of their line.
var alikeWords = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(`answer reply response respond line
reaction react reacting listener listening
action chase pursuit flight escape
confrontation confront argument argue arguing quarrel fight conflict dispute standoff streit
reconciliation reconcile
intimate intimacy tender tenderness romantic romance
silence silent quiet wordless stillness
tense tension pressure
hand finger
face facial expression
detail object prop
emotional emotion emotionally
reveal revealed revelation
merge merged combine combined
adjacent neighbouring neighboring
verfolgung verfolgungsjagd verfolgungsjagden`, "\n") {
		all := strings.Fields(line)
		for _, w := range all {
			m[w] = all[0]
		}
	}
	return m
})

// silentWords say nothing of what a preference is about.
var silentWords = setOf(joiningWords + ` mostly towards users framing framed shot scene moment camera time put make let show go get take set want like beat sequence
	szene einstellung moment der die das und ein eine einen in bei von zu mit den dem des im auf fur plan scene moment le la les de du des un une dans pour et a au en
	plano escena momento el los las del en para y con`)

// setOf is the set of the words in a list, made when it is first asked for.
func setOf(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			m[w] = true
		}
		return m
	})
}

// meaning is what is understood of a text.
type meaning struct {
	subject map[string]bool
	ways    [axes]int // 1, -1, or 0 for neither or both
}

var hyphened = strings.NewReplacer("close-up", "closeup", "Close-up", "closeup", "Close-Up", "closeup", "close up", "closeup", "Close up", "closeup")

// meaningOf reads a preference or a condition.
func meaningOf(text string) meaning {
	m := meaning{subject: map[string]bool{}}
	var plus, minus [axes]bool
	negated, removed, held := false, false, false
	terms := termsOf(hyphened.Replace(text))
	for i, t := range terms {
		front := i < frontWords
		if negations()[t.text] {
			negated = negated || front
			continue
		}
		if holdWords()[t.text] {
			held = true
			continue
		}
		p, is := pulls()[t.text]
		if is && strings.HasPrefix(t.text, "cut") && i+1 < len(terms) && cutsTo()[terms[i+1].text] {
			continue
		}
		if !is {
			m.tells(t.text)
			continue
		}
		plus[p.axis] = plus[p.axis] || p.way > 0
		minus[p.axis] = minus[p.axis] || p.way < 0
		removed = removed || front && p == pull{amount, -1}
	}
	plus[length] = plus[length] || held && !minus[length]
	for a := range axes {
		m.ways[a] = wayOf(plus[a], minus[a])
	}
	m.lean(negated, removed, plus[amount], minus[amount])
	return m
}

// lean finds out whether more or less is wanted. Less turns the other axes round:
// to avoid wide shots is to go closer.
func (m *meaning) lean(negated, removed, plus, minus bool) {
	switch {
	case negated != removed:
		m.ways[amount] = -1
		for a := length; a < order; a++ {
			m.ways[a] = -m.ways[a]
		}
	case plus && minus && !negated:
		m.ways[amount] = 0
	default: // what nobody calls for is called for by being said
		m.ways[amount] = 1
	}
}

func wayOf(plus, minus bool) int {
	switch {
	case plus == minus:
		return 0
	case plus:
		return 1
	}
	return -1
}

// tells takes a word up that says what the text is about.
func (m *meaning) tells(w string) {
	w = stem(w)
	if same, ok := alikeWords()[w]; ok {
		w = same
	}
	if !silentWords()[w] {
		m.subject[w] = true
	}
}

// common is how much of the smaller subject the other has too, from 0 to 1, and
// how much of both they have in common. Two without any subject are alike.
func (m meaning) common(o meaning) (ofSmaller, ofBoth float64) {
	if len(m.subject) == 0 || len(o.subject) == 0 {
		if len(m.subject) == len(o.subject) {
			return 1, 1
		}
		return 0, 0
	}
	n := 0
	for w := range m.subject {
		if o.subject[w] {
			n++
		}
	}
	return float64(n) / float64(min(len(m.subject), len(o.subject))), 2 * float64(n) / float64(len(m.subject)+len(o.subject))
}

// How much subjects have in common that are the same, that can be at odds, that
// support each other, and that are one condition.
const (
	sameSubject    = 0.55
	opposedSubject = 0.6
	supportSubject = 0.4
	sameCondition  = 0.5
)

// turnsFrom tells whether two texts go in opposite ways along some axis.
func (m meaning) turnsFrom(o meaning, last axis) bool {
	for a := range last {
		if m.ways[a]*o.ways[a] < 0 {
			return true
		}
	}
	return false
}

// opposes tells whether two preferences want the opposite of one thing.
func (m meaning) opposes(o meaning) bool {
	of, _ := m.common(o)
	return of >= opposedSubject && m.turnsFrom(o, order)
}

// same tells whether two preferences are nearly one.
func (m meaning) same(o meaning) bool {
	_, both := m.common(o)
	if len(m.subject) == 0 && m.ways != o.ways {
		return false
	}
	return both >= sameSubject && !m.turnsFrom(o, axes)
}

// supports tells whether a lesson speaks for a preference.
func (m meaning) supports(lesson meaning) bool {
	of, _ := m.common(lesson)
	if len(m.subject) == 0 && m.ways != lesson.ways {
		return false
	}
	return of >= supportSubject && !m.turnsFrom(lesson, order)
}

// samePreference tells whether two preferences are nearly one.
func samePreference(a, b string) bool {
	return fold(prompts.OneLine(a)) == fold(prompts.OneLine(b)) || meaningOf(a).same(meaningOf(b))
}

// overlap tells whether two conditions hold in the same scenes. One that is empty
// is no condition, and overlaps with an empty one only.
func overlap(a, b string) bool {
	ma, mb := meaningOf(a), meaningOf(b)
	of, _ := ma.common(mb)
	if len(ma.subject) == 0 && len(mb.subject) == 0 {
		return ma.ways == mb.ways
	}
	return of >= sameCondition
}
