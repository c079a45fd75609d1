package boards

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations on storyboards.
const (
	OpBoardPlan  = "storyboard_plan"
	OpBoardSteer = "storyboard_steer"
)

// steering is used in place of a tool name for a steering line.
const steering = "steer"

// boardParams are the parameters of both operations.
type boardParams struct {
	Chat        storage.ChatID `json:"chat"`
	Node        storage.NodeID `json:"node"`
	Tool        string         `json:"tool,omitempty"`
	Beat        storage.BeatID `json:"beat,omitempty"`
	Instruction string         `json:"wish,omitempty"` // or the steering line
	All         bool           `json:"all,omitempty"`
	// Read is the progress of a step on a scene that is too long for one request.
	Read string `json:"read,omitempty"`
}

func boardParamsOf(op storage.Operation) (p boardParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no scene
	return p
}

// List returns the ended scenes of the path with their storyboards, followed by storyboards whose
// scene break was removed.
func (svc *Service) List(chat storage.ChatID) ([]Row, error) {
	rows := []Row{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		for _, s := range svc.scenes.ReadScenes(tx, c).List {
			if s.Open {
				continue
			}
			r := Row{Scene: s.Number, Node: s.Break, Name: s.Name, Working: s.Working,
				Learned: storage.TasteMemories.Has(tx, chats.ScopeOf(c), s.Break)}
			b, err := storage.Boards.Get(tx, chat, s.Break)
			if err != nil && !errors.Is(err, storage.ErrNotFound) {
				return err
			}
			r.Stage, r.Shots, r.Calls = b.Stage, len(b.Shots), b.Done
			rows = append(rows, r)
		}
		rows = append(rows, detachedBoards(tx, chat)...)
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("storyboards", err)
	}
	return rows, nil
}

// detachedBoards returns the storyboards of a chat whose scene break was removed.
func detachedBoards(tx *storage.Tx, chat storage.ChatID) (rows []Row) {
	for node, b := range storage.Boards.All(tx, chat) {
		if _, err := scenes.VisibleBreak(tx, chat, node); errors.Is(err, scenes.ErrNoScene) {
			rows = append(rows, Row{Node: node, Stage: b.Stage, Shots: len(b.Shots), Calls: b.Done, Detached: true})
		}
	}
	return rows
}

// Board returns the storyboard of the scene that ends at node, on any branch.
func (svc *Service) Board(chat storage.ChatID, node storage.NodeID) (View, error) {
	v := View{Chat: chat}
	v.Node = node
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		if _, err := scenes.VisibleBreak(tx, chat, node); errors.Is(err, scenes.ErrNoScene) &&
			storage.Boards.Has(tx, chat, node) {
			return fmt.Errorf("%w any more: its storyboard is kept and restored when the scene break is added again",
				err)
		} else if err != nil {
			return err
		}
		v.Scene = sceneAt(tx, chat, node)
		b, err := storage.Boards.Get(tx, chat, node)
		if err != nil && !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		if v.Begun = err == nil; v.Begun {
			v.Board = b
		}
		if ops := boardOperations(tx, chat, node); len(ops) > 0 {
			v.Working = cmp.Or(boardParamsOf(ops[0]).Tool, steering)
		}
		v.Sketches = sketchesOf(tx, chat, b, "")
		return compareBoard(tx, &v)
	})
	if err == nil && v.Board.Batch != "" {
		v.Batch, err = svc.sketchBatch(chat, v.Board.Batch)
	}
	if err != nil {
		return v, failure.Wrap("storyboard", err)
	}
	return v, nil
}

// compareBoard compares a storyboard with its scene and its calls.
func compareBoard(tx *storage.Tx, v *View) error {
	if !v.Begun {
		return nil
	}
	_, inputs, err := boardScene(tx, v.Chat, v.Node)
	if err != nil {
		return err
	}
	v.Stale = v.Inputs != "" && v.Inputs != inputs
	v.CanRedo = v.Done < len(v.Calls)
	if v.CanUndo = v.Done > 1; v.Done == 1 {
		c, err := storage.BoardCalls.Get(tx, v.Chat, v.Calls[0])
		if err != nil {
			return err
		}
		v.CanUndo = c.Turn != ""
	}
	return nil
}

