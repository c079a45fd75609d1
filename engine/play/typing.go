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
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Background work that has a prompt of its own takes the chat's out of the server's cache:
// who goes on then waits for all of it. So it does not begin while the user is about to go
// on: while he types, and after a reply, which he may want anew. What rides on the chat's
// prompt costs him nothing, and what he has asked for he waits for.
const (
	// typingPause is how long after the last key background work may begin again.
	typingPause = 15 * time.Second
	// lullMost is how long work is kept off at most, through all the lulls of that time, and
	// lullRest how long none begins after that: who plays without a pause still gets his recaps.
	lullMost = 90 * time.Second
	lullRest = 30 * time.Second
	// psPatience bounds how long the server may take to say what it has loaded.
	psPatience = time.Second
	// psRest is how long after a request the model counts as loaded without asking.
	psRest = 20 * time.Second
)

// lulls are the times in which work is kept off.
type lulls struct {
	svc             *Service
	typing, reading lull // while the user types; after a reply, which he may want anew

	mu       sync.Mutex
	until    time.Time           // no lull begins before
	off      time.Time           // since when prompts have been told to wait, zero for none
	tookBack storage.OperationID // the work that was put back last because he typed
}

// keepOff keeps background work below a priority off for a pause. What that leaves time for
// is read ahead.
func (ls *lulls) keepOff(l *lull, pause time.Duration, below int, first func()) {
	core, rests := ls.svc.core, false
	if !l.begins(pause, func() bool { rests = ls.rest(below); return !rests && core.Enter() }) {
		if rests {
			ls.typing.ends()
			ls.reading.ends()
		}
		return
	}
	release := core.Queue.Quieten(house.LaneOllama, below)
	crash.Go("keeping work off", func() {
		defer core.Work.Done()
		first()
		ls.over(l.last(core.Ctx))
		release()
		ls.svc.WarmSoon()
	})
}

// over takes note of how a lull has ended: what was kept off has its turn after one that has
// lasted for as long as one may, and after a pause that has passed.
func (ls *lulls) over(whole, passed bool) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if whole {
		ls.until = time.Now().Add(lullRest)
	}
	if whole || passed {
		ls.off = time.Time{}
	}
}

// rest tells whether work is let be, because some has been kept off for long enough.
func (ls *lulls) rest(below int) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	now := time.Now()
	if now.Before(ls.until) {
		return true
	}
	since, kept := ls.svc.core.Queue.KeptSince(house.LaneOllama, below)
	if !ls.off.IsZero() && (!kept || ls.off.Before(since)) {
		since, kept = ls.off, true
	}
	if since.Before(ls.until) {
		since = ls.until
	}
	if !kept || now.Sub(since) < lullMost {
		return false
	}
	ls.until, ls.off = now.Add(lullRest), time.Time{}
	return true
}

// KeptOff implements house.PromptAppender.
func (svc *Service) KeptOff(j house.Job, prompt []prompts.Message) time.Duration {
	svc.mu.Lock()
	kept := alike(svc.last.messages, svc.last.own)
	same := svc.last.model == j.Model
	svc.mu.Unlock()
	if same && len(kept) > 0 && len(alike(kept, scriptOf(prompt))) == len(kept) || svc.core.Queue.Hurried() {
		return 0
	}
	return svc.lulls.left()
}

// left is how long what has to wait for a lull waits.
func (ls *lulls) left() time.Duration {
	left := max(ls.typing.left(), ls.reading.left())
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if left > 0 && ls.off.IsZero() {
		ls.off = time.Now()
	}
	return left
}

// Typing says that the user types in a chat. It returns at once. His next turn is near, and
// he does not want the last one anew: what it begins with is read now, also where older
// messages have to leave for that.
func (svc *Service) Typing(chat storage.ChatID) {
	if chat == "" {
		return
	}
	ls := &svc.lulls
	ls.keepOff(&ls.typing, typingPause, scenes.AppendedPriority, func() {
		ls.reading.ends()
		ls.takeBack()
		svc.comesBack()
		svc.WarmSoon()
	})
}

// afterReply keeps off what nobody waits for while the user reads the reply of a turn that
// ends.
func (ls *lulls) afterReply(chat storage.ChatID) {
	w := &ls.svc.warming
	w.mu.Lock()
	shown := slices.Contains(w.open, chat)
	w.mu.Unlock()
	if rest := ls.svc.core.Settings().Stage.Rest; rest > 0 && shown {
		ls.keepOff(&ls.reading, rest, queue.DefaultPriority, func() {})
	}
}

// takeBack puts work back that has a prompt of its own: the turn that comes would do so, and
// the chat's prompt can be read before it. No work is put back twice for that.
func (ls *lulls) takeBack() {
	core := ls.svc.core
	s := core.Settings()
	op, busy := core.Queue.RunningOn(house.LaneOllama)
	if !busy || op.Priority >= scenes.AppendedPriority || !s.Stage.WarmUp || s.Jobs.ChatWaits || ls.svc.leavesAtOnce() {
		return
	}
	ls.mu.Lock()
	again := ls.tookBack == op.ID
	ls.tookBack = op.ID
	ls.mu.Unlock()
	if !again {
		core.Queue.Preempt(house.LaneOllama)()
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
