package scenes

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Detect searches the whole path for scene breaks. Explicit marks are set immediately. The rest is
// queued work, which resumes after a crash.
func (svc *Service) Detect(chat storage.ChatID, r DetectRequest) (out Detected, err error) {
	if r.Min < 0 || r.Min > 1000 {
		return out, failure.Wrap("detect scenes",
			failure.Refusef("the minimum length of a scene must be from 1 to 1000 messages"))
	}
	least := cmp.Or(r.Min, svc.core.Settings().Scenes.MinMessages)
	err = svc.changeScenes(chat, "detect scenes", func(tx *storage.Tx, c storage.Chat) error {
		if isQueued(tx, chat, opDetectAll) {
			return failure.Refusef("scene detection is already running in this chat")
		}
		nodes := uncheckedPath(tx, chat, c.Head, r.Again)
		out = Detected{Total: len(nodes)}
		batch := storage.NewID()
		rest, n, err := svc.findMarks(tx, chat, nodes, search{least: least, batch: batch, again: r.Again})
		if err != nil {
			return err
		}
		out.Found = n
		if r.TableOnly || len(rest) == 0 {
			return nil
		}
		if r.Again {
			if err := setChecked(tx, chat, rest, false); err != nil {
				return err
			}
		}
		out.Left = len(rest)
		_, err = svc.core.Queue.AddOperation(tx, opDetectAll,
			chats.Params{Chat: chat, Node: c.Head, Min: least, Total: len(rest), Batch: batch}, nil)
		return err
	})
	return out, err
}

// uncheckedPath returns the messages of a path that may begin a scene, oldest first: the unchecked
// ones, or all of them if again is set.
func uncheckedPath(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, again bool) []storage.NodeID {
	var out []storage.NodeID
	first := storage.NodeID("") // the first message of the path
	for p := range tx.PathInfos(chat, leaf) {
		if !p.InStory() {
			continue
		}
		if first = p.ID; again || !p.Checked {
			out = append(out, p.ID)
		}
	}
	slices.Reverse(out)
	if len(out) > 0 && out[0] == first {
		out = out[1:]
	}
	return out
}

// runDetectAll runs one step of a search through a whole chat: it asks about some messages and
// queues the next step in the same transaction as its results.
func (svc *Service) runDetectAll(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := chats.ParamsOf(op)
	c, left, err := svc.readPass(p)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.detectJob(ctx, c)
	if err != nil {
		return queue.Effect{}, err
	}
	p.Total = max(p.Total, p.Done+len(left))
	least := cmp.Or(p.Min, config.DefaultMinMessages)
	var all []checkedMessage
	asked := 0
	own := least // messages since the last break found here
	for _, id := range left {
		report(queue.Progress{Text: "finding scenes", Step: p.Done + len(all), Of: p.Total})
		v := checkedMessage{node: id}
		m, past, since, err := svc.readCandidate(p.Chat, id)
		if err != nil {
			return queue.Effect{}, err
		}
		if min(since, own) >= least { // else the scene before it would be too short
			if asked == maxPassBatch {
				break
			}
			asked++
			if v.found, err = svc.askCandidate(ctx, j, past, m); err != nil {
				return queue.Effect{}, err
			}
		}
		if own++; v.found != nil {
			own = 1
		}
		all = append(all, v)
	}
	p.Done += len(all)
	more := len(all) < len(left)
	return queue.Effect{Result: map[string]int{"looked_at": p.Done, "of": p.Total}, Apply: func(tx *storage.Tx) error {
		if err := svc.storeChecked(tx, p.Chat, all, search{least: least, batch: p.Batch}); err != nil || !more {
			return err
		}
		_, err := svc.core.Queue.AddOperation(tx, opDetectAll, p, nil)
		return err
	}}, nil
}

// readPass reads the messages that a search through a chat still has to check.
func (svc *Service) readPass(p chats.Params) (c storage.Chat, left []storage.NodeID, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if c, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		if _, err := tx.NodeInfo(p.Chat, p.Node); err != nil {
			return queue.ErrDiscard
		}
		if left = uncheckedPath(tx, p.Chat, p.Node, false); len(left) == 0 {
			return queue.ErrDiscard
		}
		return nil
	})
	return c, left, err
}

// readCandidate reads a message that may begin a scene, the messages before it, and the number of
// messages in the scene that it would end.
func (svc *Service) readCandidate(
	chat storage.ChatID, id storage.NodeID,
) (m scene.Message, past []scene.Message, since int, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		n, err := tx.Node(chat, id)
		if err != nil {
			return err
		}
		m, since = MessageFor(n), openUpTo(tx, chat, id).Messages-1
		past, err = saidBefore(tx, chat, id, scenePast)
		return err
	})
	return m, past, since, err
}

// askCandidate asks about one message of a search. A malformed answer counts as no break.
func (svc *Service) askCandidate(ctx context.Context, j models.Job, past []scene.Message,
	m scene.Message) (*detection, error) {
	d, err := svc.askAlone(ctx, j, past, m)
	var answer *ollama.AnswerError
	var big *failure.BigPromptError
	if errors.As(err, &answer) || errors.As(err, &big) {
		svc.core.Log.Info("no judgement of a message", "message", m.ID, "err", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, cue, ok := scene.HasEvidence(d, []scene.Message{m}); ok {
		return &detection{rationale: d.Rationale, cue: cue}, nil
	}
	return nil, nil
}
