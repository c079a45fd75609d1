package play

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// warmLeast is the least number of unread tokens that makes reading ahead worthwhile: fewer are
	// read quickly when the turn comes.
	warmLeast = 512
	// warmPause is the idle time before a prompt is read ahead.
	warmPause = 300 * time.Millisecond
)

// warmer reads the prompt of the chat on the screen ahead. One goroutine checks whether there is
// something to read each time it is woken.
type warmer struct {
	readMu sync.Mutex // held by whoever reads ahead: one at a time

	mu   sync.Mutex
	open []storage.ChatID // on the screens, the last entered one at the end
	chat storage.ChatID   // one of open, "" for none
	wake chan struct{}    // holds one; nil until the goroutine runs
	stop func()           // ends the running request, nil for none
	done chan struct{}    // closed when the request has ended
}

// EnterChat records that the user has opened a chat. Its prompt is read ahead if the settings allow
// it.
func (svc *Service) EnterChat(chat storage.ChatID) {
	w := &svc.warming
	w.mu.Lock()
	changed := w.chat != chat
	w.open, w.chat = append(w.open, chat), chat
	w.mu.Unlock()
	if changed {
		svc.CancelWarmUp()
	}
	svc.WarmUpSoon()
}

// LeaveChat records that the user has left a chat. That ends its session, unless another screen
// shows it.
func (svc *Service) LeaveChat(chat storage.ChatID) {
	w := &svc.warming
	w.mu.Lock()
	if i := slices.Index(w.open, chat); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
	}
	was, next := w.chat, storage.ChatID("")
	if n := len(w.open); n > 0 {
		next = w.open[n-1]
	}
	w.chat = next
	shown := slices.Contains(w.open, chat)
	w.mu.Unlock()
	if was != next {
		svc.CancelWarmUp()
	}
	if shown {
		return
	}
	if err := svc.director.EndSession(chat); err != nil && !errors.Is(err, storage.ErrNotFound) {
		svc.core.Log.Warn("ending the session of a chat failed", "chat", chat, "err", err)
	}
}

// WarmUpSoon has the engine check soon whether there is a prompt to read ahead, and ends the
// current reading if something else is needed now. It must not be called inside a transaction.
func (svc *Service) WarmUpSoon() {
	if !svc.core.Settings().Stage.WarmUp || svc.models.Ollama.KeepAlive() == 0 {
		return // the server would unload the model immediately
	}
	w := &svc.warming
	w.mu.Lock()
	reading := w.stop != nil
	if w.wake == nil && w.chat != "" && svc.startWarm(w) {
		w.wake = make(chan struct{}, 1)
	}
	if w.wake != nil {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	w.mu.Unlock()
	if reading && svc.laneWanted() {
		svc.CancelWarmUp()
	}
}

// startWarm starts the goroutine, unless the engine is closing.
func (svc *Service) startWarm(w *warmer) bool {
	if !svc.core.BeginWork() {
		return false
	}
	crash.Go("reading ahead", func() {
		defer svc.core.Work.Done()
		svc.warmLoop(w)
	})
	return true
}

// warmLoop looks for something to read each time it is woken, after a quiet period.
func (svc *Service) warmLoop(w *warmer) {
	w.mu.Lock()
	kick := w.wake
	w.mu.Unlock()
	for {
		select {
		case <-kick:
		case <-svc.core.Ctx.Done():
			return
		}
		for quiet := false; !quiet; {
			pause := time.NewTimer(warmPause)
			select {
			case <-pause.C:
				quiet = true
			case <-kick:
			case <-svc.core.Ctx.Done():
				pause.Stop()
				return
			}
			pause.Stop()
		}
		svc.warmUp(w)
	}
}

// stopWarmUp ends the reading ahead and the unloading of models, and waits until both have ended:
// the user's own turn goes first.
func (svc *Service) stopWarmUp() {
	svc.WaitWarmUp("")
	svc.pictures.StopUnloading()
}

// WaitWarmUp ends the reading ahead and waits until it has ended. It ignores its parameter, the
// picture that needs the memory.
func (svc *Service) WaitWarmUp(storage.CaptureID) {
	if done := svc.CancelWarmUp(); done != nil {
		<-done
	}
}

// CancelWarmUp ends the reading ahead. The returned channel is closed when it has ended; it is nil
// if nothing was being read.
func (svc *Service) CancelWarmUp() <-chan struct{} {
	w := &svc.warming
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		return nil
	}
	w.stop()
	return w.done
}

