package play

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// serverWait records when a turn last received something from its server. The zero value is not
// waiting.
type serverWait struct {
	word  time.Time // when the last word came, or when the request was made
	piece time.Time // when anything last came, zero if nothing has
}

// start records that a request was made.
func (w *serverWait) start(now time.Time) { *w = serverWait{word: now} }

// receive records what has come.
func (w *serverWait) receive(d ollama.Delta, now time.Time) {
	if d.Content != "" || w.piece.IsZero() {
		w.word = now
	}
	w.piece = now
}

// remaining returns the time without a new word, and the time left until the request is given up.
// giveUp is the limit for quiet, 0 for none; left is 0 if there is no limit.
func (w *serverWait) remaining(now time.Time, giveUp time.Duration) (quiet, left time.Duration) {
	if w.word.IsZero() {
		return 0, 0
	}
	quiet = now.Sub(w.word)
	if giveUp == 0 {
		return quiet, 0
	}
	left = giveUp - quiet
	if !w.piece.IsZero() {
		left = min(left, ollama.Silence-now.Sub(w.piece))
	}
	return quiet, max(left, 1)
}

// ServerQuiet returns how long the turn that runs in a chat has received no word of its answer, and
// the time left until it is given up. Both are 0 if nothing is asked; left is also 0 if there is no
// limit.
func (svc *Service) ServerQuiet(chat storage.ChatID) (quiet, left time.Duration) {
	t := svc.running(chat)
	if t == nil {
		return 0, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wait.remaining(svc.core.Config.Now(), svc.models.Ollama.GiveUp())
}
