package activation

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxRounds bounds the loop. Books do with a handful of rounds; a file made to
// wake one entry a round must not take a second for each.
const maxRounds = 2000

// maxAsked bounds how often in all rounds an entry, or a group of one, is looked
// at: a file whose groups let through one entry a round has all others looked at in
// each. It is far beyond what real books need.
const maxAsked = 4_000_000

// state is what a round of the loop is for.
type state uint8

const (
	initial        state = iota
	recursion            // what fired in the round before is scanned too
	minActivations       // further back in the messages, without what fired
	finished
)

// run is one activation.
type run struct {
	s    *Scan
	x    *Index
	in   Input
	set  *Settings
	keys []*keySet // of the books, in the order of the index

	// What is scanned, as far as it was needed so far.
	messages []*part
	fields   [len(fieldNames)]*part
	injects  []*part
	rounds   []*round
	places   []place // of all parts, in the order in which they came

	states []map[int32]*keyState // of each book's keys that were met

	cands   map[int32]*cand
	pending []*cand // that may still fire, in their order
	woken   []*cand // that came since pending was made
	active  []*cand

	state      state
	skew       int   // further back than the depth
	level      int   // of delays until recursion
	levels     []int // yet to come
	steps      int
	asked      int // in all rounds
	budget     int
	carry      int // tokens of earlier rounds that count
	used       int
	overBudget bool

	sticky, cooling map[int32]int // to which message effects last
	effects         []storage.LoreEffect

	spent   time.Duration // by regexes
	cut     map[*pattern]string
	faulted map[keyRef]bool
	faults  []Fault
}

// cand is an entry that may fire in an activation.
type cand struct {
	it   *item
	rank int32

	barred         bool // whatever its keys say
	sticky, forced bool
	active, failed bool
	hit            bool // accepted, before group, chance and budget

	verdict Verdict
	why     string
	at      slot // of one that fires
	turn    int  // how many fired before it
	hits    []Hit
	round   int
	path    []string
	group   string
	text    string
	ready   bool // text is set
	tokens  int
}

// Activate finds what fires over in. The order of what follows is the
// ecosystem's, odd as it may be in places, because imported books rely on it.
func (s *Scan) Activate(in Input) Result {
	s.now++
	r := &run{s: s, x: s.x, in: in, set: &s.x.settings, keys: s.keys(in.Expand),
		cands: map[int32]*cand{}, cut: map[*pattern]string{}, faulted: map[keyRef]bool{}}
	for range r.keys {
		r.states = append(r.states, map[int32]*keyState{})
	}
	if r.in.Random == nil {
		r.in.Random = rand.New(rand.NewPCG(1, 2)).Float64
	}
	r.levels = s.x.levels
	if len(r.levels) > 0 {
		// The first level is on from the start, but asks for a recursion all the same.
		r.level, r.levels = r.levels[0], r.levels[1:]
	}
	r.budget = budgetOf(r.set, in.Context)
	r.timed()
	r.gather()
	r.loop()
	r.startEffects()
	s.last = r
	s.sweep()
	return r.result()
}

// gather collects what is scanned and who may fire.
func (r *run) gather() {
	for _, at := range r.x.always {
		r.candidate(at)
	}
	for at := range r.sticky {
		r.candidate(at)
	}
	for id, on := range r.in.Force {
		if at := r.x.find(id); on && at >= 0 {
			r.candidate(at).forced = true
		}
	}
	for no, keys := range r.keys {
		for _, id := range keys.always {
			r.key(no, id)
		}
		for _, e := range keys.blank {
			r.candidate(r.x.rank[no][e])
		}
		if len(r.x.books[no].macros) == 0 {
			continue
		}
		for _, f := range keys.faults {
			if hasMacro(f.key) {
				r.faults = append(r.faults, r.x.live[r.x.rank[no][f.entry]].fault(f.key, f.text))
			}
		}
	}
	r.reach(max(r.x.base, r.x.deepest))
	f := &r.in.Fields
	for i, text := range [...]string{f.Persona, f.Description, f.Personality, f.DepthPrompt, f.Scenario, f.CreatorNotes} {
		if text != "" && r.x.fields>>i&1 != 0 {
			r.fields[i] = r.s.part(marked, "", text)
			r.add(r.fields[i], place{kind: inField, at: int32(i)})
		}
	}
	for _, text := range r.in.Injects {
		p := r.s.part(marked, "", text)
		r.add(p, place{kind: inInject, at: int32(len(r.injects))})
		r.injects = append(r.injects, p)
	}
}

