package memory

import (
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// kept is a kind of thing that is kept of a story, memories or hooks: what is done
// with both in the same way.
type kept[I ~string, R any] struct {
	table   storage.ScopeTable[I, R]
	noun    string
	content func(r *R) string
	told    func(r *R) *[]storage.Told
	updated func(r *R) *time.Time
	ends    func(r *R) *[]storage.End
}

var (
	memories = kept[storage.MemoryID, storage.Memory]{storage.Memories, "memory",
		func(m *storage.Memory) string { return m.Content },
		func(m *storage.Memory) *[]storage.Told { return &m.Told },
		func(m *storage.Memory) *time.Time { return &m.UpdatedAt },
		func(m *storage.Memory) *[]storage.End { return &m.Ends }}
	hooks = kept[storage.HookID, storage.Hook]{storage.Hooks, "hook",
		func(h *storage.Hook) string { return h.Content },
		func(h *storage.Hook) *[]storage.Told { return &h.Told },
		func(h *storage.Hook) *time.Time { return &h.UpdatedAt },
		func(h *storage.Hook) *[]storage.End { return &h.Ends }}
)

// all are those of a story.
func (k kept[I, R]) all(tx *storage.Tx, scope storage.ScopeID) (list []R) {
	for _, r := range k.table.All(tx, scope) {
		list = append(list, r)
	}
	return list
}

// find finds one by id, or a unique beginning or end of one.
func (k kept[I, R]) find(svc *Service, scope storage.ScopeID, ref string) (r R, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		var list []core.Named
		for id, r := range k.table.All(tx, scope) {
			list = append(list, core.Named{ID: string(id), Name: failure.FirstRunes(k.content(&r), 40)})
		}
		found, err := ByEnds(k.noun, ref, list)
		if err != nil {
			return err
		}
		r, err = k.table.Get(tx, scope, I(found))
		return err
	})
	return r, err
}

// change changes several, and tells how many did change.
func (k kept[I, R]) change(svc *Service, op string, scope storage.ScopeID, ids []I, do func(r *R) (changed bool, err error)) (n int, err error) {
	err = svc.changeStory(op, scope, func(tx *storage.Tx) error {
		n = 0
		for _, id := range ids {
			r, err := k.table.Get(tx, scope, id)
			if err != nil {
				return err
			}
			changed, err := do(&r)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			*k.updated(&r) = svc.core.Config.Now()
			if err := k.table.Put(tx, scope, r); err != nil {
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

// keep keeps what was found at a place: as another telling of that one of known
// which says the same, else as the one that is made. It tells whether that changed
// anything.
func (k kept[I, R]) keep(tx *storage.Tx, scope storage.ScopeID, known *[]R, told storage.Told, same func(r R) bool, made func() R) (changed bool, err error) {
	at := slices.IndexFunc(*known, same)
	if at < 0 {
		at = len(*known)
		*known = append(*known, made())
	}
	r := &(*known)[at]
	list, again := tellAgain(*k.told(r), told)
	if !again {
		return false, nil
	}
	*k.told(r) = spareTold(tx, told.Chat, list)
	return true, k.table.Put(tx, scope, *r)
}

// read reads what is kept of a story. may tells whether the next prompt may tell
// what these have witnessed, that of Query.As where one is named; of a whole series there
// is none.
func (svc *Service) read(op string, ask Query, f func(a asked, may func(witnesses []storage.CharacterID) bool)) error {
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		a, err := askedOf(tx, ask)
		if err != nil {
			return err
		}
		m := chats.Moment{Chat: a.story, Scope: a.scope}
		if chats.Several(a.story) {
			if m.Speaker = ask.As; m.Speaker == "" {
				m.Speaker, _ = svc.Speakers.NextSpeaker(tx, a.story, a.leaf)
			}
		}
		f(a, func(witnesses []storage.CharacterID) bool { return a.story.ID != "" && m.May(witnesses) })
		return nil
	})
	if err != nil {
		return failure.Fail(op, err)
	}
	return nil
}
