package play

import (
	"context"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// foreseen is what a prompt that was read ahead has settled for the turn after it: where
// its history begins, what of recaps it tells and which notes it has dropped. Only with
// the same does that turn find its prompt in the server's cache. It is lost with the
// process, as that cache mostly is: then the turn settles it anew.
type foreseen struct {
	chat    storage.ChatID
	head    storage.NodeID // the last message that was read
	speaker storage.CharacterID
	last    scenes.Last
	left    []script.LoreStand
}

// ahead is the prompt of a chat as far as it is known before the user speaks: the next
// turn's, byte for byte, up to where the user's message comes. That of a message which
// has no reply yet is known to its end.
func (svc *Service) ahead(ctx context.Context, chat storage.ChatID) (prepared, error) {
	var c storage.Chat
	answered := false
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err != nil || c.Head == "" {
			return err
		}
		n, err := tx.Node(chat, c.Head)
		answered = n.Role != storage.User
		return err
	})
	if err != nil {
		return prepared{}, err
	}
	_, next := svc.nextMoment(c)
	next.ahead = answered
	return svc.prepare(ctx, next)
}

// Of so many of the user's last messages the longest and the shortest are what the next
// one may be. With it something may come up that takes so many tokens.
const (
	comesLike = 6
	comesMost = 400
	comesWith = 120
)

// letCome puts the message that the user may send next behind a history, a long one, and
// gives what a short one would say: nothing that anything could be found in.
func letCome(s *script.Snapshot, c storage.Chat) (short string) {
	most, least, seen := 0, comesMost, 0
	for i := len(s.History) - 1; i >= 0 && seen < comesLike; i-- {
		if n := &s.History[i]; n.Role == storage.User && lore.Said(n) {
			tokens := min(s.Count(n.Content), comesMost)
			most, least = max(most, tokens), min(least, tokens)
			seen++
		}
	}
	lore.AppendInput(s, c, strings.Repeat("- ", most+comesWith))
	return strings.Repeat("- ", min(most, least)+1)
}

// compileAhead compiles what is read ahead of a snapshot that ends with what letCome has
// put there. The history folds now where the next turn may have to fold it, so that the
// user does not wait for that. But what no recap tells does not leave for a long message
// that may never come.
func compileAhead(s script.Snapshot, short string, reread func([]script.Message) int) (script.Prompt, error) {
	comes := &s.History[len(s.History)-1]
	p, err := script.Compile(s)
	if err != nil || p.Folded && p.Uncovered > 0 {
		comes.Content = short
		least, leastErr := script.Compile(s)
		if leastErr != nil {
			return p, leastErr
		}
		if err != nil || p.Uncovered > least.Uncovered {
			p = least
		}
	}
	return sooner(s, p, reread).Before(comes.ID), nil
}

// sooner is a prompt that folds at once where it would fold soon and the server has to
// read most of it anyway, after other work: it is then read once, and less of it. Those of
// several speakers share too little for that.
func sooner(s script.Snapshot, p script.Prompt, reread func([]script.Message) int) script.Prompt {
	if p.Folded || len(s.Group) > 1 || 2*reread(p.Messages) < p.Tokens {
		return p
	}
	s.Cold = true
	if q, err := script.Compile(s); err == nil && q.Folded && q.Uncovered <= p.Uncovered {
		return q
	}
	return p
}

// foresee keeps what a prompt has settled that is about to be read ahead.
func (svc *Service) foresee(p prepared) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.foreseen = foreseen{chat: p.moment.Chat.ID, head: p.head, speaker: p.moment.Speaker,
		last: scenes.Last{Window: p.prompt.Window, Recaps: p.prompt.Recaps}, left: p.prompt.Dropped}
}

// foresaw is what was settled for the turn after a message, if that one is to be answered
// by the same speaker. What is asked about an answered turn goes on from that one.
func (svc *Service) foresaw(r request, m chats.Moment, after storage.NodeID) (foreseen, bool) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	f := svc.foreseen
	return f, !r.appended && after != "" && f.head == after && f.chat == r.chat && f.speaker == m.Speaker && f.last.Window != ""
}
