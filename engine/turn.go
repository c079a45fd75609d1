package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/engine/script"
	"ghostlight/storage"
)

var (
	// ErrTurnRunning: a reply is still being written in that chat.
	ErrTurnRunning = errors.New("a reply is still being written in this chat")
	// ErrNoModelChosen: no model was chosen yet, and the server has not just one.
	ErrNoModelChosen = errors.New("no model is chosen")
	// ErrNothing: there is nothing that could be continued, or sent.
	ErrNothing = errors.New("there is nothing to do that with")
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
}

// liveTurn is a reply while it is being written.
type liveTurn struct {
	request
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	msg     Message
	started bool // msg is set and followers know of it
	stored  bool
	turn    Turn
	err     error
}

func (t *liveTurn) isReply() bool { return t.mode != script.Impersonate }

func (t *liveTurn) message() (Message, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.msg, t.started
}

// reserve takes a chat for a turn, so that no other begins there.
func (e *Engine) reserve(chat storage.ChatID) (*liveTurn, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.turns[chat] != nil {
		return nil, ErrTurnRunning
	}
	if e.ctx.Err() != nil {
		return nil, context.Canceled
	}
	t := &liveTurn{done: make(chan struct{})}
	e.turns[chat] = t
	e.work.Add(1)
	return t, nil
}

// release gives a chat free again.
func (e *Engine) release(chat storage.ChatID, t *liveTurn) {
	e.mu.Lock()
	if e.turns[chat] == t {
		delete(e.turns, chat)
	}
	e.mu.Unlock()
	close(t.done)
	e.work.Done()
}

// begin lets a reserved turn run.
func (e *Engine) begin(t *liveTurn, r request) {
	ctx, cancel := context.WithCancel(e.ctx)
	t.mu.Lock()
	t.request, t.cancel = r, cancel
	t.turn = Turn{Chat: r.chat, UserMessage: r.user}
	t.mu.Unlock()
	crash.Go("a turn", func() {
		defer e.release(r.chat, t)
		defer cancel()
		e.play(ctx, t)
	})
}

// play is one turn: compile, ask, keep what comes, tell of it.
func (e *Engine) play(ctx context.Context, t *liveTurn) {
	free := e.queue.Preempt(e.ollamaLane())
	defer free()
	p, err := e.prepare(ctx, t.request)
	if err != nil {
		e.finish(t, ollama.Result{}, p, err)
		return
	}
	if t.isReply() {
		e.raise(t, p)
	}
	s := &stream{e: e, t: t}
	res, err := e.ollama.Chat(ctx, p.request, s.take)
	s.flush()
	e.finish(t, res, p, err)
}

// raise makes the message that will grow, and tells of it. It is stored with
// its first word, so that a request that fails leaves nothing behind.
func (e *Engine) raise(t *liveTurn, p prepared) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grow != nil {
		t.msg = Message{Node: *t.grow, Siblings: 1}
		t.msg.State, t.msg.Fault = storage.Draft, ""
		t.stored = true
		_ = e.store.View(func(tx *storage.Tx) error {
			if m, err := messageOf(tx, *t.grow); err == nil {
				t.msg.Siblings, t.msg.At = m.Siblings, m.At
			}
			return nil
		})
	} else {
		t.msg = Message{Node: storage.Node{ID: storage.NodeID(storage.NewID()), Chat: t.chat, Parent: t.parent,
			Depth: p.depth + 1, Role: storage.Assistant, Name: p.name, State: storage.Draft, CreatedAt: e.cfg.Now()}}
		t.msg.Siblings, t.msg.At = p.siblings+1, p.siblings
	}
	t.msg.Window, t.msg.Model = p.prompt.Window, p.request.Model
	t.started = true
	e.emit(ReplyStarted{t.chat, t.msg})
}

// stream gathers deltas, tells of them about 30 times a second and saves about
// once a second.
type stream struct {
	e       *Engine
	t       *liveTurn
	mu      sync.Mutex
	pending ollama.Delta
	told    time.Time
	saved   time.Time
	timer   *time.Timer
	over    bool
}

func (s *stream) take(d ollama.Delta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.Content += d.Content
	s.pending.Thinking += d.Thinking
	wait := tellEvery - time.Since(s.told)
	if wait <= 0 {
		s.tell()
		return
	}
	// A pause of the model must not hold back what it has said.
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, func() {
			defer crash.Recover("the stream's timer")
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.timer = nil; !s.over {
				s.tell()
			}
		})
	}
}

func (s *stream) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.tell()
	s.over = true
}

// tell hands on what is pending. The caller holds s.mu.
func (s *stream) tell() {
	d := s.pending
	if d == (ollama.Delta{}) {
		return
	}
	s.pending, s.told = ollama.Delta{}, time.Now()
	if !s.t.isReply() {
		s.e.emit(LineSuggested{Chat: s.t.chat, Text: d.Content})
		return
	}
	s.t.mu.Lock()
	ev := ReplyDelta{Chat: s.t.chat, Node: s.t.msg.ID, Content: d.Content, Thinking: d.Thinking,
		At: len(s.t.msg.Content), ThinkingAt: len(s.t.msg.Thinking)}
	s.t.msg.Content += d.Content
	s.t.msg.Thinking += d.Thinking
	s.t.mu.Unlock()
	s.e.emit(ev)
	if time.Since(s.saved) >= saveEvery {
		s.saved = time.Now()
		s.t.mu.Lock()
		err := s.e.save(s.t)
		s.t.mu.Unlock()
		if err != nil {
			s.e.log.Error("saving a reply failed", "chat", s.t.chat, "err", err)
			s.e.emit(Notice{Error, "the reply could not be saved: " + Words(err)})
		}
	}
}

