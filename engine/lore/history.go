package lore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Rename gives an entry another name. The old one becomes an alias, and the
// head of a PList is renamed with it.
func (svc *Service) Rename(book storage.LorebookID, chat storage.ChatID, id storage.EntryID, name string) error {
	return svc.changeEntry("rename entry", book, chat, id, func(x *storage.LoreEntry) error {
		name := failure.FirstRunes(strings.Join(strings.Fields(name), " "), maxBookName)
		if name == "" {
			return failure.Refusef("an entry needs a name")
		}
		renameEntry(x, name)
		return nil
	})
}

// renameEntry makes name an entry's name and its old name an alias.
func renameEntry(x *storage.LoreEntry, name string) {
	if x.Name == name {
		return
	}
	x.Content = plist.Rename(x.Content, x.Name, name)
	x.Aliases = slices.DeleteFunc(tidyList(append([]string{x.Name}, x.Aliases...)),
		func(a string) bool { return a == name })
	x.Name = name
}

// changeEntry makes a new state of an entry by the user's hand.
func (svc *Service) changeEntry(op string, book storage.LorebookID, chat storage.ChatID, id storage.EntryID,
	f func(*storage.LoreEntry) error) error {
	return svc.changeLore(op, book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		old, err := entryAt(tx, book, id, t)
		if err != nil {
			return err
		}
		next := old
		next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		if err := f(&next); err != nil {
			return err
		}
		_, err = svc.putAfter(tx, book, old, next)
		return err
	})
}

// Merge joins two entries of a book: the facts, keys and aliases of from go
// into the other one, and from is removed. Both histories keep what was before.
func (svc *Service) Merge(book storage.LorebookID, chat storage.ChatID, into, from storage.EntryID) error {
	if into == from {
		return failure.Wrap("merge entries", failure.Refusef("an entry cannot be merged with itself"))
	}
	return svc.changeLore("merge entries", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		a, err := entryAt(tx, book, into, t)
		if err != nil {
			return err
		}
		b, err := entryAt(tx, book, from, t)
		if err != nil {
			return err
		}
		cause := storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		joined, gone := a, b
		joined.Content = plist.Merge(a.Content, b.Content)
		joined.Keys = tidyList(append(slices.Clone(a.Keys), b.Keys...))
		joined.SecondaryKeys = tidyList(append(slices.Clone(a.SecondaryKeys), b.SecondaryKeys...))
		names := append(slices.Clone(a.Aliases), append([]string{b.Name}, b.Aliases...)...)
		joined.Aliases = slices.DeleteFunc(tidyList(names), func(n string) bool { return n == a.Name })
		joined.Facts = factsLeft(append(slices.Clone(a.Facts), b.Facts...), joined.Content)
		fill.MergeKnowers(&joined, &a, &b)
		joined.Cause, gone.Cause, gone.Removed = cause, cause, true
		if err := checkEntry(&joined); err != nil {
			return err
		}
		return svc.putMerged(tx, book, []storage.LoreEntry{a, b}, []storage.LoreEntry{joined, gone})
	})
}

// putMerged stores states that were made together from several entries. They are valid where all of
// these are, so that no place has one without the other.
func (svc *Service) putMerged(tx *storage.Tx, book storage.LorebookID, old, next []storage.LoreEntry) error {
	deepest := slices.MaxFunc(old, func(a, b storage.LoreEntry) int {
		return cmp.Or(cmp.Compare(len(a.At), len(b.At)), cmp.Compare(a.AtDepth, b.AtDepth))
	})
	for i := range next {
		if _, err := svc.putDeeper(tx, book, old[i], next[i], deepest.At, deepest.AtDepth); err != nil {
			return err
		}
	}
	return nil
}

// putDeeper stores a state derived from old and from something that is valid from another place on:
// it is valid where both are.
func (svc *Service) putDeeper(tx *storage.Tx, book storage.LorebookID, old, next storage.LoreEntry, at storage.NodeID,
	depth int) (storage.LoreEntry, error) {
	next.ID, next.Before, next.At, next.AtDepth = old.ID, old.Revision, old.At, old.AtDepth
	if at != "" && (next.At == "" || depth > next.AtDepth) {
		next.At, next.AtDepth = at, depth
	}
	return svc.putState(tx, book, next)
}

