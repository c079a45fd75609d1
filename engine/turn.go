package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// How often a growing reply is told of and saved.
const (
	tellEvery = 33 * time.Millisecond
	saveEvery = time.Second
)

// request is what a turn was asked for.
type request struct {
	chat   storage.ChatID
	user   storage.NodeID // the message just sent, if any
	parent storage.NodeID // the prompt's last message; of a reply also the parent
	grow   *storage.Node  // Continue: the reply to add to
	mode   script.Mode
	// speaker is who is to answer where several characters play, "" as the turn
	// order says.
	speaker storage.CharacterID
	nudge   string // an instruction for this one turn
	ride    bool   // something is asked about an answered turn
}

// rides tells whether a request goes on from an answered turn.
func (r request) rides() bool {
	return r.ride || r.mode == script.Continue || r.mode == script.Impersonate
}

// liveTurn is a reply while it is being written. The request and what is not
// said to be otherwise belong to the goroutine that plays the turn.
type liveTurn struct {
	request
	ctx    context.Context // ends when the turn is stopped
	cancel context.CancelFunc
	done   chan struct{} // closed when the turn is over
	learnt *float64      // the model's token estimate, to be kept with the reply
	lore   *storage.LoreTurn
	notes  []storage.NoteTurn
	read   int // tokens that were to be read anew

	mu      sync.Mutex
	msg     Message       // guarded by mu
	started bool          // msg is set and followers know of it; guarded by mu
	had     int           // bytes that msg began with
	stored  bool          // the store has msg, as it was some time ago
	owed    *storage.Node // what could not be stored at the end; guarded by mu
	turn    Turn          // guarded by done, like err
	err     error
}

func (t *liveTurn) isReply() bool { return t.mode != script.Impersonate }

// reserve takes a chat for a turn, so that no other begins there.
func (e *Engine) reserve(chat storage.ChatID) (*liveTurn, error) {
	e.CatchUp(chat)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.turns[chat] != nil {
		return nil, ErrTurnRunning
	}
	if !e.enter() {
		return nil, ErrStopped
	}
	t := &liveTurn{done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(e.ctx)
	e.turns[chat] = t
	return t, nil
}

// abandon gives a chat free that no turn has begun in after all.
func (e *Engine) abandon(chat storage.ChatID, t *liveTurn, why error) {
	t.err = why
	e.mu.Lock()
	delete(e.turns, chat)
	e.mu.Unlock()
	e.over(t)
	e.warmSoon()
}

// release gives a chat free whose turn has ended, and tells how: whoever hears
// of the end finds the chat free, and nothing of a next turn is told before it.
func (e *Engine) release(chat storage.ChatID, t *liveTurn, end Event) {
	e.mu.Lock()
	delete(e.turns, chat)
	e.ended[chat] = t
	e.emit(end)
	e.mu.Unlock()
	e.over(t)
	e.warmSoon()
}

func (e *Engine) over(t *liveTurn) {
	t.cancel()
	close(t.done)
	e.work.Done()
}

// begin lets a reserved turn run.
func (e *Engine) begin(t *liveTurn, r request) {
	t.request = r
	t.turn = Turn{Chat: r.chat, UserMessage: r.user}
	crash.Go("a turn", func() { e.release(r.chat, t, e.play(t)) })
}

// play is one turn: compile, ask, keep what comes. It returns the event that
// tells of its end.
func (e *Engine) play(t *liveTurn) Event {
	free, err := e.takeLane(t.ctx)
	if err != nil {
		return e.finish(t, ollama.Result{}, prepared{}, err)
	}
	defer free()
	p, err := e.prepare(t.ctx, t.request)
	if err != nil {
		return e.finish(t, ollama.Result{}, p, err)
	}
	e.warnBreak(p)
	if t.isReply() {
		t.lore, t.notes = p.lore.record(p.prompt.Lore), p.notes.record(p.moment, p.prompt.Lore)
		e.raise(t, p)
	}
	s := &stream{e: e, t: t}
	res, err := e.ollama.Chat(t.ctx, p.request, s.take)
	s.flush()
	return e.finish(t, res, p, err)
}

// takeLane clears the model's lane for a turn: background work is put back, or
// waited for where the settings say so.
func (e *Engine) takeLane(ctx context.Context) (free func(), err error) {
	e.stopWarm()
	if e.cfg.Jobs.ChatWaits {
		return e.queue.Hold(ctx, laneOllama)
	}
	return e.queue.Preempt(laneOllama), nil
}

// raise makes the message that will grow, and tells of it. It is stored with
// its first word, so that a request that fails leaves nothing behind.
func (e *Engine) raise(t *liveTurn, p prepared) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grow != nil {
		t.msg = Message{Node: *t.grow, Siblings: 1}
		t.msg.State, t.msg.Fault = storage.Draft, ""
		t.had = len(t.msg.Content) + len(t.msg.Thinking)
		t.stored = true
		_ = e.store.View(func(tx *storage.Tx) error {
			if m, err := messageOf(tx, *t.grow); err == nil {
				t.msg.Siblings, t.msg.At = m.Siblings, m.At
			}
			return nil
		})
	} else {
		t.msg = Message{Node: storage.Node{ID: storage.NodeID(storage.NewID()), Chat: t.chat, Parent: p.parent,
			Depth: p.depth + 1, Role: storage.Assistant, Name: p.name, Speaker: p.moment.speaker, Presence: p.presence, State: storage.Draft, CreatedAt: e.cfg.Now()}}
		t.msg.Siblings, t.msg.At = p.siblings+1, p.siblings
	}
	t.msg.Window, t.msg.Model = p.prompt.Window, p.request.Model
	t.started = true
	e.emit(ReplyStarted{t.chat, t.msg})
}

