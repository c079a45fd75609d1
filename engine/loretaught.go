package engine

import (
	"errors"
	"slices"

	"ghostlight/engine/plist"
	"ghostlight/storage"
)

// LoreTaught tells what a scene has taught the lorebook and what of that is still
// there. Of a scene with a recap only what other versions of it have taught
// counts: what the current one says holds.
func (e *Engine) LoreTaught(chat storage.ChatID, brk storage.NodeID) ([]LoreTaught, error) {
	out := []LoreTaught{}
	err := e.store.View(func(tx *storage.Tx) error {
		out = out[:0]
		book, ok := chatBook(tx, chat)
		if !ok {
			return nil
		}
		return e.eachTaught(tx, book, chat, brk, func(_ storage.LoreEntry, l LoreTaught, _ string) error {
			out = append(out, l)
			return nil
		})
	})
	if err != nil {
		return nil, fail("read what a scene has taught", err)
	}
	return out, nil
}

// eachTaught goes through the entries that a scene has taught something that is
// still there. f gets an entry as it is and its content without that.
func (e *Engine) eachTaught(tx *storage.Tx, book storage.Lorebook, chat storage.ChatID, brk storage.NodeID, f func(storage.LoreEntry, LoreTaught, string) error) error {
	keep := storage.RecapID("")
	if b, err := theBreak(tx, chat, brk); err == nil {
		keep = b.Recap()
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	for _, x := range storage.LoreEntries.All(tx, book.ID) {
		if !taughtBy(x, brk) {
			continue
		}
		now, err := hereOf(tx, book.ID, x, lessonTrail(tx, c, brk))
		if errors.Is(err, errNoEntry) {
			continue
		}
		if err != nil {
			return err
		}
		l, content, err := untaught(tx, book.ID, x, now, brk, keep)
		if err != nil {
			return err
		}
		if !l.New && len(l.Facts) == 0 {
			continue
		}
		if err := f(now, l, content); err != nil {
			return err
		}
	}
	return nil
}

// taughtBy tells whether an entry may have been changed by a scene: a state that
// was made by it holds from its break on, or from a later place.
func taughtBy(x storage.LoreEntry, brk storage.NodeID) bool {
	return x.Cause.Break == brk || slices.ContainsFunc(x.Past, func(p storage.LorePast) bool { return p.At != "" })
}

// untaught takes out of an entry what a scene has taught it, newest first, but
// for what the recap keep has.
func untaught(tx *storage.Tx, book storage.LorebookID, x, now storage.LoreEntry, brk storage.NodeID, keep storage.RecapID) (LoreTaught, string, error) {
	l := LoreTaught{Book: book, Entry: x.ID, Name: now.Name}
	states := append(x.Past[:len(x.Past):len(x.Past)], storage.LorePast{Revision: x.Revision})
	content := now.Content
	for _, p := range slices.Backward(states) {
		s, err := loreState(tx, book, x, p.Revision)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return l, "", err
		}
		if s.Cause.Break != brk || s.Cause.Origin != storage.LoreByScene || keep != "" && s.Cause.Recap == keep {
			continue
		}
		before := ""
		if s.Before != "" {
			b, err := loreState(tx, book, x, s.Before)
			if err != nil {
				return l, "", err
			}
			before = b.Content
		} else {
			l.New = true
		}
		rest, _ := plist.TakeBack(before, s.Content, content)
		content = rest
	}
	for _, h := range plist.Diff(content, now.Content) {
		if !h.Head && (h.Kind == plist.Added || h.Kind == plist.Changed) {
			l.Facts = append(l.Facts, h.After)
		}
	}
	l.New = l.New && len(plist.Facts(content)) == 0
	return l, content, nil
}

// TakeBackLore takes out of the lorebook what a scene has taught it, and tells
// from how many entries. What was learnt since stays; the histories keep all.
func (e *Engine) TakeBackLore(chat storage.ChatID, brk storage.NodeID) (n int, err error) {
	var book storage.Lorebook
	if err := e.store.View(func(tx *storage.Tx) error { book, _ = chatBook(tx, chat); return nil }); err != nil {
		return 0, fail("take back", err)
	}
	if book.ID == "" {
		return 0, nil
	}
	err = e.changeLore("take back", book.ID, chat, func(tx *storage.Tx, b *storage.Lorebook, _ *trail) error {
		n = 0
		err := e.eachTaught(tx, *b, chat, brk, func(now storage.LoreEntry, l LoreTaught, content string) error {
			next := now
			next.Content, next.Removed = content, l.New
			if l.New {
				next.Content = now.Content
			}
			next.Facts = factsLeft(now.Facts, content)
			next.Cause = storage.LoreCause{Origin: storage.LoreByTakeBack, Chat: chat, Break: brk}
			n++
			_, err := e.putAfter(tx, b.ID, now, next)
			return err
		})
		if err != nil {
			return err
		}
		return dropProposals(tx, b.ID, brk)
	})
	return n, err
}

// dropProposals drops the changes that wait because of a scene.
func dropProposals(tx *storage.Tx, book storage.LorebookID, brk storage.NodeID) error {
	for id, c := range storage.LoreChanges.All(tx, book) {
		if c.Cause.Break != brk {
			continue
		}
		if err := storage.LoreChanges.Delete(tx, book, id); err != nil {
			return err
		}
	}
	return nil
}
