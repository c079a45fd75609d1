package memorybench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Kind is what a fact is about, and so where a careful keeper of records puts it.
type Kind int

// The kinds of facts.
const (
	Trait    Kind = iota // lasting, of one person: a lorebook's matter
	Event                // what has changed for good
	Promise              // words that bind
	Goal                 // wanted, until it is reached
	Deadline             // open
	State                // how things stand
)

// Fact is one statement of a story. Its marker is a word that stands nowhere else:
// whoever tells the fact, in whatever words, says it.
type Fact struct {
	ID       int
	Kind     Kind
	Subject  string // a word that stands in the facts of this subject alone
	Marker   string
	Topic    int // of several facts with one subject, kind and topic the newest holds
	Known    [2]bool
	Replaces *Fact
	Turn     int    // in which it is told
	Ended    int    // turn in which it ceased to hold, 0 while it does
	How      string // it ended: replaced, reached, edited, swiped
	Secret   bool
	Invented bool // by the model
}

// wordings are what is said of a subject (%s) with a marker (%s), in two ways.
var wordings = map[Kind][][2]string{
	Trait: {{"%s was born in %s.", "For a birthplace %s has %s."}, {"%s wears the sign of %s.", "The sign on the coat of %s is that of %s."},
		{"%s has learnt the trade of %s.", "By trade %s keeps to %s."}, {"%s cannot stand the smell of %s.", "Nobody brings %s near %s."}},
	Event: {{"%s sold the boat to %s.", "The boat of %s went to %s."}, {"%s lost a hand at %s.", "One hand of %s stayed at %s."},
		{"%s found the map of %s.", "It was %s who came upon the map of %s."}, {"%s broke with the house of %s.", "Between %s and the house of %s it is over."}},
	Promise: {{"%s swore to bring %s home.", "By an oath of %s there is a way home for %s."}, {"%s gave the word that %s stays hidden.", "On the word of %s nobody finds %s."}},
	Goal:    {{"%s wants to win the cup of %s.", "The aim of %s is the cup of %s."}, {"%s is looking for the door to %s.", "The search of %s is for the door to %s."}},
	Deadline: {{"%s must pay the debt to %s before the moon is full.", "With the full moon the debt of %s is due to %s."},
		{"%s has to answer the letter of %s within a week.", "A week is left to %s for the letter of %s."}},
	State: {{"%s waits at the well of %s.", "At present %s is by the well of %s."}, {"%s carries the key of %s.", "The key in the pocket of %s is that of %s."}},
}

// reached is what is said when a goal is reached: the marker is that of the outcome.
const reached = "%s has what was wanted at last, and it came from %s."

// Sentence tells the fact; again in other words.
func (f *Fact) Sentence(again bool) string {
	w := wordings[f.Kind][f.Topic%len(wordings[f.Kind])]
	form := w[0]
	switch {
	case f.Replaces != nil && f.Replaces.Kind == Goal:
		form = reached
	case again:
		form = w[1]
		if strings.HasPrefix(form, "Nobody brings") {
			return fmt.Sprintf(form, f.Marker, f.Subject)
		}
	}
	return fmt.Sprintf(form, f.Subject, f.Marker)
}

// Turn is a line of the user's and the reply to it.
type Turn struct {
	Speaker int // who answers, and of a whisper who alone hears it
	Whisper bool
	User    string
	Reply   string
	Facts   []*Fact
	Swiped  string // a reply that is swiped away, "" for none
	Edit    *Edit  // before this turn
}

// Edit is a line of the user's, of an earlier turn, that is written again.
type Edit struct {
	Turn int
	Text string
}

// Scene is a number of turns. Late: it is recapped only after the second scene after
// it. Again: it is examined then, and its recap is made again.
type Scene struct {
	First, End  int // turns; End is the first of the next
	Away        bool
	Late, Again bool
}

// Story is a play in two voices with all that is said in it.
type Story struct {
	Speakers [2]string
	Scenes   []Scene
	Turns    []Turn
	Facts    []*Fact
	Subjects []string
	markers  map[string]*Fact
}

