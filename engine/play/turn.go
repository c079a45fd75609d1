package play

import (
	"context"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/beats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/passage"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How often a growing reply is emitted and saved.
const (
	emitEvery = 5 * time.Millisecond // a slow follower gets pieces joined, see ReplyDelta.Join
	saveEvery = time.Second
)

// request is the request for a turn.
type request struct {
	chat      storage.ChatID
	user      storage.NodeID // the message just sent, if any
	parent    storage.NodeID // the prompt's last message; of a reply also the parent
	continued *storage.Node  // Continue: the reply to add to
	mode      prompt.Mode
	// speaker is the character to answer if several characters play; "" follows the turn order.
	speaker storage.CharacterID
	nudge   string // an instruction for this one turn
	// steer holds what the user wants of the reply; nil uses the result of steerFor.
	steer   *storage.Steer
	outline string // of the line that Impersonate asks for
	// passage is a part of a text to rewrite, nil for none.
	passage  *passage.Part
	beats    *beats.Ask // proposals for the next reply, nil for none
	appended bool       // something is asked about an answered turn
	isWarmUp bool       // the beginning of a turn below parent, before the user speaks
}

// followsReply reports whether a request continues an answered turn.
func (r request) followsReply() bool {
	return r.appended || r.mode == prompt.Continue || r.mode == prompt.Impersonate
}

// liveTurn is a reply while it is being written. The request, and each field without another note,
// belong to the goroutine that runs the turn.
type liveTurn struct {
	request
	svc          *Service
	ctx          context.Context // ends when the turn is stopped
	cancel       context.CancelFunc
	done         chan struct{} // closed when the turn is over
	learnedRatio *float64      // the model's token estimate, to be kept with the reply
	lore         *storage.LoreTurn
	notes        []storage.StageNotesTurn
	rereadTokens int            // tokens that were to be read again
	leaves       storage.NodeID // prompt.Prompt.LeavesNext

	mu           sync.Mutex
	msg          chats.Message // guarded by mu
	started      bool          // msg is set and followers know it; guarded by mu
	initialBytes int           // bytes that msg began with
	stored       bool          // the store has msg, as it was some time ago
	// While a watched reply is being written, at most storable bytes of it are stored. cost is the
	// cost of cutting. All are guarded by mu.
	watched     bool
	storable    int
	hadRejected int // records that msg began with
	cost        cost
	noReadTime  bool          // the server has not reported how long it took to read the prompt
	wait        serverWait    // guarded by mu
	lastStored  string        // the content stored last
	everSaved   bool          // lastStored is set
	unsaved     *storage.Node // the message that could not be stored at the end; guarded by mu
	turn        TurnResult    // guarded by done, like err
	err         error
}

// Done implements chats.Turn.
func (t *liveTurn) Done() <-chan struct{} { return t.done }

func (t *liveTurn) isReply() bool { return t.mode != prompt.Impersonate && t.passage == nil }

// reserve reserves a chat for a turn, so that no other turn begins there.
func (svc *Service) reserve(chat storage.ChatID) (*liveTurn, error) {
	svc.chats.Turns.RetrySave(chat)
	if !svc.core.BeginWork() {
		return nil, failure.ErrStopped
	}
	t := &liveTurn{svc: svc, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(svc.core.Ctx)
	if !svc.chats.Turns.Begin(chat, t) {
		t.cancel()
		svc.core.Work.Done()
		return nil, failure.ErrTurnRunning
	}
	return t, nil
}

// abandon frees a chat that was reserved for a turn that did not start.
func (svc *Service) abandon(chat storage.ChatID, t *liveTurn, why error) {
	t.err = why
	svc.chats.Turns.End(chat, nil)
	svc.endTurn(t)
	svc.WarmUpSoon()
}

// releaseChat frees a chat whose turn has ended and emits the end event. Followers that receive the
// event find the chat free, and no event of a next turn comes before it.
func (svc *Service) releaseChat(chat storage.ChatID, t *liveTurn, end event.Event) {
	svc.chats.Turns.End(chat, func() { svc.core.Emit(end) })
	svc.endTurn(t)
	svc.WarmUpSoon()
}

func (svc *Service) endTurn(t *liveTurn) {
	t.cancel()
	close(t.done)
	svc.core.Work.Done()
}

// startTurn starts a reserved turn.
func (svc *Service) startTurn(t *liveTurn, r request) {
	t.request = r
	t.turn = TurnResult{Chat: r.chat, UserMessage: r.user}
	crash.Go("a turn", func() { svc.releaseChat(r.chat, t, svc.runTurn(t)) })
}

// runTurn plays one turn: it compiles the prompt, asks the model and stores the reply. It
// returns the event that reports the end.
func (svc *Service) runTurn(t *liveTurn) event.Event {
	if op, busy := svc.core.Queue.RunningOn(queue.LaneOllama); busy {
		svc.core.Emit(TurnWaiting{Chat: t.chat, Work: queue.TypeText(op.Type)})
	}
	free, err := svc.acquireLane(t.ctx)
	if err != nil {
		return svc.finish(t, ollama.Result{}, preparedRequest{}, err)
	}
	defer free()
	p, err := svc.prepare(t.ctx, t.request)
	if err != nil {
		return svc.finish(t, ollama.Result{}, p, err)
	}
	svc.warnCacheMiss(p)
	if t.isReply() {
		svc.openReply(t, p)
	}
	res, err := svc.askFitting(t, &p)
	return svc.finish(t, res, p, err)
}

// acquireLane clears the model's lane for a turn: background work is put back, or the turn waits
// for it if the settings say so.
func (svc *Service) acquireLane(ctx context.Context) (free func(), err error) {
	svc.stopWarmUp()
	if svc.core.Settings().Jobs.ChatWaits {
		return svc.core.Queue.Hold(ctx, queue.LaneOllama)
	}
	return svc.core.Queue.Preempt(queue.LaneOllama), nil
}

// openReply creates the message that will grow, and emits ReplyStarted. It is stored with its first
// word, so that a failed request leaves nothing behind.
func (svc *Service) openReply(t *liveTurn, p preparedRequest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.continued != nil {
		t.msg = chats.Message{Node: *t.continued, Siblings: 1}
		t.msg.State, t.msg.Fault = storage.Draft, ""
		t.initialBytes, t.hadRejected = len(t.msg.Content)+len(t.msg.Thinking), len(t.msg.Rejected)
		t.stored = true
		_ = svc.core.Store.View(func(tx *storage.Tx) error {
			if m, err := chats.MessageOf(tx, *t.continued); err == nil {
				t.msg.Siblings, t.msg.At = m.Siblings, m.At
			}
			return nil
		})
	} else {
		t.msg = chats.Message{Node: storage.Node{ID: storage.NodeID(storage.NewID()), Chat: t.chat, Parent: p.parent,
			Depth: p.depth + 1, Role: storage.Assistant, Name: p.name, Speaker: p.moment.Speaker, Presence: p.presence,
			State:     storage.Draft,
			CreatedAt: svc.core.Config.Now(), Steer: p.steer}}
		t.msg.Siblings, t.msg.At = p.siblings+1, p.siblings
	}
	t.recordPrompt(p)
	t.started = true
	svc.core.Emit(ReplyStarted{t.chat, t.msg})
}

// recordPrompt sets the data about a prompt that is kept with its reply. The caller holds t.mu.
func (t *liveTurn) recordPrompt(p preparedRequest) {
	t.lore, t.notes = p.lore.Record(p.prompt.Lore), p.notes.Record(p.moment, p.prompt.Lore)
	t.leaves = p.prompt.LeavesNext
	t.msg.Window, t.msg.Recaps, t.msg.Model = p.prompt.Window, p.prompt.Recaps, p.request.Model
}

// save stores the growing message: the first time as a new node that becomes
// the head. Only one save of a turn runs at a time.
func (svc *Service) save(t *liveTurn) error {
	t.mu.Lock()
	n, stored := t.msg.Node, t.stored
	if n.State == storage.Draft && t.watched {
		n.Content = n.Content[:min(t.storable, len(n.Content))]
	}
	t.mu.Unlock()
	if n.State == storage.Draft && !stored && n.Content == "" && n.Thinking == "" {
		return nil // its first word may still be taken back
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		return svc.storeNode(tx, t, &n, stored)
	}); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.msg.Parent, t.msg.Depth, t.stored = n.Parent, n.Depth, true
	t.lastStored, t.everSaved = n.Content, true
	return nil
}

// storeNode writes a turn's node and, unless it is stored already, moves the head to
// it.
func (svc *Service) storeNode(tx *storage.Tx, t *liveTurn, n *storage.Node, stored bool) error {
	if err := svc.recordLive(tx, t.chat, n); err != nil {
		return err
	}
	if t.learnedRatio != nil {
		if err := tx.PutSetting(models.MeterKey(n.Model), *t.learnedRatio); err != nil {
			return err
		}
	}
	if n.State != storage.Draft && n.Usage != nil && t.rereadTokens > 0 {
		if err := svc.models.LearnPace(tx, n.Model, t.rereadTokens, n.Usage.PromptEvalMS); err != nil {
			return err
		}
	}
	if stored {
		if err := tx.PutNode(*n); err != nil {
			return err
		}
		return svc.afterReply(tx, n, t.leaves)
	}
	c, err := storage.Chats.Get(tx, t.chat)
	if err != nil {
		return err
	}
	n.Parent = chats.Below(tx, c, t.parent)
	if err := tx.AppendNode(n); err != nil {
		return err
	}
	from := c.Head
	c.Head, c.UpdatedAt = n.ID, svc.core.Config.Now()
	takeSteer(&c, n)
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return err
	}
	if err := svc.chats.HeadMoved.Run(tx, chats.HeadMove{Chat: c, From: from}); err != nil {
		return err
	}
	if t.lore != nil {
		if err := storage.LoreTurns.Put(tx, t.chat, *t.lore); err != nil {
			return err
		}
	}
	if err := director.KeepNotes(tx, t.chat, t.notes); err != nil {
		return err
	}
	return svc.afterReply(tx, n, t.leaves)
}

