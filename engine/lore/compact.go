package lore

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Compact queues a proposal to shorten an entry without losing facts. The proposal always waits in
// the inbox, even if the settings accept changes automatically.
func (svc *Service) Compact(book storage.LorebookID, chat storage.ChatID,
	entry storage.EntryID) (id storage.OperationID, err error) {
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
			return failure.Refusef("“%s” is locked: unlock it first", x.Name)
		}
		if chat == "" {
			chat = b.Chat
		}
		id, err = svc.queue(tx, opLoreCompact, Params{Chat: chat, Book: book, Entry: entry})
		return err
	})
	if err != nil {
		return "", failure.Wrap("compact entry", err)
	}
	svc.core.Queue.Wake()
	return id, nil
}

// compactTo returns the length in runes that a compaction aims at: the length from which on it is
// proposed, and less for an entry that is shorter already.
func (svc *Service) compactTo(content string) int {
	return min(max(svc.compactFrom(), 1), max(1, utf8.RuneCountInString(content)*3/4))
}

// runCompact asks for a shorter form of an entry and proposes it.
func (svc *Service) runCompact(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := paramsOf(op)
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
	j, err := svc.models.Job(ctx, models.JobLore, c)
	if err != nil {
		return queue.Effect{}, err
	}
	next := old
	next.Cause = storage.LoreCause{Origin: storage.LoreByCompact, Chat: p.Chat, Operation: op.ID, Model: j.Model}
	if err := svc.shorten(ctx, j, c, &next, user, char, report); err != nil {
		return queue.Effect{}, err
	}
	if len(next.Content) >= len(old.Content) {
		return queue.Effect{Result: Result{Decision: "nothing to shorten", Entry: old.ID, Name: old.Name}}, nil
	}
	return queue.Effect{Result: Result{Decision: "proposed", Entry: old.ID, Name: old.Name},
		Apply: func(tx *storage.Tx) error {
			if _, err := storage.Lorebooks.Get(tx, p.Book); err != nil {
				return queue.ErrDiscard
			}
			_, err := svc.propose(tx, storage.LoreChange{Book: p.Book, Kind: storage.LoreCompacts, Before: old.Revision,
				After: next, Cause: next.Cause})
			return err
		}}, nil
}

// shorten shortens an entry. Facts with different knowers are shortened separately, so that nothing
// that only a few know gets into a text that more characters see.
func (svc *Service) shorten(ctx context.Context, j models.Job, c storage.Chat, x *storage.LoreEntry, user, char string,
	report func(queue.Progress)) error {
	old := *x
	parts := splitByAudience(c, plist.Facts(old.Content),
		func(f string) []storage.CharacterID { return fill.KnownTo(&old, f) })
	whole := utf8.RuneCountInString(old.Content)
	made := map[string]storage.LoreFact{}
	known := map[string][]storage.CharacterID{}
	for _, part := range parts[:min(len(parts), maxAudiences)] {
		of := fill.NewCompactInput(&old, svc.compactTo(old.Content))
		if len(parts) > 1 {
			of.Content = plist.ReplaceFacts(old.Content, part.facts)
			of.Max = max(1, of.Max*utf8.RuneCountInString(of.Content)/whole)
			if utf8.RuneCountInString(of.Content) < minPartRunes {
				continue
			}
		}
		out, err := svc.askCompact(ctx, j, of, user, char, report)
		if err != nil {
			return err
		}
		x.Content = plist.Rebase(of.Content, out.Content, x.Content)
		facts := of.Facts()
		from := func(n int) (ids []storage.NodeID) {
			for _, f := range old.Facts {
				if f.Text == facts[n-1] {
					ids = append(ids, f.Messages...)
				}
			}
			return ids
		}
		for _, m := range out.Facts {
			f := storage.LoreFact{Text: m.Text}
			for _, n := range m.Sources {
				f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, fill.KnownTo(&old, facts[n-1]))
				for _, o := range old.Facts {
					if o.Text == facts[n-1] && (f.Chat == "" || f.Chat == o.Chat) {
						f.Chat = o.Chat
						f.Messages = append(f.Messages, o.Messages...)
					}
				}
			}
			slices.Sort(f.Messages)
			f.Messages = slices.Compact(f.Messages)
			made[m.Text], known[m.Text] = f, f.Witnesses
		}
		svc.recordLeftOut(&x.Cause, out, from)
	}
	x.Facts = nil
	for _, text := range plist.Facts(x.Content) {
		f, ok := made[text]
		if at := slices.IndexFunc(old.Facts, func(o storage.LoreFact) bool { return o.Text == text }); at >= 0 {
			f = old.Facts[at]
		}
		if !ok {
			known[text] = fill.KnownTo(&old, text)
		}
		if f.Witnesses, f.Open = nil, false; len(f.Messages) > 0 {
			x.Facts = append(x.Facts, f)
		}
	}
	fill.SetKnowers(x, func(fact string) []storage.CharacterID { return known[fact] })
	return nil
}

// minPartRunes is the shortest part of an entry that is shortened separately, in runes.
const minPartRunes = 120

// askCompact asks for an entry in fewer words. If the answer does not fit or is cut off, the entry
// stays unchanged.
func (svc *Service) askCompact(ctx context.Context, j models.Job, of fill.CompactInput, user, char string,
	report func(queue.Progress)) (fill.Outcome, error) {
	a := fill.CompactAnswer{Input: of}
	check := func() error { a.Input = of; return a.Check() }
	form := models.AnswerForm{Schema: of.Schema(), Form: fill.CompactForm(), Into: &a, Check: check, Usable: a.Usable}
	whole, err := svc.askFacts(ctx, j, fill.CompactPrompt(svc.core.Prompts(), of, user, char), of.Facts(), form, report)
	if whole {
		a = fill.CompactAnswer{Input: of}
	}
	return a.Result(), err
}