// save stores the growing message: the first time as a new node that becomes
// the head. Only one save of a turn runs at a time.
func (e *Engine) save(t *liveTurn) error {
	t.mu.Lock()
	n, stored := t.msg.Node, t.stored
	t.mu.Unlock()
	if err := e.store.Update(func(tx *storage.Tx) error { return e.place(tx, t, &n, stored) }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.msg.Parent, t.msg.Depth, t.stored = n.Parent, n.Depth, true
	return nil
}

// place writes a turn's node and, unless it is stored already, moves the head to
// it.
func (e *Engine) place(tx *storage.Tx, t *liveTurn, n *storage.Node, stored bool) error {
	if err := e.noteLive(tx, t.chat, n); err != nil {
		return err
	}
	if t.learnt != nil {
		if err := tx.PutSetting(meterKey(n.Model), *t.learnt); err != nil {
			return err
		}
	}
	if n.State != storage.Draft && n.Usage != nil && t.read > 0 {
		if err := e.learnPace(tx, n.Model, t.read, n.Usage.PromptEvalMS); err != nil {
			return err
		}
	}
	if stored {
		if err := tx.PutNode(*n); err != nil {
			return err
		}
		return e.placed(tx, n)
	}
	c, err := storage.Chats.Get(tx, t.chat)
	if err != nil {
		return err
	}
	n.Parent = below(tx, c, t.parent)
	if err := tx.AppendNode(n); err != nil {
		return err
	}
	c.Head, c.UpdatedAt = n.ID, e.cfg.Now()
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return err
	}
	if t.lore != nil {
		if err := storage.LoreTurns.Put(tx, t.chat, *t.lore); err != nil {
			return err
		}
	}
	if err := keepNotes(tx, t.chat, t.notes); err != nil {
		return err
	}
	return e.placed(tx, n)
}

// below is where a reply to parent goes: under the pictures that were hung
// below it meanwhile, so that they stay on the path.
func below(tx *storage.Tx, c storage.Chat, parent storage.NodeID) storage.NodeID {
	for at := c.Head; at != "" && at != parent; {
		n, err := tx.Node(c.ID, at)
		if err != nil || n.Role != storage.SceneCapture {
			return parent
		}
		if at = n.Parent; at == parent {
			return c.Head
		}
	}
	return parent
}

// noteLive keeps the list of replies that a crash would leave open.
func (e *Engine) noteLive(tx *storage.Tx, chat storage.ChatID, n *storage.Node) error {
	live := map[storage.NodeID]storage.ChatID{}
	if _, err := tx.Setting(settingLive, &live); err != nil {
		return err
	}
	_, noted := live[n.ID]
	if noted == (n.State == storage.Draft) {
		return nil
	}
	if live[n.ID] = chat; noted {
		delete(live, n.ID)
	}
	return tx.PutSetting(settingLive, live)
}

// finish stores how the turn ended and returns the event that tells of it.
func (e *Engine) finish(t *liveTurn, res ollama.Result, p prepared, err error) Event {
	e.noteServer(err)
	if err != nil && t.ctx.Err() != nil {
		res.Ending, err = ollama.EndStopped, nil
	}
	if err == nil {
		t.learnt = e.learn(p, res)
	}
	t.turn.DoneReason, t.turn.PromptTokens, t.turn.ReplyTokens = res.DoneReason, res.PromptTokens, res.ReplyTokens
	t.turn.PromptEvalMS, t.turn.TotalMS = res.PromptEval.Milliseconds(), res.Total.Milliseconds()
	t.turn.State, t.turn.Fault = stateOf(res, err)
	if !t.isReply() {
		t.turn.Content = res.Content
		if res.Content == "" {
			t.err = nothing(res, err)
		} else if t.turn.Fault != "" {
			e.emit(Notice{Warning, t.turn.Fault})
		}
		return LineSuggested{Chat: t.chat, Finished: true, Err: t.err}
	}
	t.mu.Lock()
	if len(t.msg.Content)+len(t.msg.Thinking) == t.had {
		defer t.mu.Unlock()
		if t.grow != nil {
			t.msg.Node = *t.grow // as it was, and as it is stored
		}
		t.err = nothing(res, err)
		return ReplyEnded{Chat: t.chat, Message: t.msg, Turn: t.turn, Err: t.err}
	}
	t.msg.State, t.msg.Fault = t.turn.State, t.turn.Fault
	t.msg.Usage = &storage.Usage{DoneReason: res.DoneReason, PromptTokens: res.PromptTokens, ReplyTokens: res.ReplyTokens,
		PromptEvalMS: res.PromptEval.Milliseconds(), TotalMS: res.Total.Milliseconds(), EstimatedRead: p.reread, Stable: stableHash(p.prompt.Messages)}
	t.read = p.reread
	t.mu.Unlock()
	e.keep(t)
	e.queue.Wake()
	e.stored.Run(t.chat)
	return ReplyEnded{Chat: t.chat, Message: t.msg, Turn: t.turn}
}

