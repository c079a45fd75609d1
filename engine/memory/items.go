package memory

import (
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// item is a memory or a hook: what is done with both in the same way.
type item struct {
	memory *storage.Memory
	hook   *storage.Hook
}

// itemsOf are the memories and the hooks of a story, or those of one kind.
func itemsOf(tx *storage.Tx, scope storage.ScopeID, kind string) (out []item) {
	if kind != hookHome {
		for _, m := range storage.Memories.All(tx, scope) {
			out = append(out, item{memory: &m})
		}
	}
	if kind != memoryHome {
		for _, h := range storage.Hooks.All(tx, scope) {
			out = append(out, item{hook: &h})
		}
	}
	return out
}

// itemAt reads the memory or the hook at an address.
func itemAt(tx *storage.Tx, scope storage.ScopeID, a address) (item, error) {
	if a.kind == hookHome {
		h, err := storage.Hooks.Get(tx, scope, storage.HookID(a.record))
		return item{hook: &h}, err
	}
	m, err := storage.Memories.Get(tx, scope, storage.MemoryID(a.record))
	return item{memory: &m}, err
}

func (x item) address() address {
	if x.hook != nil {
		return address{kind: hookHome, record: string(x.hook.ID)}
	}
	return address{kind: memoryHome, record: string(x.memory.ID)}
}

func (x item) text() string {
	if x.hook != nil {
		return x.hook.Content
	}
	return x.memory.Content
}

func (x item) told() *[]storage.StoryPlace {
	if x.hook != nil {
		return &x.hook.Told
	}
	return &x.memory.Told
}

func (x item) ends() *[]storage.End {
	if x.hook != nil {
		return &x.hook.Ends
	}
	return &x.memory.Ends
}

// removed reports whether the user has removed a memory, or is done with a hook.
func (x item) removed() bool {
	if x.hook != nil {
		return x.hook.Closed || x.hook.Dropped
	}
	return x.memory.Removed
}

func (x item) updated() time.Time {
	if x.hook != nil {
		return x.hook.UpdatedAt
	}
	return x.memory.UpdatedAt
}

// put stores an item, which has changed now.
func (x item) put(tx *storage.Tx, scope storage.ScopeID, now time.Time) error {
	if x.hook != nil {
		x.hook.UpdatedAt = now
		return storage.Hooks.Put(tx, scope, *x.hook)
	}
	x.memory.UpdatedAt = now
	return storage.Memories.Put(tx, scope, *x.memory)
}

// find finds a memory or a hook by id, or a unique beginning or end of one.
func (svc *Service) find(scope storage.ScopeID, kind, ref string) (x item, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		var list []core.Named
		for _, x := range itemsOf(tx, scope, kind) {
			list = append(list, core.Named{ID: x.address().record, Name: failure.FirstRunes(x.text(), 40)})
		}
		id, err := ByEnds(kind, ref, list)
		if err != nil {
			return err
		}
		x, err = itemAt(tx, scope, address{kind: kind, record: id})
		return err
	})
	return x, err
}

