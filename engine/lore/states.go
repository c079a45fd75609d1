package lore

import (
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// trail reports whether messages are on a path. It walks up the tree only as far as needed.
type trail struct {
	tx   *storage.Tx
	chat storage.ChatID
	at   storage.NodeID // the next message to read
	low  int            // the depth of the last that was looked at
	seen map[storage.NodeID]bool
	path []storage.NodeID // the whole path by depth, if known
}

// NewTrail returns the path from a message to the root. It is read only as far as needed.
func NewTrail(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) *trail {
	return &trail{tx: tx, chat: chat, at: leaf, low: 1 << 30, seen: map[storage.NodeID]bool{}}
}

// Holds reports whether the message id, at a depth, lies on the path. "" is
// everywhere.
func (t *trail) Holds(id storage.NodeID, depth int) bool {
	if t.path != nil {
		return id == "" || depth < len(t.path) && t.path[depth] == id
	}
	for id != "" && t.at != "" && t.low > depth {
		p, err := t.tx.NodeInfo(t.chat, t.at)
		if err != nil {
			t.at = ""
			break
		}
		t.seen[t.at] = true
		t.low, t.at = p.Depth, p.Parent
	}
	return id == "" || t.seen[id]
}

// stateOnPath finds the state of an entry that counts on a path: the deepest one whose place is on
// it, and the newest of several at the same depth. ok is false if the path has none.
func stateOnPath(e *storage.LoreEntry, t *trail) (rev storage.RevisionID, ok bool) {
	best := -1
	for _, p := range append(e.Past[:len(e.Past):len(e.Past)],
		storage.LorePast{Revision: e.Revision, At: e.At, AtDepth: e.AtDepth}) {
		depth := p.AtDepth
		if p.At == "" {
			depth = 0
		}
		if depth >= best && t.Holds(p.At, p.AtDepth) {
			rev, best, ok = p.Revision, depth, true
		}
	}
	return rev, ok
}

// StateOf reads one state of an entry. Its Past is that of the whole entry.
func StateOf(tx *storage.Tx, book storage.LorebookID, e storage.LoreEntry,
	rev storage.RevisionID) (storage.LoreEntry, error) {
	if rev == e.Revision {
		return e, nil
	}
	r, err := storage.LoreRevisions.Get(tx, book, rev)
	if err != nil {
		return storage.LoreEntry{}, err
	}
	r.State.Past = e.Past
	return r.State, nil
}

// errNoEntry reports that an entry does not exist at a place.
var errNoEntry = errors.New("there is no such entry here")

// entryAt reads an entry in its state on a path; the error is errNoEntry if it does not exist
// there.
func entryAt(tx *storage.Tx, book storage.LorebookID, id storage.EntryID, t *trail) (storage.LoreEntry, error) {
	e, err := storage.LoreEntries.Get(tx, book, id)
	if err != nil {
		return e, err
	}
	return entryOnPath(tx, book, e, t)
}

// entryOnPath returns an entry as it is on a path.
func entryOnPath(tx *storage.Tx, book storage.LorebookID, e storage.LoreEntry, t *trail) (storage.LoreEntry, error) {
	rev, ok := stateOnPath(&e, t)
	if !ok {
		return e, errNoEntry
	}
	s, err := StateOf(tx, book, e, rev)
	if err == nil && s.Removed {
		return s, errNoEntry
	}
	return s, err
}

// putState makes a state the newest of its entry. The state has the place where it is valid; Before
// is the state that it is derived from. The previous newest state is kept as a revision.
func (svc *Service) putState(tx *storage.Tx, book storage.LorebookID, s storage.LoreEntry) (storage.LoreEntry, error) {
	s.Past = nil
	s.Revision, s.UpdatedAt = storage.RevisionID(storage.NewID()), svc.core.Config.Now()
	if s.ID == "" {
		s.ID = storage.EntryID(storage.NewID())
	}
	old, err := storage.LoreEntries.Get(tx, book, s.ID)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		s.CreatedAt = s.UpdatedAt
	case err != nil:
		return s, err
	default:
		s.Past = append(old.Past, storage.LorePast{Revision: old.Revision, At: old.At, AtDepth: old.AtDepth})
		old.Past = nil
		if err := storage.LoreRevisions.Put(tx, book, storage.LoreRevision{ID: old.Revision, State: old}); err != nil {
			return s, err
		}
	}
	return s, storage.LoreEntries.Put(tx, book, s)
}

// touchBook increments a book's version, so that everything derived from it is rebuilt.
func (svc *Service) touchBook(tx *storage.Tx, book storage.LorebookID,
	f func(*storage.Lorebook) error) (storage.Lorebook, error) {
	b, err := storage.Lorebooks.Get(tx, book)
	if err != nil {
		return b, err
	}
	if f != nil {
		if err := f(&b); err != nil {
			return b, err
		}
	}
	b.Version++
	b.UpdatedAt = svc.core.Config.Now()
	return b, storage.Lorebooks.Put(tx, book, b)
}

// loreTrail returns the path that a book is seen on: that of the chat whose book it is, else that
// of the chat named.
func loreTrail(tx *storage.Tx, b storage.Lorebook, chat storage.ChatID) *trail {
	if b.Chat != "" {
		chat = b.Chat
	}
	if chat == "" {
		return NewTrail(tx, "", "")
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return NewTrail(tx, "", "")
	}
	return NewTrail(tx, chat, c.Head)
}

// changeLore changes entries of a book in one transaction and emits Changed. f gets the book and
// the path on which it is seen.
func (svc *Service) changeLore(op string, book storage.LorebookID, chat storage.ChatID,
	f func(tx *storage.Tx, b *storage.Lorebook, t *trail) error) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		_, err := svc.touchBook(tx, book, func(b *storage.Lorebook) error { return f(tx, b, loreTrail(tx, *b, chat)) })
		return err
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{Book: book})
	return nil
}

// makeGlobal makes the entries of a book that leaves its chat valid everywhere, as they are on the
// chat's path. Entries that are not there are removed; all keep their histories.
func (svc *Service) makeGlobal(tx *storage.Tx, b storage.Lorebook) error {
	t := loreTrail(tx, b, "")
	for _, x := range storage.LoreEntries.All(tx, b.ID) {
		if x.Everywhere() {
			continue
		}
		here, err := entryOnPath(tx, b.ID, x, t)
		if err != nil && !errors.Is(err, errNoEntry) {
			return err
		}
		next := here
		next.ID, next.Before, next.At, next.AtDepth, next.Removed = x.ID, here.Revision, "", 0, err != nil
		next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: b.Chat}
		if next, err = svc.putState(tx, b.ID, next); err != nil {
			return err
		}
		for i := range next.Past {
			next.Past[i].At, next.Past[i].AtDepth = "", 0
		}
		if err := storage.LoreEntries.Put(tx, b.ID, next); err != nil {
			return err
		}
	}
	return nil
}
