package play

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// While the user types, a turn is near: background work that has a prompt of its own would
// take the chat's out of the server's cache, and does not begin. What rides on the chat's
// prompt costs the turn nothing.
const (
	// typingPause is how long after the last key background work may begin again.
	typingPause = 4 * time.Second
	// typingMost is how long it is kept off at a stretch, and typingRest how long it is let
	// be after that: who writes a long message still gets his recaps.
	typingMost = 90 * time.Second
	typingRest = 30 * time.Second
	// psPatience bounds how long the server may take to say what it has loaded.
	psPatience = time.Second
	// psRest is how long after a request the model counts as loaded without asking.
	psRest = 20 * time.Second
)

// typing is whether the user is writing. Its zero value is ready.
type typing struct {
	mu    sync.Mutex
	at    time.Time // of the last key
	until time.Time // until then work is let be
	busy  bool      // a goroutine keeps work off
	over  chan struct{}
}

// Typed says that what the user has typed is sent, or done with: work may begin. It
// returns at once.
func (svc *Service) Typed() {
	t := &svc.typed
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at = (time.Time{}); t.busy {
		select {
		case t.over <- struct{}{}:
		default:
		}
	}
}

// Typing says that the user types in a chat. It returns at once.
func (svc *Service) Typing(chat storage.ChatID) {
	t, now := &svc.typed, time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = now
	if t.busy || now.Before(t.until) || chat == "" || !svc.core.Enter() {
		return
	}
	t.busy, t.over = true, make(chan struct{}, 1)
	over := t.over
	release := svc.core.Queue.Quieten(house.LaneOllama, scenes.AppendedPriority)
	crash.Go("keeping work off while the user types", func() {
		defer svc.core.Work.Done()
		defer release()
		svc.comesBack(chat)
		t.wait(svc.core.Ctx, now, over)
	})
}

// wait waits until the user has stopped typing, or has typed for long.
func (t *typing) wait(ctx context.Context, since time.Time, over <-chan struct{}) {
	for {
		t.mu.Lock()
		left := typingPause - time.Since(t.at)
		if most := typingMost - time.Since(since); most <= 0 || left <= 0 || ctx.Err() != nil {
			if t.busy = false; most <= 0 {
				t.until = time.Now().Add(typingRest)
			}
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		pause := time.NewTimer(left)
		select {
		case <-pause.C:
		case <-over:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// comesBack looks whether the server still has the chat's model loaded when the user
// begins to type: after a pause it may have given its memory away, and loads and reads
// everything again. Where the settings want that it begins with that now, not with the turn.
func (svc *Service) comesBack(chat storage.ChatID) {
	svc.mu.Lock()
	model := svc.last.model
	svc.mu.Unlock()
	if model != "" && svc.verifyLoaded(svc.core.Ctx, model) {
		svc.WarmSoon()
	}
}

// verifyLoaded asks the server whether it still has a model, unless it was asked for
// something just now. Where it has not, nothing that it has read is in its cache any more;
// it tells whether that is news.
func (svc *Service) verifyLoaded(ctx context.Context, model string) (gone bool) {
	svc.mu.Lock()
	known := svc.last.model == model && len(svc.last.messages) > 0 && time.Since(svc.lastAsked) > psRest
	svc.mu.Unlock()
	if !known {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, psPatience)
	defer cancel()
	list, err := svc.house.Ollama.Running(ctx)
	if err != nil || slices.ContainsFunc(list, func(m ollama.Loaded) bool { return m.Name == model || m.Name == model+":latest" }) {
		return false
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.last.model != model || time.Since(svc.lastAsked) <= psRest {
		return false // it was asked meanwhile
	}
	svc.last.messages, svc.last.prompt = nil, nil
	return true
}
