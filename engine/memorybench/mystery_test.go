package memorybench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// failing are the checks of the mystery that do not hold yet, and what goes wrong. The
// list only gets shorter: a check on it that holds has to be taken off.
var failing = map[string]string{}

// mystery is a play of two voices in five scenes, with a secret, a correction, a scene
// whose recap comes late, a goal that is reached and a reply that is swiped away.
type mystery struct {
	*Story
	chart, secret, goal, won, debt, key, newKey, boat, swiped *Fact
}

func newMystery() *mystery {
	a := &author{&Story{Speakers: [2]string{"Ada", "Brona"}, markers: map[string]*Fact{}}, rand.New(rand.NewPCG(7, 7)), map[string]bool{}, map[int]bool{}, 0}
	m := &mystery{Story: a.Story}
	both := [2]bool{true, true}
	turn := func(speaker int, lead string, facts ...*Fact) *Turn {
		var told []string
		for _, f := range facts {
			told = append(told, f.Sentence(false))
		}
		a.Turns = append(a.Turns, Turn{Speaker: speaker, Facts: facts, User: strings.TrimSpace(strings.Join(append([]string{lead}, told...), " ") + " " + a.prose(25)), Reply: a.prose(90)})
		return &a.Turns[len(a.Turns)-1]
	}
	fact := func(kind Kind, topic int, subject, marker string, old *Fact) *Fact {
		return a.fact(Fact{Kind: kind, Topic: topic, Subject: subject, Marker: marker, Known: both, Turn: len(a.Turns), Replaces: old})
	}
	scene := func(late bool, turns func()) {
		sc := Scene{First: len(a.Turns), Late: late}
		turns()
		sc.End = len(a.Turns)
		a.Scenes = append(a.Scenes, sc)
	}
	scene(false, func() {
		turn(0, "")
		turn(1, "")
		m.chart = fact(Event, 2, "Mallet", "Tolven", nil)
		turn(1, "", m.chart)
		m.secret = fact(State, 0, "Clarrow", "Boatmere", nil)
		m.secret.Known, m.secret.Secret = [2]bool{true, false}, true
		turn(0, "", m.secret).Whisper = true
		m.goal = fact(Goal, 0, "Robard", "Silverick", nil)
		turn(1, "", m.goal)
	})
	scene(true, func() {
		m.debt = fact(Deadline, 0, "Mallet", "Thursk", nil)
		turn(0, fmt.Sprintf(skips, "lamp"), m.debt)
		m.boat = fact(Event, 0, "Clarrow", "Hennick", nil)
		turn(1, "", m.boat)
		m.key = fact(State, 1, "Robard", "Ostlow", nil)
		turn(0, "", m.key)
		turn(1, "")
	})
	scene(false, func() {
		turn(1, fmt.Sprintf(skips, "candle"))
		m.newKey = fact(State, 1, "Robard", "Westrow", m.key)
		turn(0, "", m.newKey)
		turn(1, "")
		turn(0, "")
	})
	scene(false, func() {
		turn(0, fmt.Sprintf(skips, "rope"))
		m.won = fact(Event, 0, "Robard", "Dunmoor", m.goal)
		turn(1, "", m.won)
		turn(0, "")
		turn(1, "")
	})
	scene(false, func() {
		turn(0, fmt.Sprintf(skips, "ledger"))
		turn(1, "")
		m.swiped = fact(Event, 3, "Mallet", "Grennock", nil)
		m.swiped.Ended, m.swiped.How = len(a.Turns), "swiped"
		turn(1, "").Swiped = "The next morning we wake by the river. " + a.prose(20) + " " + m.swiped.Sentence(false) + " " + a.prose(30)
		turn(0, "")
		turn(1, "")
		turn(0, "")
		turn(1, "")
	})
	return m
}

// played is a mystery that was played, with the prompts of its replies.
type played struct {
	*mystery
	asked  []Asked
	sights []promptFacts
	named  [2]map[string]promptFacts // what a speaker is told when a subject is named at the end
	f      *Results
}

func playMystery(t *testing.T, seed uint64) *played {
	p := &played{mystery: newMystery()}
	r := start(t, p.Story, Rates{}, seed)
	defer r.Shut()
	r.each = func(a Asked, s promptFacts) { p.asked, p.sights = append(p.asked, a), append(p.sights, s) }
	r.play()
	for speaker := range p.Speakers {
		p.named[speaker] = map[string]promptFacts{}
		for _, name := range []string{"Mallet", "Clarrow", "Robard"} {
			p.named[speaker][name] = r.probe(speaker, "What of "+name+"?")
		}
	}
	p.f = r.f
	return p
}