// reach takes in messages down to a depth. A chat without any is one empty
// segment.
func (r *run) reach(depth int) {
	depth = min(depth, len(r.in.Messages), maxMessages)
	for i := len(r.messages); i < depth; i++ {
		m := &r.in.Messages[i]
		var p *part
		if r.set.IncludeNames {
			p = r.s.part(named, m.Name, m.Text)
		} else {
			p = r.s.part(said, "", m.Text)
		}
		r.messages = append(r.messages, p)
		r.add(p, place{kind: inMessage, at: int32(i)})
	}
	if len(r.in.Messages) == 0 && len(r.messages) == 0 {
		r.messages = append(r.messages, r.s.part(marked, "", ""))
		r.add(r.messages[0], place{kind: inMessage})
	}
}

// candidate returns the candidate at a place in live.
func (r *run) candidate(at int32) *cand {
	c := r.cands[at]
	if c == nil {
		c = r.newCand(at)
		r.cands[at] = c
		if !c.barred {
			r.woken = append(r.woken, c)
		}
	}
	return c
}

func (r *run) newCand(at int32) *cand {
	c := &cand{it: &r.x.live[at], rank: at}
	_, c.sticky = r.sticky[at]
	c.verdict, c.why = r.bar(c)
	c.barred = c.verdict != ""
	if !c.barred {
		c.verdict = NoMatch
	}
	return c
}

