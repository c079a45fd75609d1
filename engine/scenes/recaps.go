package scenes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Recap queues a recap of the scene that ends at node.
func (svc *Service) Recap(chat storage.ChatID, node storage.NodeID,
	r RecapRequest) (id storage.OperationID, err error) {
	if err := checkStyle(r.Style); err != nil {
		return "", failure.Wrap("recap", err)
	}
	err = svc.ChangeScenes(chat, "recap", func(tx *storage.Tx) error {
		id, err = svc.queueRecap(tx, chat, node, r, RecapPriority)
		return err
	})
	if err == nil {
		svc.core.Queue.Rescheduled(id)
	}
	return id, err
}

func checkStyle(style string) error {
	if !slices.Contains([]string{"", "bullets", "narrative", "dialogue"}, style) {
		return failure.Refusef("the style of a recap must be bullets, narrative or dialogue, not %q", style)
	}
	return nil
}

// queueRecap queues a recap unless an identical one is waiting. Parts that an earlier, unfinished
// attempt has read are reused.
func (svc *Service) queueRecap(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, r RecapRequest,
	priority int) (storage.OperationID, error) {
	if _, err := VisibleBreak(tx, chat, node); err != nil {
		return "", err
	}
	p := chats.Params{Chat: chat, Node: node, Force: r.Force, Style: r.Style,
		Instruction: failure.FirstRunes(r.Instruction, models.MaxTextLen)}
	same := func(op storage.Operation) bool {
		have := chats.ParamsOf(op)
		return op.Type == opRecap && have.Chat == chat && have.Node == node && have.Force == p.Force &&
			have.Style == p.Style && have.Instruction == p.Instruction
	}
	for op := range chats.Unfinished(tx, chat) {
		if op.Status == storage.Pending && same(op) {
			if priority <= op.Priority {
				return op.ID, nil
			}
			op.Priority, op.NotBefore = priority, time.Time{} // the user waits for it now
			return op.ID, storage.Operations.Put(tx, op.ID, op)
		}
	}
	p.Read = failedTry(tx, same).Read
	return svc.core.Queue.AddOperation(tx, opRecap, p, withPriority(priority))
}

// failedTry returns the params of the newest of some operations if it failed or was cancelled, so
// that its parts can be reused.
func failedTry(tx *storage.Tx, of func(storage.Operation) bool) (p chats.Params) {
	for _, op := range storage.Operations.Backward(tx) {
		if of(op) {
			if op.Status == storage.Failed || op.Status == storage.Cancelled {
				p = chats.ParamsOf(op)
			}
			break
		}
	}
	return p
}