// warmUp reads the prompt of the chat on the screen ahead, if the model is idle and would have to
// read enough of it.
func (svc *Service) warmUp(w *warmer) {
	w.readMu.Lock()
	defer w.readMu.Unlock()
	ctx, cancel := context.WithCancel(svc.core.Ctx)
	defer cancel()
	chat, ok := w.begin(cancel, svc.ModelFree)
	if !ok {
		return
	}
	defer w.end()
	free, err := svc.freeLane()
	if err != nil {
		return // other work has just started there; warmUp runs again when it ends
	}
	defer free()
	p, err := svc.nextPrompt(ctx, chat)
	if err != nil {
		svc.core.Log.Debug("the cache was not warmed", "chat", chat, "err", err)
		return
	}
	if p.reread < warmLeast || ctx.Err() != nil {
		return
	}
	svc.core.Emit(Warming{Chat: chat, Tokens: p.reread})
	defer svc.core.Emit(Warming{Chat: chat, Tokens: p.reread, Over: true})
	p.request.Options.NumPredict = 1
	p.request.Yields = true
	res, err := svc.models.Ollama.Chat(ctx, p.request, nil)
	svc.recordWarmUp(p, res, err)
	if svc.learnRefused(ctx, p, err) {
		svc.WarmUpSoon()
	}
	if err == nil && ctx.Err() == nil {
		svc.models.LearnRead(p.request.Model, p.reread, res.PromptEval)
	}
}

// nextPrompt returns the known part of a chat's next prompt before the user speaks: up to the place
// of the user's message. If the newest message has no reply yet, the whole prompt is known.
func (svc *Service) nextPrompt(ctx context.Context, chat storage.ChatID) (preparedRequest, error) {
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
		return preparedRequest{}, err
	}
	_, next := svc.nextMoment(c, "")
	next.isWarmUp = answered
	return svc.prepare(ctx, next)
}

// placeholder is the user's message in a prompt that is read ahead, so that the text around the
// next message is already in its place. It activates no lorebook entry.
const placeholder = "-"

// begin registers cancel for the chat on the screen, if the model is free. From then on, whoever
// needs the model can stop the reading ahead.
func (w *warmer) begin(cancel func(), free func() bool) (storage.ChatID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chat == "" || !free() {
		return "", false
	}
	w.stop, w.done = cancel, make(chan struct{})
	return w.chat, true
}

func (w *warmer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = nil
	close(w.done)
}

// ModelFree reports whether no reply is being written and no work wants the model.
func (svc *Service) ModelFree() bool {
	return svc.chats.Turns.Any() == nil && svc.core.Ctx.Err() == nil && !svc.laneWanted()
}

// laneWanted reports whether work of the queue runs or waits for the chats' model, or needs the
// memory that the model occupies.
func (svc *Service) laneWanted() bool {
	now, wanted, paused := svc.core.Config.Now(), false, svc.core.Queue.Paused()
	blocked, err := svc.core.Queue.Blocked()
	if err != nil {
		return true
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.Backward(tx) {
			if op.Status != storage.InProgress && (op.Status != storage.Pending || paused) {
				continue // paused work may wait forever; running work goes on
			}
			_, stuck := blocked[op.ID]
			// Painting unloads the model, now or later, so reading ahead would be wasted.
			paints := op.Type == pictures.OpCaptureSend && !svc.core.Settings().VRAM.KeepOllama
			if !stuck && (paints || op.Lane == queue.LaneOllama && !op.NotBefore.After(now)) {
				wanted = true
				return nil
			}
		}
		return nil
	})
	return wanted || err != nil
}

// freeLane keeps the queue off the chats' model, if nothing runs there now.
func (svc *Service) freeLane() (free func(), err error) {
	now, cancel := context.WithCancel(svc.core.Ctx)
	cancel()
	return svc.core.Queue.Hold(now, queue.LaneOllama)
}

// recordWarmUp records what the server has now in its cache. How far an interrupted reading came is
// unknown.
func (svc *Service) recordWarmUp(p preparedRequest, res ollama.Result, err error) {
	svc.models.NoteServer(err)
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.lastAsked = time.Now()
	whole := err == nil && (res.Ending == ollama.EndComplete || res.Ending == ollama.EndLength)
	switch {
	case whole:
		read := slices.Clone(p.prompt.Messages)
		svc.last = lastPrompt{model: p.request.Model, chat: p.moment.Chat.ID, messages: read, prompt: &p.prompt}
	case svc.last.model == p.request.Model:
		svc.last.messages, svc.last.prompt = commonPrefix(svc.last.messages, p.prompt.Messages), nil
	}
}

// commonPrefix returns the messages that both prompts begin with.
func commonPrefix(a, b []prompt.Message) []prompt.Message {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n:n]
}
