package taste

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations of learning.
const (
	OpHarvest   = "taste_harvest"
	opAggregate = "taste_aggregate"
)

const (
	// tastePriority is lower than that of other work.
	tastePriority = 1
	// quietPeriod is the time for which a scene must be unchanged before it is learned from, so
	// that edits made together become one lesson.
	quietPeriod = 20 * time.Second
)

// learnParams are the parameters of both operations. Node is the scene's last message, Scope the
// story of the profile. For a profile, Chat is the chat that requested it.
type learnParams struct {
	Chat  storage.ChatID  `json:"chat"`
	Node  storage.NodeID  `json:"node,omitempty"`
	Scope storage.ScopeID `json:"scope,omitempty"`
}

func learnParamsOf(op storage.Operation) (p learnParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no story
	return p
}

// learnResult is the result of an operation, in numbers.
type learnResult struct {
	Events   int    `json:"events,omitempty"`
	Lessons  int    `json:"lessons,omitempty"`
	Memories int    `json:"memories,omitempty"`
	Cards    int    `json:"cards,omitempty"`
	Note     string `json:"note,omitempty"` // why nothing was learnt
}

// QueueScene queues learning from a changed scene in the transaction of the change, once for all
// changes of the quiet period, and everything else that its story lacks.
func (svc *Service) QueueScene(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	if svc.core.Settings().Taste.Off {
		return nil
	}
	if _, err := svc.queueHarvest(tx, chat, node, svc.core.Config.Now().Add(quietPeriod)); err != nil {
		return err
	}
	return svc.QueueMissing(tx, chat)
}

// QueueMissing queues what is missing for a chat's story: scenes with a confirmed storyboard that
// were not learned from, for example while learning was off, and a profile for memories that it
// does not include.
func (svc *Service) QueueMissing(tx *storage.Tx, chat storage.ChatID) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil || svc.core.Settings().Taste.Off {
		return err
	}
	scope := chats.ScopeOf(c)
	for _, c := range chatsOfStory(tx, scope) {
		for node, b := range storage.Boards.All(tx, c.ID) {
			if b.Stage != storage.BoardReady || storage.TasteMemories.Has(tx, scope, node) ||
				len(learningOps(tx, scope, node)) > 0 {
				continue
			}
			if _, err := scenes.VisibleBreak(tx, c.ID, node); err != nil {
				continue // the scene is no scene now
			}
			if _, err := svc.queueHarvest(tx, c.ID, node, svc.core.Config.Now()); err != nil {
				return err
			}
		}
	}
	t, _, err := tasteOf(tx, scope)
	if err != nil {
		return err
	}
	for _, m := range storage.TasteMemories.All(tx, scope) {
		if !slices.Contains(t.SourceMemoryIDs, m.ID) {
			_, err := svc.queueProfile(tx, scope, chat)
			return err
		}
	}
	return nil
}

// queueSceneOf queues the learning from the scene of a message, if that has ended.
func (svc *Service) queueSceneOf(tx *storage.Tx, chat storage.ChatID, at storage.NodeID) error {
	p, err := tx.NodeInfo(chat, at)
	if err != nil || svc.core.Settings().Taste.Off {
		return nil //nolint:nilerr // a deleted message is in no scene
	}
	var ends []storage.Break
	for _, b := range storage.Breaks.All(tx, chat) {
		if !b.Hidden && b.Depth >= p.Depth {
			ends = append(ends, b)
		}
	}
	slices.SortStableFunc(ends, func(a, b storage.Break) int { return cmp.Compare(a.Depth, b.Depth) })
	for _, b := range ends { // the next one behind the message ends its scene
		if chats.OnPath(tx, chat, b.Node, at) {
			return svc.QueueScene(tx, chat, b.Node)
		}
	}
	return nil
}

// QueueEditedScene queues the learning from a scene that ends, if the user has edited something in
// it.
func (svc *Service) QueueEditedScene(tx *storage.Tx, at core.MessageRef) error {
	chat, node := at.Chat, at.Node
	if svc.core.Settings().Taste.Off || !storage.Edits.Any(tx, chat) || len(editsIn(tx, chat, node)) == 0 {
		return nil
	}
	return svc.QueueScene(tx, chat, node)
}

