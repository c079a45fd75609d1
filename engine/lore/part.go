package lore

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A book of thousands of entries is read in part: its keys are kept in one piece, and
// only the entries that they let pass are read and compiled. A program that has just
// started asks 10,000 entries in 10 ms and not in 300.

// leastInPart is how many entries a book has whose keys are kept.
const leastInPart = 500

// partBook is what a stage has read of a book so far.
type partBook struct {
	id      storage.LorebookID
	version int
	sieve   *activation.Sieve
	entries []storage.LoreEntry
	made    int // as of a loreBook; below 0
}

// keysKept tells whether a book can be read in part: whether its keys are kept as they
// are.
func keysKept(tx *storage.Tx, b storage.Lorebook) bool {
	version, packed := tx.LoreKeys(b.ID)
	return packed != nil && version == b.Version
}

// keepKeys keeps the keys of a large book beside the play, so that whoever asks next
// reads a part of it. It is tried once for each version. entries are all that it has, nil
// where they are still to be read.
func (svc *Service) keepKeys(b storage.Lorebook, entries []storage.LoreEntry) {
	if entries != nil && !worthKeeping(entries) || !svc.read.first(b) || !svc.core.Enter() {
		return
	}
	crash.Go("keeping keys", func() {
		defer svc.core.Work.Done()
		if entries == nil {
			_ = svc.core.Store.View(func(tx *storage.Tx) error { entries = readAll(tx, b).all; return nil })
		}
		if !worthKeeping(entries) {
			return
		}
		packed := activation.PackSieve(entries)
		err := svc.core.Store.Update(func(tx *storage.Tx) error {
			if now, err := storage.Lorebooks.Get(tx, b.ID); err != nil || now.Version != b.Version {
				return failure.IgnoreMissing(err)
			}
			return tx.PutLoreKeys(b.ID, b.Version, packed)
		})
		if err != nil {
			svc.core.Log.Warn("keys of a lorebook are not kept", "book", b.ID, "err", err)
		}
	})
}

func worthKeeping(entries []storage.LoreEntry) bool {
	return len(entries) >= leastInPart && !slices.ContainsFunc(entries, ofPlace)
}

// ofPlace tells whether an entry is asked by where in the story one stands.
func ofPlace(e storage.LoreEntry) bool { return !e.Everywhere() || len(e.Facts) > 0 }

func (s *loreStage) part(id storage.LorebookID) *partBook {
	i := slices.IndexFunc(s.parts, func(p *partBook) bool { return p.id == id })
	if i < 0 {
		return nil
	}
	return s.parts[i]
}

// open gives the books that are read in part the entries that were read before. One
// whose kept keys are damaged is read whole. The caller holds stage.mu.
func (svc *Service) open(tx *storage.Tx, stage *loreStage, books []loreBook) error {
	for i := range books {
		b := &books[i]
		if !b.inPart {
			continue
		}
		p := stage.part(b.ID)
		if p == nil || p.version != b.version {
			_, packed := tx.LoreKeys(b.ID)
			sieve, err := activation.OpenSieve(bytes.Clone(packed))
			if err != nil {
				if err := svc.readWhole(tx, b); err != nil {
					return err
				}
				continue
			}
			stage.parts = slices.DeleteFunc(stage.parts, func(p *partBook) bool { return p.id == b.ID })
			stage.parted++
			p = &partBook{id: b.ID, version: b.version, sieve: sieve, made: -stage.parted}
			stage.parts = append(stage.parts, p)
		}
		b.Entries, b.made = p.entries, p.made
	}
	return nil
}

func (svc *Service) readWhole(tx *storage.Tx, b *loreBook) error {
	book, err := storage.Lorebooks.Get(tx, b.ID)
	if err != nil {
		return err
	}
	seen, err := svc.read.read(tx, book, TrailOf(tx, "", "")) // none differs from place to place
	if err != nil {
		return err
	}
	b.Entries, b.made, b.inPart = seen.entries, seen.made, false
	svc.keepKeys(book, seen.entries)
	return nil
}

// activate finds what fires, and reads what that needs of the books that are read in
// part. stand are entries that fired before. The caller holds s.mu.
func (s *loreStage) activate(tx *storage.Tx, a *loreAsk, settings activation.Settings, stand []storage.EntryID) activation.Result {
	s.takeAll(tx, a.books, func(p *partBook) []storage.EntryID { return p.sieve.Start(&a.input, stand, p.id) })
	for {
		s.set(a.books, settings)
		a.input.Random = chance(a.chat, a.rolls)
		r := s.scan.Activate(a.input)
		if !s.takeAll(tx, a.books, func(p *partBook) []storage.EntryID { return p.sieve.Follow(&r) }) {
			return r
		}
	}
}

// takeAll reads more entries of the books that are read in part; false where there are
// none to read.
func (s *loreStage) takeAll(tx *storage.Tx, books []loreBook, which func(*partBook) []storage.EntryID) bool {
	more := false
	for i := range books {
		if b := &books[i]; b.inPart {
			p := s.part(b.ID)
			more = s.take(tx, p, which(p)) || more
			b.Entries, b.made = p.entries, p.made
		}
	}
	return more
}

func (s *loreStage) take(tx *storage.Tx, p *partBook, ids []storage.EntryID) bool {
	had := len(p.entries)
	list := slices.Clip(p.entries) // others may read it
	for _, id := range ids {
		// As where a book is read whole, a damaged entry is as if there were none.
		if e, err := storage.LoreEntries.Get(tx, p.id, id); err == nil && !e.Removed {
			list = append(list, e)
		}
	}
	if len(list) == had {
		return false
	}
	slices.SortStableFunc(list, func(a, b storage.LoreEntry) int { return cmp.Compare(a.UID, b.UID) })
	s.parted++
	p.entries, p.made = list, -s.parted
	return true
}
