package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ghostlight/engine/director/rules"
	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// opAfterTurn looks at an exchange: scene break, director, memories and hooks.
const opAfterTurn = "after_turn"

const (
	// passLook is how many messages the director is shown.
	passLook = 6
	// passSays is about what the instruction of a pass takes, in tokens.
	passSays = 300
	// passAttempts is how often a server that does not answer is asked.
	passAttempts = 3
	// usualReply is how long a reply may be, in tokens, for the prompt of its turn
	// to have left room for the pass.
	usualReply = 400
)

// passReply is the room for the answer of a pass.
func passReply(context int) int { return min(600, context/8) }

// passParts are what is asked after a turn by the settings, detection aside.
func (e *Engine) passParts() rules.Parts {
	s := e.cfg.Stage
	return rules.Parts{Director: !s.NoDirector, Memories: !s.NoMemories, Hooks: !s.NoHooks}
}

// Evaluate queues the director's look at the last exchange of a chat, with what
// is worth remembering of it.
func (e *Engine) Evaluate(chat storage.ChatID) (id storage.OperationID, err error) {
	err = e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		leaf := lastReply(tx, c)
		if leaf == "" {
			return refuse("there is no reply yet to look at")
		}
		id, err = e.addWork(tx, opAfterTurn, sceneParams{Chat: chat, Node: leaf, Asked: true, Force: true}, nil)
		return err
	})
	if err != nil {
		return "", fail("look at the exchange", err)
	}
	e.queue.Wake()
	e.emit(DirectorChanged{chat})
	return id, nil
}

// lastReply is the newest reply on a chat's path with what follows it, "" for
// none.
func lastReply(tx *storage.Tx, c storage.Chat) storage.NodeID {
	for p := range tx.Spine(c.ID, c.Head) {
		if !p.Said() {
			continue
		}
		if n, err := tx.Node(c.ID, p.ID); err == nil && n.Role == storage.Assistant {
			return n.ID
		}
	}
	return ""
}

// pass is what is asked about an exchange, and where.
type pass struct {
	sceneParams
	chat  storage.Chat
	leaf  storage.Node // the reply that ends it
	parts rules.Parts
	in    rules.Input
	past  []scene.Message // before the messages that a break may stand before
	fresh []scene.Message
	due   []storage.Hook
	told  storage.Told
	turn  int
}

// passAnswer is what a pass has found out. asked are the parts that have an
// answer, fault why others have none.
type passAnswer struct {
	rules.Answer
	asked rules.Parts
	fault string
}

// afterResult is what the operation leaves.
type afterResult struct {
	Node     storage.NodeID      `json:"node"`
	Seen     *storage.Evaluation `json:"seen,omitempty"`
	Break    bool                `json:"break,omitempty"`
	Memories int                 `json:"memories"`
	Hooks    int                 `json:"hooks"`
	Fault    string              `json:"fault,omitempty"`
}

// runAfterTurn asks about the last exchange of a chat. An answer that cannot be
// used changes nothing but what the rules do without it.
func (e *Engine) runAfterTurn(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p, err := e.readAfter(sceneParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := e.askPass(ctx, p)
	if err != nil && (p.Asked || ctx.Err() != nil || ollama.Passing(err) && op.Attempts < passAttempts) {
		return queue.Effect{}, err
	}
	if err != nil {
		a.fault = Words(err) // what has an answer is kept; the next turn is looked at anew
	}
	r := afterResult{Node: p.leaf.ID, Seen: a.Director, Memories: len(a.Memories), Hooks: len(a.Hooks), Fault: a.fault}
	r.Break = a.Scene != nil && a.Scene.Status
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error { return e.keepPass(tx, p, a, string(op.ID)) }}, nil
}

