package director

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// OpAfterTurn evaluates an exchange: scene break, director, memories and hooks.
const OpAfterTurn = "after_turn"

const (
	// passFrames are the tokens that the roles of a reply and of the pass after it take.
	passFrames = 16
	// usualReply is the reply length, in tokens, that is always reserved: after a reply of up to
	// this length, the prompt of its turn has left room for the pass.
	usualReply = 400
	// replySteps is the step, in tokens, in which the reserved room follows longer replies: a
	// prompt's room should not change with every turn.
	replySteps = 128
	// passAttempts is the number of attempts if a server does not answer.
	passAttempts = 3
)

// PassReply returns the room for the answer of a pass, in tokens.
func PassReply(context int) int { return min(700, context/8) }

// PassBudget returns how many tokens a turn's prompt keeps free, besides the room for the reply, so
// that the pass can be appended to it: a separate request would evict the chat's prompt from the
// server's cache. said is the size of the pass without facts, which get the room that is left;
// longest is the length of the longest of the last replies. Both are in tokens.
func PassBudget(context, reply, said, longest int) int {
	comes := (max(longest, usualReply) + replySteps - 1) / replySteps * replySteps
	if longest <= usualReply {
		comes = usualReply
	}
	return max(0, said+passFrames+PassReply(context)+min(comes, reply)-reply)
}

// PassText returns the longest possible text of the pass that is appended to a chat's prompts,
// without facts. It depends only on the settings, and is "" if the pass is separate.
func (svc *Service) PassText(c storage.Chat) string {
	s := svc.core.Settings()
	parts := svc.PassParts()
	parts.Break = !s.Scenes.NoDetect && !s.Scenes.DetectAlone
	if s.Stage.Separate {
		return ""
	}
	long := strings.Repeat("words ", 40)
	in := rules.Input{Setting: long, Time: long, Messages: []rules.Line{{Text: long}, {Text: long}},
		Known: []rules.KnownFact{{Due: true}, {DueBy: "…"}}}
	if c.Play.Episode != "" {
		in.Genre, in.Situation, in.Question = long, long, long
	}
	return rules.Instruction(svc.core.Prompts(), parts, in)
}

// PassParts returns the parts of the pass that the settings ask for, apart from detection.
func (svc *Service) PassParts() rules.Parts {
	s := svc.core.Settings()
	return rules.Parts{Director: !s.Stage.NoDirector, Memories: !s.Stage.NoMemories, Hooks: !s.Stage.NoHooks,
		Picture: !s.Images.Off}
}

// Evaluate queues the pass on the last exchange of a chat.
func (svc *Service) Evaluate(chat storage.ChatID) (id storage.OperationID, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		leaf := LastReply(tx, c)
		if leaf == "" {
			return failure.Refusef("there is no reply to check yet")
		}
		id, err = svc.core.Queue.AddOperation(tx, OpAfterTurn,
			chats.Params{Chat: chat, Node: leaf, Asked: true, Force: true}, nil)
		return err
	})
	if err != nil {
		return "", failure.Wrap("check the last turn", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat})
	return id, nil
}

// LastReply returns the newest reply on a chat's path, together with its continuation; "" if there
// is none.
func LastReply(tx *storage.Tx, c storage.Chat) storage.NodeID {
	for p := range tx.PathInfos(c.ID, c.Head) {
		if !p.InStory() {
			continue
		}
		if n, err := tx.Node(c.ID, p.ID); err == nil && n.Role == storage.Assistant {
			return n.ID
		}
	}
	return ""
}

// pass is a question about the messages since the last pass, and the parameters of its request.
type pass struct {
	chats.Params
	chat  storage.Chat
	leaf  storage.Node // the reply that ends them
	parts rules.Parts
	in    rules.Input
	fresh []scene.Message // those before which a break is possible
	known []knownFact     // by the numbers of facts in an answer
	nodes []storage.Node  // by the numbers of messages
	// seen are the characters who know everything in the prompt of the pass.
	seen []storage.CharacterID
	turn int
}

// mention returns the source of something in an answer: the numbered messages, known to everybody
// who has heard all of them. Without numbers the source is all messages of the pass.
func (p *pass) mention(now time.Time, from []int) storage.Mention {
	t := storage.Mention{Chat: p.chat.ID, Node: p.leaf.ID, Depth: p.leaf.Depth, At: now}
	nodes := p.nodes
	if len(from) > 0 {
		nodes = nil
		for _, n := range from {
			nodes = append(nodes, p.nodes[n-1])
		}
	}
	for _, n := range nodes {
		t.Sources = append(t.Sources, n.ID)
	}
	t.Witnesses = chats.KnownTo(p.chat, nodes)
	return t
}

