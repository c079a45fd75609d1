package chats

import (
	"context"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// batchMessages and batchWords limit what one transaction indexes. A batch takes about 20 ms,
	// and nothing else can be stored meanwhile. The pause between two batches is batchPause, or
	// three times the duration of the last batch if that is longer.
	batchMessages = 256
	batchWords    = 64 << 10
	batchPause    = 20 * time.Millisecond
	// maxUnindexed is the most messages of the chat in use that may stay unindexed: a search reads
	// them one by one.
	maxUnindexed = 128
)

// wordIndexer is the queue of chats to be indexed in the background.
type wordIndexer struct {
	mu      sync.Mutex
	running bool
	chats   []storage.ChatID       // to be indexed, in this order
	least   map[storage.ChatID]int // do nothing for a chat with fewer unindexed messages
}

// enqueue adds a chat and reports whether the caller must start a goroutine that calls next.
func (s *wordIndexer) enqueue(chat storage.ChatID, least int) (start bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.least == nil {
		s.least = map[storage.ChatID]int{}
	}
	if have, noted := s.least[chat]; !noted {
		s.chats = append(s.chats, chat)
		s.least[chat] = least
	} else {
		s.least[chat] = min(have, least)
	}
	start = !s.running
	s.running = true
	return start
}

// next returns the next chat. If there is none, ok is false and the goroutine must end.
func (s *wordIndexer) next() (chat storage.ChatID, least int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.chats) == 0 {
		s.running = false
		return "", 0, false
	}
	chat, s.chats = s.chats[0], s.chats[1:]
	least = s.least[chat]
	delete(s.least, chat)
	return chat, least, true
}

// IndexIfMany indexes the messages of a chat in the background if many are unindexed. Work that is
// unfinished when the program ends is done the next time.
func (svc *Service) IndexIfMany(chat storage.ChatID) { svc.queueIndexing(chat, maxUnindexed) }

// IndexSoon indexes all unindexed messages of a chat, of all chats if chat is "", in the
// background.
func (svc *Service) IndexSoon(chat storage.ChatID) { svc.queueIndexing(chat, 1) }

func (svc *Service) queueIndexing(chat storage.ChatID, least int) {
	if !svc.core.BeginWork() {
		return
	}
	if !svc.indexer.enqueue(chat, least) {
		svc.core.Work.Done()
		return
	}
	crash.Go("reading words", func() {
		defer svc.core.Work.Done()
		for {
			chat, least, ok := svc.indexer.next()
			if !ok {
				return
			}
			if svc.core.Ctx.Err() != nil {
				continue
			}
			if err := svc.indexChats(svc.core.Ctx, chat, least, batchPause); err != nil && svc.core.Ctx.Err() == nil {
				svc.core.Log.Warn("messages are not indexed", "chat", chat, "err", err)
			}
		}
	})
}

// indexChats indexes the messages of a chat, of all chats if chat is "", the newest chat first.
func (svc *Service) indexChats(ctx context.Context, chat storage.ChatID, least int, rest time.Duration) error {
	list := []storage.ChatID{chat}
	if chat == "" {
		_ = svc.core.Store.View(func(tx *storage.Tx) error { list = storage.Chats.Keys(tx); return nil })
	}
	for _, id := range list {
		if err := svc.indexChat(ctx, id, least, rest, func(int) {}); err != nil {
			return err
		}
	}
	return nil
}

// IndexAll indexes all unindexed messages of all chats, without pauses.
func (svc *Service) IndexAll(ctx context.Context) error {
	return svc.indexChats(ctx, "", 1, 0)
}

// Index indexes the messages of a chat until fewer than least are unindexed. It makes no
// pauses, and calls took with the number of messages after each batch.
func (svc *Service) Index(ctx context.Context, chat storage.ChatID, least int, took func(n int)) error {
	return svc.indexChat(ctx, chat, least, 0, took)
}

func (svc *Service) indexChat(ctx context.Context, chat storage.ChatID, least int, rest time.Duration,
	took func(n int),
) error {
	for ctx.Err() == nil {
		n := 0
		err := svc.core.Store.View(func(tx *storage.Tx) error {
			n = len(tx.NextUnindexed(chat, max(least, 1)))
			return nil
		})
		if err != nil || n < max(least, 1) {
			return err
		}
		begun := time.Now()
		err = svc.core.Store.Update(func(tx *storage.Tx) (err error) { n, err = indexNext(tx, chat); return err })
		if err != nil {
			return failure.IgnoreMissing(err)
		}
		took(n)
		if rest > 0 {
			rest = max(batchPause, 3*time.Since(begun))
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
	return ctx.Err()
}

// IndexTx indexes all messages of a chat in a transaction.
func IndexTx(tx *storage.Tx, chat storage.ChatID) error {
	for {
		if n, err := indexNext(tx, chat); n == 0 || err != nil {
			return err
		}
	}
}

// indexNext indexes the next batch of messages and returns their number. It reads and indexes them
// in the same transaction, so that no rewrite is missed.
func indexNext(tx *storage.Tx, chat storage.ChatID) (n int, err error) {
	var list []storage.MessageWords
	all := 0
	for _, id := range tx.NextUnindexed(chat, batchMessages) {
		n, err := tx.Node(chat, id)
		if err != nil {
			n = storage.Node{} // index a damaged one as empty, so that it blocks no other
		}
		w := storage.MessageWords{ID: id, Words: wordsOf(n)}
		list = append(list, w)
		if all += len(w.Words); all > batchWords {
			break
		}
	}
	return len(list), tx.IndexWords(chat, list)
}

// maxDistinct limits the words of one message.
const maxDistinct = 8192

// wordsOf returns the distinct words of a message, at most maxDistinct.
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
		return len(out) < maxDistinct
	})
	return out
}
