package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Task is work for the queue that a command starts, and usually waits for.
type Task struct {
	Chat storage.ChatID
	// Types are the types of the operations that are asked for. Other operations that follow from
	// them are waited for as well, but their failure is not the command's.
	Types []string
	// Begin queues the work. The id, if it is not "", may be that of an operation that was waiting
	// already.
	Begin func() (storage.OperationID, error)
}

// LaterFlag adds --later, which only queues a command's work.
func LaterFlag(c *cobra.Command, later *bool) {
	c.Flags().BoolVar(later, "later", false, "only queue it; ghostlight queue run continues it")
}

// waiter follows the operations of a task.
type waiter struct {
	app    *App
	e      *engine.Engine
	t      Task
	old    map[storage.OperationID]bool // operations that do not belong to the task
	asked  storage.OperationID
	ending map[storage.OperationID]storage.Operation // that have ended
}

// RunTask begins a task and lets the queue run until all of it is done, and all
// that follows from it. Interrupted, it leaves the work in the queue.
func (app *App) RunTask(ctx context.Context, e *engine.Engine, t Task) error {
	feed := e.Follow()
	defer feed.Close()
	w, open, err := app.beginTask(e, t)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		if err := e.Start(); err != nil {
			return err
		}
		if err := w.follow(ctx, feed, open); err != nil {
			return err
		}
	}
	return w.verdict()
}

// QueueTask begins a task and prints the operations that it has queued.
func (app *App) QueueTask(e *engine.Engine, t Task) error {
	_, open, err := app.beginTask(e, t)
	if err != nil {
		return err
	}
	ids, rows := []storage.OperationID{}, [][]string{}
	for _, op := range open {
		ids, rows = append(ids, op.ID), append(rows, []string{string(op.ID), op.Type})
	}
	return app.Print(map[string][]storage.OperationID{"queued": ids}, func(p *Page) { p.Table(rows) })
}

// ErrInterrupted ends a command that waits for the queue.
var ErrInterrupted = errors.New("interrupted; the work stays in the queue: ghostlight queue run continues it")

// beginTask begins a task and returns its open operations.
func (app *App) beginTask(e *engine.Engine, t Task) (w *waiter, open []storage.Operation, err error) {
	w = &waiter{app: app, e: e, t: t, old: map[storage.OperationID]bool{},
		ending: map[storage.OperationID]storage.Operation{}}
	list, err := e.Queue.List()
	if err != nil {
		return nil, nil, err
	}
	if w.asked, err = t.Begin(); err != nil {
		return nil, nil, err
	}
	for _, op := range list {
		w.old[op.ID] = ended(op) || !w.wanted(op)
	}
	open, err = w.look()
	return w, open, err
}

func ended(op storage.Operation) bool {
	return op.Status != storage.Pending && op.Status != storage.InProgress
}

// wanted reports whether the task asks for an operation, which may have been
// waiting already.
func (w *waiter) wanted(op storage.Operation) bool {
	return op.ID == w.asked || slices.Contains(w.t.Types, op.Type) && chatOf(op) == w.t.Chat
}

// chatOf returns the chat that an operation works for.
func chatOf(op storage.Operation) storage.ChatID {
	var p struct {
		Chat storage.ChatID `json:"chat"`
	}
	_ = json.Unmarshal(op.Params, &p) // params that cannot be read belong to no chat
	return p.Chat
}

// look finds the task's operations: those that are open are returned.
func (w *waiter) look() (open []storage.Operation, err error) {
	list, err := w.e.Queue.List()
	if err != nil {
		return nil, err
	}
	for _, op := range list {
		switch {
		case w.old[op.ID] || op.ID != w.asked && (chatOf(op) != w.t.Chat || queue.IsPostponed(op, time.Now())):
		case ended(op):
			w.ending[op.ID] = op
		default:
			open = append(open, op)
		}
	}
	return open, nil
}

