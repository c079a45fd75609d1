package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// newQueue makes the queue of an engine, without any kinds of operations.
func newQueue(e *Engine) *queue.Queue {
	return queue.New(e.core.Store, queue.Options{
		OnChange: func(op storage.Operation) {
			e.core.Emit(queue.Changed{Operation: op})
			e.Play.WarmUpSoon()
		},
		OnProgress: func(id storage.OperationID, p queue.Progress) {
			e.core.Emit(progressEvent(e.core.Store, id, p))
		},
		OnUserAction: func(id storage.OperationID) { e.Pictures.ReconcileOne(id) },
		Now:          e.core.Config.Now,
		ErrorText:    failure.Text,
		Log:          e.core.Log,
		IsTemporary:  isTransient,
		Timeout:      func() time.Duration { return cmp.Or(e.core.Settings().Jobs.Timeout, config.DefaultJobTimeout) },
	})
}

// isTransient reports whether another attempt may succeed.
func isTransient(err error) bool {
	return ollama.IsTransient(err) || errors.Is(err, comfy.ErrJobGone) || errors.Is(err, context.DeadlineExceeded)
}

// progressEvent returns the event of an operation's progress. Its subject is read from the usual
// members of the operation's params; it is empty if the record is damaged.
func progressEvent(store *storage.Store, id storage.OperationID, p queue.Progress) queue.Progressed {
	ev := queue.Progressed{ID: id, Progress: p}
	var op storage.Operation
	if err := store.View(func(tx *storage.Tx) (err error) {
		op, err = storage.Operations.Get(tx, id)
		return err
	}); err != nil {
		return ev
	}
	var subject struct {
		Capture storage.CaptureID `json:"capture"`
		Chat    storage.ChatID    `json:"chat"`
		Node    storage.NodeID    `json:"node"`
	}
	_ = json.Unmarshal(op.Params, &subject)
	ev.Type, ev.Capture, ev.Chat, ev.Node = op.Type, subject.Capture, subject.Chat, subject.Node
	return ev
}

// FindOperation finds an operation of the queue by its id or a unique prefix of it.
func (e *Engine) FindOperation(ref string) (storage.Operation, error) {
	return core.Find(e.core, "operation", ref, storage.Operations,
		func(o storage.Operation) (string, string) { return string(o.ID), "" })
}
