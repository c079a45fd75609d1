package pictures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// printCaptures prints a list of captures.
func printCaptures(app *cli.App, list []storage.Capture) error {
	return app.Print(shownCaptures(app, list), func(p *cli.Page) { captureRows(p, list) })
}

func captureRows(p *cli.Page, list []storage.Capture) {
	rows := [][]string{}
	for _, c := range list {
		rows = append(
			rows,
			[]string{
				string(c.ID),
				strings.TrimSpace(string(c.Shot) + " " + c.Kind),
				string(c.Status),
				cli.Clip(cmp.Or(c.ImagePrompt, c.Prompt, c.Requested), cli.ColumnWidth),
			},
		)
	}
	p.Table(rows)
}

// findBatch reads a batch again, with its captures.
func findBatch(e *engine.Engine, id storage.BatchID) (pictures.BatchView, []storage.Capture, error) {
	v, err := e.Pictures.FindBatch(string(id))
	if err != nil {
		return v, nil, err
	}
	var list []storage.Capture
	for _, id := range v.Captures {
		if c, err := e.Pictures.FindCapture(string(id)); err == nil {
			list = append(list, c)
		} else if !errors.Is(err, storage.ErrNotFound) {
			return v, nil, err
		}
	}
	return v, list, nil
}

// printBatch prints the current batch. The command fails if a capture of it has failed.
func printBatch(app *cli.App, e *engine.Engine, id storage.BatchID, faults map[storage.CaptureID]error) error {
	v, list, err := findBatch(e, id)
	if err != nil {
		return err
	}
	if err := writeBatch(app, v, list, faults); err != nil {
		return err
	}
	return failures(app, list, faults, v.Failed)
}

// writeBatch prints a batch and its captures.
func writeBatch(app *cli.App, v pictures.BatchView, list []storage.Capture, faults map[storage.CaptureID]error) error {
	doc := struct {
		pictures.BatchView
		Items  []storage.Capture            `json:"items"`
		Faults map[storage.CaptureID]string `json:"faults"` // why one was not sent
	}{v, shownCaptures(app, list), unsentText(faults)}
	return app.Print(doc, func(p *cli.Page) {
		p.Line(batchRow(v))
		captureRows(p, list)
	})
}

func unsentText(faults map[storage.CaptureID]error) map[storage.CaptureID]string {
	out := map[storage.CaptureID]string{}
	for id, err := range faults {
		out[id] = failure.Text(err)
	}
	return out
}

// failures returns an error if some captures have failed.
func failures(app *cli.App, list []storage.Capture, faults map[storage.CaptureID]error, failed int) error {
	for id, err := range faults {
		app.Note("%s: %s", id, failure.Text(err))
	}
	for _, c := range list {
		if c.Status == storage.CaptureFailed || c.Waiting {
			app.Note("%s: %s", c.ID, cmp.Or(c.Error, "it failed"))
		}
		if c.Waiting {
			failed++
		}
	}
	if failed += len(faults); failed > 0 {
		return fmt.Errorf("%d of %d captures failed", failed, len(list))
	}
	return nil
}

func batchRow(v pictures.BatchView) string {
	by := string(v.By)
	if v.Every > 0 {
		by = fmt.Sprintf("every %d messages", v.Every)
	}
	words := fmt.Sprintf("%s  by %s  %d captures", v.ID, by, v.Total)
	for _, n := range []struct {
		n    int
		word string
	}{
		{v.Prompting, "without a prompt"}, {v.Drafts, "drafts"}, {v.Painting, "generating"}, {v.Done, "done"},
		{v.Failed, "failed"},
	} {
		if n.n > 0 {
			words += fmt.Sprintf(", %d %s", n.n, n.word)
		}
	}
	if v.Left > 0 {
		words += ", about " + v.Left.Round(time.Second).String() + " left"
	}
	return words
}