// sceneAt returns the scene that ends at node, numbered along its own path.
func sceneAt(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (v scenes.Scene) {
	number := 0
	for _, s := range scenes.SpansOf(tx, chat, node) {
		switch {
		case s.Break == nil:
		case s.Break.Node == node:
			v = scenes.SceneView(tx, chat, s, number+1)
		case s.Last.ID != "":
			number++
		}
	}
	return v
}

// boardScene returns the messages of a scene, and their hash.
func boardScene(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) ([]scene.Message, string, error) {
	s, err := scenes.SpanAt(tx, chat, node)
	if err != nil {
		return nil, "", err
	}
	msgs, err := scenes.MessagesIn(tx, chat, s)
	if err != nil {
		return nil, "", err
	}
	return msgs, scene.HashMessages(msgs), nil
}

// boardOperations returns the unfinished operations on a storyboard, oldest first.
func boardOperations(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (ops []storage.Operation) {
	for op := range chats.Unfinished(tx, chat) {
		if (op.Type == OpBoardPlan || op.Type == OpBoardSteer) && boardParamsOf(op).Node == node {
			ops = append(ops, op)
		}
	}
	return ops
}

// sketchesOf returns the newest captures of a storyboard's shots, of one kind or of any. Captures
// older than the storyboard belong to a previous one with the same shot IDs.
func sketchesOf(tx *storage.Tx, chat storage.ChatID, b storage.Board, kind string) map[storage.ShotID]storage.Capture {
	out := map[storage.ShotID]storage.Capture{}
	if b.Batch == "" {
		return out
	}
	left := map[storage.ShotID]bool{}
	for _, s := range b.Shots {
		left[s.ID] = true
	}
	for _, c := range storage.Captures.Backward(tx) {
		if len(left) == 0 || c.CreatedAt.Before(b.CreatedAt) {
			break
		}
		if c.Chat == chat && c.Board == b.Node && left[c.Shot] && (kind == "" || c.Kind == kind) {
			out[c.Shot] = c
			delete(left, c.Shot)
		}
	}
	return out
}

// sketchBatch returns the batch of a storyboard's newest sketches, nil if it was deleted.
func (svc *Service) sketchBatch(chat storage.ChatID, id storage.BatchID) (*pictures.BatchView, error) {
	v, err := svc.pictures.Batch(chat, id)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	return &v, err
}

// Calls returns the recorded calls of a storyboard that are in effect, oldest first.
func (svc *Service) Calls(chat storage.ChatID, node storage.NodeID) (out []CallView, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := scenes.VisibleBreak(tx, chat, node); err != nil {
			return err
		}
		b, err := storage.Boards.Get(tx, chat, node)
		if err != nil {
			return failure.IgnoreMissing(err)
		}
		list, err := taste.CallsOf(tx, chat, b)
		for i, c := range list {
			out = append(out, CallView{i + 1, c})
		}
		return err
	})
	if err != nil {
		return nil, failure.Wrap("storyboard calls", err)
	}
	return out, nil
}

// Cancel stops the model's work on a storyboard.
func (svc *Service) Cancel(chat storage.ChatID, node storage.NodeID) error {
	var ops []storage.Operation
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		ops = boardOperations(tx, chat, node)
		return nil
	})
	for _, op := range slices.Backward(ops) { // what waits before what runs
		if fault := svc.core.Queue.Withdraw(op.ID); err == nil && !errors.Is(fault, queue.ErrFinished) {
			err = fault
		}
	}
	if err != nil {
		return failure.Wrap("cancel storyboard", err)
	}
	return nil
}

// Delete removes a storyboard with its calls. Its captures stay.
func (svc *Service) Delete(chat storage.ChatID, node storage.NodeID) error {
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if !storage.Boards.Has(tx, chat, node) && len(boardOperations(tx, chat, node)) > 0 {
			return failure.Refusef("this storyboard is still empty: the model is planning it, which you can cancel")
		}
		return nil
	})
	if err != nil {
		return failure.Wrap("delete storyboard", err)
	}
	if err := svc.Cancel(chat, node); err != nil {
		return err
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Boards.Get(tx, chat, node)
		if err != nil {
			return err
		}
		return errors.Join(deleteCalls(tx, chat, b.Calls), storage.Boards.Delete(tx, chat, node))
	})
	if err != nil {
		return failure.Wrap("delete storyboard", err)
	}
	svc.core.Emit(Changed{chat, node})
	return nil
}