// editsIn returns the edits of a scene's messages and captures, oldest first.
func editsIn(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (out []storage.Edit) {
	in := map[storage.NodeID]bool{}
	for p := range tx.PathInfos(chat, node) {
		if p.ID != node && scenes.ShownBreak(tx, chat, p.ID) {
			break
		}
		in[p.ID] = true
	}
	for _, x := range storage.Edits.All(tx, chat) {
		if in[messageOfEdit(tx, chat, x)] {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b storage.Edit) int { return a.At.Compare(b.At) })
	return out
}

// messageOfEdit returns the message that an edit belongs to, "" if it was deleted.
func messageOfEdit(tx *storage.Tx, chat storage.ChatID, x storage.Edit) storage.NodeID {
	if x.Kind == editRecaps {
		_, r, _ := scenes.RecapTable(tx, chat, storage.RecapID(x.About))
		return r.Node
	}
	c, _ := storage.Captures.Get(tx, storage.CaptureID(x.About))
	return c.At
}

// queueHarvest queues the learning from a scene at a time. A waiting one is postponed to that
// time.
func (svc *Service) queueHarvest(tx *storage.Tx, chat storage.ChatID, node storage.NodeID,
	at time.Time) (storage.OperationID, error) {
	for op := range chats.Unfinished(tx, chat) {
		if op.Type == OpHarvest && op.Status == storage.Pending && learnParamsOf(op).Node == node {
			op.NotBefore = at
			return op.ID, storage.Operations.Put(tx, op.ID, op)
		}
	}
	return svc.addLearning(tx, OpHarvest, learnParams{Chat: chat, Node: node}, at)
}

// queueProfile queues a story's profile; without memories it deletes it.
func (svc *Service) queueProfile(tx *storage.Tx, scope storage.ScopeID,
	chat storage.ChatID) (storage.OperationID, error) {
	if !storage.TasteMemories.Any(tx, scope) {
		return "", failure.IgnoreMissing(storage.Tastes.Delete(tx, scope))
	}
	for _, op := range storage.Operations.All(tx) {
		if op.Type == opAggregate && op.Status == storage.Pending && learnParamsOf(op).Scope == scope {
			return op.ID, nil
		}
	}
	return svc.addLearning(tx, opAggregate, learnParams{Chat: chat, Scope: scope}, time.Time{})
}

func (svc *Service) addLearning(tx *storage.Tx, typ string, p learnParams, at time.Time) (storage.OperationID, error) {
	return svc.core.Queue.AddOperation(tx, typ, p, func(op *storage.Operation) { op.NotBefore = at })
}

// Harvest queues the learning from a scene now. It is an error if there is nothing to learn from.
func (svc *Service) Harvest(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := scenes.VisibleBreak(tx, chat, node); err != nil {
			return err
		}
		l, err := svc.readHarvest(tx, chat, node)
		if err == nil && !l.ready && !lessons.HasLessons(l.Scene.HarvestResult) {
			err = failure.Refusef("there is nothing to learn from in this scene: it has no confirmed storyboard, and " +
				"no edited picture prompt or recap")
		}
		return err
	})
	if err == nil {
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			id, err = svc.queueHarvest(tx, chat, node, time.Time{})
			return err
		})
	}
	if err != nil {
		return "", failure.Wrap("learn from the scene", err)
	}
	svc.emitQueued(id, svc.chats.ScopeIn(chat))
	return id, nil
}

// emitQueued wakes the queue, also for a postponed operation, and emits the change.
func (svc *Service) emitQueued(id storage.OperationID, scope storage.ScopeID) {
	_ = svc.core.Queue.Retry(id) // it may run already
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{scope})
}

// Aggregate queues a new profile of a story.
func (svc *Service) Aggregate(scope storage.ScopeID) (id storage.OperationID, err error) {
	err = svc.memory.InStory("create a profile", scope, func(tx *storage.Tx) error {
		if !storage.TasteMemories.Any(tx, scope) {
			return failure.Refusef("nothing learned from this story's scenes yet")
		}
		id, err = svc.queueProfile(tx, scope, chatOfStory(tx, scope))
		return err
	})
	if err != nil {
		return "", err
	}
	svc.emitQueued(id, scope)
	return id, nil
}

// chatOfStory returns the last changed chat of a story, "" for none.
func chatOfStory(tx *storage.Tx, scope storage.ScopeID) storage.ChatID {
	var last storage.Chat
	for _, c := range chatsOfStory(tx, scope) {
		if last.ID == "" || c.UpdatedAt.After(last.UpdatedAt) {
			last = c
		}
	}
	return last.ID
}

// chatsOfStory returns the chats of a story.
func chatsOfStory(tx *storage.Tx, scope storage.ScopeID) (list []storage.Chat) {
	for _, c := range storage.Chats.All(tx) {
		if chats.ScopeOf(c) == scope {
			list = append(list, c)
		}
	}
	return list
}

// logOperation emits and logs the result of an operation.
func (svc *Service) logOperation(op storage.Operation) {
	p := learnParamsOf(op)
	scope, what := p.Scope, "aggregate"
	switch op.Type {
	case OpHarvest:
		scope, what = svc.chats.ScopeIn(p.Chat), "harvest"
	}
	svc.core.Emit(Changed{scope})
	log := svc.core.Log.With("operation", op.ID, "story", scope, "scene", p.Node)
	switch {
	case op.Status == storage.Completed && len(op.Result) == 0: // it was thrown away, as the queue says
	case op.Status == storage.Completed:
		var r learnResult
		_ = json.Unmarshal(op.Result, &r)
		log.Info(what+" completed", "events", r.Events, "lessons", r.Lessons, "memories", r.Memories, "cards", r.Cards,
			"note", r.Note,
			"took", op.CompletedAt.Sub(op.StartedAt))
	case op.Status == storage.Failed:
		log.Warn(what+" failed", "error", op.Error, "took", op.CompletedAt.Sub(op.StartedAt))
	case op.Status == storage.Pending && op.Error != "":
		log.Warn(what+" failed, and is tried again", "error", op.Error, "attempts", op.Attempts)
	}
}

// Kinds returns the kinds of operations that learn how the user directs.
func (svc *Service) Kinds() []queue.Kind {
	lane := svc.models.Lane
	return []queue.Kind{
		{Type: OpHarvest, Lane: lane(models.JobTaste), Priority: tastePriority, Run: svc.runHarvest,
			Changed: svc.logOperation},
		{Type: opAggregate, Lane: lane(models.JobTaste), Priority: tastePriority, Run: svc.runAggregate,
			Changed: svc.logOperation},
		// Queued by an earlier version.
		{Type: "taste_judge", Lane: lane(models.JobTaste), Priority: tastePriority, Run: discard},
	}
}

func discard(context.Context, storage.Operation, func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, queue.ErrDiscard
}
