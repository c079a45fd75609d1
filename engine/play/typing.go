package play

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Background work that has a prompt of its own takes the chat's out of the server's cache:
// who goes on then waits for all of it. So it does not begin while the user is about to go
// on: while he types, and after a reply, which he may want anew. What rides on the chat's
// prompt costs him nothing, and what he has asked for he waits for.
const (
	// typingPause is how long after the last key background work may begin again.
	typingPause = 15 * time.Second
	// lullMost is how long it is kept off at a stretch, and lullRest how long it is let
	// be after that: who plays without a pause still gets his recaps.
	lullMost = 90 * time.Second
	lullRest = 30 * time.Second
	// psPatience bounds how long the server may take to say what it has loaded.
	psPatience = time.Second
	// psRest is how long after a request the model counts as loaded without asking.
	psRest = 20 * time.Second
)

// lull is a stretch of time in which background work is kept off. Its zero value is ready.
type lull struct {
	mu    sync.Mutex
	due   time.Time     // it is over then
	until time.Time     // until then none begins
	gone  chan struct{} // closed when it is over, nil for none
	end   chan struct{} // ends it
	waits int           // who wait for its end
}

// begins has a lull last for a pause from now on. It is false where it goes on, or must not begin.
func (l *lull) begins(pause time.Duration, enter func() bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.due = now.Add(pause)
	if l.gone != nil || now.Before(l.until) || !enter() {
		return false
	}
	l.gone, l.end = make(chan struct{}), make(chan struct{}, 1)
	return true
}

// ends ends a lull soon, if there is one.
func (l *lull) ends() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due = (time.Time{}); l.gone != nil {
		select {
		case l.end <- struct{}{}:
		default:
		}
	}
}

func (l *lull) lasts() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone != nil
}

// last returns when a lull that has begun is over.
func (l *lull) last(ctx context.Context) {
	since := time.Now()
	for {
		l.mu.Lock()
		left, end := time.Until(l.due), l.end
		if most := lullMost - time.Since(since); most <= 0 || left <= 0 || ctx.Err() != nil {
			close(l.gone)
			if l.gone = nil; most <= 0 {
				l.until = time.Now().Add(lullRest)
			}
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		pause := time.NewTimer(min(left, lullMost-time.Since(since)))
		select {
		case <-pause.C:
		case <-end:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// wait waits for the end of a lull. It tells whether there was one.
func (l *lull) wait(ctx context.Context) (waited bool, err error) {
	l.mu.Lock()
	gone := l.gone
	if gone == nil {
		l.mu.Unlock()
		return false, nil
	}
	l.waits++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waits--
		l.mu.Unlock()
	}()
	select {
	case <-gone:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// keepsWaiting tells whether somebody waits for the end of a lull.
func (l *lull) keepsWaiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waits > 0
}

// keepOff keeps background work below a priority off for a pause. What that leaves time for
// is read ahead.
func keepOff(svc *Service, l *lull, pause time.Duration, below int, first func()) {
	if !l.begins(pause, svc.core.Enter) {
		return
	}
	release := svc.core.Queue.Quieten(house.LaneOllama, below)
	crash.Go("keeping work off", func() {
		defer svc.core.Work.Done()
		first()
		l.last(svc.core.Ctx)
		release()
		svc.WarmSoon()
	})
}

// Typed says that what the user has typed is sent, or done with: work may begin. It
// returns at once.
func (svc *Service) Typed() { svc.typing.ends() }

// Typing says that the user types in a chat. It returns at once. His next turn is near, and
// he does not want the last one anew: what it begins with is read now, also where older
// messages have to leave for that.
func (svc *Service) Typing(chat storage.ChatID) {
	if chat == "" {
		return
	}
	keepOff(svc, &svc.typing, typingPause, scenes.AppendedPriority, func() {
		svc.reading.ends()
		takeBack(svc)
		svc.comesBack()
		svc.WarmSoon()
	})
}

// rests keeps off what nobody waits for while the user reads the reply of a turn that ends.
func rests(svc *Service, chat storage.ChatID) {
	w := &svc.warming
	w.mu.Lock()
	shown := slices.Contains(w.open, chat)
	w.mu.Unlock()
	if rest := svc.core.Settings().Stage.Rest; rest > 0 && shown {
		keepOff(svc, &svc.reading, rest, queue.DefaultPriority, func() {})
	}
}

// takeBack puts work back that has a prompt of its own: the turn that comes would do so, and
// the chat's prompt can be read before it. No work is put back twice for that.
func takeBack(svc *Service) {
	s := svc.core.Settings()
	op, busy := svc.core.Queue.RunningOn(house.LaneOllama)
	if !busy || op.Priority >= scenes.AppendedPriority || !s.Stage.WarmUp || s.Jobs.ChatWaits || svc.leavesAtOnce() {
		return
	}
	svc.mu.Lock()
	again := svc.tookBack == op.ID
	svc.tookBack = op.ID
	svc.mu.Unlock()
	if !again {
		svc.core.Queue.Preempt(house.LaneOllama)()
	}
}

// comesBack looks whether the server still has the chat's model loaded when the user
// begins to type: after a pause it may have given its memory away, and loads and reads
// everything again.
func (svc *Service) comesBack() {
	svc.mu.Lock()
	model := svc.last.model
	svc.mu.Unlock()
	if model != "" {
		svc.verifyLoaded(svc.core.Ctx, model)
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