func (r *run) loop() {
	for r.state != finished {
		r.steps++
		hits := r.ask()
		// Sticky entries first: the budget must not make them flicker.
		slices.SortStableFunc(hits, func(a, b *cand) int { return cmp.Compare(btoi(b.sticky), btoi(a.sticky)) })
		kept := r.groups(hits)
		spoken := r.spend(kept)
		r.next(spoken)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ask is who of those that may still fire does, in their order.
func (r *run) ask() []*cand {
	r.pending = slices.DeleteFunc(r.pending, func(c *cand) bool { return c.active || c.failed })
	if len(r.woken) > 0 {
		r.pending = append(r.pending, r.woken...)
		r.woken = nil
		slices.SortFunc(r.pending, func(a, b *cand) int { return cmp.Compare(a.rank, b.rank) })
	}
	r.asked += len(r.pending)
	var hits []*cand
	for _, c := range r.pending {
		if r.accepts(c) {
			c.hit = true
			hits = append(hits, c)
		}
	}
	return hits
}

func (r *run) view(it *item) view {
	return view{depth: it.depth(r.set, r.skew), fields: fieldsOf(it.e), rounds: r.state != minActivations}
}

// no notes why an entry does not fire in a round, and is false. One that was
// about to fire before keeps the reason why it did not.
func (c *cand) no(v Verdict, why string) bool {
	if !c.hit {
		c.verdict, c.why = v, why
	}
	return false
}

// accepts reports whether an entry that is not barred fires in this round, before
// groups, chance and budget have their say.
func (r *run) accepts(c *cand) bool {
	e, deco := c.it.e, c.it.c.deco
	c.round = r.steps
	if level := e.DelayUntilRecursion; level > 0 && !c.sticky && (r.state != recursion || level > r.level) {
		return c.no(Waiting, "")
	}
	// Levels of delay come even where recursion is off, and there nobody is excluded.
	if r.state == recursion && r.set.Recursive && e.ExcludeRecursion && !c.sticky {
		return c.no(Excluded, "")
	}
	v := r.view(c.it)
	switch {
	case deco != nil && deco.activate:
		c.why = "its decorator @@activate"
		return true
	case deco != nil && deco.never:
		return c.no(Decorated, "its decorator @@dont_activate")
	case deco != nil && !c.sticky && !c.forced && !r.conditions(c, v):
		return c.no(Decorated, c.why)
	case c.it.constant():
		c.why = "it is constant"
		return true
	case c.forced:
		c.why = "requested manually"
		return true
	case c.sticky:
		c.why = r.stays(c)
		return true
	case c.it.c.primary == 0:
		return c.no(NoKeys, "it has no keys")
	}
	return r.matches(c, v)
}

// conditions reports whether a decorator's keys allow the entry.
func (r *run) conditions(c *cand, v view) bool {
	it := c.it
	at := it.c.primary + it.c.secondary
	end := at + it.c.additional
	ok := at == end
	for i := at; i < end && !ok; i++ {
		_, ok = r.match(it, v, i)
	}
	if !ok {
		c.why = "none of the keys of its decorator @@additional_keys matched"
		return false
	}
	for i := end; i < len(r.keys[it.no].ids[it.at]); i++ {
		if p, ok := r.match(it, v, i); ok {
			c.why = "“" + it.keyText(i) + "” of its decorator @@exclude_keys matched " + r.where(p)
			return false
		}
	}
	return true
}

// matches reports whether the entry's keys allow it.
func (r *run) matches(c *cand, v view) bool {
	it := c.it
	some := false
	for i := 0; i < it.c.primary && !some; i++ {
		_, some = r.match(it, v, i)
	}
	if !some {
		return c.no(NoMatch, "")
	}
	if !r.secondary(it, v) {
		return c.no(SecondaryFault, "")
	}
	return true
}

// secondary reports whether the secondary keys allow the entry.
func (r *run) secondary(it *item, v view) bool {
	n := it.c.secondary
	if n == 0 || !it.e.Selective {
		return true
	}
	logic := it.e.Logic
	for i := range n {
		_, ok := r.match(it, v, it.c.primary+i)
		switch {
		case ok && logic == storage.AndAny, !ok && logic == storage.NotAll:
			return true
		case ok && logic == storage.NotAny, !ok && logic == storage.AndAll:
			return false
		}
	}
	return logic == storage.NotAny || logic == storage.AndAll
}

// next settles what the next round is for.
func (r *run) next(spoken []*cand) {
	was, next := r.state, finished
	r.state = finished
	if r.steps >= maxRounds || r.asked >= maxAsked || r.set.MaxSteps > 0 && r.steps >= r.set.MaxSteps {
		return
	}
	if r.set.Recursive && !r.overBudget && (len(spoken) > 0 || was == minActivations && len(r.rounds) > 0) {
		next = recursion
	}
	if next == finished && !r.overBudget && len(r.active) < r.set.MinActivations && r.deeper() {
		r.skew++
		r.reach(r.x.base + r.skew)
		next = minActivations
	}
	if next == finished && len(r.levels) > 0 {
		next = recursion
		r.level, r.levels = r.levels[0], r.levels[1:]
	}
	if next != finished {
		r.speak(spoken)
	}
	r.state = next
}

// deeper reports whether there are messages further back that a minimum of
// activations may look at.
func (r *run) deeper() bool {
	depth := r.set.Depth + r.skew // the bound is for where it looked, not for where it will
	return depth <= min(len(r.in.Messages), maxMessages) && (r.set.MaxDepth <= 0 || depth <= r.set.MaxDepth)
}

// speak makes contents part of what is scanned: one segment for the round.
func (r *run) speak(spoken []*cand) {
	if silentRound(spoken) {
		return
	}
	o := &round{}
	for i, c := range spoken {
		f := asIs // only a new line is before it
		if i == 0 {
			f = marked
		}
		o.parts = append(o.parts, r.s.part(f, "", c.text))
		o.from = append(o.from, c)
	}
	r.rounds = append(r.rounds, o)
	for i, p := range o.parts {
		r.add(p, place{inEntry, int32(len(r.rounds) - 1), int32(i)})
	}
}
