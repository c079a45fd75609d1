package director

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OpAfterTurn looks at an exchange: scene break, director, memories and hooks.
const OpAfterTurn = "after_turn"

const (
	// passSays is what the instruction of a pass takes at most, in tokens of a model that
	// makes as many of a text as is usual.
	passSays = 480
	// passFrames are the marks of the roles that a reply and the instruction after it take.
	passFrames = 16
	// usualReply is how long a reply may be at least, in tokens, for the prompt of its turn
	// to have left room for the pass.
	usualReply = 400
	// replySteps is in which steps that follows longer replies: a prompt's room should not
	// move with every turn.
	replySteps = 128
	// passAttempts is how often a server that does not answer is asked.
	passAttempts = 3
)

// PassReply is the room for the answer of a pass.
func PassReply(context int) int { return min(600, context/8) }

// passSaid is how many tokens of a model the instruction of a pass may take.
func passSaid(ratio float64) int { return int(math.Ceil(passSays * ratio)) }

// PassRoom is what the prompt of a turn leaves free beside the room for the reply, so that
// the pass can follow on it: it could only be asked apart else, and the server would read
// the chat's whole prompt again after that. ratio is how many tokens the model makes of a
// text against the usual; longest is the longest of the last replies, in tokens.
func PassRoom(context, reply int, ratio float64, longest int) int {
	comes := (max(longest, usualReply) + replySteps - 1) / replySteps * replySteps
	if longest <= usualReply {
		comes = usualReply
	}
	return max(0, passSaid(ratio)+passFrames+PassReply(context)+min(comes, reply)-reply)
}

// PassParts are what is asked after a turn by the settings, detection aside.
func (svc *Service) PassParts() rules.Parts {
	s := svc.core.Settings().Stage
	return rules.Parts{Director: !s.NoDirector, Memories: !s.NoMemories, Hooks: !s.NoHooks}
}

// Evaluate queues the director's look at the last exchange of a chat, with what
// is worth remembering of it.
func (svc *Service) Evaluate(chat storage.ChatID) (id storage.OperationID, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		leaf := LastReply(tx, c)
		if leaf == "" {
			return failure.Refuse("there is no reply yet to look at")
		}
		id, err = svc.house.AddWork(tx, OpAfterTurn, chats.Params{Chat: chat, Node: leaf, Asked: true, Force: true}, nil)
		return err
	})
	if err != nil {
		return "", failure.Fail("look at the exchange", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat})
	return id, nil
}

// LastReply is the newest reply on a chat's path with what follows it, "" for
// none.
func LastReply(tx *storage.Tx, c storage.Chat) storage.NodeID {
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
	chats.Params
	chat  storage.Chat
	leaf  storage.Node // the reply that ends it
	parts rules.Parts
	in    rules.Input
	past  []scene.Message // before the messages that a break may stand before
	fresh []scene.Message
	known []known // what the numbers of an answer mean
	told  storage.Told
	// ends is the telling of what it has ended: known to all who witnessed the exchange.
	ends   storage.Told
	asides []string // what the user has said out of character
	turn   int
}

// passAnswer is what a pass has found out. asked are the parts that have an
// answer, fault why others have none.
type passAnswer struct {
	rules.Answer
	asked rules.Parts
	fault string
}

// AfterResult is what the operation leaves.
type AfterResult struct {
	Node     storage.NodeID      `json:"node"`
	Seen     *storage.Evaluation `json:"seen,omitempty"`
	Break    bool                `json:"break,omitempty"`
	Memories int                 `json:"memories"`
	Hooks    int                 `json:"hooks"`
	Ended    int                 `json:"ended,omitempty"` // of what was known
	Fault    string              `json:"fault,omitempty"`
}

// runAfterTurn asks about the last exchange of a chat. An answer that cannot be
// used changes nothing but what the rules do without it.
func (svc *Service) runAfterTurn(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p, err := svc.readAfter(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := svc.askPass(ctx, p)
	if err != nil && (p.Asked || ctx.Err() != nil || ollama.Passing(err) && op.Attempts < passAttempts) {
		return queue.Effect{}, err
	}
	if err != nil {
		a.fault = failure.Words(err) // what has an answer is kept; the next turn is looked at anew
	}
	if err := svc.findOrigins(p, &a); err != nil {
		return queue.Effect{}, err
	}
	r := AfterResult{Node: p.leaf.ID, Seen: a.Director, Memories: len(a.Memories), Hooks: len(a.Hooks), Ended: len(a.Outdated) + len(a.Settled), Fault: a.fault}
	r.Break = a.Scene != nil && a.Scene.Status
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error { return svc.keepPass(tx, p, a, string(op.ID)) }}, nil
}

