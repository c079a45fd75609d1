package lore

import (
	"context"
	"unicode/utf8"

	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/lore/scribe"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// Compact queues a proposal to shorten an entry without losing what it says.
// The proposal waits in the inbox, whatever the settings say.
func (svc *Service) Compact(book storage.LorebookID, chat storage.ChatID, entry storage.EntryID) (id storage.OperationID, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Lorebooks.Get(tx, book)
		if err != nil {
			return err
		}
		x, err := entryAt(tx, book, entry, loreTrail(tx, b, chat))
		if err != nil {
			return err
		}
		if x.Locked {
			return failure.Refuse("“%s” is locked: unlock it first", x.Name)
		}
		if chat == "" {
			chat = b.Chat
		}
		id, err = svc.queue(tx, opLoreCompact, Params{Chat: chat, Book: book, Entry: entry})
		return err
	})
	if err != nil {
		return "", failure.Fail("compact entry", err)
	}
	svc.core.Queue.Wake()
	return id, nil
}

// compactTo is how many runes a compaction aims at: those from which on it is
// proposed, and less for an entry that is shorter already.
func (svc *Service) compactTo(content string) int {
	return min(max(svc.compactFrom(), 1), max(1, utf8.RuneCountInString(content)*3/4))
}

// runCompact asks for a shorter form of an entry and proposes it.
func (svc *Service) runCompact(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := loreParamsOf(op)
	var c storage.Chat
	var old storage.LoreEntry
	char, user := "", ""
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Lorebooks.Get(tx, p.Book)
		if err != nil {
			return queue.ErrDiscard
		}
		if chat, err := storage.Chats.Get(tx, p.Chat); err == nil {
			c = chat
			char, user = svc.chats.Names(tx, c)
		}
		if old, err = entryAt(tx, p.Book, p.Entry, loreTrail(tx, b, p.Chat)); err != nil || old.Locked {
			return queue.ErrDiscard
		}
		return nil
	})
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.house.Job(ctx, house.JobLore, c)
	if err != nil {
		return queue.Effect{}, err
	}
	var a scribe.Compact
	of := scribe.CompactingOf(&old, svc.compactTo(old.Content))
	check := func() error { a.Of = of; return a.Check() }
	prompt := scribe.CompactPrompt(svc.core.Set(), of, user, char)
	form := house.AnswerForm{Schema: of.Schema(), Form: scribe.CompactForm(), Into: &a, Check: check, Usable: a.Usable}
	if err := svc.house.AskJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	next := old
	next.Content = a.Result()
	if next.Content == old.Content {
		return queue.Effect{Result: Result{Decision: "nothing to shorten", Entry: old.ID, Name: old.Name}}, nil
	}
	next.Facts = factsLeft(old.Facts, next.Content)
	next.Cause = storage.LoreCause{Origin: storage.LoreByCompact, Chat: p.Chat, Operation: op.ID, Model: j.Model}
	return queue.Effect{Result: Result{Decision: "proposed", Entry: old.ID, Name: old.Name}, Apply: func(tx *storage.Tx) error {
		if _, err := storage.Lorebooks.Get(tx, p.Book); err != nil {
			return queue.ErrDiscard
		}
		_, err := svc.propose(tx, storage.LoreChange{Book: p.Book, Kind: storage.LoreCompacts, Before: old.Revision, After: next, Cause: next.Cause})
		return err
	}}, nil
}
