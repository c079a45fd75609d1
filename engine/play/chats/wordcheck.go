package chats

import (
	"context"
	"fmt"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CheckWords compares the index that messages are found by with what they say. Of a chat
// where the two disagree it is made anew, which a broken off one goes on with at the next
// start.
func (svc *Service) CheckWords(ctx context.Context) health.Check {
	check := health.Check{Name: "search"}
	all, faults, err := svc.checkWords(ctx)
	var left int
	if err == nil && len(faults) == 0 {
		left, err = svc.unread(ctx)
	}
	switch {
	case err != nil:
		check.Detail = "the index cannot be checked: " + failure.Words(err)
	case len(faults) > 0:
		check.Detail = fmt.Sprintf("the index of %s was out of date and was rebuilt", failure.Count(len(faults), "chat"))
	case left > 0:
		check.OK, check.Detail = true, fmt.Sprintf("%s indexed, %d still to come: the program does that while it runs", failure.Count(all, "message"), left)
	default:
		check.OK, check.Detail = true, failure.Count(all, "message")+" indexed"
	}
	return check
}

// checkWords counts the messages that are indexed, and makes anew what disagrees.
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
			err = svc.shelveChat(ctx, id, 1, 0, func(int) {})
		}
	}
	return all, faults, err
}

// wordsAgree counts the messages of a chat that are indexed, and reports whether each has the
// words that it has. It gives up, agreeing, where it is not to go on.
func wordsAgree(ctx context.Context, tx *storage.Tx, chat storage.ChatID) (n int, agrees bool) {
	met := map[storage.NodeID]bool{}
	for id, sum := range tx.ShelfSums(chat) {
		if id == "" {
			return len(met), false
		}
		if met[id] || !tx.OnShelf(chat, id) {
			continue
		}
		if met[id] = true; len(met)%1024 == 0 && ctx.Err() != nil {
			return len(met), true
		}
		said, err := tx.Node(chat, id)
		if err != nil {
			said = storage.Node{} // of a damaged one no words were taken
		}
		if storage.SumWords(wordsOf(said)) != sum {
			return len(met), false
		}
	}
	to := tx.ShelvedTo(chat)
	for p := range tx.Places(chat) {
		if p.ID > to {
			break
		}
		if !met[p.ID] && tx.OnShelf(chat, p.ID) {
			return len(met), false
		}
	}
	return len(met), true
}

// unread counts the messages whose words are not taken in yet.
func (svc *Service) unread(ctx context.Context) (n int, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, id := range storage.Chats.Keys(tx) {
			for range tx.Unshelved(id) {
				n++
			}
		}
		return ctx.Err()
	})
	return n, err
}
