package engine

import (
	"context"
	"slices"
	"unicode/utf8"

	"ghostlight/engine/lore/scribe"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// runMerge works a candidate into an entry.
func (e *Engine) runMerge(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	l, err := e.readLesson(op)
	if err != nil {
		return queue.Effect{}, err
	}
	at := slices.IndexFunc(l.entries, func(x storage.LoreEntry) bool { return x.ID == l.Entry })
	if at < 0 {
		return e.toNew(ctx, l, "the entry in question is gone", report)
	}
	old := l.entries[at]
	if old.Locked {
		return queue.Effect{Result: loreResult{Decision: "locked by the user", Entry: old.ID, Name: old.Name}}, nil
	}
	if scribe.SaysAll(old.Content, l.Candidate.Content) {
		return e.nothingNew(l, old.ID), nil
	}
	j, err := e.job(ctx, JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := e.askMerge(ctx, j, &l, old, report)
	if err != nil {
		return queue.Effect{}, err
	}
	next, changed := a.Apply(old)
	if !changed {
		return e.nothingNew(l, old.ID), nil
	}
	if l.Synopsis != "" {
		next.Synopsis = l.Synopsis
	}
	next.Facts, next.Witnesses = factsFrom(old.Facts, next, l), both(old.Witnesses, l.witnesses)
	next.Cause = l.cause(j.model)
	return e.keepMerge(l, old, next), nil
}

// askMerge asks what an entry says after a candidate was worked into it.
func (e *Engine) askMerge(ctx context.Context, j job, l *lesson, x storage.LoreEntry, report func(queue.Progress)) (scribe.Merge, error) {
	var a scribe.Merge
	of := scribe.MergingOf(&x, l.Candidate)
	check := func() error { a.Of = of; return a.Check() }
	prompt := scribe.MergePrompt(e.set(), of, l.usr, l.char)
	err := e.askJob(ctx, j, prompt, answerForm{schema: of.Schema(), form: scribe.MergeForm(), into: &a, check: check}, report)
	return a, err
}

// keepMerge stores a merged state, or proposes it.
func (e *Engine) keepMerge(l lesson, old, next storage.LoreEntry) queue.Effect {
	r := loreResult{Decision: "merged", Entry: old.ID, Name: next.Name, Synopsis: next.Synopsis}
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
			return errLoreMoved
		}
		now, err := entryAt(tx, book.ID, old.ID, lessonTrail(tx, l.chat, l.Node))
		if err != nil || now.Revision != old.Revision {
			return errLoreMoved
		}
		if e.waits(old.Type) {
			next.At, next.AtDepth = l.Node, p.Depth
			_, err := e.propose(tx, storage.LoreChange{Book: book.ID, Kind: storage.LoreUpdates, Before: old.Revision, After: next, Cause: next.Cause})
			return err
		}
		if _, err := e.touchBook(tx, book.ID, func(*storage.Lorebook) error {
			_, err := e.putDeeper(tx, book.ID, old, next, l.Node, p.Depth)
			return err
		}); err != nil {
			return err
		}
		return e.compactGrown(tx, l, book.ID, next)
	}}
}

// compactGrown queues the compaction of an entry that has grown too long.
func (e *Engine) compactGrown(tx *storage.Tx, l lesson, book storage.LorebookID, x storage.LoreEntry) error {
	most := e.compactFrom()
	if most < 0 || utf8.RuneCountInString(x.Content) <= most {
		return nil
	}
	for op := range unfinished(tx, l.Chat) {
		if op.Type == opLoreCompact && loreParamsOf(op).Entry == x.ID {
			return nil
		}
	}
	_, err := e.addLore(tx, opLoreCompact, loreParams{Chat: l.Chat, Node: l.Node, Book: book, Entry: x.ID}, l.op)
	return err
}

// defaultCompact is how many runes an entry has before compaction is proposed.
const defaultCompact = 1200

func (e *Engine) compactFrom() int {
	if e.cfg.Lore.Compact == 0 {
		return defaultCompact
	}
	return e.cfg.Lore.Compact
}