// save stores the growing message: the first time as a new node that becomes
// the head. The caller holds t.mu.
func (e *Engine) save(t *liveTurn) error {
	n := t.msg.Node
	return e.store.Update(func(tx *storage.Tx) error {
		if err := e.place(tx, t, &n); err != nil {
			return err
		}
		t.msg.Node = n
		return nil
	})
}

// place writes a turn's node and, the first time, moves the head to it.
func (e *Engine) place(tx *storage.Tx, t *liveTurn, n *storage.Node) error {
	if err := e.noteLive(tx, t.chat, n); err != nil {
		return err
	}
	if t.stored {
		return tx.PutNode(*n)
	}
	c, err := storage.Chats.Get(tx, t.chat)
	if err != nil {
		return err
	}
	n.Parent = below(tx, c, t.parent)
	if err := tx.AppendNode(n); err != nil {
		return err
	}
	t.stored = true
	c.Head, c.UpdatedAt = n.ID, e.cfg.Now()
	return storage.Chats.Put(tx, c.ID, c)
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
	live := map[storage.ChatID]storage.NodeID{}
	if _, err := tx.Setting(settingLive, &live); err != nil {
		return err
	}
	if n.State == storage.Draft && live[chat] == n.ID {
		return nil
	}
	if n.State == storage.Draft {
		live[chat] = n.ID
	} else if live[chat] == n.ID {
		delete(live, chat)
	} else {
		return nil
	}
	return tx.PutSetting(settingLive, live)
}

// finish stores how the turn ended and tells of it.
func (e *Engine) finish(t *liveTurn, res ollama.Result, p prepared, err error) {
	e.noteServer(err)
	if !t.isReply() {
		e.emit(LineSuggested{Chat: t.chat, Finished: true, Err: err})
		t.err = err
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.msg.Node
	usable := n.Content != "" || n.Thinking != ""
	n.State, n.Fault = stateOf(res, err)
	if err == nil && res.Ending != ollama.EndStopped && !usable && n.Fault == "" {
		n.State, n.Fault = storage.Broken, "the model answered with nothing"
	}
	if err == nil {
		n.Usage = &storage.Usage{DoneReason: res.DoneReason, PromptTokens: res.PromptTokens, ReplyTokens: res.ReplyTokens,
			PromptEvalMS: res.PromptEval.Milliseconds(), TotalMS: res.Total.Milliseconds(), EstimatedRead: p.reread}
		e.learn(p, res, n.Content)
	}
	t.turn.DoneReason, t.turn.State, t.turn.Fault = res.DoneReason, n.State, n.Fault
	t.turn.PromptTokens, t.turn.ReplyTokens = res.PromptTokens, res.ReplyTokens
	t.turn.PromptEvalMS, t.turn.TotalMS = res.PromptEval.Milliseconds(), res.Total.Milliseconds()
	t.msg.Node = n
	if usable {
		e.keep(t)
	} else if err == nil && n.Fault != "" {
		err = errors.New(n.Fault)
	}
	if usable {
		err = nil // what came is kept, and its fault stands with it
	}
	t.err = err
	e.emit(ReplyEnded{Chat: t.chat, Message: t.msg, Turn: t.turn, Err: err})
}

// keep stores the finished message. A store that cannot be written keeps the
// text on the screen and says so.
func (e *Engine) keep(t *liveTurn) {
	if err := e.save(t); err != nil {
		e.log.Error("storing a reply failed", "chat", t.chat, "err", err)
		t.msg.State, t.msg.Fault = storage.Broken, "this could not be saved: "+Words(err)
		e.emit(Notice{Error, t.msg.Fault})
	}
	t.turn.Message, t.turn.Content, t.turn.Thinking = t.msg.ID, t.msg.Content, t.msg.Thinking
	if t.grow != nil {
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

// stateOf says what an ending means for the message, with words for what is odd.
func stateOf(res ollama.Result, err error) (storage.State, string) {
	if err != nil {
		return storage.Broken, Words(err)
	}
	switch res.Ending {
	case ollama.EndComplete:
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
	t.mu.Lock()
	cancel := t.cancel
	t.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	return true
}

// Running tells whether a reply is being written in a chat.
func (e *Engine) Running(chat storage.ChatID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.turns[chat] != nil
}

// Wait waits until the turn that runs in a chat has ended and tells how. It
// returns ErrNothing when none runs, and the turn's own error when nothing
// usable came.
func (e *Engine) Wait(ctx context.Context, chat storage.ChatID) (Turn, error) {
	e.mu.Lock()
	t := e.turns[chat]
	e.mu.Unlock()
	if t == nil {
		return Turn{}, fmt.Errorf("wait: %w", ErrNothing)
	}
	select {
	case <-t.done:
	case <-ctx.Done():
		return Turn{}, ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.turn, t.err
}
