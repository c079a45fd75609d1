package lore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// runMerge works a candidate into an entry.
func (svc *Service) runMerge(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	l, err := svc.readFillJob(op)
	if err != nil {
		return queue.Effect{}, err
	}
	at := slices.IndexFunc(l.entries, func(x storage.LoreEntry) bool { return x.ID == l.Entry })
	if at < 0 {
		return svc.toNew(l, "the entry no longer exists"), nil
	}
	old := l.entries[at]
	if old.Locked {
		return queue.Effect{Result: Result{Decision: "locked by the user", Entry: old.ID, Name: old.Name}}, nil
	}
	if fill.HasAllFacts(old.Content, l.Candidate.Content) && !l.addsKnowers(&old) {
		return nothingNew(l, old.ID), nil
	}
	j, err := svc.models.Job(ctx, models.JobLore, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	w := newMergeJob(&l, old)
	next, changed, err := svc.mergeFacts(ctx, j, w, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if !changed {
		return nothingNew(l, old.ID), nil
	}
	if l.Synopsis != "" {
		next.Synopsis = l.Synopsis
	}
	next.Cause.Model = j.Model
	return svc.keepMerge(l, old, next), nil
}

// askMerge asks for an entry's facts together with new ones. If the answer does not fit or never
// ends, all facts are kept as they are.
func (svc *Service) askMerge(ctx context.Context, j models.Job, l *fillJob, of fill.MergeInput,
	report func(queue.Progress)) (fill.Outcome, error) {
	a := fill.MergeAnswer{Input: of}
	check := func() error { a.Input = of; return a.Check() }
	prompt := fill.MergePrompt(svc.core.Prompts(), of, l.usr, l.char)
	facts, own := of.Facts()
	form := models.AnswerForm{Schema: of.Schema(), Form: fill.MergeForm(), Into: &a, Check: check}
	whole, err := svc.askFacts(ctx, j, prompt, facts[own:], form, report)
	if whole {
		a = fill.MergeAnswer{Input: of}
	}
	return a.Result(), err
}

// askFacts asks for changes with enough room for an answer that writes so many facts again. whole
// reports that there is too little room or that the answer did not end.
func (svc *Service) askFacts(ctx context.Context, j models.Job, prompt []fill.Prompt, facts []string,
	form models.AnswerForm, report func(queue.Progress)) (whole bool, err error) {
	used, size := 0, answerFrame
	for _, p := range prompt {
		used += j.Known.Meter.Count(p.Content) + 6
	}
	for _, f := range facts {
		size += j.Known.Meter.Count(f) + factFrame
	}
	room := j.Options.NumCtx - used
	if j.Options.NumCtx > 0 && room < size {
		svc.core.Log.Warn("facts were merged without a model: there is no room for them", "subsystem", "lorebook",
			"facts", len(facts))
		return true, nil
	}
	if j.Options.NumCtx > 0 {
		j.Options.NumPredict = min(max(j.Options.NumPredict, size*3/2), room)
	}
	err = svc.models.AskJob(ctx, j, prompt, form, report)
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && answer.Ending == ollama.EndLength {
		svc.core.Log.Warn("facts were merged without a model", "subsystem", "lorebook", "err", err)
		return true, nil
	}
	return false, err
}

// The size of an answer besides its texts, in tokens: of the whole, and of each fact.
const (
	answerFrame = 120
	factFrame   = 16
)

// errEntryChanged reports that an entry was changed while a model was asked about it.
var errEntryChanged = fmt.Errorf("the entry was %w", queue.ErrOutdated)

// keepMerge stores a merged state, or proposes it.
func (svc *Service) keepMerge(l fillJob, old, next storage.LoreEntry) queue.Effect {
	r := Result{Decision: "merged", Entry: old.ID, Name: next.Name, Synopsis: next.Synopsis}
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(l.Chat, l.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		book, err := storage.Lorebooks.Get(tx, l.book.ID)
		if err != nil {
			return queue.ErrDiscard
		}
		if book.Removed || book.Chat != l.Chat {
			return errEntryChanged
		}
		now, err := entryAt(tx, book.ID, old.ID, fillTrail(tx, l.chat, l.Node))
		if err != nil || now.Revision != old.Revision {
			return errEntryChanged
		}
		if svc.needsReview(old.Type) {
			next.At, next.AtDepth = l.Node, p.Depth
			_, err := svc.propose(tx, storage.LoreChange{Book: book.ID, Kind: storage.LoreUpdates, Before: old.Revision,
				After: next, Cause: next.Cause})
			return err
		}
		if _, err := svc.touchBook(tx, book.ID, func(*storage.Lorebook) error {
			_, err := svc.putDeeper(tx, book.ID, old, next, l.Node, p.Depth)
			return err
		}); err != nil {
			return err
		}
		return svc.queueCompact(tx, l, book.ID, next)
	}}
}

// queueCompact queues the compaction of an entry that has become too long.
func (svc *Service) queueCompact(tx *storage.Tx, l fillJob, book storage.LorebookID, x storage.LoreEntry) error {
	most := svc.compactFrom()
	if most < 0 || utf8.RuneCountInString(x.Content) <= most {
		return nil
	}
	for op := range chats.Unfinished(tx, l.Chat) {
		if op.Type == opLoreCompact && paramsOf(op).Entry == x.ID {
			return nil
		}
	}
	_, err := svc.queue(tx, opLoreCompact, Params{Chat: l.Chat, Node: l.Node, Book: book, Entry: x.ID}, l.op)
	return err
}

// defaultCompact is the default length of an entry, in runes, from which on compaction is proposed.
const defaultCompact = 1200

func (svc *Service) compactFrom() int {
	if svc.core.Settings().Lore.Compact == 0 {
		return defaultCompact
	}
	return svc.core.Settings().Lore.Compact
}