// recordLive updates the list of replies that a crash would leave open.
func (svc *Service) recordLive(tx *storage.Tx, chat storage.ChatID, n *storage.Node) error {
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

// finish stores the result of the turn and returns the event that reports its end.
func (svc *Service) finish(t *liveTurn, res ollama.Result, p preparedRequest, err error) event.Event {
	svc.models.NoteServer(err)
	if err != nil && t.ctx.Err() != nil {
		res.Ending, err = ollama.EndStopped, nil
	}
	if err == nil {
		t.learnedRatio = svc.learn(p, res)
	}
	t.turn.DoneReason, t.turn.PromptTokens, t.turn.ReplyTokens = res.DoneReason, res.PromptTokens, res.ReplyTokens
	t.turn.PromptEvalMS, t.turn.TotalMS = res.PromptEval.Milliseconds(), res.Total.Milliseconds()
	t.turn.State, t.turn.Fault = stateOf(res, err)
	if !t.isReply() {
		return svc.proposalEvent(t, res, err)
	}
	t.mu.Lock()
	if len(t.msg.Content)+len(t.msg.Thinking) == t.initialBytes {
		if t.everSaved && t.continued == nil { // all of it was taken back; the stored part was acceptable
			t.msg.Content = t.lastStored
		} else {
			t.mu.Unlock()
			return svc.emptyTurnEvent(t, emptyReplyError(res, err))
		}
	}
	t.msg.State, t.msg.Fault = t.turn.State, t.turn.Fault
	t.msg.Usage = &storage.Usage{DoneReason: res.DoneReason, PromptTokens: res.PromptTokens,
		ReplyTokens:  res.ReplyTokens,
		PromptEvalMS: res.PromptEval.Milliseconds(), TotalMS: res.Total.Milliseconds(), EstimatedRead: p.reread,
		Stable:     stableHash(p.prompt.Messages),
		Backtracks: t.cost.cuts, RejectedTokens: t.cost.tokens, BacktrackMS: t.cost.waited.Milliseconds(),
		Restarts: t.cost.anew}
	if t.rereadTokens = p.reread; t.noReadTime {
		t.rereadTokens = 0
	}
	t.mu.Unlock()
	svc.storeFinal(t)
	svc.core.Queue.Wake()
	svc.chats.Stored.Run(t.chat)
	return ReplyEnded{Chat: t.chat, Message: svc.applyDisplayScripts(t.msg), Turn: t.turn}
}

// storeFinal stores the finished message. If that fails, the text stays on the screen with a notice
// until it can be stored; see liveTurn.RetrySave.
func (svc *Service) storeFinal(t *liveTurn) {
	err := svc.save(t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		svc.core.Log.Error("storing a reply failed", "chat", t.chat, "err", err)
		owed := t.msg.Node
		t.unsaved = &owed
		t.msg.State, t.msg.Fault = storage.Broken, "this could not be saved: "+failure.Text(err)
		svc.core.Emit(event.Notice{Level: event.Error, Text: t.msg.Fault})
	}
	t.turn.State, t.turn.Fault = t.msg.State, t.msg.Fault
	t.turn.Message, t.turn.Content, t.turn.Thinking = t.msg.ID, t.msg.Content, t.msg.Thinking
	t.turn.Rejected = t.msg.Rejected
	if t.continued != nil || !t.stored {
		return
	}
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		m, err := chats.MessageOf(tx, t.msg.Node)
		if err == nil {
			t.msg = m
		}
		return err
	}); err != nil {
		svc.core.Log.Warn("reading a reply back failed", "err", err)
	}
}