// awaitCaptures starts work on several captures and runs the queue until it is done.
func awaitCaptures(ctx context.Context, app *cli.App, e *engine.Engine, begin func() ([]storage.Capture, error)) error {
	feed := e.Follow()
	defer feed.Close()
	list, err := begin()
	if err != nil {
		return err
	}
	open := map[storage.CaptureID]bool{}
	for _, c := range list {
		if isWorking(c) {
			open[c.ID] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := e.Start(); err != nil {
		return err
	}
	bar := app.Progress()
	defer bar.Done()
	all, words := len(open), ""
	for len(open) > 0 {
		ev, err := feed.Next(ctx)
		if err != nil {
			return cli.ErrInterrupted
		}
		switch ev := ev.(type) {
		case queue.Progressed:
			if open[ev.Capture] {
				var detail string
				words, detail = cli.ProgressText(ev.Type, ev.Progress)
				bar.Show(fmt.Sprintf("%d of %d done: %s", all-len(open), all, words), detail)
			}
		case pictures.CaptureChanged:
			if open[ev.Capture.ID] && !isWorking(ev.Capture) {
				delete(open, ev.Capture.ID)
				bar.Show(fmt.Sprintf("%d of %d done: %s", all-len(open), all, words), "")
			}
		}
	}
	return nil
}

// batchFlags are the flags of commands that create a batch.
func batchFlags(f *pflag.FlagSet, r *pictures.BatchRequest, video, later *bool) {
	f.BoolVar(&r.OneSeed, "one-seed", false, "use the same seed for all captures")
	f.BoolVar(&r.Keep, "keep", false, "use the first picture as a reference for place and people")
	f.BoolVar(video, "video", false, "write prompts for videos")
	f.StringVar(&r.Words, "camera", "", "add `TEXT` to the camera settings")
	f.StringArrayVar(&r.Focus, "focus", nil, "focus on `NAME`; repeatable")
	f.BoolVar(later, "later", false, "only queue it; ghostlight queue run continues it")
}

// WriteBatch creates a batch and waits until its work is done.
func WriteBatch(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	later bool,
	ask func() (pictures.BatchView, error),
) error {
	var id storage.BatchID
	begin := func() ([]storage.Capture, error) {
		v, err := ask()
		if err != nil {
			return nil, err
		}
		id = v.ID
		_, list, err := findBatch(e, id)
		return list, err
	}
	var err error
	if later {
		_, err = begin()
	} else {
		err = awaitCaptures(ctx, app, e, begin)
	}
	if err != nil {
		return err
	}
	return printBatch(app, e, id, nil)
}

func anglesCommand(app *cli.App) *cobra.Command {
	var r pictures.BatchRequest
	var video, later bool
	var at string
	var look cameraFlags
	var c *cobra.Command
	c = cli.Chats.Act(app, "angles CHAT", "write prompts for several camera angles of the scene",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
			r.By, r.Kind = storage.ByAngles, captureKind(video)
			if at != "" {
				m, err := cli.FindMessage(e, chat.ID, at)
				if err != nil {
					return err
				}
				r.At = m.ID
			}
			if r.Camera, err = look.override(e, c.Flags(), storage.Camera{}); err != nil {
				return err
			}
			return WriteBatch(
				ctx,
				app,
				e,
				later,
				func() (pictures.BatchView, error) { return e.Pictures.CaptureBatch(chat.ID, r) },
			)
		})
	c.Long = "Write prompts for several camera angles of the current scene, with one model call. Nothing is " +
		"generated until ghostlight capture batch send. " + cameraHelp
	c.Flags().StringVar(&at, "at", "", "show the scene at `MESSAGE` instead of the current one")
	c.Flags().StringSliceVar(&r.Angles, "angle", nil, "an angle `KEY`; repeatable (default: four common angles)")
	batchFlags(c.Flags(), &r, &video, &later)
	look.add(c.Flags(), "angle")
	return c
}

func seriesCommand(app *cli.App) *cobra.Command {
	var r pictures.BatchRequest
	var video, later, scenes bool
	var look cameraFlags
	var c *cobra.Command
	c = cli.Chats.Act(app, "series CHAT", "write prompts for a whole chat: one per scene, or one every few messages",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
			every := c.Flags().Changed("every")
			if scenes == every {
				return cli.UsageError("use either --scenes or --every N")
			}
			r.By, r.Kind = storage.ByScenes, captureKind(video)
			if every {
				r.By = storage.ByEvery
				if r.Every < 1 {
					return cli.UsageError("--every needs a number from 1")
				}
			}
			if r.Camera, err = look.override(e, c.Flags(), storage.Camera{}); err != nil {
				return err
			}
			return WriteBatch(
				ctx,
				app,
				e,
				later,
				func() (pictures.BatchView, error) { return e.Pictures.CaptureBatch(chat.ID, r) },
			)
		})
	c.Long = "Write prompts for a whole chat: one per scene, or one every few messages. Nothing is generated until " +
		"ghostlight capture batch send. " + cameraHelp
	c.Flags().BoolVar(&scenes, "scenes", false, "one capture at the end of each scene")
	c.Flags().IntVar(&r.Every, "every", 0, "one capture every `N` messages")
	batchFlags(c.Flags(), &r, &video, &later)
	look.add(c.Flags())
	return c
}

