package memory

import (
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// item is a memory or a hook, for operations that treat both in the same way.
type item struct {
	memory *storage.Memory
	hook   *storage.Hook
}

// itemsOf returns the memories and the hooks of a story, or those of one kind.
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

func (x item) mentions() *[]storage.Mention {
	if x.hook != nil {
		return &x.hook.Mentions
	}
	return &x.memory.Mentions
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

// changeItems changes several memories or hooks, and returns the number of those that changed.
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

// addMention adds a mention to an item and reports whether that changed anything.
func (x item) addMention(tx *storage.Tx, scope storage.ScopeID, mention storage.Mention) (changed bool, err error) {
	list, changed := withMention(*x.mentions(), mention)
	if !changed {
		return false, nil
	}
	*x.mentions() = dropSpareMentions(tx, mention.Chat, list)
	if x.hook != nil {
		return true, storage.Hooks.Put(tx, scope, *x.hook)
	}
	return true, storage.Memories.Put(tx, scope, *x.memory)
}

// PreviousItem is a memory or a hook as it was before the user changed it, and its text since.
type PreviousItem struct {
	Memory  *storage.Memory `json:"memory,omitempty"`
	Hook    *storage.Hook   `json:"hook,omitempty"`
	NewText string          `json:"now"`
	Created bool            `json:"created,omitempty"` // there was none before
}

// previous returns an item as it is, to be put back later.
func (x item) previous() PreviousItem {
	w := PreviousItem{NewText: x.text()}
	if x.hook != nil {
		h := *x.hook
		w.Hook = &h
	} else {
		m := *x.memory
		w.Memory = &m
	}
	return w
}

// restore restores a memory or hook. It returns false if the item was changed since or is gone.
func (w PreviousItem) restore(tx *storage.Tx, scope storage.ScopeID) (bool, error) {
	was := item{w.Memory, w.Hook}
	if was == (item{}) {
		return false, nil
	}
	x, err := itemAt(tx, scope, was.address())
	if err != nil || x.text() != w.NewText {
		return false, nil //nolint:nilerr // an unreadable item is left unchanged
	}
	switch {
	case w.Hook != nil:
		h := x.hook
		h.Content, h.Opener, h.Ends, h.Closed, h.Dropped = w.Hook.Content, w.Hook.Opener, w.Hook.Ends, w.Hook.Closed,
			w.Hook.Dropped
		return true, storage.Hooks.Put(tx, scope, *h)
	case w.Created:
		x.memory.Removed = true
	default:
		m := x.memory
		m.Content, m.Original, m.Ends, m.Removed, m.Mentions = w.Memory.Content, w.Memory.Original, w.Memory.Ends,
			w.Memory.Removed, w.Memory.Mentions
	}
	return true, storage.Memories.Put(tx, scope, *x.memory)
}

// step returns the Step of a change to a fact that is a memory or a hook; undoing it restores w.
func (svc *Service) step(f Fact, op string, scope storage.ScopeID, w PreviousItem) Step {
	return Step{f, func() error {
		return svc.changeStory("take back: "+op, scope, func(tx *storage.Tx) error {
			back, err := w.restore(tx, scope)
			if err == nil && !back {
				err = failure.Refusef("it has changed since")
			}
			return err
		})
	}}
}

// reword changes the text of an item, or ends it if text is "". opener is the new opener of a hook.
func (x item) reword(tx *storage.Tx, scope storage.ScopeID, text, opener string, e storage.End) (PreviousItem, error) {
	w := x.previous()
	switch {
	case text == "":
		*x.ends(), _ = addEnd(*x.ends(), e)
	case x.hook != nil:
		x.hook.Content, x.hook.Opener = failure.FirstRunes(text, maxMemory), failure.FirstRunes(opener, maxMemory)
	default:
		if x.memory.Original == "" {
			x.memory.Original = x.memory.Content
		}
		x.memory.Content = failure.FirstRunes(text, maxMemory)
	}
	w.NewText = x.text()
	return w, x.put(tx, scope, e.At)
}

// itemEnd is an end of a memory or a hook.
type itemEnd struct {
	item
	end storage.End
}

// doubts returns the memories and hooks that hold on the paths and that the user must confirm, with
// the reason.
func (g *Paths) doubts() (out []itemEnd) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if o := g.status(*x.mentions(), *x.ends()); !x.removed() && o.holds() && o.Doubt != nil {
			out = append(out, itemEnd{x, *o.Doubt})
		}
	}
	return out
}

// replaced returns the memories and hooks that a model has replaced, or may have, with a memory;
// end names it if known.
func (g *Paths) replaced() (out []itemEnd) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if x.memory != nil && x.memory.Removed || len(*x.ends()) == 0 || len(g.on(*x.mentions())) == 0 {
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

// EndedTexts returns the texts of memories and hooks that have ended on the paths for all who knew
// them.
func (g *Paths) EndedTexts() (out []string) {
	for _, x := range itemsOf(g.tx, g.scope, "") {
		if len(*x.ends()) > 0 && g.status(*x.mentions(), *x.ends()).End != nil {
			out = append(out, x.text())
		}
	}
	return out
}

// answerDoubts answers the doubts about an item. If over is true, it ends at the place of the
// doubt; otherwise the question is not repeated.
func (x item) answerDoubts(over bool) {
	ends := slices.Clone(*x.ends())
	for i := range ends {
		if e := &ends[i]; e.Doubt && !e.Undone {
			e.Doubt, e.Undone = !over, !over
		}
	}
	*x.ends() = ends
}

// mergeMentions joins two lists of mentions, each place once.
func mergeMentions(a, b []storage.Mention) []storage.Mention {
	out := slices.Clone(a)
	for _, at := range b {
		if !slices.ContainsFunc(out, func(x storage.Mention) bool { return x.Chat == at.Chat && x.Node == at.Node }) {
			out = append(out, at)
		}
	}
	return out
}

// CopyMentions copies the memories and hooks that were mentioned in a chat from one story to
// another, with the same ids, so that copying again adds nothing. If from is the chat's own story,
// all of it is copied, including what the user added.
func CopyMentions(tx *storage.Tx, chat storage.ChatID, from, to storage.ScopeID) error {
	whole := from == storage.ScopeID(chat)
	for _, x := range itemsOf(tx, from, "") {
		mentions := slices.DeleteFunc(slices.Clone(*x.mentions()), func(at storage.Mention) bool {
			return at.Chat != chat && (!whole || at.Chat != "" && at.Node != "")
		})
		if len(mentions) == 0 {
			continue
		}
		changed := x.updated()
		if have, err := itemAt(tx, to, x.address()); err == nil {
			mentions = mergeMentions(*have.mentions(), mentions)
			if x.hook != nil {
				x.hook.TakenUp = mergeMentions(have.hook.TakenUp, x.hook.TakenUp)
				have.hook.TakenUp = x.hook.TakenUp
			}
			if have.updated().After(changed) {
				x, changed = have, have.updated()
			}
		}
		*x.mentions() = mentions
		if err := x.put(tx, to, changed); err != nil {
			return err
		}
	}
	return nil
}