// Split moves some of an entry's facts, by their indexes from 0, to a new entry called name.
func (svc *Service) Split(book storage.LorebookID, chat storage.ChatID, id storage.EntryID, name string,
	facts []int) (made storage.EntryID, err error) {
	err = svc.changeLore("split entry", book, chat, func(tx *storage.Tx, b *storage.Lorebook, t *trail) error {
		old, err := entryAt(tx, book, id, t)
		if err != nil {
			return err
		}
		name := failure.FirstRunes(strings.Join(strings.Fields(name), " "), maxBookName)
		if name == "" {
			return failure.Refusef("the new entry needs a name")
		}
		rest, taken, ok := plist.Split(old.Content, name, facts)
		if !ok {
			return failure.Refusef("choose some of the facts, but not all of them")
		}
		cause := storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		left, next := old, old
		left.Content, left.Cause = rest, cause
		left.Facts = factsLeft(old.Facts, rest)
		fill.KeepKnowers(&old, &left)
		if _, err := svc.putAfter(tx, book, old, left); err != nil {
			return err
		}
		next.ID, next.UID, next.Name, next.Content, next.Cause = "", uidFor(b), name, taken, cause
		next.Keys, next.SecondaryKeys, next.Aliases, next.Synopsis, next.Source,
			next.Before = []string{strings.ToLower(name)}, nil, nil, "", nil, ""
		next.Facts = factsLeft(old.Facts, taken)
		fill.KeepKnowers(&old, &next)
		next, err = svc.putState(tx, book, next)
		made = next.ID
		return err
	})
	return made, err
}

// Restore makes an older state of an entry the current one.
func (svc *Service) Restore(book storage.LorebookID, chat storage.ChatID, id storage.EntryID,
	to storage.RevisionID) error {
	return svc.changeLore("restore entry", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		x, err := storage.LoreEntries.Get(tx, book, id)
		if err != nil {
			return err
		}
		s, err := StateOf(tx, book, x, to)
		if err != nil {
			return err
		}
		now, ok := stateOnPath(&x, t)
		if !ok {
			return failure.Refusef("the entry does not exist on this branch: go to its branch first")
		}
		if now == to {
			return failure.Refusef("this is the current version")
		}
		_, err = svc.restoreState(tx, book, x, now, s)
		return err
	})
}

// restoreState makes state s the current one; undo continues from there.
func (svc *Service) restoreState(tx *storage.Tx, book storage.LorebookID, x storage.LoreEntry, now storage.RevisionID,
	s storage.LoreEntry) (storage.LoreEntry, error) {
	here, err := StateOf(tx, book, x, now)
	if err != nil {
		return s, err
	}
	s.ID, s.At, s.AtDepth, s.UID = x.ID, here.At, here.AtDepth, x.UID
	s.Cause = storage.LoreCause{Origin: storage.LoreByUndo, Chat: here.Cause.Chat}
	return svc.putState(tx, book, s)
}

// Undo restores the state before the current one and returns what was undone, in words. Repeated,
// it goes further back; the history keeps every state.
func (svc *Service) Undo(book storage.LorebookID, chat storage.ChatID, id storage.EntryID) (what string, err error) {
	err = svc.changeLore("undo", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		what, err = svc.undoState(tx, book, id, t)
		return err
	})
	return what, err
}

// undoState undoes the last change of an entry on a path.
func (svc *Service) undoState(tx *storage.Tx, book storage.LorebookID, id storage.EntryID, t *trail) (string, error) {
	x, err := storage.LoreEntries.Get(tx, book, id)
	if err != nil {
		return "", err
	}
	now, ok := stateOnPath(&x, t)
	if !ok {
		return "", failure.Refusef("the entry does not exist on this branch")
	}
	here, err := StateOf(tx, book, x, now)
	if err != nil {
		return "", err
	}
	if here.Before == "" {
		if here.Removed || here.Cause.Origin != storage.LoreByScene {
			return "", failure.Refusef("nothing to undo: this is the first version. Delete the entry instead")
		}
		gone := here
		gone.Removed, gone.Before = true, here.Revision
		gone.Cause = storage.LoreCause{Origin: storage.LoreByUndo, Chat: here.Cause.Chat}
		gone.ID = x.ID
		_, err := svc.putState(tx, book, gone)
		return undoneWords(here), err
	}
	before, err := StateOf(tx, book, x, here.Before)
	if err != nil {
		return "", err
	}
	_, err = svc.restoreState(tx, book, x, now, before)
	return undoneWords(here), err
}

// undoneWords describes what an undo has undone.
func undoneWords(s storage.LoreEntry) string {
	switch s.Cause.Origin {
	case storage.LoreByScene:
		return "lorebook changes of a scene to “" + s.Name + "”"
	case storage.LoreByCompact:
		return "the compaction of “" + s.Name + "”"
	case storage.LoreByTakeBack:
		return "the undo of “" + s.Name + "”"
	}
	if s.Removed {
		return "the deletion of “" + s.Name + "”"
	}
	return "the last change of “" + s.Name + "”"
}
