package voice

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// begins knows with which letters expressions begin. Those that begin with any word are left
// out: all of a reply may become what they match.
type begins struct {
	progs []*syntax.Prog
	start [][]uint32           // the steps with which each begins
	base  []int                // where the steps of each stand among all
	first [utf8.RuneSelf][]int // by letter, those that begin with it
	other []int                // those that may begin with another one
	steps int
}

const (
	// mostBegins bounds the steps of all expressions that are followed.
	mostBegins = 100_000
	// fewLetters is of how many letters one may begin with; a class of words has more.
	fewLetters = 24
	// leastBegun is how many bytes of an expression are worth holding back, mostBegun for how
	// many it is believed that it goes on.
	leastBegun = 5
	mostBegun  = 120
)

func newBegins(patterns []pattern) *begins {
	b := &begins{}
	for _, p := range patterns {
		if p.begins || b.steps+len(p.prog.Inst) > mostBegins {
			continue
		}
		pcs := closure(p.prog, uint32(p.prog.Start))
		var letters []int
		for c := range utf8.RuneSelf {
			if startsWith(p.prog, pcs, rune(c)) {
				letters = append(letters, c)
			}
		}
		if len(letters) > fewLetters || startsWith(p.prog, pcs, ' ') {
			continue
		}
		n := len(b.progs)
		b.progs, b.base, b.start = append(b.progs, p.prog), append(b.base, b.steps), append(b.start, pcs)
		b.steps += len(p.prog.Inst)
		for _, c := range letters {
			b.first[c] = append(b.first[c], n)
		}
		b.other = append(b.other, n)
	}
	return b
}

// closure are the steps that take a letter and are reached from one without any. What an
// expression asks of the place is taken to be so.
func closure(p *syntax.Prog, pc uint32) (list []uint32) {
	seen := map[uint32]bool{}
	todo := []uint32{pc}
	for len(todo) > 0 {
		pc, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := p.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			todo = append(todo, i.Out)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			list = append(list, pc)
		}
	}
	return list
}

func startsWith(p *syntax.Prog, pcs []uint32, r rune) bool {
	for _, pc := range pcs {
		if p.Inst[pc].MatchRune(r) {
			return true
		}
	}
	return false
}

// thread is an expression that has begun: where it stands, and where in the text it began.
type thread struct {
	prog int
	pc   uint32
	from int
}

// begun follows a folded text and keeps which expressions have begun and may go on.
type begun struct {
	now, next []thread
	seen      []int // by step, in which round it was reached
	round     int
	read      int
	todo      []uint32
}

// take reads what of a text is new.
func (f *begun) take(b *begins, plain []byte) {
	if len(b.progs) == 0 {
		return
	}
	if f.seen == nil {
		f.seen = make([]int, b.steps)
	}
	for f.read < len(plain) {
		r, n := utf8.DecodeRune(plain[f.read:])
		f.round++
		f.next = f.next[:0]
		for _, t := range f.now {
			if f.read-t.from < mostBegun && b.progs[t.prog].Inst[t.pc].MatchRune(r) {
				f.reach(b, t.prog, b.progs[t.prog].Inst[t.pc].Out, t.from)
			}
		}
		if before, _ := utf8.DecodeLastRune(plain[:f.read]); !inWord(before) && !unicode.IsSpace(r) {
			f.start(b, r)
		}
		f.now, f.next = f.next, f.now
		f.read += n
	}
}

// start begins the expressions that a letter begins.
func (f *begun) start(b *begins, r rune) {
	list := b.other
	if r < utf8.RuneSelf {
		list = b.first[r]
	}
	for _, n := range list {
		p := b.progs[n]
		for _, pc := range b.start[n] {
			if p.Inst[pc].MatchRune(r) {
				f.reach(b, n, p.Inst[pc].Out, f.read)
			}
		}
	}
}

// reach adds the steps of one expression that are reached from pc, once a letter: that which
// began first counts.
func (f *begun) reach(b *begins, prog int, pc uint32, from int) {
	p := b.progs[prog]
	f.todo = append(f.todo[:0], pc)
	for len(f.todo) > 0 {
		pc, f.todo = f.todo[len(f.todo)-1], f.todo[:len(f.todo)-1]
		if f.seen[b.base[prog]+int(pc)] == f.round {
			continue
		}
		f.seen[b.base[prog]+int(pc)] = f.round
		switch i := p.Inst[pc]; i.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			f.todo = append(f.todo, i.Out, i.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			f.todo = append(f.todo, i.Out)
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			f.next = append(f.next, thread{prog, pc, from})
		}
	}
}

// from is where in the folded text that begins which may become what an expression matches, -1
// for nowhere.
func (f *begun) from() int {
	least := -1
	for _, t := range f.now {
		if f.read-t.from >= leastBegun && (least < 0 || t.from < least) {
			least = t.from
		}
	}
	return least
}

// again goes back to where the text is another one than it was.
func (f *begun) again(to int) {
	if f.read > to {
		f.now, f.read = f.now[:0], to
	}
}
