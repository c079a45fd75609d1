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
	// shelvedAtOnce is how many messages' words, and wordsAtOnce how many words, are taken in
	// one transaction: some 20 ms, for which nothing else is stored. shelfRest lies between
	// two of them, or three times as long as the one took.
	shelvedAtOnce = 256
	wordsAtOnce   = 64 << 10
	shelfRest     = 20 * time.Millisecond
	// mostUnread is how many messages of a chat in which is played may be left: a search
	// looks at them one by one.
	mostUnread = 128
)

// shelver takes in words of messages beside everything else.
type shelver struct {
	mu      sync.Mutex
	running bool
	chats   []storage.ChatID // that are to be looked at, one behind the other
	least   map[storage.ChatID]int
}

// want notes a chat, and reports whether somebody has to be sent.
func (s *shelver) want(chat storage.ChatID, least int) (send bool) {
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
	send = !s.running
	s.running = true
	return send
}

// next is the chat to be looked at; ok is false where there is none, and then nobody
// looks any more.
func (s *shelver) next() (chat storage.ChatID, least int, ok bool) {
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

// ShelveSoon takes in the words of messages of a chat once there are many that have not
// been. It returns at once; what it does not come to is done the next time.
func (svc *Service) ShelveSoon(chat storage.ChatID) { svc.shelveSoon(chat, mostUnread) }

// ShelveRest takes in the words of all messages of a chat that have not been, and of all
// chats where chat is "", in the same way.
func (svc *Service) ShelveRest(chat storage.ChatID) { svc.shelveSoon(chat, 1) }

func (svc *Service) shelveSoon(chat storage.ChatID, least int) {
	if !svc.core.Enter() {
		return
	}
	if !svc.shelver.want(chat, least) {
		svc.core.Work.Done()
		return
	}
	crash.Go("reading words", func() {
		defer svc.core.Work.Done()
		for {
			chat, least, ok := svc.shelver.next()
			if !ok {
				return
			}
			if svc.core.Ctx.Err() != nil {
				continue
			}
			if err := svc.shelveChats(svc.core.Ctx, chat, least, shelfRest); err != nil && svc.core.Ctx.Err() == nil {
				svc.core.Log.Warn("words of messages are not taken in", "chat", chat, "err", err)
			}
		}
	})
}

// shelveChats takes in the words of a chat's messages, of all chats' where chat is "", the
// newest chat first.
func (svc *Service) shelveChats(ctx context.Context, chat storage.ChatID, least int, rest time.Duration) error {
	list := []storage.ChatID{chat}
	if chat == "" {
		_ = svc.core.Store.View(func(tx *storage.Tx) error { list = storage.Chats.Keys(tx); return nil })
	}
	for _, id := range list {
		if err := svc.shelveChat(ctx, id, least, rest, func(int) {}); err != nil {
			return err
		}
	}
	return nil
}

// ShelveAll takes in the words of all messages that have not been, without a rest.
func (svc *Service) ShelveAll(ctx context.Context) error {
	return svc.shelveChats(ctx, "", 1, 0)
}

// Shelve takes in the words of a chat's messages, until fewer than least are left. took is
// told how many messages' words were taken in at a time. Somebody waits: it does not rest.
func (svc *Service) Shelve(ctx context.Context, chat storage.ChatID, least int, took func(n int)) error {
	return svc.shelveChat(ctx, chat, least, 0, took)
}

func (svc *Service) shelveChat(ctx context.Context, chat storage.ChatID, least int, rest time.Duration,
	took func(n int),
) error {
	for ctx.Err() == nil {
		n := 0
		err := svc.core.Store.View(func(tx *storage.Tx) error {
			n = len(tx.NextToShelve(chat, max(least, 1)))
			return nil
		})
		if err != nil || n < max(least, 1) {
			return err
		}
		begun := time.Now()
		err = svc.core.Store.Update(func(tx *storage.Tx) (err error) { n, err = shelve(tx, chat); return err })
		if err != nil {
			return failure.IgnoreMissing(err)
		}
		took(n)
		if rest > 0 {
			rest = max(shelfRest, 3*time.Since(begun))
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
	return ctx.Err()
}

// ShelveWithin takes in the words of all messages of a chat as part of a transaction.
func ShelveWithin(tx *storage.Tx, chat storage.ChatID) error {
	for {
		if n, err := shelve(tx, chat); n == 0 || err != nil {
			return err
		}
	}
}

// shelve takes in the words of the next messages, and tells of how many. They are read in the
// transaction in which they are taken: what is rewritten before or after it is taken again.
func shelve(tx *storage.Tx, chat storage.ChatID) (n int, err error) {
	var list []storage.Worded
	all := 0
	for _, id := range tx.NextToShelve(chat, shelvedAtOnce) {
		n, err := tx.Node(chat, id)
		if err != nil {
			n = storage.Node{} // a damaged one has no words, and keeps no other waiting
		}
		w := storage.Worded{ID: id, Words: wordsOf(n)}
		list = append(list, w)
		if all += len(w.Words); all > wordsAtOnce {
			break
		}
	}
	return len(list), tx.ShelveWords(chat, list)
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
