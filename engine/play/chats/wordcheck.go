package chats

import (
	"context"
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CheckWords compares the word index with the messages, and rebuilds it for each chat in which
// they differ. If that is interrupted, the next start continues it.
func (svc *Service) CheckWords(ctx context.Context) health.Check {
	check := health.Check{Name: "search"}
	all, faults, err := svc.checkWords(ctx)
	var left int
	if err == nil && len(faults) == 0 {
		left, err = svc.countUnindexed(ctx)
	}
	switch {
	case err != nil:
		check.Detail = "the index cannot be checked: " + failure.Text(err)
	case len(faults) > 0:
		check.Detail = fmt.Sprintf("the index of %s was out of date and was rebuilt",
			failure.Count(len(faults), "chat"))
	case left > 0:
		check.OK, check.Detail = true, fmt.Sprintf("%s indexed, %d still to come: the program does that while it runs",
			failure.Count(all, "message"), left)
	default:
		check.OK, check.Detail = true, failure.Count(all, "message")+" indexed"
	}
	return check
}

// checkWords returns the number of indexed messages, and the chats with a wrong index, which it
// rebuilds.
func (svc *Service) checkWords(ctx context.Context) (all int, faults []storage.ChatID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, id := range storage.Chats.Keys(tx) {
			n, agrees := wordsAgree(ctx, tx, id)
			if all += n; !agrees {
				faults = append(faults, id)
			}
		}
		return ctx.Err()
	})
	for _, id := range faults {
		if err == nil {
			err = svc.core.Store.Update(func(tx *storage.Tx) error { return tx.ForgetWords(id) })
		}
		if err == nil {
			err = svc.indexChat(ctx, id, 1, 0, func(int) {})
		}
	}
	return all, faults, err
}

// wordsAgree returns how many messages of a chat are indexed, and whether the index agrees with
// them. If ctx ends, it returns true.
func wordsAgree(ctx context.Context, tx *storage.Tx, chat storage.ChatID) (n int, agrees bool) {
	met := map[storage.NodeID]bool{}
	for id, sum := range tx.IndexedSums(chat) {
		if id == "" {
			return len(met), false
		}
		if met[id] || !tx.IsIndexed(chat, id) {
			continue
		}
		if met[id] = true; len(met)%1024 == 0 && ctx.Err() != nil {
			return len(met), true
		}
		said, err := tx.Node(chat, id)
		if err != nil {
			said = storage.Node{} // a damaged message is indexed as empty
		}
		if storage.SumWords(wordsOf(said)) != sum {
			return len(met), false
		}
	}
	to := tx.IndexedUpTo(chat)
	for p := range tx.NodeInfos(chat) {
		if p.ID > to {
			break
		}
		if !met[p.ID] && tx.IsIndexed(chat, p.ID) {
			return len(met), false
		}
	}
	return len(met), true
}

// countUnindexed returns how many messages are not indexed yet.
func (svc *Service) countUnindexed(ctx context.Context) (n int, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, id := range storage.Chats.Keys(tx) {
			for range tx.Unindexed(id) {
				n++
			}
		}
		return ctx.Err()
	})
	return n, err
}
