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

// Background work that has a prompt of its own takes the chat's out of the server's cache:
// who goes on then waits for all of it. So it does not begin while the user is about to go
// on: while he types, and after a reply, which he may want anew. What rides on the chat's
// prompt costs him nothing, and what he has asked for he waits for.
const (
	// typingPause is how long after the last key background work may begin again.
	typingPause = 15 * time.Second
	// lullMost is how long work is kept off at most, through lulls that follow one another, and
	// lullRest how long none begins after that: who plays without a pause still gets his recaps.
	lullMost = 90 * time.Second
	lullRest = 30 * time.Second
	// leastLull is how much of a lull has to be left for work to be put back.
	leastLull = time.Second
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
	on       int                 // lulls that last
	since    time.Time           // then the first of them began
	kept     time.Duration       // for how long some has waited before, through lulls that followed one another
	until    time.Time           // no lull begins before
	tookBack storage.OperationID // the work that was put back last because he typed
}

// keepOff keeps background work below a priority off for a pause. What that leaves time for
// is read ahead.
func (ls *lulls) keepOff(l *lull, pause time.Duration, below int, first func()) {
	core := ls.svc.core
	if !l.begins(pause, ls.mayBegin) {
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

// waits tells whether work waits, also what was told to.
func (ls *lulls) waits() bool {
	return ls.svc.core.Queue.Waits(house.LaneOllama, scenes.AppendedPriority, lullRest)
}

// replies tells whether a reply is being written.
func (ls *lulls) replies() bool {
	ls.svc.mu.Lock()
	defer ls.svc.mu.Unlock()
	return len(ls.svc.turns) > 0
}

// mayBegin tells for how long work may be kept off.
func (ls *lulls) mayBegin() (most time.Duration, ok bool) {
	waits := ls.waits()
	ls.mu.Lock()
	defer ls.mu.Unlock()
	now := time.Now()
	if now.Before(ls.until) || !ls.svc.core.Enter() {
		return 0, false
	}
	if !waits {
		ls.kept = 0
	}
	if ls.on == 0 || !waits {
		ls.since = now
	}
	ls.on++
	return lullMost - ls.kept - now.Sub(ls.since), true
}

// over takes note of a lull that has ended, of itself where its pause has passed. What has
// waited for long enough has its turn then, also where the user makes no pause; but not while
// a reply comes, which leaves it none.
func (ls *lulls) over(passed bool) {
	waits, replies := ls.waits(), ls.replies()
	ls.mu.Lock()
	now := time.Now()
	ls.on--
	took, rests := ls.kept+now.Sub(ls.since), false
	switch {
	case now.Before(ls.until): // it has its turn
	case !waits || passed && ls.on == 0 && !replies:
		ls.kept, ls.since = 0, now
	case took >= lullMost && !replies:
		ls.kept, ls.until, rests = 0, now.Add(lullRest), true
	case ls.on == 0:
		ls.kept = took
	}
	ls.mu.Unlock()
	if !rests {
		return
	}
	ls.typing.ends()
	ls.reading.ends()
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
		ls.keepOff(&ls.reading, rest, scenes.UnaskedPriority, func() {})
	}
}

// takeBack puts work back that has a prompt of its own: the turn that comes would do so, and
// the chat's prompt can be read before it. No work is put back twice for that.
func (ls *lulls) takeBack() {
	core := ls.svc.core
	s := core.Settings()
	op, busy := core.Queue.RunningOn(house.LaneOllama)
	if !busy || op.Priority >= scenes.AppendedPriority || !s.Stage.WarmUp || s.Jobs.ChatWaits || ls.svc.leavesAtOnce() || ls.typing.left() < leastLull {
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
