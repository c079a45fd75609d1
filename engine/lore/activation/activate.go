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

// maxAsked is the maximum number of evaluations of entries, or of entries of a group, in all
// rounds: in a file whose groups let one entry through per round, all others are evaluated in each.
// Real books need far less.
const maxAsked = 4_000_000

// state is the purpose of a round of the loop.
type state uint8

const (
	initial        state = iota
	recursion            // the contents that triggered in the previous round are scanned too
	minActivations       // more messages are scanned, but no contents
	finished
)

// run is one activation.
type run struct {
	s    *Scan
	x    *Index
	in   Input
	set  *Settings
	keys []*keySet // of the books, in the order of the index

	// The scanned texts, filled in when first needed.
	messages []*part
	fields   [len(fieldNames)]*part
	injects  []*part
	rounds   []*round
	places   []place // of all parts, in the order of their arrival

	states []map[int32]*keyState // of each book's keys that were met

	cands   map[int32]*candidate
	pending []*candidate // that may still trigger, in their order
	woken   []*candidate // that came since pending was made
	active  []*candidate

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

// candidate is an entry that may trigger in an activation.
type candidate struct {
	item *item
	rank int32

	blocked        bool // whatever its keys say
	sticky, forced bool
	active, failed bool
	matched        bool // accepted, before group, chance and budget

	verdict Verdict
	why     string
	at      slot // of one that triggers
	turn    int  // how many triggered before it
	hits    []Hit
	round   int
	path    []string
	group   string
	text    string
	ready   bool // text is set
	tokens  int
}

// Activate finds the entries that trigger over in. The order of the steps is SillyTavern's, since
// imported books rely on it.
func (s *Scan) Activate(in Input) Result {
	s.now++
	r := &run{s: s, x: s.x, in: in, set: &s.x.settings, keys: s.keys(in.Expand),
		cands: map[int32]*candidate{}, cut: map[*pattern]string{}, faulted: map[keyRef]bool{}}
	for range r.keys {
		r.states = append(r.states, map[int32]*keyState{})
	}
	if r.in.Random == nil {
		r.in.Random = rand.New(rand.NewPCG(1, 2)).Float64
	}
	r.levels = s.x.levels
	if len(r.levels) > 0 {
		// The first level is on from the start, but still asks for a recursion.
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

// gather collects the scanned texts and the candidates.
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
	r.includeMessages(max(r.x.base, r.x.deepest))
	f := &r.in.Fields
	for i, text := range [...]string{f.Persona, f.Description, f.Personality, f.DepthPrompt, f.Scenario,
		f.CreatorNotes} {
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

// includeMessages adds messages down to a depth. A chat without messages is one empty segment.
func (r *run) includeMessages(depth int) {
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
func (r *run) candidate(at int32) *candidate {
	c := r.cands[at]
	if c == nil {
		c = r.newCand(at)
		r.cands[at] = c
		if !c.blocked {
			r.woken = append(r.woken, c)
		}
	}
	return c
}

func (r *run) newCand(at int32) *candidate {
	c := &candidate{item: &r.x.live[at], rank: at}
	_, c.sticky = r.sticky[at]
	c.verdict, c.why = r.blockedBy(c)
	c.blocked = c.verdict != ""
	if !c.blocked {
		c.verdict = NoMatch
	}
	return c
}

func (r *run) loop() {
	for r.state != finished {
		r.steps++
		hits := r.evaluate()
		// Sticky entries first: the budget must not make them flicker.
		slices.SortStableFunc(hits, func(a, b *candidate) int { return cmp.Compare(btoi(b.sticky), btoi(a.sticky)) })
		kept := r.groups(hits)
		spoken := r.applyBudget(kept)
		r.nextState(spoken)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// evaluate returns the candidates that trigger, in their order.
func (r *run) evaluate() []*candidate {
	r.pending = slices.DeleteFunc(r.pending, func(c *candidate) bool { return c.active || c.failed })
	if len(r.woken) > 0 {
		r.pending = append(r.pending, r.woken...)
		r.woken = nil
		slices.SortFunc(r.pending, func(a, b *candidate) int { return cmp.Compare(a.rank, b.rank) })
	}
	r.asked += len(r.pending)
	var hits []*candidate
	for _, c := range r.pending {
		if r.accepts(c) {
			c.matched = true
			hits = append(hits, c)
		}
	}
	return hits
}

func (r *run) view(it *item) view {
	return view{depth: it.depth(r.set, r.skew), fields: fieldsOf(it.e), rounds: r.state != minActivations}
}

// reject records why an entry does not trigger in a round and returns false. An entry that was
// about to trigger before keeps its earlier reason.
func (c *candidate) reject(v Verdict, why string) bool {
	if !c.matched {
		c.verdict, c.why = v, why
	}
	return false
}

// accepts reports whether an entry that is not blocked triggers in this round, before groups,
// chance and budget.
func (r *run) accepts(c *candidate) bool {
	e, deco := c.item.e, c.item.c.deco
	c.round = r.steps
	if level := e.DelayUntilRecursion; level > 0 && !c.sticky && (r.state != recursion || level > r.level) {
		return c.reject(Waiting, "")
	}
	// Delay levels apply even if recursion is off; then no entry is excluded.
	if r.state == recursion && r.set.Recursive && e.ExcludeRecursion && !c.sticky {
		return c.reject(Excluded, "")
	}
	v := r.view(c.item)
	switch {
	case deco != nil && deco.activate:
		c.why = "its decorator @@activate"
		return true
	case deco != nil && deco.never:
		return c.reject(Decorated, "its decorator @@dont_activate")
	case deco != nil && !c.sticky && !c.forced && !r.conditions(c, v):
		return c.reject(Decorated, c.why)
	case c.item.constant():
		c.why = "it is constant"
		return true
	case c.forced:
		c.why = "requested manually"
		return true
	case c.sticky:
		c.why = r.stickyReason(c)
		return true
	case c.item.c.primary == 0:
		return c.reject(NoKeys, "it has no keys")
	}
	return r.matches(c, v)
}

// conditions reports whether a decorator's keys allow the entry.
func (r *run) conditions(c *candidate, v view) bool {
	it := c.item
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
func (r *run) matches(c *candidate, v view) bool {
	it := c.item
	some := false
	for i := 0; i < it.c.primary && !some; i++ {
		_, some = r.match(it, v, i)
	}
	if !some {
		return c.reject(NoMatch, "")
	}
	if !r.secondary(it, v) {
		return c.reject(SecondaryFault, "")
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

// nextState sets the purpose of the next round.
func (r *run) nextState(spoken []*candidate) {
	was, next := r.state, finished
	r.state = finished
	if r.steps >= maxRounds || r.asked >= maxAsked || r.set.MaxSteps > 0 && r.steps >= r.set.MaxSteps {
		return
	}
	if r.set.Recursive && !r.overBudget && (len(spoken) > 0 || was == minActivations && len(r.rounds) > 0) {
		next = recursion
	}
	if next == finished && !r.overBudget && len(r.active) < r.set.MinActivations && r.canScanDeeper() {
		r.skew++
		r.includeMessages(r.x.base + r.skew)
		next = minActivations
	}
	if next == finished && len(r.levels) > 0 {
		next = recursion
		r.level, r.levels = r.levels[0], r.levels[1:]
	}
	if next != finished {
		r.addContents(spoken)
	}
	r.state = next
}

// canScanDeeper reports whether there are older messages that a minimum of activations may scan.
func (r *run) canScanDeeper() bool {
	depth := r.set.Depth + r.skew // the bound is for the depth scanned so far, not for the next
	return depth <= min(len(r.in.Messages), maxMessages) && (r.set.MaxDepth <= 0 || depth <= r.set.MaxDepth)
}

// addContents adds contents to the scanned text: one segment for the round.
func (r *run) addContents(spoken []*candidate) {
	if isEmptyRound(spoken) {
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