// Batches are the batches as arguments of commands.
var Batches = cli.Noun[pictures.BatchView]{
	Find:   func(e *engine.Engine, ref string) (pictures.BatchView, error) { return e.Pictures.FindBatch(ref) },
	Called: func(v pictures.BatchView) (id, name string) { return string(v.ID), string(v.By) },
	Page:   func(p *cli.Page, v pictures.BatchView) { p.Line(batchRow(v)) },
}

func batchCommand(app *cli.App) *cobra.Command {
	return cli.Group("batch", "manage captures that were requested together",
		cli.Chats.Act(app, "list CHAT", "list a chat's batches, the newest first",
			func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
				list, err := e.Pictures.Batches(c.ID)
				if err != nil {
					return err
				}
				return app.Print(list, func(p *cli.Page) {
					for _, v := range list {
						p.Line(batchRow(v))
					}
				})
			}),
		Batches.Act(app, "show BATCH", "print a batch and its captures",
			func(_ context.Context, e *engine.Engine, v pictures.BatchView, _ []string) error {
				_, list, err := findBatch(e, v.ID)
				if err != nil {
					return err
				}
				return writeBatch(app, v, list, nil)
			}),
		batchSendCommand(app),
		Batches.Act(app, "cancel BATCH", "stop the work on all captures of a batch; finished prompts are kept",
			func(_ context.Context, e *engine.Engine, v pictures.BatchView, _ []string) error {
				err := app.Noted(e, func() error { _, err := e.Pictures.CancelBatch(v.Chat, v.ID); return err })
				if err != nil {
					return err
				}
				v, err = e.Pictures.FindBatch(string(v.ID))
				if err != nil {
					return err
				}
				return Batches.Print(app, v)
			}))
}

func batchSendCommand(app *cli.App) *cobra.Command {
	var later bool
	c := Batches.Act(
		app,
		"send BATCH",
		"send all drafts of a batch",
		func(ctx context.Context, e *engine.Engine, v pictures.BatchView, _ []string) error {
			faults, err := sendAll(
				ctx,
				app,
				e,
				later,
				func() (pictures.SendResult, error) { return e.Pictures.SendBatch(v.Chat, v.ID) },
			)
			if err != nil {
				return err
			}
			return printBatch(app, e, v.ID, faults)
		},
	)
	c.Flags().BoolVar(&later, "later", false, "only queue it")
	return c
}

// sendAll sends several captures and waits for their pictures, unless later.
func sendAll(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	later bool,
	send func() (pictures.SendResult, error),
) (map[storage.CaptureID]error, error) {
	var sent pictures.SendResult
	begin := func() (list []storage.Capture, err error) {
		sent, err = send()
		return sent.Captures, err
	}
	if later {
		_, err := begin()
		return sent.Faults, err
	}
	err := awaitCaptures(ctx, app, e, begin)
	return sent.Faults, err
}

func draftsCommand(app *cli.App) *cobra.Command {
	var send, later bool
	c := &cobra.Command{Use: "drafts [CHAT]",
		Short: "list the captures that could not be sent while ComfyUI was offline, or send them",
		RunE: app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Pictures.WaitingDrafts(chat)
			if err != nil || !send {
				return errors.Join(err, printUnlessFailed(app, err, list))
			}
			var ids []storage.CaptureID
			for _, c := range list {
				ids = append(ids, c.ID)
			}
			faults, err := sendAll(
				ctx,
				app,
				e,
				later,
				func() (pictures.SendResult, error) { return e.Pictures.SendDrafts(ids), nil },
			)
			if err != nil {
				return err
			}
			failed := 0
			for i, c := range list {
				if list[i], err = e.Pictures.FindCapture(string(c.ID)); err != nil {
					return err
				}
				if list[i].Status == storage.CaptureFailed {
					failed++
				}
			}
			return errors.Join(printCaptures(app, list), failures(app, list, faults, failed))
		})}
	c.Flags().BoolVar(&send, "send", false, "send all of them")
	c.Flags().BoolVar(&later, "later", false, "with --send: only queue them")
	return c
}

func printUnlessFailed(app *cli.App, err error, list []storage.Capture) error {
	if err != nil {
		return nil
	}
	return printCaptures(app, list)
}
