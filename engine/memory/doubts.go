package memory

import (
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Doubted is a memory or a hook that holds and of which it is not sure that it does: the
// user is asked. End is why.
type Doubted struct {
	Memory storage.MemoryID
	Hook   storage.HookID
	Text   string
	From   []storage.Told
	End    storage.End
}

// Doubts are what is in doubt on the paths, in the order of making.
func (g *Paths) Doubts() (out []Doubted) {
	for _, m := range storage.Memories.All(g.tx, g.scope) {
		if h, known := g.memory(m); known && !m.Removed && h.over == nil && h.doubt != nil {
			out = append(out, Doubted{Memory: m.ID, Text: m.Content, From: m.Told, End: *h.doubt})
		}
	}
	for _, h := range storage.Hooks.All(g.tx, g.scope) {
		if h.Closed || h.Dropped {
			continue
		}
		told := g.on(h.Told)
		if _, over := g.knowers(told, h.Ends); len(told) == 0 || over != nil {
			continue
		}
		if e := g.doubtOf(told, h.Ends); e != nil {
			out = append(out, Doubted{Hook: h.ID, Text: h.Content, From: h.Told, End: *e})
		}
	}
	return out
}

// Settle answers whether something in doubt is over: where it is, it ends at the place of
// the doubt; where it is not, that is not asked again.
func Settle(tx *storage.Tx, scope storage.ScopeID, d Doubted, over bool, now time.Time) (Was, error) {
	if d.Hook != "" {
		h, err := storage.Hooks.Get(tx, scope, d.Hook)
		if err != nil {
			return Was{}, err
		}
		old := h
		h.Ends, h.UpdatedAt = settled(h.Ends, over), now
		return Was{Hook: &old, Now: h.Content}, storage.Hooks.Put(tx, scope, h)
	}
	m, err := storage.Memories.Get(tx, scope, d.Memory)
	if err != nil {
		return Was{}, err
	}
	old := m
	m.Ends, m.UpdatedAt = settled(m.Ends, over), now
	return Was{Memory: &old, Now: m.Content}, storage.Memories.Put(tx, scope, m)
}

// settled are ends whose doubts are answered.
func settled(ends []storage.End, over bool) []storage.End {
	ends = slices.Clone(ends)
	for i := range ends {
		if e := &ends[i]; e.Doubt && !e.Undone {
			e.Doubt, e.Undone = !over, !over
		}
	}
	return ends
}

// doubt adds a doubt about what an edited message has taught, in place of one of an
// earlier edit of that message.
func doubt(ends []storage.End, e storage.End) (out []storage.End, changed bool) {
	here := func(o storage.End) bool { return o.Kind == storage.Corrected && o.Chat == e.Chat && o.Node == e.Node }
	if slices.ContainsFunc(ends, func(o storage.End) bool { return here(o) && !o.Doubt && !o.Undone }) {
		return ends, false // it has ended
	}
	e.Doubt = true
	out = slices.DeleteFunc(slices.Clone(ends), func(o storage.End) bool { return here(o) && o.Doubt })
	out = append(out, e)
	return out[max(0, len(out)-mostEnds):], true
}

// undoubted are ends without the doubts of earlier edits of a message.
func undoubted(ends []storage.End, e storage.End) (out []storage.End, changed bool) {
	out = slices.Clone(ends)
	for i := range out {
		if o := &out[i]; o.Doubt && !o.Undone && o.Kind == storage.Corrected && o.Chat == e.Chat && o.Node == e.Node {
			o.Undone, changed = true, true
		}
	}
	return out, changed
}