// follow waits until no operation of the task can continue.
func (w *waiter) follow(ctx context.Context, feed *event.Feed, open []storage.Operation) error {
	bar := w.app.Progress()
	defer bar.Done()
	for len(open) > 0 {
		if stuck, err := w.stuck(open); stuck || err != nil {
			return err
		}
		for again := false; !again; {
			ev, err := feed.Next(ctx)
			if err != nil {
				return ErrInterrupted
			}
			switch ev := ev.(type) {
			case queue.Progressed:
				if slices.ContainsFunc(open, func(op storage.Operation) bool { return op.ID == ev.ID }) {
					bar.Show(ProgressText(ev.Type, ev.Progress))
				}
			case queue.Changed:
				if again = true; ev.Operation.Status == storage.Pending && ev.Operation.Error != "" {
					bar.Show("retry: "+ev.Operation.Error, "")
				}
			default:
				w.app.NoteEvent(ev)
			}
		}
		var err error
		if open, err = w.look(); err != nil {
			return err
		}
	}
	return nil
}

// stuck reports whether all open operations are blocked until a user acts. If one of them was asked
// for, its reason is returned as an error.
func (w *waiter) stuck(open []storage.Operation) (bool, error) {
	blocked, err := w.e.Queue.Blocked()
	if err != nil {
		return false, err
	}
	for _, op := range open {
		if _, ok := blocked[op.ID]; !ok {
			return false, nil
		}
	}
	for _, op := range open {
		words := blocked[op.ID].Reason
		if w.wanted(op) {
			return true, errors.New(words)
		}
		w.app.Note("note: %s waits: %s", queue.TypeText(op.Type), words)
	}
	return true, nil
}

// verdict returns the first failure among the operations that were asked for, in the order in which
// they were queued. Failures of other operations are only noted.
func (w *waiter) verdict() error {
	var failed error
	for _, id := range slices.Sorted(maps.Keys(w.ending)) {
		op, words := w.ending[id], ""
		switch op.Status {
		case storage.Failed:
			words = cmp.Or(op.Error, "it failed")
		case storage.Cancelled:
			words = "it was cancelled"
		}
		switch {
		case words == "":
		case !w.wanted(op):
			w.app.Note("note: %s: %s", queue.TypeText(op.Type), w.app.Redact(words))
		case failed == nil:
			failed = errors.New(words)
		}
	}
	return failed
}

// NoteEvent prints a note about an event that matters to a user who is waiting.
func (app *App) NoteEvent(ev event.Event) {
	switch ev := ev.(type) {
	case director.EpisodeEnded:
		words := "the episode is complete: ghostlight director show " + string(ev.Chat) + " shows why"
		if ev.Next != nil {
			words += fmt.Sprintf("; %s comes next: ghostlight episode play %s", Quote(ev.Next.Title), ev.Next.ID)
		}
		app.Note("note: %s", words)
	case director.SparksWanted:
		app.Note("note: an automatic picture is possible, for %s of %d: ghostlight director allow %s, or refuse",
			Plural(ev.Cost, "spark", "sparks"), ev.Left, ev.Chat)
	case pictures.PictureRequested:
		app.Note("note: the prompt of the %s you requested is ready: ghostlight capture show %s shows it, capture "+
			"send generates it", ev.Capture.Kind, ev.Capture.ID)
	case play.CacheMissed:
		app.Note("note: %s", CacheMissText(ev.Miss))
	case event.Notice:
		app.Note("note: %s", ev.Text)
	}
}

// Noted does something and prints what the engine has to say of it.
func (app *App) Noted(e *engine.Engine, do func() error) error {
	feed := e.Follow()
	defer feed.Close()
	err := do()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		ev, end := feed.Next(over)
		if end != nil {
			return err
		}
		if notice, ok := ev.(event.Notice); ok {
			app.Note("note: %s", notice.Text)
		}
	}
}