// readAfter reads the exchange at the end of a chat's path.
func (e *Engine) readAfter(params sceneParams) (p pass, err error) {
	p = pass{sceneParams: params, parts: e.passParts()}
	if p.Force {
		p.parts = rules.Parts{Director: true, Memories: true, Hooks: true}
	}
	err = e.store.View(func(tx *storage.Tx) error {
		if p.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		c := p.chat
		if !onPath(tx, c.ID, c.Head, p.Node) {
			return queue.ErrDiscard // swiped away: what it said is no part of the story
		}
		leaf := lastReply(tx, c) // more may have been said while this waited
		if leaf == "" {
			return queue.ErrDiscard
		}
		if p.leaf, err = tx.Node(c.ID, leaf); err != nil {
			return err
		}
		b, _ := storage.Beats.Get(tx, c.ID, leaf)
		if b.Seen != nil && !p.Force {
			p.parts.Director, p.parts.Memories, p.parts.Hooks = false, false, false
		}
		p.turn = cmp.Or(b.Turn, turnAt(tx, c.ID, leaf))
		if err := e.readFresh(tx, &p); err != nil {
			return err
		}
		if p.parts.Break = !e.cfg.Scenes.NoDetect && len(p.fresh) > 0; !p.parts.Any() {
			return queue.ErrDiscard
		}
		return e.readPassInput(tx, &p)
	})
	return p, err
}

// readFresh reads what a scene break is looked for in.
func (e *Engine) readFresh(tx *storage.Tx, p *pass) error {
	for _, id := range unlooked(tx, p.chat.ID, p.leaf.ID) {
		n, err := tx.Node(p.chat.ID, id)
		if err != nil {
			return err
		}
		p.fresh = append(p.fresh, toldBy(n))
	}
	if len(p.fresh) == 0 {
		return nil
	}
	var err error
	p.past, err = saidBefore(tx, p.chat.ID, p.fresh[0].ID, scenePast)
	return err
}

// readPassInput reads what the director is told.
func (e *Engine) readPassInput(tx *storage.Tx, p *pass) error {
	c := p.chat
	char, user := e.names(tx, c)
	if p.leaf.Name != "" && several(c) {
		char = p.leaf.Name
	}
	in := rules.Input{Char: char, User: user, Turn: playTurn(c, p.turn)}
	if ep, ok := episodeOf(tx, c); ok {
		in.Genre, in.Situation, in.Question, in.Budget = ep.Genre, ep.Situation, ep.Question, ep.TurnBudget
		if s, err := storage.AllSeries.Get(tx, ep.Series); err == nil && in.Genre == "" {
			in.Genre = s.Genre
		}
	}
	for at := range tx.Spine(c.ID, p.leaf.ID) {
		if !at.Said() {
			continue
		}
		if len(in.Messages) == passLook {
			break
		}
		n, err := tx.Node(c.ID, at.ID)
		if err != nil {
			return err
		}
		if several(c) && !knows(c, speakerOf(c, &p.leaf), &n) {
			continue // what comes of it may be told to the speaker
		}
		in.Messages = append(in.Messages, rules.Line{ID: n.ID, Speaker: n.Name, Text: n.Content, User: n.Role == storage.User})
	}
	slices.Reverse(in.Messages)
	for _, m := range p.fresh {
		in.Fresh = append(in.Fresh, rules.Line{ID: m.ID, Speaker: m.Name, Text: m.Text, User: m.Role == storage.User})
	}
	if several(c) && c.Play.Order == storage.OrderDirector {
		in.Speakers = e.namesOf(tx, present(c))
	}
	hooks, err := heldHooks(tx, scopeOf(c), c.ID, p.leaf.ID)
	if err != nil {
		return err
	}
	memories, err := heldMemories(tx, scopeOf(c), c.ID, p.leaf.ID)
	if err != nil {
		return err
	}
	p.told = e.toldAt(tx, c, p.leaf, in.Messages)
	if p.told.Witnesses, err = e.mayInfer(tx, c, p.leaf, p.told.Witnesses, memories, hooks); err != nil {
		return err
	}
	for _, h := range hooks {
		if !h.Closed && !h.Dropped && !h.taken && rules.HookDue(h.Hook, h.turn, e.cfg.Now()) {
			p.due = append(p.due, h.Hook)
		}
	}
	p.due = rules.ChooseHooks(p.due)
	for _, h := range p.due {
		in.Due = append(in.Due, h.Content)
	}
	for i, m := range memories {
		if i == mostKnown {
			break
		}
		in.Known = append(in.Known, m.Content)
	}
	p.in = in
	return nil
}