// changeItems changes several memories or hooks, and returns how many did change.
func changeItems[I ~string](svc *Service, scope storage.ScopeID, kind string, ids []I,
	do func(x item) (changed bool, err error)) (n int, err error) {
	err = svc.changeStory("change "+kind, scope, func(tx *storage.Tx) error {
		n = 0
		for _, id := range ids {
			x, err := itemAt(tx, scope, address{kind: kind, record: string(id)})
			if err != nil {
				return err
			}
			changed, err := do(x)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			if err := x.put(tx, scope, svc.core.Config.Now()); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// keepTold adds a place where an item was told, and reports whether that changed anything.
func (x item) keepTold(tx *storage.Tx, scope storage.ScopeID, told storage.StoryPlace) (changed bool, err error) {
	list, changed := tellAgain(*x.told(), told)
	if !changed {
		return false, nil
	}
	*x.told() = spareTold(tx, told.Chat, list)
	if x.hook != nil {
		return true, storage.Hooks.Put(tx, scope, *x.hook)
	}
	return true, storage.Memories.Put(tx, scope, *x.memory)
}

// Was is a memory or a hook as it was before the user changed it, and its text since.
type Was struct {
	Memory  *storage.Memory `json:"memory,omitempty"`
	Hook    *storage.Hook   `json:"hook,omitempty"`
	Now     string          `json:"now"`
	Created bool            `json:"created,omitempty"` // there was none before
}

// was is an item as it is, to be put back later.
func (x item) was() Was {
	w := Was{Now: x.text()}
	if x.hook != nil {
		h := *x.hook
		w.Hook = &h
	} else {
		m := *x.memory
		w.Memory = &m
	}
	return w
}

// putBack makes a memory or a hook what it was; false where it says something else since,
// or is gone.
func (w Was) putBack(tx *storage.Tx, scope storage.ScopeID) (bool, error) {
	was := item{w.Memory, w.Hook}
	if was == (item{}) {
		return false, nil
	}
	x, err := itemAt(tx, scope, was.address())
	if err != nil || x.text() != w.Now {
		return false, nil //nolint:nilerr // what cannot be read is left as it is
	}
	switch {
	case w.Hook != nil:
		h := x.hook
		h.Content, h.Opener, h.Ends, h.Closed, h.Dropped = w.Hook.Content, w.Hook.Opener, w.Hook.Ends, w.Hook.Closed, w.Hook.Dropped
		return true, storage.Hooks.Put(tx, scope, *h)
	case w.Created:
		x.memory.Removed = true
	default:
		m := x.memory
		m.Content, m.Original, m.Ends, m.Removed, m.Told = w.Memory.Content, w.Memory.Original, w.Memory.Ends, w.Memory.Removed, w.Memory.Told
	}
	return true, storage.Memories.Put(tx, scope, *x.memory)
}

// step is what was done to a fact that is a memory or a hook.
func (svc *Service) step(f Fact, op string, scope storage.ScopeID, w Was) Step {
	return Step{f, func() error {
		return svc.changeStory("take back: "+op, scope, func(tx *storage.Tx) error {
			back, err := w.putBack(tx, scope)
			if err == nil && !back {
				err = failure.Refuse("it has changed since")
			}
			return err
		})
	}}
}

// reword puts other words in the place of an item's, or ends it where text is "". opener is how a
// hook may be brought up from now on.
func (x item) reword(tx *storage.Tx, scope storage.ScopeID, text, opener string, e storage.End) (Was, error) {
	w := x.was()
	switch {
	case text == "":
		*x.ends(), _ = addEnd(*x.ends(), e)
	case x.hook != nil:
		x.hook.Content, x.hook.Opener = failure.FirstRunes(text, longestMemory), failure.FirstRunes(opener, longestMemory)
	default:
		if x.memory.Original == "" {
			x.memory.Original = x.memory.Content
		}
		x.memory.Content = failure.FirstRunes(text, longestMemory)
	}
	w.Now = x.text()
	return w, x.put(tx, scope, e.At)
}

// itemEnd is an end of a memory or a hook.
type itemEnd struct {
	item
	end storage.End
}

// doubts are the memories and hooks that hold on the paths and of which the user is asked whether
// they do, with the reason.
func (g *Paths) doubts() (out []itemEnd) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if o := g.stands(*x.told(), *x.ends()); !x.removed() && o.holds() && o.Doubt != nil {
			out = append(out, itemEnd{x, *o.Doubt})
		}
	}
	return out
}

// replaced are the memories and hooks in whose place a model has put a memory, or may have: end says
// which, where it is known.
func (g *Paths) replaced() (out []itemEnd) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if x.memory != nil && x.memory.Removed || len(*x.ends()) == 0 || len(g.on(*x.told())) == 0 {
			continue
		}
		for _, e := range append(g.counting(*x.ends(), false), g.counting(*x.ends(), true)...) {
			if e.Kind == storage.Outdated && e.By != "" {
				out = append(out, itemEnd{x, e})
			}
		}
	}
	return out
}

// Over are the contents of what has ended on the paths for all who knew it: memories and
// hooks.
func (g *Paths) Over() (out []string) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if len(*x.ends()) > 0 && g.stands(*x.told(), *x.ends()).Over != nil {
			out = append(out, x.text())
		}
	}
	return out
}

// settle answers the doubts about an item: where it is over, it ends at the place of the doubt;
// where it is not, that is not asked again.
func (x item) settle(over bool) {
	ends := slices.Clone(*x.ends())
	for i := range ends {
		if e := &ends[i]; e.Doubt && !e.Undone {
			e.Doubt, e.Undone = !over, !over
		}
	}
	*x.ends() = ends
}

// mergeTold puts tellings together, each place once.
func mergeTold(a, b []storage.StoryPlace) []storage.StoryPlace {
	out := slices.Clone(a)
	for _, at := range b {
		if !slices.ContainsFunc(out, func(x storage.StoryPlace) bool { return x.Chat == at.Chat && x.Node == at.Node }) {
			out = append(out, at)
		}
	}
	return out
}

// CopyTold copies what a chat was told from one story to another, each under its own id, so that
// coming again adds nothing twice. Of the chat's own story all of it goes along, what the user said
// too.
func CopyTold(tx *storage.Tx, chat storage.ChatID, from, to storage.ScopeID) error {
	whole := from == storage.ScopeID(chat)
	for _, x := range itemsOf(tx, from, "") {
		told := slices.DeleteFunc(slices.Clone(*x.told()), func(at storage.StoryPlace) bool {
			return at.Chat != chat && (!whole || at.Chat != "" && at.Node != "")
		})
		if len(told) == 0 {
			continue
		}
		changed := x.updated()
		if have, err := itemAt(tx, to, x.address()); err == nil {
			told = mergeTold(*have.told(), told)
			if x.hook != nil {
				x.hook.Taken = mergeTold(have.hook.Taken, x.hook.Taken)
				have.hook.Taken = x.hook.Taken
			}
			if have.updated().After(changed) {
				x, changed = have, have.updated()
			}
		}
		*x.told() = told
		if err := x.put(tx, to, changed); err != nil {
			return err
		}
	}
	return nil
}
