package boards

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxCalls limits the recorded calls of a storyboard, maxCallsPerTurn those of one turn.
const (
	maxCalls        = 1000
	maxCallsPerTurn = 200
)

// Call carries out tools for the user, in one turn: all of them or none.
func (svc *Service) Call(chat storage.ChatID, node storage.NodeID, calls ...storage.ToolCall) (View, error) {
	return svc.changeBoard(chat, node, "storyboard", func(tx *storage.Tx, b *storage.Board) error {
		return svc.record(tx, chat, b, storage.BoardCall{By: storage.ByUser}, calls)
	})
}

// changeBoard changes the storyboard of a scene in one transaction and emits it.
func (svc *Service) changeBoard(chat storage.ChatID, node storage.NodeID, op string,
	f func(tx *storage.Tx, b *storage.Board) error) (View, error) {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		b, _, err := svc.boardAt(tx, chat, node)
		if err != nil {
			return err
		}
		was := b.Plan
		if err := f(tx, &b); err != nil {
			return err
		}
		return svc.putBoard(tx, chat, b, was)
	})
	if err != nil {
		return View{}, failure.Wrap(op, err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat, node})
	return svc.Board(chat, node)
}

// boardAt reads the storyboard of a scene, or returns a new one.
func (svc *Service) boardAt(tx *storage.Tx, chat storage.ChatID,
	node storage.NodeID) (b storage.Board, begun bool, err error) {
	if _, err := storage.Chats.Get(tx, chat); err != nil {
		return b, false, err
	}
	if _, err := scenes.VisibleBreak(tx, chat, node); err != nil {
		return b, false, err
	}
	b, err = storage.Boards.Get(tx, chat, node)
	if !errors.Is(err, storage.ErrNotFound) {
		return b, err == nil, err
	}
	_, inputs, err := boardScene(tx, chat, node)
	return storage.Board{Node: node, Inputs: inputs, CreatedAt: svc.core.Config.Now()}, false, err
}

// putBoard stores a storyboard, and queues learning from a confirmed one.
func (svc *Service) putBoard(tx *storage.Tx, chat storage.ChatID, b storage.Board, was storage.Plan) error {
	b.UpdatedAt = svc.core.Config.Now()
	if err := storage.Boards.Put(tx, chat, b); err != nil {
		return err
	}
	if b.Stage != storage.BoardReady || was.Stage == b.Stage && slices.Equal(was.Shots, b.Shots) {
		return nil
	}
	return svc.taste.QueueScene(tx, chat, b.Node)
}

// record carries out the calls of a turn and stores each with the resulting plan; made says who
// made them. Undone calls are discarded.
func (svc *Service) record(tx *storage.Tx, chat storage.ChatID, b *storage.Board, made storage.BoardCall,
	calls []storage.ToolCall) error {
	switch {
	case len(calls) == 0:
		return failure.Refusef("no tool given: name the tool to call")
	case len(calls) > maxCallsPerTurn:
		return failure.Refusef("%d changes at once are too many: the limit is %d", len(calls), maxCallsPerTurn)
	}
	if err := deleteCalls(tx, chat, b.Calls[b.Done:]); err != nil {
		return err
	}
	b.Calls = slices.Clone(b.Calls[:b.Done])
	made.Board, made.Turn, made.At = b.Node, storage.CallID(storage.NewID()), svc.core.Config.Now()
	for i, call := range calls {
		if len(call.Params) == 0 {
			call.Params = json.RawMessage("{}")
		}
		after, _, err := storyboard.Apply(b.Plan, call)
		if err != nil {
			return err
		}
		if made.ID = made.Turn; i > 0 {
			made.ID = storage.CallID(storage.NewID())
		}
		made.ToolCall, made.After = call, after
		if err := storage.BoardCalls.Put(tx, chat, made); err != nil {
			return err
		}
		b.Plan, b.Calls = after, append(b.Calls, made.ID)
	}
	b.Done = len(b.Calls)
	return trimCalls(tx, chat, b)
}

// deleteCalls deletes records of calls; missing ones are ignored.
func deleteCalls(tx *storage.Tx, chat storage.ChatID, ids []storage.CallID) error {
	for _, id := range ids {
		if err := failure.IgnoreMissing(storage.BoardCalls.Delete(tx, chat, id)); err != nil {
			return err
		}
	}
	return nil
}

// trimCalls deletes the oldest calls beyond the limit. Their result becomes the base of the
// others.
func trimCalls(tx *storage.Tx, chat storage.ChatID, b *storage.Board) error {
	cut := len(b.Calls) - maxCalls
	if cut <= 0 {
		return nil
	}
	base, end, err := turnEnd(tx, chat, b.Calls, cut)
	if err != nil {
		return err
	}
	base.Turn, base.By, base.Text, base.Used = "", storage.ByModel, "", nil
	base.ToolCall = storage.ToolCall{Tool: storyboard.ImportBoard, Params: json.RawMessage("{}")}
	if err := deleteCalls(tx, chat, b.Calls[:end-1]); err != nil {
		return err
	}
	b.Calls = slices.Clone(b.Calls[end-1:])
	b.Done = len(b.Calls)
	return storage.BoardCalls.Put(tx, chat, base)
}