// RetrySave implements chats.Turn.
func (t *liveTurn) RetrySave() {
	svc := t.svc
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unsaved == nil {
		return
	}
	n := *t.unsaved
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		return svc.storeNode(tx, t, &n, t.stored)
	}); err != nil {
		svc.core.Log.Error("storing a reply failed again", "chat", t.chat, "err", err)
		return
	}
	t.msg.Node, t.unsaved, t.stored = n, nil, true
	svc.core.Emit(chats.ChatChanged{Chat: t.chat})
	svc.core.Queue.Wake()
	svc.chats.Stored.Run(t.chat)
}

// running returns the turn that runs in a chat, nil for none.
func (svc *Service) running(chat storage.ChatID) *liveTurn {
	t, _ := svc.chats.Turns.Running(chat).(*liveTurn)
	return t
}

// latest returns the turn that runs in a chat, or else the last one, and whether it runs; nil for
// none.
func (svc *Service) latest(chat storage.ChatID) (t *liveTurn, runs bool) {
	l, runs := svc.chats.Turns.Latest(chat)
	t, _ = l.(*liveTurn)
	return t, runs
}

// Stop ends the reply that is being written in a chat and keeps its text. It reports whether there
// was one.
func (svc *Service) Stop(chat storage.ChatID) bool {
	t := svc.running(chat)
	if t == nil {
		return false
	}
	t.cancel()
	return true
}

// Running reports whether a reply is being written in a chat.
func (svc *Service) Running(chat storage.ChatID) bool {
	return svc.running(chat) != nil
}

// Wait waits until the turn that runs in a chat has ended, or uses the one that ran last, and
// returns its result. It returns ErrRefused if there was none, and the turn's own error if nothing
// usable came.
func (svc *Service) Wait(ctx context.Context, chat storage.ChatID) (TurnResult, error) {
	t, _ := svc.latest(chat)
	if t == nil {
		return TurnResult{}, failure.Wrap("wait", failure.ErrRefused)
	}
	select {
	case <-t.done:
		return t.turn, t.err
	case <-ctx.Done():
		return TurnResult{}, ctx.Err()
	}
}

// afterReply runs the hooks for a finished reply.
func (svc *Service) afterReply(tx *storage.Tx, n *storage.Node, leaves storage.NodeID) error {
	if n.State == storage.Draft {
		return nil
	}
	err := svc.chats.Replied.Run(tx, chats.FinishedReply{Node: n, Leaves: leaves})
	if failure.Damaged(err) { // a failed follow-up must not cost the reply
		svc.core.Log.Error("following up a reply failed", "chat", n.Chat, "message", n.ID, "err", err)
		return nil
	}
	return err
}