// passAnswer is the combined answer of a pass. asked are the parts that have an answer; fault is
// why others have none.
type passAnswer struct {
	rules.Answer
	asked rules.Parts
	fault string
}

// PassResult is the result of the after_turn operation.
type PassResult struct {
	Node     storage.NodeID      `json:"node"`
	Seen     *storage.Evaluation `json:"seen,omitempty"`
	Break    bool                `json:"break,omitempty"`
	Memories int                 `json:"memories"`
	Hooks    int                 `json:"hooks"`
	Ended    int                 `json:"ended,omitempty"` // of what was known
	Fault    string              `json:"fault,omitempty"`
}

// runAfterTurn asks about the last exchange of a chat. If the answer cannot be used, only the rules
// that need no answer apply.
func (jobs *Jobs) runAfterTurn(ctx context.Context, op storage.Operation,
	_ func(queue.Progress)) (queue.Effect, error) {
	p, err := jobs.readAfter(chats.ParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := jobs.askPass(ctx, p)
	if err != nil && (p.Asked || ctx.Err() != nil || ollama.IsTransient(err) && op.Attempts < passAttempts) {
		return queue.Effect{}, err
	}
	if err != nil {
		a.fault = failure.Text(err) // keep what has an answer; the next turn is evaluated again
	}
	now := jobs.core.Config.Now()
	for i := range a.Memories {
		a.Memories[i].Mention = p.mention(now, a.Memories[i].From)
	}
	for i := range a.Hooks {
		a.Hooks[i].Mention = p.mention(now, a.Hooks[i].From)
	}
	r := PassResult{Node: p.leaf.ID, Seen: a.Director, Memories: len(a.Memories), Hooks: len(a.Hooks),
		Ended: len(a.Outdated) + len(a.Settled), Fault: a.fault}
	r.Break = a.Scene != nil && a.Scene.Status
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error { return jobs.keepPass(tx, p, a, string(op.ID)) }},
		nil
}

// keepPass stores all results of a pass in one transaction. Results from a branch that was left
// meanwhile stay with that branch.
func (svc *Service) keepPass(tx *storage.Tx, p pass, a passAnswer, batch string) error {
	c, err := storage.Chats.Get(tx, p.chat.ID)
	if err != nil {
		return queue.ErrDiscard
	}
	if at, err := tx.NodeInfo(c.ID, p.leaf.ID); err != nil || at.Deleted {
		return queue.ErrDiscard
	}
	scope := chats.ScopeOf(c)
	if a.When != nil { // first, because due times count from it
		if err := svc.scenes.StoreTime(tx, c.ID, p.leaf.ID, scenes.TimeUpdate(*a.When)); err != nil {
			return err
		}
	}
	if a.asked.Memories {
		if _, err := memory.StoreMemories(tx, scope, a.Memories); err != nil {
			return err
		}
	}
	if a.asked.Hooks {
		if err := svc.keepFoundHooks(tx, scope, p, a); err != nil {
			return err
		}
	}
	if err := svc.keepEnds(tx, scope, p, a); err != nil {
		return err
	}
	if err := svc.keepSeen(tx, c, p, a); err != nil {
		return err
	}
	if a.Picture != nil {
		if err := svc.keepAsked(tx, c, p, a.Picture); err != nil {
			return err
		}
	}
	if !a.asked.Break || a.Scene == nil {
		return nil
	}
	d := scene.Detection{Status: a.Scene.Status, Rationale: a.Scene.Rationale}
	return svc.scenes.StoreDetection(tx, c.ID, p.fresh, d, batch)
}

// keepFoundHooks stores new hooks, the due hooks that the reply took up, and those whose story time
// has come.
func (svc *Service) keepFoundHooks(tx *storage.Tx, scope storage.ScopeID, p pass, a passAnswer) error {
	if _, err := memory.StoreHooks(tx, scope, p.turn, a.Hooks); err != nil {
		return err
	}
	hooks := func(numbers []int) (ids []storage.HookID) {
		for _, n := range numbers {
			for _, h := range p.known[n-1].hooks {
				ids = append(ids, h.ID)
			}
		}
		return ids
	}
	mention := p.mention(svc.core.Config.Now(), nil)
	if err := memory.MarkHooksDue(tx, scope, mention, hooks(a.Due)); err != nil {
		return err
	}
	return memory.MarkHooksTaken(tx, scope, mention, hooks(a.TakenUp))
}

