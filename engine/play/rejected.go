package play

import (
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the records of rejected text.
const (
	maxRejected = 64
	maxText     = 400  // bytes of a phrase or other rejected text
	maxBeyond   = 4000 // bytes of the text after the last complete sentence
)

// cost is the cost of backtracking in a turn.
type cost struct {
	cuts, tokens int
	anew         int // times the reply was begun again
	waited       time.Duration
}

// rejectedOf returns a finding as a record; taken is the text that was cut away for it.
func rejectedOf(f voice.Found, taken string) storage.Rejected {
	r := storage.Rejected{Kind: string(f.Kind), Text: f.Text, Rule: f.Rule.Text, Set: f.Rule.Set, At: f.Cut,
		Tries: f.Try, Allowed: f.Allowed, Ended: f.Ends}
	if f.Kind != voice.Phrase {
		if taken = strings.TrimSpace(taken); len(taken) > len(r.Text) {
			r.Text = taken
		}
	}
	if f.Allowed {
		r.At = f.At
	}
	r.Text = bounded(r.Text, maxText)
	if f.Ends && f.Kind == voice.Length {
		r.Text = bounded(taken, maxBeyond)
	}
	return r
}

// bounded returns s if it has no more than most bytes, else its beginning and an ellipsis.
func bounded(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return text.Truncate(s, most) + "…"
}

// reject adds a record of rejected text to the message, and its cost in tokens. Another try at the
// same place is the same record.
func (t *liveTurn) reject(r storage.Rejected, tokens int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keepRejected(r)
	if !r.Allowed && !r.Ended {
		t.cost.cuts++
	}
	t.cost.tokens += tokens
}

// keepRejected adds a record to the message. The caller holds t.mu.
func (t *liveTurn) keepRejected(r storage.Rejected) {
	list := t.msg.Rejected
	for i := len(list) - 1; i >= 0; i-- {
		if old := list[i]; i >= t.hadRejected && old.Kind == r.Kind && old.Rule == r.Rule && old.At == r.At &&
			!old.Allowed && !r.Allowed {
			now := make([]storage.Rejected, len(list))
			copy(now, list)
			now[i].Tries, now[i].Ended = max(r.Tries, old.Tries+1), r.Ended
			t.msg.Rejected = now
			return
		}
	}
	if len(list) < maxRejected {
		t.msg.Rejected = append(list[:len(list):len(list)], r) // others hold the list that it was
	}
}

func (t *liveTurn) backtracks() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cost.cuts
}

// rejectedTokens returns how many tokens are not in the reply.
func (t *liveTurn) rejectedTokens() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cost.tokens
}