// mayInfer leaves of witnesses those who know all that stood in the prompt on
// which an exchange is judged: what is found there may come from any of it.
func (e *Engine) mayInfer(tx *storage.Tx, c storage.Chat, leaf storage.Node, witnesses []storage.CharacterID, memories []heldMemory, hooks []heldHook) ([]storage.CharacterID, error) {
	if !several(c) || len(witnesses) == 0 {
		return witnesses, nil
	}
	who := moment{chat: c, speaker: speakerOf(c, &leaf)}
	take := func(known []storage.CharacterID) {
		if who.may(known) {
			witnesses = both(witnesses, known)
		}
	}
	for _, m := range memories {
		take(m.witnesses)
	}
	for _, h := range hooks {
		take(h.witnesses)
	}
	if r, _, err := runningAt(tx, c.ID, leaf.ID); err == nil && r != nil {
		take(r.Witnesses)
	}
	for p := range tx.Spine(c.ID, leaf.ID) {
		if p.Said() {
			n, err := tx.Node(c.ID, p.ID)
			if err != nil {
				return nil, err
			}
			if knows(c, who.speaker, &n) {
				witnesses = slices.DeleteFunc(slices.Clone(witnesses), func(id storage.CharacterID) bool { return !knows(c, id, &n) })
			}
		}
		if p.ID == leaf.Window {
			break
		}
	}
	return witnesses, nil
}

// mostKnown is how many memories a request of its own is told of.
const mostKnown = 30

// toldAt is the telling of what an exchange has brought up: its messages, and
// those who witnessed all of them.
func (e *Engine) toldAt(tx *storage.Tx, c storage.Chat, leaf storage.Node, lines []rules.Line) storage.Told {
	t := storage.Told{Chat: c.ID, Node: leaf.ID, Depth: leaf.Depth, At: e.cfg.Now()}
	var nodes []storage.Node
	for i, l := range slices.Backward(lines) {
		n, err := tx.Node(c.ID, l.ID)
		if err != nil {
			continue
		}
		nodes = append(nodes, n)
		t.Sources = append(t.Sources, l.ID)
		if l.User || i == 0 {
			break
		}
	}
	slices.Reverse(t.Sources)
	t.Witnesses = knownTo(c, nodes)
	return t
}

// keepPass stores what a pass has found out, all at once. What a branch that was
// left meanwhile has brought up stays with it.
func (e *Engine) keepPass(tx *storage.Tx, p pass, a passAnswer, batch string) error {
	c, err := storage.Chats.Get(tx, p.chat.ID)
	if err != nil {
		return queue.ErrDiscard
	}
	if at, err := tx.Place(c.ID, p.leaf.ID); err != nil || at.Deleted {
		return queue.ErrDiscard
	}
	scope := scopeOf(c)
	if a.asked.Memories {
		if _, err := keepMemories(tx, scope, c.ID, p.told, a.Memories); err != nil {
			return err
		}
	}
	if a.asked.Hooks {
		if err := e.keepFoundHooks(tx, scope, c.ID, p, a); err != nil {
			return err
		}
	}
	if err := e.keepSeen(tx, c, p, a); err != nil {
		return err
	}
	if !a.asked.Break || a.Scene == nil {
		return nil
	}
	return e.keepFresh(tx, p, scene.Detection{Status: a.Scene.Status, Rationale: a.Scene.Rationale}, batch)
}

// keepFoundHooks stores new hooks, and which of those that were due the reply
// took up.
func (e *Engine) keepFoundHooks(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, p pass, a passAnswer) error {
	if _, err := keepHooks(tx, scope, chat, p.told, p.turn, a.Hooks); err != nil {
		return err
	}
	var taken []storage.HookID
	for i, h := range p.due {
		if slices.Contains(a.Taken, i+1) || rules.TookUp(h, p.leaf.Content) {
			taken = append(taken, h.ID)
		}
	}
	return takeHooks(tx, scope, p.told, taken)
}