// turnEnd returns the last call of the turn that begins at a position, and the position after it.
func turnEnd(tx *storage.Tx, chat storage.ChatID, calls []storage.CallID,
	at int) (last storage.BoardCall, end int, err error) {
	if last, err = storage.BoardCalls.Get(tx, chat, calls[at]); err != nil {
		return last, at, err
	}
	for end = at + 1; end < len(calls); end++ {
		next, err := storage.BoardCalls.Get(tx, chat, calls[end])
		if err != nil {
			return last, end, err
		}
		if next.Turn != last.Turn {
			break
		}
		last = next
	}
	return last, end, nil
}

// Undo undoes the last turn.
func (svc *Service) Undo(chat storage.ChatID, node storage.NodeID) (View, error) {
	return svc.changeBoard(chat, node, "undo", func(tx *storage.Tx, b *storage.Board) error {
		nothing := failure.Refusef("there is nothing to undo")
		if b.Done == 0 {
			return nothing
		}
		last, err := storage.BoardCalls.Get(tx, chat, b.Calls[b.Done-1])
		if err != nil {
			return err
		}
		begin := slices.Index(b.Calls, last.Turn)
		if begin < 0 {
			return nothing
		}
		var before storage.Plan
		if begin > 0 {
			c, err := storage.BoardCalls.Get(tx, chat, b.Calls[begin-1])
			if err != nil {
				return err
			}
			before = c.After
		}
		setCurrent(b, begin, before)
		return nil
	})
}

// Redo repeats the turn that was undone last.
func (svc *Service) Redo(chat storage.ChatID, node storage.NodeID) (View, error) {
	return svc.changeBoard(chat, node, "redo", func(tx *storage.Tx, b *storage.Board) error {
		if b.Done >= len(b.Calls) {
			return failure.Refusef("there is nothing to redo")
		}
		last, end, err := turnEnd(tx, chat, b.Calls, b.Done)
		if err != nil {
			return err
		}
		setCurrent(b, end, last.After)
		return nil
	})
}

// setCurrent makes the first n calls current. Numbers are not reused: a sketch of an undone shot
// must not become another's.
func setCurrent(b *storage.Board, n int, plan storage.Plan) {
	plan.LastShot, plan.LastBeat = max(plan.LastShot, b.LastShot), max(plan.LastBeat, b.LastBeat)
	b.Plan, b.Done = plan, n
}

// SplitShot splits a shot in one turn: each half gets half of its time, and the second half gets
// the description. The dialogue stays with the first.
func (svc *Service) SplitShot(chat storage.ChatID, node storage.NodeID, shot storage.ShotID,
	description string) (View, error) {
	return svc.changeBoard(chat, node, "split shot", func(tx *storage.Tx, b *storage.Board) error {
		i := slices.IndexFunc(b.Shots, func(s storage.Shot) bool { return s.ID == shot })
		if i < 0 {
			return failure.Refusef("there is no shot %q", failure.ShortRef(string(shot)))
		}
		s := b.Shots[i]
		half := math.Round(s.Seconds*50) / 100
		second := map[string]any{"kind": s.Kind, "beat": s.Beat, "size": s.Size, "angle": s.Angle,
			"movement": s.Movement, "job": s.Job,
			"subject": s.Subject, "description": description, "seconds": s.Seconds - half}
		insert, err := NewCall(storyboard.InsertShot, map[string]any{"after": shot, "shots": []any{second}})
		if err != nil {
			return err
		}
		calls := []storage.ToolCall{insert}
		if s.Seconds > 0 {
			modify, err := NewCall(storyboard.ModifyShot, map[string]any{"shot": shot, "seconds": half})
			if err != nil {
				return err
			}
			calls = []storage.ToolCall{modify, insert}
		}
		return svc.record(tx, chat, b, storage.BoardCall{By: storage.ByUser}, calls)
	})
}

// NewCall returns a call of a tool with parameters that encode to a JSON object.
func NewCall(tool string, params any) (storage.ToolCall, error) {
	raw, err := json.Marshal(params)
	return storage.ToolCall{Tool: tool, Params: raw}, err
}

// EditPlan replaces beats, filler strategy and budget with the user's. Empty fields of p stay as
// they are.
func (svc *Service) EditPlan(chat storage.ChatID, node storage.NodeID, p storage.Plan) (View, error) {
	return svc.changeBoard(chat, node, "edit storyboard", func(tx *storage.Tx, b *storage.Board) error {
		var calls []storage.ToolCall
		for _, part := range []struct {
			tool    string
			changed bool
			params  any
		}{
			{storyboard.RecommendBeats, len(p.Beats) > 0 && !reflect.DeepEqual(p.Beats, b.Beats),
				map[string]any{"beats": p.Beats}},
			{storyboard.RecommendFiller, p.Filler != nil && !reflect.DeepEqual(p.Filler, b.Filler), p.Filler},
			{storyboard.BudgetPackages, len(p.Budget) > 0 && !slices.Equal(p.Budget, b.Budget),
				map[string]any{"budget": p.Budget}},
		} {
			if !part.changed {
				continue
			}
			c, err := NewCall(part.tool, part.params)
			if err != nil {
				return err
			}
			calls = append(calls, c)
		}
		if len(calls) == 0 {
			return failure.Refusef("nothing differs from the current storyboard; empty fields change nothing")
		}
		return svc.record(tx, chat, b, storage.BoardCall{By: storage.ByUser}, calls)
	})
}
