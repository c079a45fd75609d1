package activation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// slot is the place of an entry in the prompt, after its decorators. Fields that do not matter for
// its position are empty.
type slot struct {
	position storage.LorePosition
	depth    int
	role     storage.Role
	outlet   string
}

func (it *item) place() slot {
	e, d := it.e, it.c.deco
	s := slot{position: e.Position}
	role, depth := e.Role, e.Depth
	if d != nil {
		if d.position != nil {
			s.position = *d.position
		}
		if d.depth != nil {
			s.position, depth = storage.AtDepth, *d.depth
		}
		if d.role != nil {
			role = *d.role
		}
	}
	switch s.position {
	case storage.AtDepth:
		s.depth, s.role = max(depth, 0), role
	case storage.Outlet:
		s.outlet = e.Outlet
	}
	return s
}

// slotOrder is the order of the prompt: before the character, after it, examples, the notes, then
// the history from its beginning, and outlets.
var slotOrder = map[storage.LorePosition]int{
	storage.BeforeChar: 0, storage.AfterChar: 1, storage.BeforeExamples: 2, storage.AfterExamples: 3,
	storage.NoteTop: 4, storage.NoteBottom: 5, storage.AtDepth: 6, storage.Outlet: 7,
}

func (r *run) result() Result {
	out := Result{Effects: r.effects, Budget: r.budget, Used: r.used, Over: r.overBudget, Rounds: r.steps,
		Faults: r.faults}
	triggered := slices.SortedFunc(slices.Values(r.active), comparePlaces)
	out.Triggered = make([]Trace, 0, len(triggered))
	for _, c := range triggered {
		out.Triggered = append(out.Triggered, r.toTrace(c))
	}
	var lost []*candidate
	for _, c := range r.cands {
		if !c.active && r.isNotable(c) {
			lost = append(lost, c)
		}
	}
	slices.SortFunc(lost, func(a, b *candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, c := range lost {
		out.Lost = append(out.Lost, r.toTrace(c))
	}
	return out
}

// comparePlaces sorts entries by their place in the prompt: within a slot by order, and for the
// same order the last triggered first; in outlets the other way round.
func comparePlaces(a, b *candidate) int {
	x, y := &a.at, &b.at
	c := cmp.Or(cmp.Compare(slotOrder[x.position], slotOrder[y.position]), cmp.Compare(y.depth, x.depth),
		strings.Compare(string(x.role), string(y.role)), strings.Compare(x.outlet, y.outlet))
	order := cmp.Or(cmp.Compare(a.item.e.Order, b.item.e.Order), cmp.Compare(b.turn, a.turn))
	if x.position == storage.Outlet {
		order = -order
	}
	return cmp.Or(c, order)
}