// RecapMissing queues recaps of all scenes on the path that have none or a stale one, and returns
// how many.
func (svc *Service) RecapMissing(chat storage.ChatID) (n int, err error) {
	var asked []storage.OperationID
	err = svc.changeScenes(chat, "recap", func(tx *storage.Tx, c storage.Chat) error {
		asked = nil
		for _, s := range SpansOf(tx, chat, c.Head) {
			if s.Break == nil || s.Messages == 0 {
				continue
			}
			if v := SceneView(tx, chat, s, 0); v.Recap.Versions > 0 && !v.Recap.Stale {
				continue
			}
			id, err := svc.queueRecap(tx, chat, s.Break.Node, RecapRequest{}, RecapPriority)
			if err != nil {
				return err
			}
			asked = append(asked, id)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	svc.core.Queue.Rescheduled(asked...)
	return len(asked), nil
}

// VersionsOf reads a scene's recaps; unreadable ones are left out.
func VersionsOf(tx *storage.Tx, chat storage.ChatID, b storage.Break) []storage.Recap {
	var out []storage.Recap
	for _, id := range b.Versions {
		if r, err := storage.Recaps.Get(tx, chat, id); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// runRecap makes a version of a scene's recap, or reuses the version with identical inputs.
func (jobs *Jobs) runRecap(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	t, err := jobs.readScene(chats.ParamsOf(op), false)
	if errors.Is(err, errNothingSaid) && op.Priority < RecapPriority {
		return queue.Effect{}, queue.ErrDiscard // its messages were deleted, and nobody has asked
	}
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := jobs.models.Job(ctx, models.JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	t, fits := fitRequest(jobs.core.Prompts(), j, t)
	if t.started != nil {
		t, fits = fitPartRequest(jobs.core.Prompts(), j, t), false
	}
	t.key = t.requestKey(jobs.core.Prompts(), j)
	if same := sameInputs(t.have, t.key); same != "" && !t.Force {
		return jobs.reuse(t.Params, same), nil
	}
	if !fits {
		return jobs.recapInParts(ctx, j, t, report)
	}
	var a scene.Answer
	asked := recapRequest{messages: t.in.Messages, appended: scene.AppendedPrompt(jobs.core.Prompts(),
		t.appendedInput(j)), own: scene.RecapPrompt(jobs.core.Prompts(), t.in)}
	if err = jobs.askRecap(ctx, j, t, asked, t.in, &a, report); err != nil {
		return queue.Effect{}, err
	}
	return jobs.keepRecap(t.Params, t.complete(j, a.Draft(t.in))), nil
}

// sameInputs finds the newest version, as it was made, of the same request.
func sameInputs(have []storage.Recap, key string) storage.RecapID {
	for _, r := range slices.Backward(have) {
		if r.RequestHash == key && !r.Edited() {
			return r.ID
		}
	}
	return ""
}

// reuse makes an existing version the current one.
func (svc *Service) reuse(p chats.Params, id storage.RecapID) queue.Effect {
	return queue.Effect{Result: recapResult{Recap: id, Reused: true}, Apply: func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		at := slices.Index(b.Versions, id)
		if at < 0 {
			return queue.ErrDiscard
		}
		b.Current = at
		return svc.putScene(tx, p.Chat, b)
	}}
}

// putScene stores a break whose recap has changed.
func (svc *Service) putScene(tx *storage.Tx, chat storage.ChatID, b storage.Break) error {
	if err := svc.Rehash(tx, chat, &b); err != nil {
		return err
	}
	return storage.Breaks.Put(tx, chat, b)
}

// keepRecap appends a version, makes it current, and queues its merge into the running recap if the
// settings say so.
func (svc *Service) keepRecap(p chats.Params, r storage.Recap) queue.Effect {
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, p.Chat, p.Node)
		if err != nil {
			return queue.ErrDiscard
		}
		if err := svc.AppendVersion(tx, p.Chat, b, r); err != nil {
			return err
		}
		if err := dropInterims(tx, p.Chat, p.Node); err != nil {
			return err
		}
		if err := svc.Recapped.Run(tx, Recapped{p.Chat, p.Node, r.ID}); err != nil {
			return err
		}
		if !svc.core.Settings().Scenes.NoRunning {
			if err := svc.mergeNext(tx, p.Chat, p.Node); err != nil {
				return err
			}
		}
		return svc.queueMissing(tx, p.Chat, p.Node)
	}}
}

// AppendVersion adds a version to a scene and makes it current.
func (svc *Service) AppendVersion(tx *storage.Tx, chat storage.ChatID, b storage.Break, r storage.Recap) error {
	r.Node = b.Node
	if r.CreatedAt.IsZero() {
		r.CreatedAt = svc.core.Config.Now()
	}
	if r.Origin == storage.Imported { // taken for one of the messages as they are now
		if err := svc.Rehash(tx, chat, &b); err != nil {
			return err
		}
		r.InputsHash = b.InputsHash
	}
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if r.Witnesses, err = witnessesOf(tx, c, openUpTo(tx, chat, b.Node)); err != nil {
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
	return svc.putScene(tx, chat, b)
}

// mergeNext queues the merge of a finished recap into the running one. If the newest scene is held
// back, the scene before it is merged instead.
func (svc *Service) mergeNext(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	if svc.core.Settings().Scenes.HoldNewest {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if newest := newestBreak(tx, chat, c.Head); newest == node {
			s, err := SpanAt(tx, chat, node)
			if err != nil || s.after == "" {
				return err
			}
			before, err := VisibleBreak(tx, chat, s.after)
			if err != nil || before.Recap() == "" || inRunning(tx, chat, c.Head, before) {
				return err
			}
			node = before.Node
		}
	}
	_, err := svc.core.Queue.AddOperation(tx, opRunning, chats.Params{Chat: chat, Node: node},
		withPriority(UnaskedPriority))
	return err
}

// newestBreak returns the last break on a path, "" for none.
func newestBreak(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) storage.NodeID {
	for b := range breaksAbove(tx, chat, leaf, func(storage.Break) bool { return true }) {
		return b.Node
	}
	return ""
}

// inRunning reports whether a scene's recap, as it is, is in the running recap.
func inRunning(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, b storage.Break) bool {
	r, _, err := RunningAt(tx, chat, leaf)
	if err != nil || r == nil {
		return false
	}
	in := false
	lineageIn(tx, chat).walk(*r, func(v storage.Recap) bool {
		in = v.Part != nil && v.Part.Break == b.Node && v.Part.TextHash == b.TextHash
		return !in
	})
	return in
}

// scenePast is the number of messages before a candidate that are its context.
const scenePast = 3

// saidBefore reads the last n messages before a message, oldest first.
func saidBefore(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, n int) ([]scene.Message, error) {
	var out []storage.Node
	for p := range tx.PathInfos(chat, node) {
		if len(out) == n {
			break
		}
		if p.ID == node || !p.InStory() {
			continue
		}
		m, err := tx.Node(chat, p.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	slices.Reverse(out)
	return messagesOf(tx, out), nil
}

// reusedWords says that an existing version was reused and how to force a new one.
func reusedWords(kind string) string {
	return fmt.Sprintf("nothing has changed since this %s was created", kind)
}

// Kinds returns the kinds of operations on scenes and recaps.
func (jobs *Jobs) Kinds() []queue.Kind {
	lane := jobs.models.Lane
	return []queue.Kind{
		{Type: OpDetect, Lane: lane(models.JobDetect), Priority: AppendedPriority, Run: jobs.runDetect,
			Changed: jobs.SceneChanged},
		{Type: opDetectAll, Lane: lane(models.JobDetect), Run: jobs.runDetectAll, Changed: jobs.SceneChanged},
		{Type: opRecap, Lane: lane(models.JobRecap), Priority: RecapPriority, Run: jobs.runRecap,
			Changed: jobs.recapChanged},
		{Type: opInterim, Lane: lane(models.JobRecap), Priority: interimPriority, Run: jobs.runInterim,
			Changed: jobs.SceneChanged},
		{Type: opRunning, Lane: lane(models.JobRunning), Run: jobs.runRunning, Changed: jobs.SceneChanged},
		{Type: opMessage, Lane: lane(models.JobMessage), Priority: RecapPriority, Run: jobs.runMessage,
			Changed: jobs.recapChanged},
		{Type: opJoin, Lane: lane(models.JobRecap), Priority: RecapPriority, Run: jobs.runJoin,
			Changed: jobs.recapChanged},
		{Type: opRecallTest, Lane: lane(models.JobRecallTest), Priority: RecapPriority, Run: jobs.runRecallTest,
			Changed: jobs.recapChanged},
	}
}

// SceneChanged emits what an operation on scenes has changed.
func (svc *Service) SceneChanged(op storage.Operation) {
	svc.EmitDetected()
	svc.EmitStale()
	svc.core.Emit(Changed{chats.ParamsOf(op).Chat})
}

// recapChanged is SceneChanged, and also reports a version that was reused.
func (svc *Service) recapChanged(op storage.Operation) {
	svc.SceneChanged(op)
	if op.Type == opRecap && op.Status == storage.Failed {
		svc.QueueMissing(chats.ParamsOf(op).Chat)
	}
	var r recapResult
	if op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil && r.Reused {
		svc.core.Emit(event.Notice{Level: event.Info, Text: reusedWords("recap")})
	}
}