// nothing says why no text came.
func nothing(res ollama.Result, err error) error {
	switch {
	case err != nil:
		return err
	case res.Ending == ollama.EndStopped:
		return ErrStopped
	case res.Fault != "":
		return errors.New(res.Fault)
	}
	return errors.New("the model answered with nothing")
}

// keep stores the finished message. Where the store cannot be written the text
// stays on the screen, which says so, until it can; see CatchUp.
func (e *Engine) keep(t *liveTurn) {
	err := e.save(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		e.log.Error("storing a reply failed", "chat", t.chat, "err", err)
		owed := t.msg.Node
		t.owed = &owed
		t.msg.State, t.msg.Fault = storage.Broken, "this could not be saved: "+Words(err)
		e.emit(Notice{Error, t.msg.Fault})
	}
	t.turn.State, t.turn.Fault = t.msg.State, t.msg.Fault
	t.turn.Message, t.turn.Content, t.turn.Thinking = t.msg.ID, t.msg.Content, t.msg.Thinking
	if t.grow != nil || !t.stored {
		return
	}
	if err := e.store.View(func(tx *storage.Tx) error {
		m, err := messageOf(tx, t.msg.Node)
		if err == nil {
			t.msg = m
		}
		return err
	}); err != nil {
		e.log.Warn("reading a reply back failed", "err", err)
	}
}

// CatchUp implements tree.Turns: it stores the reply of a chat's last turn if that could not be done when
// it ended: there was no room on the disk, say.
func (e *Engine) CatchUp(chat storage.ChatID) {
	e.mu.Lock()
	t := e.ended[chat]
	e.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.owed == nil {
		return
	}
	n := *t.owed
	if err := e.store.Update(func(tx *storage.Tx) error { return e.place(tx, t, &n, t.stored) }); err != nil {
		e.log.Error("storing a reply failed again", "chat", chat, "err", err)
		return
	}
	t.msg.Node, t.owed, t.stored = n, nil, true
	e.emit(ChatChanged{chat})
	e.queue.Wake()
	e.stored.Run(chat)
}

// stateOf says what an ending means for the message, with words for what is odd.
func stateOf(res ollama.Result, err error) (storage.State, string) {
	if err != nil {
		return storage.Broken, Words(err)
	}
	switch res.Ending {
	case ollama.EndComplete:
		if res.Fault != "" {
			return storage.Broken, res.Fault
		}
		return storage.Complete, ""
	case ollama.EndStopped:
		return storage.Stopped, ""
	case ollama.EndLength:
		return storage.Cut, res.Fault
	}
	return storage.Broken, res.Fault
}

// Stop ends the reply that is being written in a chat; what was written is
// kept. It tells whether there was one.
func (e *Engine) Stop(chat storage.ChatID) bool {
	e.mu.Lock()
	t := e.turns[chat]
	e.mu.Unlock()
	if t == nil {
		return false
	}
	t.cancel()
	return true
}

// Running tells whether a reply is being written in a chat.
func (e *Engine) Running(chat storage.ChatID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.turns[chat] != nil
}

// Wait waits until the turn that runs in a chat has ended, or takes the one
// that ran last, and tells how it ended. It returns ErrNothing when there was
// none, and the turn's own error when nothing usable came.
func (e *Engine) Wait(ctx context.Context, chat storage.ChatID) (Turn, error) {
	e.mu.Lock()
	t := e.turns[chat]
	if t == nil {
		t = e.ended[chat]
	}
	e.mu.Unlock()
	if t == nil {
		return Turn{}, fail("wait", ErrNothing)
	}
	select {
	case <-t.done:
		return t.turn, t.err
	case <-ctx.Done():
		return Turn{}, ctx.Err()
	}
}

// placed follows a reply that is finished.
func (e *Engine) placed(tx *storage.Tx, n *storage.Node) error {
	if n.State == storage.Draft {
		return nil
	}
	err := e.replied.Run(tx, n)
	if damaged(err) { // which must not cost the reply
		e.log.Error("following up a reply failed", "chat", n.Chat, "message", n.ID, "err", err)
		return nil
	}
	return err
}

// Any implements pictures.Talk.
func (e *Engine) Any() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.turns {
		return t.done
	}
	return nil
}

// Ended implements pictures.Talk.
func (e *Engine) Ended(ctx context.Context, chat storage.ChatID) error {
	if !e.Running(chat) {
		return nil
	}
	if _, err := e.Wait(ctx, chat); ctx.Err() != nil {
		return err
	}
	return nil
}