// readAfter reads the exchange at the end of a chat's path.
func (svc *Service) readAfter(params chats.Params) (p pass, err error) {
	p = pass{Params: params, parts: svc.PassParts()}
	if p.Force {
		p.parts = rules.Parts{Director: true, Memories: true, Hooks: true}
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if p.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		c := p.chat
		if !chats.OnPath(tx, c.ID, c.Head, p.Node) {
			return queue.ErrDiscard // swiped away: what it said is no part of the story
		}
		leaf := LastReply(tx, c) // more may have been said while this waited
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
		p.turn = cmp.Or(b.Turn, chats.TurnAt(tx, c.ID, leaf))
		if err := svc.readFresh(tx, &p); err != nil {
			return err
		}
		if p.parts.Break = !svc.core.Settings().Scenes.NoDetect && len(p.fresh) > 0; !p.parts.Any() {
			return queue.ErrDiscard
		}
		return svc.readPassInput(tx, &p)
	})
	return p, err
}

// readFresh reads what a scene break is looked for in.
func (svc *Service) readFresh(tx *storage.Tx, p *pass) error {
	for _, id := range scenes.Unlooked(tx, p.chat.ID, p.leaf.ID) {
		n, err := tx.Node(p.chat.ID, id)
		if err != nil {
			return err
		}
		p.fresh = append(p.fresh, scenes.MessageFor(n))
	}
	if len(p.fresh) == 0 {
		return nil
	}
	var err error
	p.past, err = scenes.SaidBefore(tx, p.chat.ID, p.fresh[0].ID, scenes.ScenePast)
	return err
}

// readPassInput reads what the director is told.
func (svc *Service) readPassInput(tx *storage.Tx, p *pass) error {
	c := p.chat
	char, user := svc.chats.Names(tx, c)
	if p.leaf.Name != "" && chats.Several(c) {
		char = p.leaf.Name
	}
	in := rules.Input{Char: char, User: user, Turn: playTurn(c, p.turn)}
	if ep, ok := episodeOf(tx, c); ok {
		in.Genre, in.Situation, in.Question, in.Budget = ep.Genre, ep.Situation, ep.Question, ep.TurnBudget
		in.Over = endedAt(tx, c, p.leaf.Parent)
		if s, err := storage.AllSeries.Get(tx, ep.Series); err == nil && in.Genre == "" {
			in.Genre = s.Genre
		}
	}
	for at := range tx.Spine(c.ID, p.leaf.ID) {
		if !at.Said() {
			continue
		}
		if len(in.Messages) == chats.PassLook {
			break
		}
		n, err := tx.Node(c.ID, at.ID)
		if err != nil {
			return err
		}
		if chats.Several(c) && !chats.Knows(c, chats.SpeakerOf(c, &p.leaf), &n) {
			continue // what comes of it may be told to the speaker
		}
		in.Messages = append(in.Messages, rules.Line{ID: n.ID, Speaker: n.Name, Text: n.Content, User: n.Role == storage.User})
	}
	slices.Reverse(in.Messages)
	for _, m := range p.fresh {
		in.Fresh = append(in.Fresh, rules.Line{ID: m.ID, Speaker: m.Name, Text: m.Text, User: m.Role == storage.User})
	}
	if chats.Several(c) && c.Play.Order == storage.OrderDirector {
		in.Speakers = svc.chats.NamesOf(tx, chats.Present(c))
	}
	hooks, err := memory.KnownHooks(tx, chats.ScopeOf(c), c.ID, p.leaf.ID)
	if err != nil {
		return err
	}
	memories, err := memory.KnownMemories(tx, chats.ScopeOf(c), c.ID, p.leaf.ID)
	if err != nil {
		return err
	}
	p.told = svc.toldAt(tx, c, p.leaf, in.Messages)
	p.ends = p.told
	if p.told.Witnesses, err = svc.mayInfer(tx, c, p.leaf, p.told.Witnesses, memories, hooks); err != nil {
		return err
	}
	if err := svc.readKnown(tx, p, &in, memories, hooks); err != nil {
		return err
	}
	in.Setting = svc.settingBefore(tx, p)
	p.in = in
	return nil
}

