package engine

import (
	"context"
	"errors"

	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// The operations on storyboards.
const (
	opBoardPlan  = "storyboard_plan"
	opBoardSteer = "storyboard_steer"
)

var errUnbuilt = errors.New("not built yet")

// Boards lists the scenes of the head's path that have ended, with their
// storyboards.
func (e *Engine) Boards(chat storage.ChatID) ([]BoardRow, error) { return nil, errUnbuilt }

// Board reads the storyboard of the scene that ends at node.
func (e *Engine) Board(chat storage.ChatID, node storage.NodeID) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// BoardCalls are the recorded calls of a storyboard that are in force, oldest first.
func (e *Engine) BoardCalls(chat storage.ChatID, node storage.NodeID) ([]storage.BoardCall, error) {
	return nil, errUnbuilt
}

// PlanBoard queues a step of the planning.
func (e *Engine) PlanBoard(chat storage.ChatID, node storage.NodeID, r PlanRequest) (storage.OperationID, error) {
	return "", errUnbuilt
}

// SteerBoard queues a steering line.
func (e *Engine) SteerBoard(chat storage.ChatID, node storage.NodeID, line string) (storage.OperationID, error) {
	return "", errUnbuilt
}

// CallBoard carries out tools by the user's hand, in one go: all of them or none.
func (e *Engine) CallBoard(chat storage.ChatID, node storage.NodeID, calls ...storage.ToolCall) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// SplitShot makes two shots of one, in one go: each takes half of its time, and
// the second half tells description.
func (e *Engine) SplitShot(chat storage.ChatID, node storage.NodeID, shot storage.ShotID, description string) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// EditBeats puts beats, filler strategy and budget of the user's in place of those
// there are.
func (e *Engine) EditBoardPlan(chat storage.ChatID, node storage.NodeID, p storage.Plan) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// UndoBoard takes the last go back, RedoBoard does it again.
func (e *Engine) UndoBoard(chat storage.ChatID, node storage.NodeID) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// RedoBoard does again what was taken back last.
func (e *Engine) RedoBoard(chat storage.ChatID, node storage.NodeID) (BoardView, error) {
	return BoardView{}, errUnbuilt
}

// CancelBoard stops what the model is asked for a storyboard.
func (e *Engine) CancelBoard(chat storage.ChatID, node storage.NodeID) error { return errUnbuilt }

// DeleteBoard removes a storyboard with its calls. Its captures stay.
func (e *Engine) DeleteBoard(chat storage.ChatID, node storage.NodeID) error { return errUnbuilt }

func (e *Engine) runBoardPlan(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, errUnbuilt
}

func (e *Engine) runBoardSteer(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, errUnbuilt
}
