package engine

import (
	"cmp"
	"slices"
	"strings"

	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
)

// RenameLore gives an entry another name. The old one becomes an alias, and the
// head of a PList is renamed with it.
func (e *Engine) RenameLore(book storage.LorebookID, chat storage.ChatID, id storage.EntryID, name string) error {
	return e.changeEntry("rename entry", book, chat, id, func(x *storage.LoreEntry) error {
		name := firstRunes(strings.Join(strings.Fields(name), " "), longestBookName)
		if name == "" {
			return refuse("an entry needs a name")
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
	x.Aliases = slices.DeleteFunc(tidyList(append([]string{x.Name}, x.Aliases...)), func(a string) bool { return a == name })
	x.Name = name
}

// changeEntry makes a new state of an entry by the user's hand.
func (e *Engine) changeEntry(op string, book storage.LorebookID, chat storage.ChatID, id storage.EntryID, f func(*storage.LoreEntry) error) error {
	return e.changeLore(op, book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		old, err := entryAt(tx, book, id, t)
		if err != nil {
			return err
		}
		next := old
		next.Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		if err := f(&next); err != nil {
			return err
		}
		_, err = e.putAfter(tx, book, old, next)
		return err
	})
}

// MergeLore joins two entries of a book: the facts, keys and aliases of from go
// into the other one, and from is removed. Both histories keep what was before.
func (e *Engine) MergeLore(book storage.LorebookID, chat storage.ChatID, into, from storage.EntryID) error {
	if into == from {
		return fail("merge entries", refuse("an entry cannot be merged with itself"))
	}
	return e.changeLore("merge entries", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
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
		joined.Content = plist.Join(a.Content, b.Content)
		joined.Keys = tidyList(append(slices.Clone(a.Keys), b.Keys...))
		joined.SecondaryKeys = tidyList(append(slices.Clone(a.SecondaryKeys), b.SecondaryKeys...))
		names := append(slices.Clone(a.Aliases), append([]string{b.Name}, b.Aliases...)...)
		joined.Aliases = slices.DeleteFunc(tidyList(names), func(n string) bool { return n == a.Name })
		joined.Facts = factsLeft(append(slices.Clone(a.Facts), b.Facts...), joined.Content)
		joined.Cause, gone.Cause, gone.Removed = cause, cause, true
		if err := checkEntry(&joined); err != nil {
			return err
		}
		return e.putTogether(tx, book, []storage.LoreEntry{a, b}, []storage.LoreEntry{joined, gone})
	})
}

// putTogether stores states that were made of several entries at once: they hold
// where all of those do, so that elsewhere none is without what went into another.
func (e *Engine) putTogether(tx *storage.Tx, book storage.LorebookID, old, next []storage.LoreEntry) error {
	deepest := slices.MaxFunc(old, func(a, b storage.LoreEntry) int {
		return cmp.Or(cmp.Compare(len(a.At), len(b.At)), cmp.Compare(a.AtDepth, b.AtDepth))
	})
	for i := range next {
		if _, err := e.putDeeper(tx, book, old[i], next[i], deepest.At, deepest.AtDepth); err != nil {
			return err
		}
	}
	return nil
}

// putDeeper stores a state made of old and of something that holds from another
// place on: it holds where both do.
func (e *Engine) putDeeper(tx *storage.Tx, book storage.LorebookID, old, next storage.LoreEntry, at storage.NodeID, depth int) (storage.LoreEntry, error) {
	next.ID, next.Before, next.At, next.AtDepth = old.ID, old.Revision, old.At, old.AtDepth
	if at != "" && (next.At == "" || depth > next.AtDepth) {
		next.At, next.AtDepth = at, depth
	}
	return e.putState(tx, book, next)
}

// SplitLore moves some of an entry's facts, by their numbers from 0, to a new
// entry with a name of its own.
func (e *Engine) SplitLore(book storage.LorebookID, chat storage.ChatID, id storage.EntryID, name string, facts []int) (made storage.EntryID, err error) {
	err = e.changeLore("split entry", book, chat, func(tx *storage.Tx, b *storage.Lorebook, t *trail) error {
		old, err := entryAt(tx, book, id, t)
		if err != nil {
			return err
		}
		name := firstRunes(strings.Join(strings.Fields(name), " "), longestBookName)
		if name == "" {
			return refuse("the new entry needs a name")
		}
		rest, taken, ok := plist.Split(old.Content, name, facts)
		if !ok {
			return refuse("choose some of the facts, but not all of them")
		}
		cause := storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		left, next := old, old
		left.Content, left.Cause = rest, cause
		left.Facts = factsLeft(old.Facts, rest)
		if _, err := e.putAfter(tx, book, old, left); err != nil {
			return err
		}
		next.ID, next.UID, next.Name, next.Content, next.Cause = "", uidFor(b), name, taken, cause
		next.Keys, next.SecondaryKeys, next.Aliases, next.Synopsis, next.Source, next.Before = []string{strings.ToLower(name)}, nil, nil, "", nil, ""
		next.Facts = factsLeft(old.Facts, taken)
		next, err = e.putState(tx, book, next)
		made = next.ID
		return err
	})
	return made, err
}

// RestoreLore puts an older state of an entry in force again.
func (e *Engine) RestoreLore(book storage.LorebookID, chat storage.ChatID, id storage.EntryID, to storage.RevisionID) error {
	return e.changeLore("restore entry", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		x, err := storage.LoreEntries.Get(tx, book, id)
		if err != nil {
			return err
		}
		s, err := loreState(tx, book, x, to)
		if err != nil {
			return err
		}
		now, ok := choose(&x, t)
		if !ok {
			return refuse("the entry does not exist at this place of the story: go to the branch that knows it first")
		}
		if now == to {
			return refuse("this is how the entry is now")
		}
		_, err = e.putBack(tx, book, x, now, s)
		return err
	})
}