// mayInfer leaves of witnesses those who know all that stood in the prompt on
// which an exchange is judged: what is found there may come from any of it.
func (svc *Service) mayInfer(tx *storage.Tx, c storage.Chat, leaf storage.Node, witnesses []storage.CharacterID, memories []memory.KnownMemory, hooks []memory.KnownHook) ([]storage.CharacterID, error) {
	if !chats.Several(c) || len(witnesses) == 0 {
		return witnesses, nil
	}
	who := chats.Moment{Chat: c, Speaker: chats.SpeakerOf(c, &leaf)}
	take := func(known []storage.CharacterID) {
		if who.May(known) {
			witnesses = storage.WitnessesOfBoth(witnesses, known)
		}
	}
	for _, m := range memories {
		take(m.Witnesses)
	}
	for _, h := range hooks {
		take(h.Witnesses)
	}
	seen := func(n *storage.Node) {
		if chats.Knows(c, who.Speaker, n) {
			witnesses = slices.DeleteFunc(slices.Clone(witnesses), func(id storage.CharacterID) bool { return !chats.Knows(c, id, n) })
		}
	}
	if r, _, err := scenes.RunningAt(tx, c.ID, leaf.ID); err == nil && r != nil {
		for _, s := range r.Sources {
			for _, id := range s.Messages {
				if n, err := tx.Node(c.ID, id); err == nil {
					seen(&n)
				}
			}
		}
	}
	for p := range tx.Spine(c.ID, leaf.ID) {
		if p.Said() {
			n, err := tx.Node(c.ID, p.ID)
			if err != nil {
				return nil, err
			}
			seen(&n)
		}
		if p.ID == leaf.Window {
			break
		}
	}
	return witnesses, nil
}

// toldAt is the telling of what an exchange has brought up: its messages, and
// those who witnessed all of them.
func (svc *Service) toldAt(tx *storage.Tx, c storage.Chat, leaf storage.Node, lines []rules.Line) storage.Told {
	t := storage.Told{Chat: c.ID, Node: leaf.ID, Depth: leaf.Depth, At: svc.core.Config.Now()}
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
	t.Witnesses = chats.KnownTo(c, nodes)
	return t
}

// keepPass stores what a pass has found out, all at once. What a branch that was
// left meanwhile has brought up stays with it.
func (svc *Service) keepPass(tx *storage.Tx, p pass, a passAnswer, batch string) error {
	c, err := storage.Chats.Get(tx, p.chat.ID)
	if err != nil {
		return queue.ErrDiscard
	}
	if at, err := tx.Place(c.ID, p.leaf.ID); err != nil || at.Deleted {
		return queue.ErrDiscard
	}
	scope := chats.ScopeOf(c)
	if a.asked.Memories {
		if _, err := memory.KeepMemories(tx, scope, c.ID, p.told, a.Memories); err != nil {
			return err
		}
	}
	if a.asked.Hooks {
		if err := svc.keepFoundHooks(tx, scope, c.ID, p, a); err != nil {
			return err
		}
	}
	if err := svc.keepEnds(tx, scope, p, a); err != nil {
		return err
	}
	if err := svc.keepSeen(tx, c, p, a); err != nil {
		return err
	}
	if !a.asked.Break || a.Scene == nil {
		return nil
	}
	return svc.keepFresh(tx, p, scene.Detection{Status: a.Scene.Status, Rationale: a.Scene.Rationale}, batch)
}

// keepFoundHooks stores new hooks, and which of those that were due the reply
// took up, by the answer alone.
func (svc *Service) keepFoundHooks(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, p pass, a passAnswer) error {
	if _, err := memory.KeepHooks(tx, scope, chat, p.told, p.turn, a.Hooks); err != nil {
		return err
	}
	var taken []storage.HookID
	for i, k := range p.known {
		if !k.Due || !slices.Contains(a.Taken, i+1) {
			continue
		}
		for _, h := range k.hooks {
			taken = append(taken, h.ID)
		}
	}
	return memory.TakeHooks(tx, scope, p.told, taken)
}

