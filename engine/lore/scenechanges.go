package lore

import (
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SceneChanges returns the changes of a scene that are still in the lorebook. If the scene has a
// recap, only changes of other versions count: those of the current one are valid.
func (svc *Service) SceneChanges(chat storage.ChatID, brk storage.NodeID) ([]SceneChange, error) {
	out := []SceneChange{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		out = out[:0]
		book, ok := chatBook(tx, chat)
		if !ok {
			return nil
		}
		return eachSceneChange(tx, book, chat, brk, func(_ storage.LoreEntry, l SceneChange, _ string) error {
			if !slices.ContainsFunc(out, func(have SceneChange) bool { return have.Entry == l.Entry }) {
				out = append(out, l)
			}
			return nil
		})
	})
	if err != nil {
		return nil, failure.Wrap("read the lorebook changes of a scene", err)
	}
	return out, nil
}

// eachSceneChange calls f for each entry that a scene has changed, if the change is still there, on
// the chat's path and at all places behind the scene. f gets the entry and its content without the
// changes.
func eachSceneChange(tx *storage.Tx, book storage.Lorebook, chat storage.ChatID, brk storage.NodeID,
	f func(storage.LoreEntry, SceneChange, string) error) error {
	var keep storage.Recap
	if b, err := scenes.VisibleBreak(tx, chat, brk); err == nil {
		if keep, err = storage.Recaps.Get(tx, chat, b.Recap()); err != nil {
			keep = storage.Recap{ID: b.Recap()}
		}
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	for _, x := range storage.LoreEntries.All(tx, book.ID) {
		if !mayBeChangedBy(x, brk) {
			continue
		}
		done := map[storage.RevisionID]bool{}
		for _, t := range append([]*trail{fillTrail(tx, c, brk)}, trailsAfter(tx, chat, x, brk)...) {
			now, err := entryOnPath(tx, book.ID, x, t)
			if errors.Is(err, errNoEntry) || err == nil && done[now.Revision] {
				continue
			}
			if err != nil {
				return err
			}
			done[now.Revision] = true
			l, content, err := withoutSceneChanges(tx, book.ID, x, now, brk, keep)
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
	}
	return nil
}

// trailsAfter returns the paths to all places after a scene at which the state of an entry changes.
func trailsAfter(tx *storage.Tx, chat storage.ChatID, x storage.LoreEntry, brk storage.NodeID) (out []*trail) {
	p, err := tx.NodeInfo(chat, brk)
	if err != nil {
		return nil
	}
	seen := map[storage.NodeID]bool{}
	for _, s := range append(x.Past[:len(x.Past):len(x.Past)], storage.LorePast{At: x.At, AtDepth: x.AtDepth}) {
		if s.At == "" || s.AtDepth < p.Depth || seen[s.At] {
			continue
		}
		seen[s.At] = true
		if t := NewTrail(tx, chat, s.At); t.Holds(brk, p.Depth) {
			out = append(out, t)
		}
	}
	return out
}

// mayBeChangedBy reports whether an entry may have been changed by a scene: a state that
// was made by it holds from its break on, or from a later place.
func mayBeChangedBy(x storage.LoreEntry, brk storage.NodeID) bool {
	return x.Cause.Break == brk || slices.ContainsFunc(x.Past, func(p storage.LorePast) bool { return p.At != "" })
}

// withoutSceneChanges removes a scene's changes from an entry, newest first, except those that came
// from the recap keep or that it also states.
func withoutSceneChanges(tx *storage.Tx, book storage.LorebookID, x, now storage.LoreEntry, brk storage.NodeID,
	keep storage.Recap) (SceneChange, string, error) {
	l := SceneChange{Book: book, Entry: x.ID, Name: now.Name}
	states := append(x.Past[:len(x.Past):len(x.Past)], storage.LorePast{Revision: x.Revision})
	content := now.Content
	for _, p := range slices.Backward(states) {
		s, err := StateOf(tx, book, x, p.Revision)
		if errors.Is(err, storage.ErrNotFound) {
			continue
		}
		if err != nil {
			return l, "", err
		}
		if s.Cause.Break != brk || s.Cause.Origin != storage.LoreByScene || keep.ID != "" && s.Cause.Recap == keep.ID {
			continue
		}
		before := ""
		if s.Before != "" {
			b, err := StateOf(tx, book, x, s.Before)
			if err != nil {
				return l, "", err
			}
			before = b.Content
		} else {
			l.New = true
		}
		rest, _ := plist.Revert(before, s.Content, content)
		content = rest
	}
	content = restoreStated(content, now, keep)
	for _, h := range plist.Diff(content, now.Content) {
		if !h.Head && (h.Kind == plist.Added || h.Kind == plist.Changed) {
			l.Facts = append(l.Facts, h.After)
		}
	}
	l.New = l.New && len(plist.Facts(content)) == 0
	return l, content, nil
}

// restoreStated puts facts back into a content that a recap states: a fact that was known before
// was not changed by that recap.
func restoreStated(content string, now storage.LoreEntry, r storage.Recap) string {
	var said []string
	for _, c := range r.Lorebooks {
		if is := func(name string) bool { return fill.Same(name, c.Name) }; is(now.Name) ||
			slices.ContainsFunc(now.Aliases, is) {
			said = append(said, plist.Facts(c.Content)...)
		}
	}
	if len(said) == 0 {
		return content
	}
	hunks := plist.Diff(content, now.Content)
	take := make([]bool, len(hunks))
	any := false
	for i, h := range hunks {
		take[i] = !h.Head && slices.ContainsFunc(said, func(fact string) bool {
			return h.After != "" && plist.SameFact(fact, h.After)
		})
		any = any || take[i] && h.Kind != plist.Kept
	}
	if !any {
		return content
	}
	for i, h := range hunks {
		take[i] = take[i] || h.Head && content == ""
	}
	return plist.Apply(content, now.Content, take)
}

// UndoScene removes a scene's changes from the lorebook and returns the number of changed entries.
// Later changes stay; the histories keep every state.
func (svc *Service) UndoScene(chat storage.ChatID, brk storage.NodeID) (n int, err error) {
	var book storage.Lorebook
	if err := svc.core.Store.View(func(tx *storage.Tx) error { book, _ = chatBook(tx, chat); return nil }); err != nil {
		return 0, failure.Wrap("undo lorebook changes", err)
	}
	if book.ID == "" {
		return 0, nil
	}
	err = svc.changeLore("undo lorebook changes", book.ID, chat,
		func(tx *storage.Tx, b *storage.Lorebook, _ *trail) error {
			n = 0
			counted := map[storage.EntryID]bool{}
			err := eachSceneChange(tx, *b, chat, brk, func(now storage.LoreEntry, l SceneChange, content string) error {
				next := now
				next.Content, next.Removed = content, l.New
				if l.New {
					next.Content = now.Content
				}
				next.Facts = factsLeft(now.Facts, content)
				fill.KeepKnowers(&now, &next)
				next.Cause = storage.LoreCause{Origin: storage.LoreByTakeBack, Chat: chat, Break: brk}
				if !counted[now.ID] {
					counted[now.ID] = true
					n++
				}
				_, err := svc.putAfter(tx, b.ID, now, next)
				return err
			})
			if err != nil {
				return err
			}
			keep := validRecap(tx, chat, brk)
			if err := forgetFills(tx, chat, brk, keep); err != nil {
				return err
			}
			return dropProposals(tx, b.ID, brk, keep)
		})
	return n, err
}

// validRecap returns the recap whose changes are valid: the current one of an existing scene, ""
// for none.
func validRecap(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID) storage.RecapID {
	b, err := scenes.VisibleBreak(tx, chat, brk)
	if err != nil {
		return ""
	}
	return b.Recap()
}

// forgetFills allows a scene's recaps, except the valid one, to be used again.
func forgetFills(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, keep storage.RecapID) error {
	b, err := storage.Breaks.Get(tx, chat, brk)
	if err != nil {
		return nil // there is no trace of the scene
	}
	for _, r := range scenes.VersionsOf(tx, chat, b) {
		if !r.FilledLore || r.ID == keep {
			continue
		}
		r.FilledLore = false
		if err := storage.Recaps.Put(tx, chat, r); err != nil {
			return err
		}
	}
	return nil
}

// dropProposals drops a scene's pending changes, except those of the valid recap.
func dropProposals(tx *storage.Tx, book storage.LorebookID, brk storage.NodeID, keep storage.RecapID) error {
	for id, c := range storage.LoreChanges.All(tx, book) {
		if c.Cause.Break != brk || keep != "" && c.Cause.Recap == keep {
			continue
		}
		if err := storage.LoreChanges.Delete(tx, book, id); err != nil {
			return err
		}
	}
	return nil
}
