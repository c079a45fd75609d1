package lore

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Inbox reads the changes that wait for the user's word, oldest first: of
// one chat, and of one book, "" for any.
func (svc *Service) Inbox(chat storage.ChatID, book storage.LorebookID) ([]Proposal, error) {
	out := []Proposal{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		out = out[:0]
		scene := sceneNames(tx)
		for id, b := range storage.Lorebooks.All(tx) {
			if b.Removed || book != "" && id != book {
				continue
			}
			for _, c := range storage.LoreChanges.All(tx, id) {
				if chat != "" && c.Cause.Chat != chat && b.Chat != chat {
					continue
				}
				p, err := svc.proposal(tx, c)
				p.Scene = scene(c.Cause)
				if err != nil {
					return err
				}
				out = append(out, p)
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("read the inbox", err)
	}
	slices.SortStableFunc(out, func(a, b Proposal) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// proposal returns a change for front ends.
func (svc *Service) proposal(tx *storage.Tx, c storage.LoreChange) (Proposal, error) {
	p := Proposal{LoreChange: c, Name: c.After.Name}
	b, err := storage.Lorebooks.Get(tx, c.Book)
	if err != nil {
		return p, err
	}
	p.BookName = b.Name
	before := ""
	if c.Before != "" {
		x, err := storage.LoreEntries.Get(tx, c.Book, c.After.ID)
		old := x
		if err == nil {
			old, err = StateOf(tx, c.Book, x, c.Before)
		}
		switch {
		case failure.Damaged(err): // which must not hide the others; it can be rejected
			p.Outdated = true
		case err != nil:
			return p, err
		default:
			p.Before, before, p.Name = &old, old.Content, old.Name
			p.Fields = Changes(&old, &c.After)
			now, ok := stateOnPath(&x, changeTrail(tx, b, c))
			p.Outdated = !ok || now != c.Before
		}
	}
	for i, h := range plist.Diff(before, c.After.Content) {
		hunk := Hunk{Number: i + 1, Hunk: h}
		for _, f := range c.After.Facts {
			if f.Text == h.After {
				hunk.Messages = f.Messages
			}
		}
		p.Hunks = append(p.Hunks, hunk)
	}
	return p, nil
}

// needsReview reports whether changes to entries of a type wait for the user's
// word.
func (svc *Service) needsReview(typ string) bool {
	how, ok := svc.core.Settings().Lore.Review[typ]
	if !ok {
		how = svc.core.Settings().Lore.Review["default"]
	}
	return how == "review"
}

// findChange finds a change that waits.
func findChange(tx *storage.Tx, id storage.LoreChangeID) (storage.LoreChange, error) {
	for book := range storage.Lorebooks.All(tx) {
		if storage.LoreChanges.Has(tx, book, id) {
			return storage.LoreChanges.Get(tx, book, id)
		}
	}
	return storage.LoreChange{}, &failure.Missing{Kind: "change in the inbox", Ref: string(id)}
}

// lastReview is the last decision about a change, for undo.
type lastReview struct {
	Change   storage.LoreChange `json:"change"`
	Accepted bool               `json:"accepted"`
	// Made is the state that accepting has led to.
	Made  storage.RevisionID `json:"made,omitempty"`
	Entry storage.EntryID    `json:"entry,omitempty"`
}

const settingReviewed = "lore/reviewed"

// Accept applies a waiting change: the hunks in take, nil for all. edited, if not nil, is the
// content as the user has edited it.
func (svc *Service) Accept(id storage.LoreChangeID, take []bool, edited *string) error {
	return svc.decide("accept change", id, func(tx *storage.Tx, c storage.LoreChange, last *lastReview) error {
		b, err := storage.Lorebooks.Get(tx, c.Book)
		if err != nil {
			return err
		}
		made, err := svc.acceptInto(tx, &b, c, take, edited)
		if err != nil {
			return err
		}
		last.Accepted, last.Made, last.Entry = true, made.Revision, made.ID
		_, err = svc.touchBook(tx, c.Book, func(stored *storage.Lorebook) error {
			stored.NextUID = max(stored.NextUID, b.NextUID)
			return nil
		})
		return err
	})
}

// decide removes a change from the inbox and stores the decision.
func (svc *Service) decide(op string, id storage.LoreChangeID,
	f func(*storage.Tx, storage.LoreChange, *lastReview) error) error {
	var book storage.LorebookID
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := findChange(tx, id)
		if err != nil {
			return err
		}
		book = c.Book
		last := lastReview{Change: c}
		if err := f(tx, c, &last); err != nil {
			return err
		}
		if err := storage.LoreChanges.Delete(tx, c.Book, id); err != nil {
			return err
		}
		return tx.PutSetting(settingReviewed, last)
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	svc.core.Emit(Changed{Book: book})
	return nil
}

// acceptInto applies the accepted hunks of a change to its book.
func (svc *Service) acceptInto(tx *storage.Tx, b *storage.Lorebook, c storage.LoreChange, take []bool,
	edited *string) (storage.LoreEntry, error) {
	next := c.After
	next.Cause = c.Cause
	if b.Chat == "" || b.Chat != c.Cause.Chat { // places belong to a chat
		next.At, next.AtDepth = "", 0
	}
	if edited != nil && len(*edited) > maxLore {
		return next, failure.Refusef("the content has %d bytes; the limit is %d", len(*edited), maxLore)
	}
	if c.Before == "" {
		return svc.acceptNew(tx, b, c, next, take, edited)
	}
	t := changeTrail(tx, *b, c)
	x, err := storage.LoreEntries.Get(tx, c.Book, next.ID)
	if err != nil {
		return next, err
	}
	based, err := StateOf(tx, c.Book, x, c.Before)
	if err != nil {
		return next, err
	}
	now, err := entryOnPath(tx, c.Book, x, t)
	if errors.Is(err, errNoEntry) {
		return next, failure.Refusef(
			"the entry is no longer on this branch: reject the change, or restore the entry first")
	}
	if err != nil {
		return next, err
	}
	// The entry may have changed since: the accepted parts are applied to its current content.
	content := chosenContent(based.Content, next.Content, take, edited)
	if take != nil && edited == nil && content == based.Content && content != next.Content {
		return next, failure.Refusef("no fact is accepted: reject the change instead")
	}
	merged := rebase(based, next, now)
	if merged.Content = content; now.Content != based.Content && edited == nil {
		if merged.Content = plist.Rebase(based.Content, content, now.Content); merged.Content == now.Content &&
			!fill.HasAllFacts(now.Content, content) {
			return next, failure.Refusef("“%s” has been rewritten since this change was made: reject it, or accept it "+
				"with your own text", now.Name)
		}
	}
	if len(merged.Content) > maxLore {
		return next, failure.Refusef("with this change, “%s” would be longer than %d bytes: split the entry first",
			now.Name, maxLore)
	}
	merged.UID, merged.CreatedAt, merged.Removed, merged.Cause = now.UID, now.CreatedAt, false, c.Cause
	merged.Facts = factsLeft(append(slices.Clone(next.Facts), now.Facts...), merged.Content)
	fill.MergeKnowers(&merged, &now, &next)
	merged.Cause.Dropped = slices.DeleteFunc(slices.Clone(c.Cause.Dropped),
		func(d storage.LoreDropped) bool { return slices.Contains(plist.Facts(merged.Content), d.Fact) })
	return svc.putDeeper(tx, c.Book, now, merged, next.At, next.AtDepth)
}

// changeTrail returns the path for a pending change: a path that contains the change's place, even
// if the chat is on another branch now.
func changeTrail(tx *storage.Tx, b storage.Lorebook, c storage.LoreChange) *trail {
	if chat, err := storage.Chats.Get(tx, b.Chat); err == nil && b.Chat == c.Cause.Chat {
		return fillTrail(tx, chat, c.After.At)
	}
	return loreTrail(tx, b, c.Cause.Chat)
}

// acceptNew creates a new entry. If an entry with its name exists by now, the accepted parts go
// into that entry.
func (svc *Service) acceptNew(tx *storage.Tx, b *storage.Lorebook, c storage.LoreChange, next storage.LoreEntry,
	take []bool, edited *string) (storage.LoreEntry, error) {
	next.Content = chosenContent("", next.Content, take, edited)
	if strings.TrimSpace(next.Content) == "" {
		return next, failure.Refusef("no fact is accepted: reject the change instead")
	}
	entries, err := svc.cache.entries(tx, *b, changeTrail(tx, *b, c))
	if err != nil {
		return next, err
	}
	for i := range entries {
		has := &entries[i]
		if has.Type != next.Type || !fill.Same(has.Name, next.Name) {
			continue
		}
		joined := *has
		joined.Content, joined.Cause = plist.Merge(has.Content, next.Content), next.Cause
		joined.Keys = tidyList(append(slices.Clone(has.Keys), next.Keys...))
		joined.Aliases = tidyList(append(slices.Clone(has.Aliases), next.Aliases...))
		joined.Facts = factsLeft(append(slices.Clone(has.Facts), next.Facts...), joined.Content)
		fill.MergeKnowers(&joined, has, &next)
		if err := checkEntry(&joined); err != nil {
			return next, err
		}
		return svc.putDeeper(tx, c.Book, *has, joined, next.At, next.AtDepth)
	}
	next.Facts = factsLeft(next.Facts, next.Content)
	fill.KeepKnowers(&c.After, &next)
	if old, err := storage.LoreEntries.Get(tx, c.Book, next.ID); err == nil { // accepted before, then undone
		next.UID, next.CreatedAt = old.UID, old.CreatedAt
		return svc.putState(tx, c.Book, next)
	}
	next.UID = uidFor(b)
	return svc.putState(tx, c.Book, next)
}

// chosenContent returns the content with the changes that the user accepts.
func chosenContent(before, after string, take []bool, edited *string) string {
	if edited != nil {
		return *edited
	}
	if take == nil {
		return after
	}
	return plist.Apply(before, after, take)
}

// Reject drops a change that waits.
func (svc *Service) Reject(id storage.LoreChangeID) error {
	return svc.decide("reject change", id, func(*storage.Tx, storage.LoreChange, *lastReview) error { return nil })
}

// UndoReview undoes the last decision: the change waits again, and if it was accepted, its effect
// is undone. It returns what was undone, in words.
func (svc *Service) UndoReview() (what string, err error) {
	var last lastReview
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if ok, err := tx.Setting(settingReviewed, &last); err != nil || !ok {
			return refuseUnless(err, "there is no decision to undo")
		}
		if last.Accepted {
			x, err := storage.LoreEntries.Get(tx, last.Change.Book, last.Entry)
			if err != nil {
				return err
			}
			if x.Revision != last.Made {
				return failure.Refusef("“%s” has changed since: undo that first, in its history", x.Name)
			}
			made, err := svc.revertEntry(tx, last.Change.Book, x)
			if err != nil {
				return err
			}
			if x.Before == last.Change.Before && x.Before != "" {
				last.Change.Before = made.Revision // as it was again
			}
			if _, err := svc.touchBook(tx, last.Change.Book, nil); err != nil {
				return err
			}
		}
		if err := storage.LoreChanges.Put(tx, last.Change.Book, last.Change); err != nil {
			return err
		}
		return tx.PutSetting(settingReviewed, nil)
	})
	if err != nil {
		return "", failure.Wrap("undo", err)
	}
	svc.core.Emit(Changed{Book: last.Change.Book})
	word := "rejecting"
	if last.Accepted {
		word = "accepting"
	}
	return fmt.Sprintf("%s the change of “%s”", word, last.Change.After.Name), nil
}

// revertEntry restores the state before an entry's newest one, or removes an entry that has none.
func (svc *Service) revertEntry(tx *storage.Tx, book storage.LorebookID,
	x storage.LoreEntry) (storage.LoreEntry, error) {
	if x.Before == "" {
		gone := x
		gone.Removed, gone.Before, gone.Cause = true, x.Revision, storage.LoreCause{Origin: storage.LoreByUndo}
		return svc.putState(tx, book, gone)
	}
	before, err := StateOf(tx, book, x, x.Before)
	if err != nil {
		return before, err
	}
	return svc.restoreState(tx, book, x, x.Revision, before)
}

func refuseUnless(err error, words string) error {
	if err != nil {
		return err
	}
	return failure.Refusef("%s", words)
}

// propose stores a change for review. It replaces a waiting change with the same cause for the same
// entry, or for a new entry of the same name.
func (svc *Service) propose(tx *storage.Tx, c storage.LoreChange) (storage.LoreChangeID, error) {
	for id, have := range storage.LoreChanges.All(tx, c.Book) {
		if have.Kind == c.Kind && have.Cause.Recap == c.Cause.Recap && have.Cause.Candidate == c.Cause.Candidate &&
			(c.Before != "" && have.After.ID == c.After.ID || c.Before == "" && have.After.Type == c.After.Type) {
			if err := storage.LoreChanges.Delete(tx, c.Book, id); err != nil {
				return "", err
			}
		}
	}
	c.ID, c.CreatedAt = storage.LoreChangeID(storage.NewID()), svc.core.Config.Now()
	if c.After.ID == "" {
		c.After.ID = storage.EntryID(storage.NewID())
	}
	return c.ID, storage.LoreChanges.Put(tx, c.Book, c)
}