// keepSeen stores the director's evaluation and does what follows from it.
func (svc *Service) keepSeen(tx *storage.Tx, c storage.Chat, p pass, a passAnswer) error {
	b, err := storage.Beats.Get(tx, c.ID, p.leaf.ID)
	if err != nil && !failure.Damaged(err) && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if b.Node == "" {
		b = storage.Beat{Node: p.leaf.ID, Turn: p.turn, At: svc.core.Config.Now()}
	}
	b.Fault = a.fault
	if !a.asked.Director || a.Director == nil {
		svc.beats.Add(c.ID, b.Node)
		return storage.Beats.Put(tx, c.ID, b)
	}
	b.Seen, b.Witnesses = a.Director, p.told.Witnesses
	if err := svc.scenes.KeepSetting(tx, c.ID, p.leaf.ID, a.Director.Setting); err != nil {
		return err
	}
	ep, ok := episodeOf(tx, c)
	if ok && !c.Play.Paused && chats.OnPath(tx, c.ID, c.Head, p.leaf.ID) && playEnd(tx, c) == nil {
		if make, why := rules.Picture(ep.Mode(), ep.Interval(), playTurn(c, b.Turn), b.Seen); make && b.Capture == "" {
			if err := svc.autoPicture(tx, &c, &b, ep.Cost(), why); err != nil {
				return err
			}
		}
		if by, ends := rules.Ends(b.Seen, playTurn(c, b.Turn), ep.TurnBudget); ends {
			svc.completePlay(tx, &c, b.Node, by)
		}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
	}
	svc.beats.Add(c.ID, b.Node)
	return storage.Beats.Put(tx, c.ID, b)
}

// keepFresh stores what was found out about scene breaks.
func (svc *Service) keepFresh(tx *storage.Tx, p pass, d scene.Detection, batch string) error {
	at, cue, ok := scene.Judge(d, p.fresh)
	var all []scenes.Judged
	for i, m := range p.fresh {
		j := scenes.Judged{Node: m.ID}
		if ok && i == at {
			j.Brk, j.Found = true, scenes.Found{Rationale: d.Rationale, Cue: cue}
		}
		all = append(all, j)
	}
	return svc.scenes.KeepJudged(tx, p.chat.ID, all, scenes.Search{Least: cmp.Or(svc.core.Settings().Scenes.MinMessages, 1), Batch: batch, Live: true})
}

// Work are the director's kinds of work.
func (svc *Service) Work() []house.Work {
	return []house.Work{{Name: OpAfterTurn, Job: house.JobDirector, Priority: scenes.AppendedPriority, Run: svc.runAfterTurn, Changed: svc.passChanged}}
}

// passChanged tells what the look at an exchange has come to.
func (svc *Service) passChanged(op storage.Operation) {
	chat := chats.ParamsOf(op).Chat
	svc.TellDirected()
	if op.Status == storage.Completed {
		svc.core.Emit(memory.Changed{Scope: svc.chats.ScopeIn(chat)})
	}
	svc.core.Emit(Changed{chat})
	svc.scenes.SceneChanged(op)
}

// AfterTurn looks for scene breaks in what was said last on a path: explicit
// marks at once, the rest by a queued question, which also asks what the director
// wants to know. It is not asked where the server has just shown that it cannot
// be: then the next turn looks at these messages too.
func (svc *Service) AfterTurn(tx *storage.Tx, n *storage.Node) error {
	chat, leaf := n.Chat, n.ID
	rest, err := svc.scenes.LookAt(tx, chat, leaf)
	if err != nil {
		return err
	}
	if n.State == storage.Broken || len(rest) == 0 && !svc.PassParts().Any() {
		return nil
	}
	typ := scenes.OpDetect
	if svc.PassParts().Any() {
		typ = OpAfterTurn
	}
	for op := range chats.Unfinished(tx, chat) {
		if op.Type == typ && op.Status == storage.Pending && chats.OnPath(tx, chat, leaf, chats.ParamsOf(op).Node) {
			return nil // it will see these too
		}
	}
	_, err = svc.house.AddWork(tx, typ, chats.Params{Chat: chat, Node: leaf}, func(op *storage.Operation) {
		if svc.passAlone(tx, chat, typ) {
			op.Priority = scenes.IdlePriority
		}
	})
	return err
}

// passAlone tells whether what is asked after a turn has a prompt of its own, by the
// settings or by the profile of its kind.
func (svc *Service) passAlone(tx *storage.Tx, chat storage.ChatID, typ string) bool {
	kinds, s := []house.JobKind{house.JobDetect}, svc.core.Settings()
	if typ == OpAfterTurn {
		kinds = append(kinds, house.JobDirector, house.JobMemory, house.JobHooks)
	}
	c, err := storage.Chats.Get(tx, chat)
	return s.Stage.Separate || s.Scenes.DetectAlone && !s.Scenes.NoDetect ||
		err == nil && slices.ContainsFunc(kinds, func(kind house.JobKind) bool { return svc.house.AsksElse(tx, kind, c) })
}