// keepSeen stores the director's evaluation and does what follows from it.
func (e *Engine) keepSeen(tx *storage.Tx, c storage.Chat, p pass, a passAnswer) error {
	b, err := storage.Beats.Get(tx, c.ID, p.leaf.ID)
	if err != nil && !damaged(err) && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if b.Node == "" {
		b = storage.Beat{Node: p.leaf.ID, Turn: p.turn, At: e.cfg.Now()}
	}
	b.Fault = a.fault
	if !a.asked.Director || a.Director == nil {
		e.beats.add(c.ID, b.Node)
		return storage.Beats.Put(tx, c.ID, b)
	}
	b.Seen = a.Director
	ep, ok := episodeOf(tx, c)
	if ok && !c.Play.Paused && onPath(tx, c.ID, c.Head, p.leaf.ID) && playEnd(tx, c) == nil {
		if make, why := rules.Picture(ep.Mode(), ep.Interval(), playTurn(c, b.Turn), b.Seen); make && b.Capture == "" {
			if err := e.autoPicture(tx, &c, &b, ep.Cost(), why); err != nil {
				return err
			}
		}
		if by, ends := rules.Ends(b.Seen, playTurn(c, b.Turn), ep.TurnBudget); ends {
			e.curtain(tx, &c, b.Node, by)
		}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
	}
	e.beats.add(c.ID, b.Node)
	return storage.Beats.Put(tx, c.ID, b)
}

// keepFresh stores what was found out about scene breaks.
func (e *Engine) keepFresh(tx *storage.Tx, p pass, d scene.Detection, batch string) error {
	at, cue, ok := scene.Judge(d, p.fresh)
	var all []judged
	for i, m := range p.fresh {
		j := judged{node: m.ID}
		if ok && i == at {
			j.brk, j.found = true, found{d.Rationale, cue}
		}
		all = append(all, j)
	}
	return e.keepJudged(tx, p.chat.ID, all, search{least: cmp.Or(e.cfg.Scenes.MinMessages, 1), batch: batch, live: true})
}

// isAnswerFault tells whether a model has answered, but nothing useful.
func isAnswerFault(err error) bool {
	var answer *ollama.AnswerError
	var form *FormError
	var big *BigPromptError
	return errors.As(err, &answer) || errors.As(err, &form) || errors.As(err, &big) || errors.Is(err, ollama.ErrTooLong)
}

// directorWork are the director's kinds of work.
func (e *Engine) directorWork() []Work {
	return []Work{{Name: opAfterTurn, Job: JobDirector, Priority: ridingPriority, Run: e.runAfterTurn, Changed: e.passChanged}}
}

// passChanged tells what the look at an exchange has come to.
func (e *Engine) passChanged(op storage.Operation) {
	chat := sceneParamsOf(op).Chat
	e.tellDirected()
	if op.Status == storage.Completed {
		e.emit(MemoriesChanged{e.scopeIn(chat)})
	}
	e.emit(DirectorChanged{chat})
	e.sceneChanged(op)
}

// afterTurn looks for scene breaks in what was said last on a path: explicit
// marks at once, the rest by a queued question, which also asks what the director
// wants to know. It is not asked where the server has just shown that it cannot
// be: then the next turn looks at these messages too.
func (e *Engine) afterTurn(tx *storage.Tx, n *storage.Node) error {
	chat, leaf := n.Chat, n.ID
	rest, err := e.lookAt(tx, chat, leaf)
	if err != nil {
		return err
	}
	if n.State == storage.Broken || len(rest) == 0 && !e.passParts().Any() {
		return nil
	}
	typ := opDetect
	if e.passParts().Any() {
		typ = opAfterTurn
	}
	for op := range unfinished(tx, chat) {
		if op.Type == typ && op.Status == storage.Pending && onPath(tx, chat, leaf, sceneParamsOf(op).Node) {
			return nil // it will see these too
		}
	}
	_, err = e.addWork(tx, typ, sceneParams{Chat: chat, Node: leaf}, nil)
	return err
}