// keepAsked has a picture made that the user has asked for in the newest message of theirs.
func (svc *Service) keepAsked(tx *storage.Tx, c storage.Chat, p pass, want *rules.WantedPicture) error {
	for _, n := range slices.Backward(p.nodes) {
		if n.Role == storage.User {
			return svc.painter.QueueRequested(tx, c, n.ID, want.Kind, want.Subject)
		}
	}
	return nil
}

// keepSeen stores the director's evaluation and applies its consequences.
func (svc *Service) keepSeen(tx *storage.Tx, c storage.Chat, p pass, a passAnswer) error {
	b, err := storage.TurnRecords.Get(tx, c.ID, p.leaf.ID)
	if err != nil && !failure.Damaged(err) && !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if b.Node == "" {
		b = storage.TurnRecord{Node: p.leaf.ID, Turn: p.turn, At: svc.core.Config.Now()}
	}
	b.Fault, b.Passed = a.fault, b.Passed || a.asked.Any()
	if !a.asked.Director || a.Director == nil {
		svc.records.Add(c.ID, b.Node)
		return storage.TurnRecords.Put(tx, c.ID, b)
	}
	b.Seen, b.Witnesses = a.Director, p.seen
	ep, ok := episodeOf(tx, c)
	if ok && !c.Play.Paused && chats.OnPath(tx, c.ID, c.Head, p.leaf.ID) && playEnd(tx, c) == nil {
		if make, why := rules.Picture(ep.Mode(), ep.Interval(), playTurn(c, b.Turn), b.Seen); make && b.Capture == "" {
			if err := svc.autoPicture(tx, &c, &b, ep.Cost(), why); err != nil {
				return err
			}
		}
		if by, ends := rules.IsComplete(b.Seen, playTurn(c, b.Turn), ep.TurnBudget); ends {
			svc.completePlay(tx, &c, b.Node, by)
		}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
	}
	svc.records.Add(c.ID, b.Node)
	return storage.TurnRecords.Put(tx, c.ID, b)
}

// Kinds returns the kinds of operations of the director.
func (jobs *Jobs) Kinds() []queue.Kind {
	return []queue.Kind{{Type: OpAfterTurn, Lane: jobs.models.Lane(models.JobDirector),
		Priority: scenes.AppendedPriority, Run: jobs.runAfterTurn, Changed: jobs.passChanged}}
}

// passChanged emits what a pass has changed.
func (svc *Service) passChanged(op storage.Operation) {
	chat := chats.ParamsOf(op).Chat
	svc.EmitDirected()
	if op.Status == storage.Completed {
		svc.core.Emit(memory.Changed{Scope: svc.chats.ScopeIn(chat)})
	}
	svc.core.Emit(Changed{chat})
	svc.scenes.SceneChanged(op)
}

// QueuePass looks for scene breaks in the last messages of a path. Explicit marks end a scene
// immediately; the rest needs a queued question, which also asks what the director needs. Nothing
// is queued if the server has just shown that it cannot answer: then the next turn evaluates these
// messages too.
func (svc *Service) QueuePass(tx *storage.Tx, n chats.FinishedReply) error {
	chat, leaf := n.Chat, n.ID
	rest, err := svc.scenes.DetectMarks(tx, chat, leaf)
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
	_, err = svc.core.Queue.AddOperation(tx, typ, chats.Params{Chat: chat, Node: leaf}, func(op *storage.Operation) {
		if svc.passAlone(tx, chat, typ) {
			op.Priority = scenes.UnaskedPriority
		}
	})
	return err
}

// passAlone reports whether the pass after a turn has a separate prompt, because of the settings or
// the profile of its kind.
func (svc *Service) passAlone(tx *storage.Tx, chat storage.ChatID, typ string) bool {
	kinds, s := []models.JobKind{models.JobDetect}, svc.core.Settings()
	if typ == OpAfterTurn {
		kinds = append(kinds, models.JobDirector, models.JobMemory, models.JobHooks)
	}
	c, err := storage.Chats.Get(tx, chat)
	return s.Stage.Separate || s.Scenes.DetectAlone && !s.Scenes.NoDetect ||
		err == nil && slices.ContainsFunc(kinds, func(kind models.JobKind) bool {
			return svc.models.UsesOtherModel(tx, kind, c)
		})
}
