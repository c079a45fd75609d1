package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/crash"
	"ghostlight/engine/director"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

func (d *door) queueCommand() *cobra.Command {
	return group("queue", "see and steer the work that waits", d.queueList(), d.queueShow(), d.queueRun(), d.queueRetry(), d.queueCancel())
}

func (d *door) queueList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list what runs, what waits and what has ended", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error { return d.tellQueue(e, nil) })}
}

// tellQueue prints operations: those given, or all.
func (d *door) tellQueue(e *engine.Engine, only map[storage.OperationID]bool) error {
	list, err := e.House.Operations()
	if err != nil {
		return err
	}
	blocked, err := e.House.QueueBlocked()
	if err != nil {
		return err
	}
	doc, rows := []operationShape{}, [][]string{}
	for _, op := range list {
		if only != nil && !only[op.ID] {
			continue
		}
		why := blocked[op.ID].Reason
		doc = append(doc, shapeOperation(op, why))
		rows = append(rows, []string{string(op.ID), op.Type, string(op.Status), op.CreatedAt.Local().Format(time.DateTime), clip(first(op.Error, why), 80)})
	}
	return d.tell(doc, func(p *page) { p.table(rows) })
}

func (d *door) queueShow() *cobra.Command {
	return &cobra.Command{Use: "show ID", Short: "print an operation with what it was given and what came of it", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			op, err := e.House.FindOperation(args[0])
			if err != nil {
				return err
			}
			blocked, err := e.House.QueueBlocked()
			if err != nil {
				return err
			}
			doc := shapeOperationWhole(op, blocked[op.ID].Reason)
			return d.tell(doc, func(p *page) {
				rows := [][]string{{"id", string(op.ID)}, {"type", op.Type}, {"status", string(op.Status)}, {"lane", doc.Lane},
					{"priority", fmt.Sprint(op.Priority)}, {"attempts", fmt.Sprint(op.Attempts)}, {"created", op.CreatedAt.Local().Format(time.DateTime)}}
				for _, r := range [][2]string{{"error", op.Error}, {"waits", doc.Blocked}, {"params", string(op.Params)}, {"metadata", string(op.Metadata)},
					{"result", string(op.Result)}} {
					if r[1] != "" {
						rows = append(rows, []string{r[0], oneLine(r[1])})
					}
				}
				for _, id := range op.Dependencies {
					rows = append(rows, []string{"after", string(id)})
				}
				p.table(rows)
			})
		})}
}

func (d *door) queueRun() *cobra.Command {
	return &cobra.Command{Use: "run", Short: "work the queue off and end", Args: takes(0, 0),
		RunE: d.with(func(ctx context.Context, e *engine.Engine, _ []string) error {
			before, err := e.Pictures.WaitingDrafts("")
			if err != nil {
				return err
			}
			sum, err := d.drain(ctx, e)
			if err != nil && !errors.Is(err, queue.ErrFailed) {
				return err
			}
			waiting, fault := e.Pictures.WaitingDrafts("")
			if fault != nil {
				return fault
			}
			if n := len(waiting) - len(before); n > 0 && err == nil {
				err = errors.New(waiting[len(waiting)-1].Error)
			}
			words := ""
			if err != nil {
				words = failure.Words(err)
			}
			doc := struct {
				Completed int    `json:"completed"`
				Failed    int    `json:"failed"`
				Blocked   int    `json:"blocked"`
				Waiting   int    `json:"waiting,omitempty"` // drafts, for ComfyUI
				Error     string `json:"error,omitempty"`
			}{sum.Done, sum.Failed, sum.Blocked, len(waiting), words}
			if err := d.tell(doc, func(p *page) { p.linef("%d done, %d failed, %d blocked", sum.Done, sum.Failed, sum.Blocked) }); err != nil {
				return err
			}
			return err
		})}
}

// drain works the queue off and tells on standard error what it does.
func (d *door) drain(ctx context.Context, e *engine.Engine) (queue.Summary, error) {
	feed := e.Follow()
	defer feed.Close()
	telling, stop := context.WithCancel(ctx)
	told := make(chan struct{})
	crash.Go("the queue's progress", func() {
		defer close(told)
		bar := d.progress()
		defer bar.done()
		for {
			ev, err := feed.Next(telling)
			if err != nil {
				return
			}
			switch ev := ev.(type) {
			case house.OperationProgress:
				words, detail := progressWords(ev.Type, ev.Progress)
				bar.show(first(words, ev.Type), detail)
			case house.OperationChanged:
				bar.show(fmt.Sprintf("%s %s", ev.Operation.Type, ev.Operation.Status), ev.Operation.Error)
			case director.EpisodeEnded, director.SparksWanted:
				d.noteEvent(ev)
			}
		}
	})
	sum, err := e.House.QueueDrain(ctx)
	stop()
	<-told
	return sum, err
}

// some picks operations by their ids, or all of them by a flag.
func (d *door) some(use, short, flag, flagHelp string, one func(*engine.Engine, storage.OperationID) error, all func(*engine.Engine) (int, error)) *cobra.Command {
	var whole bool
	c := &cobra.Command{Use: use, Short: short, Args: cobra.ArbitraryArgs, ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		if whole == (len(args) > 0) {
			return misuse{"name operations, or give --" + flag}
		}
		if whole {
			n, err := all(e)
			if err != nil {
				return err
			}
			return d.tell(map[string]int{"changed": n}, func(p *page) { p.linef("%d", n) })
		}
		changed := map[storage.OperationID]bool{}
		for _, ref := range args {
			op, err := e.House.FindOperation(ref)
			if err != nil {
				return err
			}
			if err := one(e, op.ID); err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
			changed[op.ID] = true
		}
		return d.tellQueue(e, changed)
	})
	c.Flags().BoolVar(&whole, flag, false, flagHelp)
	return c
}

func (d *door) queueRetry() *cobra.Command {
	return d.some("retry [ID...]", "let operations wait for another try; queue run makes it", "failed", "all that failed",
		func(e *engine.Engine, id storage.OperationID) error { return e.House.QueueRetry(id) }, func(e *engine.Engine) (int, error) { return e.House.QueueRetryFailed() })
}

func (d *door) queueCancel() *cobra.Command {
	return d.some("cancel [ID...]", "cancel operations", "all", "all that have not ended",
		func(e *engine.Engine, id storage.OperationID) error { return e.House.QueueCancel(id) }, func(e *engine.Engine) (int, error) { return e.House.QueueCancelAll() })
}