// fact registers a fact, told in a turn to those who are there.
func (s *Story) fact(f Fact) *Fact {
	f.ID = len(s.Facts) + 1
	s.Facts = append(s.Facts, &f)
	s.markers[f.Marker] = &f
	if old := f.Replaces; old != nil {
		old.Ended, old.How = f.Turn, "replaced"
		if old.Kind == Goal {
			old.How = "reached"
		}
	}
	return &f
}

// author makes up stories.
type author struct {
	*Story
	r      *rand.Rand
	used   map[string]bool
	edited map[int]bool // turns
	secret float64      // how often a fact is whispered
}

// words that everything but facts is told in.
var plain = strings.Fields("lamp door stair curtain rope chair velvet dust window ledger candle mirror copper button coat glove step board nail plaster " +
	"balcony quietly corner pocket letter string canvas paint ladder bucket thread needle basket bottle kettle river gravel slowly again under between")

// prose is about so many words of no importance, on one line.
func (t *author) prose(words int) string {
	var b strings.Builder
	for n := 0; n < words; {
		most := 6 + t.r.IntN(7)
		for i := range most {
			w := plain[t.r.IntN(len(plain))]
			if i == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			} else {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteString(". ")
		n += most
	}
	return strings.TrimSpace(b.String())
}

// name makes a word up that was not used before.
func (t *author) name() string {
	const on, vowel = "b br d dr f g gr h k kr m n p r s t tr v w z", "a e i o u"
	const off = "ck ld lm nd nk rn rst sk th x zz"
	pick := func(list string) string { all := strings.Fields(list); return all[t.r.IntN(len(all))] }
	for {
		w := pick(on) + pick(vowel) + pick(off) + pick(vowel) + pick(off)
		if w = strings.ToUpper(w[:1]) + w[1:]; !t.used[w] {
			t.used[w] = true
			return w
		}
	}
}

// Tell makes up a story of so many scenes, with about so many facts in each, of which a
// share is whispered. The same seed makes the same story.
func Tell(seed uint64, scenes, facts int, secret float64) *Story {
	t := &author{&Story{Speakers: [2]string{"Ada", "Brona"}, markers: map[string]*Fact{}}, rand.New(rand.NewPCG(seed, 21)), map[string]bool{}, map[int]bool{}, secret}
	for n := range scenes {
		t.scene(n, scenes, facts)
	}
	return t.Story
}

// The ways in which a scene opens: in words that are in everybody's list of them, and
// in words that only who reads them understands.
const (
	skips = "The next morning I come to the place with the %s."
	Moves = "I push open the heavy gate behind the %s and leave where we were behind."
)

func (t *author) scene(n, of, facts int) {
	sc := Scene{First: len(t.Turns), Away: n%7 == 5, Late: n%9 == 1 && n+2 < of, Again: n%9 == 4 && n+2 < of}
	turns := 4 + t.r.IntN(7)
	sc.End = sc.First + turns
	t.Scenes = append(t.Scenes, sc)
	// the first scene's first turns show both cards without a fact
	least := 0
	if n == 0 {
		least = 2
	}
	for i := range turns {
		turn := Turn{Speaker: t.r.IntN(2)}
		if n == 0 && i < 2 {
			turn.Speaker = i
		}
		if sc.Away {
			turn.Speaker = 0
		}
		user, reply := []string{}, []string{}
		if i == 0 && n > 0 {
			open := skips
			if n%2 == 0 && !t.Scenes[n-1].Late { // what is late has to be seen at once
				open = Moves
			}
			user = append(user, fmt.Sprintf(open, plain[t.r.IntN(len(plain))]))
		}
		at := len(t.Turns)
		t.Turns = append(t.Turns, turn)
		if i >= least {
			for k := range 2 {
				if t.r.Float64() >= float64(facts)/float64(2*(turns-least)) {
					continue
				}
				f := t.newFact(at, sc)
				switch {
				case f == nil:
				case k == 0:
					user = append(user, f.Sentence(false))
				default:
					reply = append(reply, f.Sentence(false))
				}
			}
		}
		this := &t.Turns[at]
		this.User = strings.Join(append(user, t.prose(22+t.r.IntN(20))), " ")
		this.Reply = strings.Join(append(append([]string{t.prose(18)}, reply...), t.prose(50+t.r.IntN(60))), " ")
		t.swipe(n, i, at, sc)
		t.edit(n, i, at)
	}
}

// newFact makes up what is told in a turn: something new, what changes something that
// held, a goal that is reached, or a secret.
func (t *author) newFact(at int, sc Scene) *Fact {
	turn := &t.Turns[at]
	known := [2]bool{true, !sc.Away}
	chance := t.r.Float64()
	if len(turn.Facts) == 0 && chance < t.secret && !sc.Away && at != sc.First {
		turn.Whisper = true
	}
	if turn.Whisper {
		known = [2]bool{turn.Speaker == 0, turn.Speaker == 1}
	}
	f := Fact{Kind: Kind(t.r.IntN(6)), Known: known, Turn: at, Secret: turn.Whisper, Marker: t.name()}
	if old := t.toEnd(at, known); old != nil && chance > 0.62 {
		f.Kind, f.Topic, f.Subject, f.Replaces = old.Kind, old.Topic, old.Subject, old
		if old.Kind == Goal {
			f.Kind = Event
		}
	} else if f.Subject = t.subject(); !t.slot(&f) {
		return nil
	}
	kept := t.fact(f)
	turn.Facts = append(turn.Facts, kept)
	return kept
}

// subject returns one that is known already, or a new one.
func (t *author) subject() string {
	if len(t.Subjects) > 3 && t.r.Float64() < 0.7 {
		return t.Subjects[t.r.IntN(len(t.Subjects))]
	}
	t.Subjects = append(t.Subjects, t.name())
	return t.Subjects[len(t.Subjects)-1]
}

// slot finds a topic of which nothing is told of the subject yet.
func (t *author) slot(f *Fact) bool {
	for i := range wordings[f.Kind] {
		f.Topic = i
		if !slices.ContainsFunc(t.Facts, func(o *Fact) bool { return o.Subject == f.Subject && o.Kind == f.Kind && o.Topic == i }) {
			return true
		}
	}
	return false
}

// toEnd returns a fact that may end now: told some turns ago, and to nobody who would not
// hear of the change.
func (t *author) toEnd(at int, known [2]bool) *Fact {
	var can []*Fact
	for _, f := range t.Facts {
		if f.Ended == 0 && f.Turn < at-4 && (known[0] || !f.Known[0]) && (known[1] || !f.Known[1]) && f.Kind != Promise {
			can = append(can, f)
		}
	}
	if len(can) == 0 {
		return nil
	}
	return can[t.r.IntN(len(can))]
}

// swipe puts a reply before the one that counts, with a fact that then never was; every
// second time it skips to another day as well.
func (t *author) swipe(n, i, at int, sc Scene) {
	if n%4 != 2 || i != 2 || t.Turns[at].Whisper {
		return
	}
	f := Fact{Kind: Event, Subject: t.subject(), Marker: t.name(), Turn: at, Known: [2]bool{true, !sc.Away}}
	if !t.slot(&f) {
		return
	}
	kept := t.fact(f)
	kept.Ended, kept.How = at, "swiped"
	lead := ""
	if n%8 == 2 {
		lead = "The next morning we wake by the river. "
	}
	t.Turns[at].Swiped = lead + t.prose(20) + " " + kept.Sentence(false) + " " + t.prose(30)
}

// edit has the user write an earlier line again, in which a fact then is another.
func (t *author) edit(n, i, at int) {
	if n%5 != 3 || i != 3 {
		return
	}
	for was := at - 6; was > max(0, at-30); was-- {
		for _, f := range t.Turns[was].Facts {
			if t.edited[was] || f.Ended != 0 || f.Kind == Goal || !strings.Contains(t.Turns[was].User, f.Sentence(false)) ||
				slices.ContainsFunc(t.Facts, func(o *Fact) bool { return o.Replaces == f }) {
				continue
			}
			g := *f
			g.Marker, g.Turn = t.name(), at
			g.Replaces = f
			made := t.fact(g)
			f.How, t.edited[was] = "edited", true
			t.Turns[at].Edit = &Edit{was, strings.Replace(t.Turns[was].User, f.Sentence(false), made.Sentence(false), 1)}
			return
		}
	}
}
