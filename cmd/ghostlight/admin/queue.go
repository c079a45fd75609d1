package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// QueueCommand returns the command ghostlight queue.
func QueueCommand(app *cli.App) *cobra.Command {
	return cli.Group(
		"queue",
		"list and control background work",
		queueListCommand(app),
		queueShowCommand(app),
		queueRunCommand(app),
		queueRetryCommand(app),
		queueCancelCommand(app),
	)
}

func queueListCommand(app *cli.App) *cobra.Command {
	return app.Command("list", "list running, waiting and finished work",
		func(_ context.Context, e *engine.Engine, _ []string) error { return printQueue(app, e, nil) },
	)
}

// printQueue prints operations: those given, or all.
func printQueue(app *cli.App, e *engine.Engine, only map[storage.OperationID]bool) error {
	list, err := e.Queue.List()
	if err != nil {
		return err
	}
	blocked, err := e.Queue.Blocked()
	if err != nil {
		return err
	}
	doc, rows := []briefOperation{}, [][]string{}
	for _, op := range list {
		if only != nil && !only[op.ID] {
			continue
		}
		why := blocked[op.ID].Reason
		doc = append(doc, briefOperation{operation: newOperation(op, why)})
		rows = append(
			rows,
			[]string{
				string(op.ID),
				op.Type,
				string(op.Status),
				op.CreatedAt.Local().Format(time.DateTime),
				cli.Clip(cmp.Or(op.Error, why), 80),
			})
	}
	return app.Print(doc, func(p *cli.Page) { p.Table(rows) })
}

func queueShowCommand(app *cli.App) *cobra.Command {
	return app.Command("show OPERATION", "print an operation with its input and outcome",
		func(_ context.Context, e *engine.Engine, args []string) error {
			op, err := e.FindOperation(args[0])
			if err != nil {
				return err
			}
			blocked, err := e.Queue.Blocked()
			if err != nil {
				return err
			}
			doc := newOperation(op, blocked[op.ID].Reason)
			return app.Print(doc, func(p *cli.Page) {
				rows := [][]string{
					{"id", string(op.ID)},
					{"type", op.Type},
					{"status", string(op.Status)},
					{"lane", doc.Lane},
					{
						"priority",
						fmt.Sprint(op.Priority),
					},
					{"attempts", fmt.Sprint(op.Attempts)},
					{"created", op.CreatedAt.Local().Format(time.DateTime)},
				}
				for _, r := range [][2]string{{"error", op.Error}, {"waits", doc.Blocked},
					{"params", string(op.Params)}, {"metadata", string(op.Metadata)},
					{"result", string(op.Result)}} {
					if r[1] != "" {
						rows = append(rows, []string{r[0], cli.OneLine(r[1])})
					}
				}
				for _, id := range op.Dependencies {
					rows = append(rows, []string{"after", string(id)})
				}
				p.Table(rows)
			})
		})
}

func queueRunCommand(app *cli.App) *cobra.Command {
	return app.Command("run", "run the queue, then exit",
		func(ctx context.Context, e *engine.Engine, _ []string) error {
			if !app.IsInside() { // it may take long, so it serves other commands meanwhile
				hosting, _ := app.Host(e) // the log says why not
				defer hosting.Close()
				defer hosting.Finish(ctx)
			}
			before, err := e.Pictures.WaitingDrafts("")
			if err != nil {
				return err
			}
			sum, err := drain(ctx, app, e)
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
				words = failure.Text(err)
			}
			doc := struct {
				Completed int    `json:"completed"`
				Failed    int    `json:"failed"`
				Blocked   int    `json:"blocked"`
				Waiting   int    `json:"waiting,omitempty"` // drafts, for ComfyUI
				Error     string `json:"error,omitempty"`
			}{sum.Done, sum.Failed, sum.Blocked, len(waiting), words}
			if err := app.Print(doc, func(p *cli.Page) {
				p.Linef("%d done, %d failed, %d blocked", sum.Done, sum.Failed, sum.Blocked)
			}); err != nil {
				return err
			}
			return err
		})
}

// drain works the queue off and reports its progress on standard error.
func drain(ctx context.Context, app *cli.App, e *engine.Engine) (queue.Summary, error) {
	feed := e.Follow()
	defer feed.Close()
	telling, stop := context.WithCancel(ctx)
	told := make(chan struct{})
	crash.Go("the queue's progress", func() {
		defer close(told)
		bar := app.Progress()
		defer bar.Done()
		for {
			ev, err := feed.Next(telling)
			if err != nil {
				return
			}
			switch ev := ev.(type) {
			case queue.Progressed:
				words, detail := cli.ProgressText(ev.Type, ev.Progress)
				bar.Show(cmp.Or(words, ev.Type), detail)
			case queue.Changed:
				bar.Show(fmt.Sprintf("%s %s", ev.Operation.Type, ev.Operation.Status), ev.Operation.Error)
			case director.EpisodeEnded, director.SparksWanted:
				app.NoteEvent(ev)
			}
		}
	})
	sum, err := e.Queue.Drain(ctx)
	stop()
	<-told
	return sum, err
}

// selectOperations picks operations by their ids, or all of them by a flag.
func selectOperations(
	app *cli.App,
	use, short, flag, flagHelp string,
	one func(*engine.Engine, storage.OperationID) error,
	all func(*engine.Engine) (int, error),
) *cobra.Command {
	var whole bool
	c := &cobra.Command{Use: use, Short: short}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		if whole == (len(args) > 0) {
			return cli.UsageError("name operations, or use --" + flag)
		}
		if whole {
			n, err := all(e)
			if err != nil {
				return err
			}
			return app.Print(map[string]int{"changed": n}, func(p *cli.Page) { p.Linef("%d", n) })
		}
		changed := map[storage.OperationID]bool{}
		for _, ref := range args {
			op, err := e.FindOperation(ref)
			if err != nil {
				return err
			}
			if err := one(e, op.ID); err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
			changed[op.ID] = true
		}
		return printQueue(app, e, changed)
	})
	c.Flags().BoolVar(&whole, flag, false, flagHelp)
	return c
}

func queueRetryCommand(app *cli.App) *cobra.Command {
	return selectOperations(
		app,
		"retry [OPERATION...]",
		"put operations back into the queue; queue run runs them",
		"failed",
		"all failed operations",
		func(e *engine.Engine, id storage.OperationID) error { return e.Queue.Retry(id) },
		func(e *engine.Engine) (int, error) { return e.Queue.RetryFailed() },
	)
}

func queueCancelCommand(app *cli.App) *cobra.Command {
	return selectOperations(app, "cancel [OPERATION...]", "cancel operations", "all",
		"all operations that have not finished",
		func(e *engine.Engine, id storage.OperationID) error {
			return app.Noted(e, func() error { return e.Queue.Cancel(id) })
		}, func(e *engine.Engine) (n int, err error) {
			err = app.Noted(e, func() error { n, err = e.Queue.CancelAll(); return err })
			return n, err
		})
}

// Operations lists the operations, for completion.
func Operations(e *engine.Engine, _ []string) (words []string) {
	list, err := e.Queue.List()
	if err != nil {
		return nil
	}
	for _, op := range list {
		words = append(words, cli.Suggestion(string(op.ID), op.Type))
	}
	return words
}