// knows reports whether a speaker is told a fact at the end when its subject is named.
func (p *played) knows(speaker int, facts ...*Fact) error {
	for _, f := range facts {
		if len(p.named[speaker][f.Subject].tellers[f]) == 0 {
			return fmt.Errorf("%s is not told that %s", p.Speakers[speaker], f.Sentence(false))
		}
	}
	return nil
}

// remembered finds the first prompt of a turn, or a later one, in which memory tells a
// fact; messages that say it do not count.
func (p *played) remembered(f *Fact, turn int) error {
	for i, s := range p.sights {
		at := slices.IndexFunc(s.tellers[f], func(t string) bool { return t != playedTeller })
		if p.asked[i].Turn >= turn && at >= 0 {
			return fmt.Errorf("turn %d, %s is told that %s by %s", p.asked[i].Turn, p.Speakers[p.asked[i].Speaker], f.Sentence(false), s.tellers[f][at])
		}
	}
	return nil
}

// check is something that has to be true of the mystery.
type check struct {
	name string
	of   func(p *played) error
}

var checks = []check{
	{"both know what both witnessed", func(p *played) error {
		for speaker := range p.Speakers {
			if err := p.knows(speaker, p.debt, p.boat, p.newKey, p.won); err != nil {
				return err
			}
		}
		return nil
	}},
	{"who heard the secret knows it", func(p *played) error { return p.knows(0, p.secret) }},
	{"nobody else is told the secret", func(p *played) error {
		for i, s := range p.sights {
			if p.asked[i].Speaker == 1 && len(s.tellers[p.secret]) > 0 {
				return fmt.Errorf("turn %d: Brona is told by %v", p.asked[i].Turn, s.tellers[p.secret])
			}
		}
		for name, s := range p.named[1] {
			if len(s.tellers[p.secret]) > 0 {
				return fmt.Errorf("naming %s, Brona is told by %v", name, s.tellers[p.secret])
			}
		}
		return nil
	}},
	{"a whisper hides nothing but itself", func(p *played) error { return p.knows(1, p.chart) }},
	{"a correction holds two turns later", func(p *played) error { return p.remembered(p.key, p.newKey.Turn+2) }},
	{"a recap that comes late overrules nothing", func(p *played) error {
		late := p.Scenes[3].End // it came after this
		for speaker := range p.Speakers {
			if err := p.knows(speaker, p.newKey); err != nil {
				return err
			}
		}
		return p.remembered(p.key, late)
	}},
	{"a goal that is reached is told no more", func(p *played) error { return p.remembered(p.goal, p.won.Turn+2) }},
	{"a fact is told once", func(p *played) error {
		for i, s := range p.sights {
			for f, tellers := range s.tellers {
				// What is unresolved or due now is said whatever else tells of it.
				tellers = slices.DeleteFunc(slices.Clone(tellers), func(t string) bool { return t == "Here and now" || strings.HasPrefix(t, "To bring up") })
				if len(tellers) > 1 {
					return fmt.Errorf("turn %d: that %s by %s", p.asked[i].Turn, f.Sentence(false), strings.Join(tellers, " + "))
				}
			}
		}
		return nil
	}},
	{"what was swiped away is told no more", func(p *played) error { return p.remembered(p.swiped, p.swiped.Turn+1) }},
	{"a late recap is in the memory all the same", func(p *played) error { return p.knows(0, p.boat, p.debt) }},
	{"no break stands where no scene ends", func(p *played) error {
		if p.f.Stray > 0 {
			return fmt.Errorf("%d breaks do", p.f.Stray)
		}
		return nil
	}},
	{"no work fails", func(p *played) error {
		if len(p.f.Faults) > 0 {
			return fmt.Errorf("%v", p.f.Faults)
		}
		return nil
	}},
}

func TestMystery(t *testing.T) {
	var plays [3]*played // by a careful model, which now and then finds another thing worth a word
	t.Run("plays", func(t *testing.T) {
		for i := range plays {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				plays[i] = playMystery(t, uint64(i))
			})
		}
	})
	if t.Failed() {
		return
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			var err error
			for _, p := range plays {
				err = cmp.Or(err, c.of(p))
			}
			why, known := failing[c.name]
			switch {
			case err != nil && known:
				t.Skipf("does not hold yet (%s): %v", why, err)
			case err != nil:
				t.Error(err)
			case known:
				t.Errorf("holds by now: take it off the list of what fails (%s)", why)
			}
		})
	}
	for name := range failing {
		if !slices.ContainsFunc(checks, func(c check) bool { return c.name == name }) {
			t.Errorf("no check is called %q", name)
		}
	}
}
