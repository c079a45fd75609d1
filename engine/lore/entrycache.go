package lore

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryCache caches the entries of books, so that a turn reads only what has changed. It is safe
// for concurrent use.
type entryCache struct {
	mu     sync.Mutex
	books  map[storage.LorebookID]*cachedBook
	worlds map[storage.CharacterID]cachedWorld
	paths  map[storage.ChatID][]storage.NodeID // that were followed last, by depth
	made   int
}

// The maximum number of chats whose paths are cached, and of views per book.
const (
	maxPaths = 8
	maxSeen  = 4
)

// cachedBook is a book as it was read: the newest state of all its entries, and the entries on the
// paths that were used last.
type cachedBook struct {
	version int
	all     []storage.LoreEntry
	placed  []int // of all: those that differ from place to place
	seen    []bookOnPath
}

// bookOnPath are the entries of a book on a path, in the order of the file. They are shared and
// must not be changed. made differs for different entries.
type bookOnPath struct {
	entries []storage.LoreEntry
	chosen  []storage.RevisionID // the states of entries that differ by place
	made    int
}

type cachedWorld struct {
	updated time.Time
	name    string
}

// entries reads the entries of a book as they are on a path. The slice is
// shared: the caller must not change it.
func (r *entryCache) entries(tx *storage.Tx, b storage.Lorebook, t *trail) ([]storage.LoreEntry, error) {
	s, err := r.read(tx, b, t)
	return s.entries, err
}

func (r *entryCache) read(tx *storage.Tx, b storage.Lorebook, t *trail) (bookOnPath, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	have := r.books[b.ID]
	if have == nil || have.version != b.Version {
		// An Update may be rolled back, and then another state gets the same version. A View that
		// began earlier must not replace a newer one.
		keep := !tx.Writable() && (have == nil || have.version < b.Version)
		have = readAll(tx, b)
		if r.books == nil {
			r.books = map[storage.LorebookID]*cachedBook{}
		}
		if keep {
			r.books[b.ID] = have
		}
	}
	if len(have.placed) > 0 {
		r.extendTrail(t)
	}
	chosen := make([]storage.RevisionID, len(have.placed))
	for i, at := range have.placed {
		chosen[i], _ = stateOnPath(&have.all[at], t)
	}
	for _, s := range have.seen {
		if slices.Equal(chosen, s.chosen) {
			return s, nil
		}
	}
	list, err := have.on(tx, b.ID, chosen)
	if err != nil {
		return bookOnPath{}, err
	}
	r.made++
	s := bookOnPath{list, chosen, r.made}
	if len(have.seen) == maxSeen {
		have.seen = slices.Delete(have.seen, 0, 1)
	}
	have.seen = append(have.seen, s)
	return s, nil
}

// extendTrail loads the whole path of a trail. If a trail of the path was loaded before, only new
// messages are read: messages never change their parents.
func (r *entryCache) extendTrail(t *trail) {
	if t.path != nil || t.at == "" || len(t.seen) > 0 {
		return
	}
	known := r.paths[t.chat]
	var fresh []storage.NodeID // from the leaf up
	base := known[:0]
	for id, depth := t.at, -1; id != ""; {
		p, err := t.tx.NodeInfo(t.chat, id)
		if err != nil || depth >= 0 && p.Depth != depth-1 {
			return
		}
		if p.Depth < len(known) && known[p.Depth] == id {
			base = known[:p.Depth+1]
			break
		}
		fresh = append(fresh, id)
		id, depth = p.Parent, p.Depth
	}
	if t.path = base; len(fresh) == 0 {
		return
	}
	slices.Reverse(fresh)
	if len(base) < len(known) { // others may read the rest of the array
		base = slices.Clip(base)
	}
	t.path = append(base, fresh...)
	if r.paths == nil || len(r.paths) >= maxPaths {
		r.paths = map[storage.ChatID][]storage.NodeID{}
	}
	r.paths[t.chat] = t.path
}

func readAll(tx *storage.Tx, b storage.Lorebook) *cachedBook {
	out := &cachedBook{version: b.Version}
	for _, e := range storage.LoreEntries.All(tx, b.ID) {
		out.all = append(out.all, e)
	}
	slices.SortStableFunc(out.all, func(a, b storage.LoreEntry) int { return cmp.Compare(a.UID, b.UID) })
	for i := range out.all {
		if !out.all[i].Everywhere() {
			out.placed = append(out.placed, i)
		}
	}
	return out
}

// on returns the entries, with the states in chosen for the entries that differ by place; "" in
// chosen means that the entry does not exist there.
func (b *cachedBook) on(tx *storage.Tx, id storage.LorebookID,
	chosen []storage.RevisionID) ([]storage.LoreEntry, error) {
	out := make([]storage.LoreEntry, 0, len(b.all))
	next := 0
	for i, e := range b.all {
		if next < len(b.placed) && b.placed[next] == i {
			rev := chosen[next]
			if next++; rev == "" {
				continue
			}
			s, err := StateOf(tx, id, e, rev)
			if errors.Is(err, storage.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			e = s
		}
		if !e.Removed {
			out = append(out, e)
		}
	}
	return out, nil
}

// world returns the name of the book that a character's card refers to, "" for none.
func (r *entryCache) world(c storage.Character) string {
	if c.ID == "" || len(c.Source) == 0 {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	have, ok := r.worlds[c.ID]
	if !ok || !have.updated.Equal(c.UpdatedAt) {
		have = cachedWorld{c.UpdatedAt, strings.TrimSpace(formats.CardWorld(c.Source))}
		if r.worlds == nil {
			r.worlds = map[storage.CharacterID]cachedWorld{}
		}
		r.worlds[c.ID] = have
	}
	return have.name
}
