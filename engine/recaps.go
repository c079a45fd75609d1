package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// RecapScene queues a recap of the scene that ends at node.
func (e *Engine) RecapScene(chat storage.ChatID, node storage.NodeID, r RecapRequest) (id storage.OperationID, err error) {
	if err := checkStyle(r.Style); err != nil {
		return "", fail("recap", err)
	}
	err = e.reshape(chat, "recap", func(tx *storage.Tx) error {
		id, err = e.queueRecap(tx, chat, node, r)
		return err
	})
	return id, err
}

func checkStyle(style string) error {
	if !slices.Contains([]string{"", "bullets", "narrative", "dialogue"}, style) {
		return refuse("the style of a recap is bullets, narrative or dialogue, not %q", style)
	}
	return nil
}

// queueRecap queues a recap, unless one of the same kind waits already.
func (e *Engine) queueRecap(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, r RecapRequest) (storage.OperationID, error) {
	if _, err := theBreak(tx, chat, node); err != nil {
		return "", err
	}
	p := sceneParams{Chat: chat, Node: node, Force: r.Force, Style: r.Style, Instruction: firstRunes(r.Instruction, longestText)}
	for op := range unfinished(tx, chat) {
		if have := sceneParamsOf(op); op.Type == opRecap && op.Status == storage.Pending && have.Node == node &&
			have.Force == p.Force && have.Style == p.Style && have.Instruction == p.Instruction {
			return op.ID, nil
		}
	}
	return e.addWork(tx, opRecap, p, nil)
}