// putBack puts the state s in force in place of the one that is; undoing goes on
// from there.
func (e *Engine) putBack(tx *storage.Tx, book storage.LorebookID, x storage.LoreEntry, now storage.RevisionID, s storage.LoreEntry) (storage.LoreEntry, error) {
	here, err := loreState(tx, book, x, now)
	if err != nil {
		return s, err
	}
	s.ID, s.At, s.AtDepth, s.UID = x.ID, here.At, here.AtDepth, x.UID
	s.Cause = storage.LoreCause{Origin: storage.LoreByUndo, Chat: here.Cause.Chat}
	return e.putState(tx, book, s)
}

// UndoLore brings back the state before the one that is in force, and tells what
// was undone. Again, it goes further back; the history keeps everything.
func (e *Engine) UndoLore(book storage.LorebookID, chat storage.ChatID, id storage.EntryID) (what string, err error) {
	err = e.changeLore("undo", book, chat, func(tx *storage.Tx, _ *storage.Lorebook, t *trail) error {
		what, err = e.undoState(tx, book, id, t)
		return err
	})
	return what, err
}

// undoState undoes the last change of an entry on a path.
func (e *Engine) undoState(tx *storage.Tx, book storage.LorebookID, id storage.EntryID, t *trail) (string, error) {
	x, err := storage.LoreEntries.Get(tx, book, id)
	if err != nil {
		return "", err
	}
	now, ok := choose(&x, t)
	if !ok {
		return "", refuse("the entry does not exist at this place of the story")
	}
	here, err := loreState(tx, book, x, now)
	if err != nil {
		return "", err
	}
	if here.Before == "" {
		if here.Removed || here.Cause.Origin != storage.LoreByScene {
			return "", refuse("there is nothing to undo: this is how the entry began. Delete it instead")
		}
		gone := here
		gone.Removed, gone.Before = true, here.Revision
		gone.Cause = storage.LoreCause{Origin: storage.LoreByUndo, Chat: here.Cause.Chat}
		gone.ID = x.ID
		_, err := e.putState(tx, book, gone)
		return undoneWords(here), err
	}
	before, err := loreState(tx, book, x, here.Before)
	if err != nil {
		return "", err
	}
	_, err = e.putBack(tx, book, x, now, before)
	return undoneWords(here), err
}

// undoneWords tell what an undo has taken back.
func undoneWords(s storage.LoreEntry) string {
	switch s.Cause.Origin {
	case storage.LoreByScene:
		return "what a scene had taught “" + s.Name + "”"
	case storage.LoreByCompact:
		return "the compaction of “" + s.Name + "”"
	case storage.LoreByTakeBack:
		return "the taking back from “" + s.Name + "”"
	}
	if s.Removed {
		return "the deletion of “" + s.Name + "”"
	}
	return "the last change of “" + s.Name + "”"
}
