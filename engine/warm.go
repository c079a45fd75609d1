package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

const (
	// warmLeast is how many tokens a prompt has to cost that is read ahead: less
	// of them is soon read when the turn comes.
	warmLeast = 512
	// warmPause is how long nothing has to happen before a prompt is read ahead.
	warmPause = 300 * time.Millisecond
)

// warmer reads the prompt of the chat on the screen ahead. One goroutine looks
// whether there is something to read, whenever it is kicked.
type warmer struct {
	mu   sync.Mutex
	chat storage.ChatID // on the screen, "" for none
	kick chan struct{}  // holds one; nil until the goroutine runs
	stop func()         // ends the request that is under way, nil for none
	over chan struct{}  // closed when that has ended
}

// Entered says that the user looks at a chat: its prompt is read ahead where the
// settings want that.
func (e *Engine) Entered(chat storage.ChatID) {
	w := &e.warming
	w.mu.Lock()
	changed := w.chat != chat
	w.chat = chat
	w.mu.Unlock()
	if changed {
		e.StopReading()
	}
	e.warmSoon()
}

// Left says that the user has left a chat, which ends its session.
func (e *Engine) Left(chat storage.ChatID) {
	w := &e.warming
	w.mu.Lock()
	here := w.chat == chat
	if here {
		w.chat = ""
	}
	w.mu.Unlock()
	if here {
		e.StopReading()
	}
	if err := e.endSession(chat); err != nil && !errors.Is(err, storage.ErrNotFound) {
		e.log.Warn("ending the session of a chat failed", "chat", chat, "err", err)
	}
}

// warmSoon has the engine look soon whether there is a prompt to read ahead, and
// ends the reading of one where something else is to be done now. It must not be
// called inside a transaction.
func (e *Engine) warmSoon() {
	if !e.cfg.Stage.WarmUp {
		return
	}
	w := &e.warming
	w.mu.Lock()
	reading := w.stop != nil
	if w.kick == nil && w.chat != "" && e.startWarm(w) {
		w.kick = make(chan struct{}, 1)
	}
	if w.kick != nil {
		select {
		case w.kick <- struct{}{}:
		default:
		}
	}
	w.mu.Unlock()
	if reading && e.laneWanted() {
		e.StopReading()
	}
}

// startWarm starts the goroutine, unless the engine is closing.
func (e *Engine) startWarm(w *warmer) bool {
	if !e.enter() {
		return false
	}
	crash.Go("reading ahead", func() {
		defer e.work.Done()
		e.keepWarm(w)
	})
	return true
}

// keepWarm looks for something to read after every kick, once it is quiet.
func (e *Engine) keepWarm(w *warmer) {
	w.mu.Lock()
	kick := w.kick
	w.mu.Unlock()
	for {
		select {
		case <-kick:
		case <-e.ctx.Done():
			return
		}
		for quiet := false; !quiet; {
			pause := time.NewTimer(warmPause)
			select {
			case <-pause.C:
				quiet = true
			case <-kick:
			case <-e.ctx.Done():
				pause.Stop()
				return
			}
			pause.Stop()
		}
		e.warmUp(w)
	}
}

// stopWarm ends the reading ahead, and the unloading of models, and waits until
// the server is free of both: the user's own turn goes first.
func (e *Engine) stopWarm() {
	if over := e.StopReading(); over != nil {
		<-over
	}
	e.makeWay()
}

// StopReading implements pictures.Talk: it ends the reading ahead. What it returns is closed when that has ended;
// nil where nothing was read.
func (e *Engine) StopReading() <-chan struct{} {
	w := &e.warming
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		return nil
	}
	w.stop()
	return w.over
}

// warmUp reads the prompt of the chat on the screen ahead, if the model has
// nothing else to do and would have to read enough of it.
func (e *Engine) warmUp(w *warmer) {
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	chat, ok := w.begin(cancel, e.modelFree)
	if !ok {
		return
	}
	defer w.end()
	free, err := e.freeLane()
	if err != nil {
		return // something has just begun there; its end comes back here
	}
	defer free()
	p, err := e.ahead(ctx, chat)
	if err != nil {
		e.log.Debug("nothing was read ahead", "chat", chat, "err", err)
		return
	}
	if p.reread < warmLeast || ctx.Err() != nil {
		return
	}
	e.emit(Warming{Chat: chat, Tokens: p.reread})
	defer e.emit(Warming{Chat: chat, Tokens: p.reread, Over: true})
	p.request.Options.NumPredict = 1
	res, err := e.ollama.Chat(ctx, p.request, nil)
	e.warmed(p, res, err)
	if err == nil && ctx.Err() == nil {
		e.learnWarm(p.request.Model, p.reread, res.PromptEval)
	}
}

