package chats

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"ghostlight/engine/core"
	"ghostlight/engine/crash"
	"ghostlight/engine/failure"
	"ghostlight/engine/words"
	"ghostlight/storage"
)

// Hit is a message that has what was searched.
type Hit struct {
	Chat    storage.ChatID `json:"chat"`
	Title   string         `json:"title"`
	Node    storage.NodeID `json:"message"`
	Name    string         `json:"name"`
	Snippet string         `json:"snippet"`
}

// Search finds messages that have words beginning with each of those in text, whatever
// their case and accents, on all branches; or, where text is in quotes, those that have
// it letter for letter. The newest of each chat come first, at most limit (0: all). An
// empty chat searches them all. The time it takes grows with what is found and with
// what was written since the words were last shelved, not with all there is; for a text
// in quotes that begins within a word, with all there is.
func (svc *Service) Search(chat storage.ChatID, text string, limit int) ([]Hit, error) {
	hits := []Hit{}
	q := words.Parse(text)
	if q.Empty() {
		return hits, nil
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		for id, c := range storage.Chats.Backward(tx) {
			if chat != "" && id != chat {
				continue
			}
			hits = append(hits, searchIn(tx, c, q, limit-len(hits))...)
			if limit > 0 && len(hits) >= limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Fail("search", err)
	}
	return hits, nil
}

// searchIn finds the newest messages of a chat, at most limit of them where that is more
// than none. What is on no shelf is newer than what is, but for what was rewritten.
func searchIn(tx *storage.Tx, c storage.Chat, q words.Query, limit int) (hits []Hit) {
	met := map[storage.NodeID]bool{}
	look := func(ids iter.Seq[storage.NodeID]) {
		most := len(hits) + limit
		for id := range ids {
			if limit > 0 && len(hits) == most {
				return
			}
			if met[id] {
				continue
			}
			met[id] = true
			n, err := tx.Node(c.ID, id)
			if err != nil || n.Deleted {
				continue
			}
			if at, ok := q.Match(n.Content, 1); ok && len(at) > 0 {
				hits = append(hits, Hit{c.ID, c.Title, n.ID, n.Name, core.Snippet(n.Content, at[0].From, at[0].To-at[0].From)})
			}
		}
	}
	look(tx.Unshelved(c.ID))
	if len(q.Begin) > 0 {
		look(tx.WithWords(c.ID, q.Begin))
	} else {
		look(tx.Shelved(c.ID))
	}
	slices.SortFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Node, a.Node) })
	if limit > 0 {
		hits = hits[:min(limit, len(hits))]
	}
	return hits
}

const (
	// shelvedAtOnce is how many messages' words are taken in one transaction: some 30 ms,
	// for which nothing else is stored. shelfRest lies between two of them.
	shelvedAtOnce = 256
	shelfRest     = 20 * time.Millisecond
)

// shelver takes in words of messages beside everything else.
type shelver struct{ running atomic.Bool }

// ShelveSoon takes in the words of messages of a chat once there are many that have not
// been, and of all chats where chat is "". It returns at once; what it does not come to
// is done the next time.
func (svc *Service) ShelveSoon(chat storage.ChatID) {
	if svc.shelver.running.Load() || !svc.core.Enter() {
		return
	}
	crash.Go("reading words", func() {
		defer svc.core.Work.Done()
		if !svc.shelver.running.CompareAndSwap(false, true) {
			return
		}
		defer svc.shelver.running.Store(false)
		list, least := []storage.ChatID{chat}, shelvedAtOnce
		if chat == "" {
			list, least = nil, 1
			_ = svc.core.Store.View(func(tx *storage.Tx) error {
				for id := range storage.Chats.Backward(tx) {
					list = append(list, id)
				}
				return nil
			})
		}
		for _, id := range list {
			err := svc.Shelve(svc.core.Ctx, id, least, func(int) {})
			if svc.core.Ctx.Err() != nil {
				return
			}
			if err != nil {
				svc.core.Log.Warn("words of messages are not taken in", "chat", id, "err", err)
				return
			}
		}
	})
}

// Shelve takes in the words of a chat's messages, until fewer than least are left. took is
// told how many messages' words were taken in at a time.
func (svc *Service) Shelve(ctx context.Context, chat storage.ChatID, least int, took func(n int)) error {
	for ctx.Err() == nil {
		n := 0
		err := svc.core.Store.View(func(tx *storage.Tx) error {
			n = len(tx.NextToShelve(chat, shelvedAtOnce))
			return nil
		})
		if err != nil || n < max(least, 1) {
			return err
		}
		if err = svc.core.Store.Update(func(tx *storage.Tx) error { return shelve(tx, chat) }); err != nil {
			return failure.IgnoreMissing(err)
		}
		if took(n); n < shelvedAtOnce {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(shelfRest):
		}
	}
	return ctx.Err()
}

// shelve takes in the words of the next messages. They are read in the transaction in
// which they are taken: what is rewritten before or after it is taken again.
func shelve(tx *storage.Tx, chat storage.ChatID) error {
	var list []storage.Worded
	for _, id := range tx.NextToShelve(chat, shelvedAtOnce) {
		n, err := tx.Node(chat, id)
		if err != nil {
			n = storage.Node{} // a damaged one has no words, and keeps no other waiting
		}
		list = append(list, storage.Worded{ID: id, Words: wordsOf(n)})
	}
	return tx.ShelveWords(chat, list)
}

// mostDistinct bounds the words of one message.
const mostDistinct = 8192

// wordsOf are a message's words, each once.
func wordsOf(n storage.Node) []storage.Word {
	if n.Content == "" {
		return nil
	}
	at := map[string]int{}
	var out []storage.Word
	words.Each(n.Content, func(w words.Word) bool {
		i, met := at[w.Text]
		if !met {
			i = len(out)
			at[w.Text] = i
			out = append(out, storage.Word{Text: w.Text})
		}
		out[i].Capital = out[i].Capital || w.Capital
		return len(out) < mostDistinct
	})
	return out
}