// RecapMissing queues recaps of all scenes of the path that have none, or a
// stale one, and tells how many.
func (e *Engine) RecapMissing(chat storage.ChatID) (n int, err error) {
	err = e.reshape(chat, "recap", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		n = 0
		for _, s := range stretchesOf(tx, chat, c.Head) {
			if s.brk == nil || s.said == 0 {
				continue
			}
			if v := sceneView(tx, chat, s, 0); v.Recap.Versions > 0 && !v.Recap.Stale {
				continue
			}
			if _, err := e.queueRecap(tx, chat, s.brk.Node, RecapRequest{}); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// telling is what a recap is made of.
type telling struct {
	sceneParams
	chat   storage.Chat
	in     scene.Input
	inputs string
	have   []storage.Recap // versions there are
}

// readScene reads what a scene's recap is made of, as things are now.
func (e *Engine) readScene(p sceneParams) (t telling, err error) {
	t.sceneParams = p
	err = e.store.View(func(tx *storage.Tx) error {
		b, err := theBreak(tx, p.Chat, p.Node)
		if errors.Is(err, errNoScene) || errors.Is(err, storage.ErrNotFound) {
			return queue.ErrDiscard
		}
		if err != nil {
			return err
		}
		if t.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		s, err := stretchAt(tx, p.Chat, p.Node)
		if err != nil {
			return err
		}
		msgs, err := messagesIn(tx, p.Chat, s)
		if err != nil {
			return err
		}
		t.in.Messages = e.told(msgs)
		if len(t.in.Messages) == 0 {
			return refuse("nothing was said in this scene that a recap could be made of")
		}
		t.inputs = scene.Inputs(t.in.Messages)
		t.in.Char, t.in.User = e.names(tx, t.chat)
		t.in.Style, t.in.Instruction = p.Style, p.Instruction
		if t.in.Style == "" {
			t.in.Style = e.cfg.Scenes.Style
		}
		t.in.Earlier = earlierRecaps(tx, p.Chat, s.after, e.cfg.Scenes.History-1)
		t.have = versionsOf(tx, p.Chat, b)
		t.in.Lore, err = e.loreAt(tx, t.chat, s.after, s.last.ID)
		return err
	})
	return t, err
}

// earlierRecaps are the texts of the last n recaps up to a break, oldest first.
func earlierRecaps(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, n int) []string {
	var out []string
	for range n {
		if brk == "" {
			break
		}
		s, err := stretchAt(tx, chat, brk)
		if err != nil {
			break
		}
		if r, err := storage.Recaps.Get(tx, chat, s.brk.Recap()); err == nil {
			out = append(out, r.Text)
		}
		brk = s.after
	}
	slices.Reverse(out)
	return out
}

// versionsOf reads a scene's recaps; what cannot be read is left out.
func versionsOf(tx *storage.Tx, chat storage.ChatID, b storage.Break) []storage.Recap {
	var out []storage.Recap
	for _, id := range b.Versions {
		if r, err := storage.Recaps.Get(tx, chat, id); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// runRecap makes a version of a scene's recap, or takes the one there is of the
// very same inputs.
func (e *Engine) runRecap(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	t, err := e.readScene(sceneParamsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := e.job(ctx, JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	prompt := scene.RecapPrompt(e.set(), t.in)
	key := scene.Key(j.server+" "+j.model, prompt, "")
	if same := sameInputs(t.have, key); same != "" && !t.Force {
		return e.reuse(t.sceneParams, same), nil
	}
	var a scene.Answer
	err = e.askJob(ctx, j, prompt, answerForm{scene.RecapSchema(), scene.RecapForm(), &a, a.Check, a.Usable}, report)
	if err != nil {
		return queue.Effect{}, err
	}
	r := recapOf(a.Draft(t.in))
	r.Key, r.Inputs, r.Model, r.Style, r.Instruction = key, t.inputs, j.model, t.in.Style, t.Instruction
	return e.keepRecap(t.sceneParams, r), nil
}

// sameInputs finds the newest version, as it was made, of the same request.
func sameInputs(have []storage.Recap, key string) storage.RecapID {
	for _, r := range slices.Backward(have) {
		if r.Key == key && !r.Edited() {
			return r.ID
		}
	}
	return ""
}

func recapOf(d scene.Draft) storage.Recap {
	return storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Origin: storage.Generated, SceneName: d.SceneName,
		Text: d.Text, Atmosphere: d.Atmosphere, EmotionalBeats: d.EmotionalBeats, Lorebooks: d.Lorebooks, Sources: d.Sources}
}

// reuse puts a version in force that is there.
func (e *Engine) reuse(p sceneParams, id storage.RecapID) queue.Effect {
	return queue.Effect{Result: recapResult{Recap: id, Reused: true}, Apply: func(tx *storage.Tx) error {
		b, err := theBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		at := slices.Index(b.Versions, id)
		if at < 0 {
			return queue.ErrDiscard
		}
		b.Current = at
		return e.putScene(tx, p.Chat, b)
	}}
}

// putScene stores a break whose recap has changed.
func (e *Engine) putScene(tx *storage.Tx, chat storage.ChatID, b storage.Break) error {
	if err := e.rehash(tx, chat, &b); err != nil {
		return err
	}
	return storage.Breaks.Put(tx, chat, b)
}

// keepRecap appends a version, puts it in force, and goes on to the running
// recap where the settings say so.
func (e *Engine) keepRecap(p sceneParams, r storage.Recap) queue.Effect {
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error {
		b, err := theBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		if err := e.appendVersion(tx, p.Chat, b, r); err != nil {
			return err
		}
		if err := e.recapped.Run(tx, Recapped{p.Chat, p.Node, r.ID}); err != nil {
			return err
		}
		if e.cfg.Scenes.NoRunning {
			return nil
		}
		return e.mergeNext(tx, p.Chat, p.Node)
	}}
}

// appendVersion adds a version to a scene and puts it in force.
func (e *Engine) appendVersion(tx *storage.Tx, chat storage.ChatID, b storage.Break, r storage.Recap) error {
	r.Node = b.Node
	if r.CreatedAt.IsZero() {
		r.CreatedAt = e.cfg.Now()
	}
	if r.Origin == storage.Imported { // taken for one of the messages as they are now
		if err := e.rehash(tx, chat, &b); err != nil {
			return err
		}
		r.Inputs = b.Inputs
	}
	if err := witnessRecap(tx, chat, b.Node, &r); err != nil {
		return err
	}
	if err := storage.Recaps.Put(tx, chat, r); err != nil {
		return err
	}
	b.Versions = append(b.Versions, r.ID)
	b.Current = len(b.Versions) - 1
	if !b.Named && r.SceneName != "" {
		b.Name = r.SceneName
	}
	return e.putScene(tx, chat, b)
}

// mergeNext queues the merging of a finished recap into the running one. Where
// the newest scene is held back, the one before it goes in instead.
func (e *Engine) mergeNext(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	if e.cfg.Scenes.HoldNewest {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if newest := newestBreak(tx, chat, c.Head); newest == node {
			s, err := stretchAt(tx, chat, node)
			if err != nil || s.after == "" {
				return err
			}
			before, err := theBreak(tx, chat, s.after)
			if err != nil || before.Recap() == "" || e.inRunning(tx, chat, c.Head, before) {
				return err
			}
			node = before.Node
		}
	}
	_, err := e.addWork(tx, opRunning, sceneParams{Chat: chat, Node: node}, nil)
	return err
}

// newestBreak is the last break on a path, "" for none.
func newestBreak(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) storage.NodeID {
	for p := range tx.Spine(chat, leaf) {
		if shownBreak(tx, chat, p.ID) {
			return p.ID
		}
	}
	return ""
}

// inRunning tells whether a scene's recap, as it is, is in the running recap.
func (e *Engine) inRunning(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, b storage.Break) bool {
	r, _, err := runningAt(tx, chat, leaf)
	if err != nil || r == nil {
		return false
	}
	in := false
	pastIn(tx, chat).lineage(*r, func(v storage.Recap) bool {
		in = v.Part != nil && v.Part.Break == b.Node && v.Part.Text == b.Text
		return !in
	})
	return in
}

// RecapMessage queues a recap of a single message.
func (e *Engine) RecapMessage(chat storage.ChatID, node storage.NodeID, r RecapRequest) (id storage.OperationID, err error) {
	if err := checkStyle(r.Style); err != nil {
		return "", fail("recap", err)
	}
	err = e.reshape(chat, "recap", func(tx *storage.Tx) error {
		p, err := tx.Place(chat, node)
		if err != nil {
			return err
		}
		if !p.Said() {
			return refuse("there are no words in this message")
		}
		id, err = e.addWork(tx, opMessage, sceneParams{Chat: chat, Node: node, Force: r.Force, Style: r.Style}, nil)
		return err
	})
	return id, err
}

// runMessage makes a recap of a single message.
func (e *Engine) runMessage(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := sceneParamsOf(op)
	var c storage.Chat
	var m scene.Message
	var before []scene.Message
	var have []storage.Recap
	var char, user string
	err := e.store.View(func(tx *storage.Tx) (err error) {
		n, err := tx.Node(p.Chat, p.Node)
		if err != nil || n.Deleted {
			return queue.ErrDiscard
		}
		if c, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		m = toldBy(n)
		char, user = e.names(tx, c)
		before, err = saidBefore(tx, p.Chat, p.Node, scenePast)
		have = messageRecaps(tx, p.Chat, p.Node)
		return err
	})
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := e.job(ctx, JobMessage, c)
	if err != nil {
		return queue.Effect{}, err
	}
	prompt := scene.MessagePrompt(e.set(), before, m, p.Style, user, char)
	key := scene.Key(j.server+" "+j.model, prompt, "")
	if same := sameInputs(have, key); same != "" && !p.Force {
		return queue.Effect{Result: recapResult{Recap: same, Reused: true}}, nil
	}
	var a scene.MessageAnswer
	if err := e.askJob(ctx, j, prompt, answerForm{schema: scene.MessageSchema(), into: &a, check: a.Check}, report); err != nil {
		return queue.Effect{}, err
	}
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: p.Node, Kind: storage.MessageRecap, Origin: storage.Generated, Text: a.Text(),
		Inputs: scene.Inputs([]scene.Message{m}), Key: key, Model: j.model, Style: p.Style, CreatedAt: e.cfg.Now()}
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error {
		if n, err := tx.Node(p.Chat, p.Node); err != nil || n.Deleted {
			return queue.ErrDiscard
		}
		return storage.Recaps.Put(tx, p.Chat, r)
	}}, nil
}

// scenePast is how many messages before a message it is judged against.
const scenePast = 3

// saidBefore reads the last n things said before a message, oldest first.
func saidBefore(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, n int) ([]scene.Message, error) {
	var out []scene.Message
	for p := range tx.Spine(chat, node) {
		if len(out) == n {
			break
		}
		if p.ID == node || !p.Said() {
			continue
		}
		m, err := tx.Node(chat, p.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, toldBy(m))
	}
	slices.Reverse(out)
	return out, nil
}

// messageRecaps are the versions of a single message's recap, oldest first.
func messageRecaps(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) []storage.Recap {
	var out []storage.Recap
	for _, r := range storage.Recaps.All(tx, chat) {
		if r.Kind == storage.MessageRecap && r.Node == node {
			out = append(out, r)
		}
	}
	return out
}

// reusedWords tell that nothing was asked for, and how to insist.
func reusedWords(kind string) string {
	return fmt.Sprintf("nothing has changed since this %s was made, so it is shown again; R makes another one all the same", kind)
}

// sceneWork are the kinds of work on scenes and recaps.
func (e *Engine) sceneWork() []Work {
	return []Work{
		{Name: opDetect, Job: JobDetect, Priority: ridingPriority, Run: e.runDetect, Changed: e.sceneChanged},
		{Name: opDetectAll, Job: JobDetect, Run: e.runDetectAll, Changed: e.sceneChanged},
		{Name: opRecap, Job: JobRecap, Priority: recapPriority, Run: e.runRecap, Changed: e.recapChanged},
		{Name: opRunning, Job: JobRunning, Run: e.runRunning, Changed: e.sceneChanged},
		{Name: opMessage, Job: JobMessage, Priority: recapPriority, Run: e.runMessage, Changed: e.recapChanged},
		{Name: opJoin, Job: JobRecap, Priority: recapPriority, Run: e.runJoin, Changed: e.recapChanged},
		{Name: opExam, Job: JobExam, Priority: recapPriority, Run: e.runExam, Changed: e.recapChanged},
	}
}

// sceneChanged tells what an operation on scenes has come to.
func (e *Engine) sceneChanged(op storage.Operation) {
	e.tellDetected()
	e.tellStale()
	e.emit(ScenesChanged{sceneParamsOf(op).Chat})
}

// recapChanged is sceneChanged, and tells of a version that is used again.
func (e *Engine) recapChanged(op storage.Operation) {
	e.sceneChanged(op)
	var r recapResult
	if op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil && r.Reused {
		e.emit(Notice{Info, reusedWords("recap")})
	}
}