// ahead is the prompt of a chat as far as it is known before the user speaks. It
// goes on from what was answered last, so that nothing new is brought up.
func (e *Engine) ahead(ctx context.Context, chat storage.ChatID) (prepared, error) {
	var c storage.Chat
	rides := false
	err := e.store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, chat); err != nil || c.Head == "" {
			return err
		}
		n, err := tx.Node(chat, c.Head)
		rides = n.Role != storage.User
		return err
	})
	if err != nil {
		return prepared{}, err
	}
	_, next := e.nextMoment(c)
	next.ride = rides
	return e.prepare(ctx, next)
}

// begin takes the place of the request that reads ahead, for the chat on the
// screen, if the model is free: whoever is about to use it after that finds cancel
// there.
func (w *warmer) begin(cancel func(), free func() bool) (storage.ChatID, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.chat == "" || !free() {
		return "", false
	}
	w.stop, w.over = cancel, make(chan struct{})
	return w.chat, true
}

func (w *warmer) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = nil
	close(w.over)
}

// modelFree tells whether no reply is being written and no work wants the model.
func (e *Engine) modelFree() bool {
	e.mu.Lock()
	busy := len(e.turns) > 0 || e.ctx.Err() != nil
	e.mu.Unlock()
	return !busy && !e.laneWanted() && !e.leftCold()
}

// laneWanted tells whether work of the queue runs or waits for the chats' model,
// or needs the memory that the model takes up.
func (e *Engine) laneWanted() bool {
	now, wanted, paused := e.cfg.Now(), false, e.queue.Paused()
	blocked, err := e.queue.Blocked()
	if err != nil {
		return true
	}
	err = e.store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.Backward(tx) {
			if op.Status != storage.InProgress && (op.Status != storage.Pending || paused) {
				continue // what is paused may wait for ever, but what runs goes on
			}
			_, stuck := blocked[op.ID]
			paints := op.Type == opCaptureSend && !e.cfg.VRAM.KeepOllama // at once or later: it would all be unloaded again
			if !stuck && (paints || op.Lane == laneOllama && !op.NotBefore.After(now)) {
				wanted = true
				return nil
			}
		}
		return nil
	})
	return wanted || err != nil
}

// freeLane keeps the queue off the chats' model, if nothing runs there now.
func (e *Engine) freeLane() (free func(), err error) {
	now, cancel := context.WithCancel(e.ctx)
	cancel()
	return e.queue.Hold(now, laneOllama)
}

// warmed keeps what the server has now in its cache. Of a reading that was broken
// off nobody knows how far it came.
func (e *Engine) warmed(p prepared, res ollama.Result, err error) {
	e.noteServer(err)
	e.mu.Lock()
	defer e.mu.Unlock()
	whole := err == nil && (res.Ending == ollama.EndComplete || res.Ending == ollama.EndLength)
	switch {
	case whole:
		e.last = lastPrompt{model: p.request.Model, chat: p.moment.chat.ID, messages: slices.Clone(p.prompt.Messages), prompt: &p.prompt}
	case e.last.model == p.request.Model:
		e.last.messages, e.last.prompt = alike(e.last.messages, p.prompt.Messages), nil
	}
}

// alike is what two prompts begin with.
func alike(a, b []script.Message) []script.Message {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return a[:n:n]
}

// learnWarm learns from a prompt that was read ahead how fast the model reads.
func (e *Engine) learnWarm(model string, read int, took time.Duration) {
	if err := e.store.Update(func(tx *storage.Tx) error { return e.learnPace(tx, model, read, took.Milliseconds()) }); err != nil {
		e.log.Warn("keeping how fast the model reads failed", "err", err)
	}
}
