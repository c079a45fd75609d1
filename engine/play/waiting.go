package play

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// serverWait is what a turn waits for from its server. The zero value waits for nothing.
type serverWait struct {
	word  time.Time // since when no word has come, or since when it was asked
	piece time.Time // when anything came last, zero if nothing has
}

// start notes that a request is made.
func (w *serverWait) start(now time.Time) { *w = serverWait{word: now} }

// receive notes what has come.
func (w *serverWait) receive(d ollama.Delta, now time.Time) {
	if d.Content != "" || w.piece.IsZero() {
		w.word = now
	}
	w.piece = now
}

// remaining returns for how long no word has come, and how long it goes on before a request is
// given up that may go on for giveUp; left is 0 where that is for ever.
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

// ServerQuiet returns for how long the turn that runs in a chat has brought no word of its answer,
// and after how much longer it is given up. Both are 0 where nothing is asked, left also where
// that is for ever.
func (svc *Service) ServerQuiet(chat storage.ChatID) (quiet, left time.Duration) {
	t := svc.running(chat)
	if t == nil {
		return 0, 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wait.remaining(svc.core.Config.Now(), svc.models.Ollama.GiveUp())
}
