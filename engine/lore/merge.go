package lore

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"ghostlight/engine/house"
	"ghostlight/engine/lore/scribe"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// runMerge works a candidate into an entry.
func (svc *Service) runMerge(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	l, err := svc.readLesson(op)
	if err != nil {
		return queue.Effect{}, err
	}
	at := slices.IndexFunc(l.entries, func(x storage.LoreEntry) bool { return x.ID == l.Entry })
	if at < 0 {
		return svc.toNew(ctx, l, "the entry in question is gone", report)
	}
	old := l.entries[at]
	if old.Locked {
		return queue.Effect{Result: Result{Decision: "locked by the user", Entry: old.ID, Name: old.Name}}, nil
	}
	if scribe.SaysAll(old.Content, l.Candidate.Content) {
		return svc.nothingNew(l, old.ID), nil
	}
	j, err := svc.house.Job(ctx, house.JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := svc.askMerge(ctx, j, &l, old, report)
	if err != nil {
		return queue.Effect{}, err
	}
	next, changed := a.Apply(old)
	if !changed {
		return svc.nothingNew(l, old.ID), nil
	}
	if l.Synopsis != "" {
		next.Synopsis = l.Synopsis
	}
	next.Facts, next.Witnesses = factsFrom(old.Facts, next, l), chats.Both(old.Witnesses, l.witnesses)
	next.Cause = l.cause(j.Model)
	return svc.keepMerge(l, old, next), nil
}

// askMerge asks what an entry says after a candidate was worked into it.
func (svc *Service) askMerge(ctx context.Context, j house.Job, l *lesson, x storage.LoreEntry, report func(queue.Progress)) (scribe.Merge, error) {
	var a scribe.Merge
	of := scribe.MergingOf(&x, l.Candidate)
	check := func() error { a.Of = of; return a.Check() }
	prompt := scribe.MergePrompt(svc.core.Set(), of, l.usr, l.char)
	err := svc.house.AskJob(ctx, j, prompt, house.AnswerForm{Schema: of.Schema(), Form: scribe.MergeForm(), Into: &a, Check: check}, report)
	return a, err
}

// errEntryMoved says that an entry was changed while a model was asked about it.
var errEntryMoved = fmt.Errorf("the entry was %w", house.ErrMoved)

// keepMerge stores a merged state, or proposes it.
func (svc *Service) keepMerge(l lesson, old, next storage.LoreEntry) queue.Effect {
	r := Result{Decision: "merged", Entry: old.ID, Name: next.Name, Synopsis: next.Synopsis}
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error {
		p, err := tx.Place(l.Chat, l.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		book, err := storage.Lorebooks.Get(tx, l.book.ID)
		if err != nil {
			return queue.ErrDiscard
		}
		if book.Removed || book.Chat != l.Chat {
			return errEntryMoved
		}
		now, err := entryAt(tx, book.ID, old.ID, lessonTrail(tx, l.chat, l.Node))
		if err != nil || now.Revision != old.Revision {
			return errEntryMoved
		}
		if svc.waits(old.Type) {
			next.At, next.AtDepth = l.Node, p.Depth
			_, err := svc.propose(tx, storage.LoreChange{Book: book.ID, Kind: storage.LoreUpdates, Before: old.Revision, After: next, Cause: next.Cause})
			return err
		}
		if _, err := svc.touchBook(tx, book.ID, func(*storage.Lorebook) error {
			_, err := svc.putDeeper(tx, book.ID, old, next, l.Node, p.Depth)
			return err
		}); err != nil {
			return err
		}
		return svc.compactGrown(tx, l, book.ID, next)
	}}
}

// compactGrown queues the compaction of an entry that has grown too long.
func (svc *Service) compactGrown(tx *storage.Tx, l lesson, book storage.LorebookID, x storage.LoreEntry) error {
	most := svc.compactFrom()
	if most < 0 || utf8.RuneCountInString(x.Content) <= most {
		return nil
	}
	for op := range chats.Unfinished(tx, l.Chat) {
		if op.Type == opLoreCompact && loreParamsOf(op).Entry == x.ID {
			return nil
		}
	}
	_, err := svc.queue(tx, opLoreCompact, Params{Chat: l.Chat, Node: l.Node, Book: book, Entry: x.ID}, l.op)
	return err
}

// defaultCompact is how many runes an entry has before compaction is proposed.
const defaultCompact = 1200

func (svc *Service) compactFrom() int {
	if svc.core.Config.Lore.Compact == 0 {
		return defaultCompact
	}
	return svc.core.Config.Lore.Compact
}
