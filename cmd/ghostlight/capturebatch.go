package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
)

// batchCommands are those about several captures, the camera and the continuity
// sheet.
func (d *door) batchCommands() []*cobra.Command {
	return []*cobra.Command{d.captureAngles(), d.captureSeries(), d.captureBatch(), d.captureDrafts(), d.captureCamera(), d.captureContinuity(), d.captureEdits()}
}

// captureDetailShape is a capture with how it was taken.
type captureDetailShape struct {
	captureShape
	Camera  storage.Camera    `json:"camera"`
	Focus   []string          `json:"focus"`
	Batch   storage.BatchID   `json:"batch"`
	From    storage.CaptureID `json:"variant_of"`
	Asked   bool              `json:"asked"`   // in the talk
	Waiting bool              `json:"waiting"` // it was sent while no server was there
	Board   storage.NodeID    `json:"board,omitempty"`
	Shot    storage.ShotID    `json:"shot,omitempty"` // of the storyboard
}

func (d *door) shapeTaken(c storage.Capture) captureDetailShape {
	return captureDetailShape{d.shapeCapture(c), c.Camera, orNone(c.Focus), c.Batch, c.From, c.Asked, c.Waiting, c.Board, c.Shot}
}

func (d *door) shapesTaken(list []storage.Capture) []captureDetailShape {
	out := []captureDetailShape{}
	for _, c := range list {
		out = append(out, d.shapeTaken(c))
	}
	return out
}

// tellTaken prints a list of captures.
func (d *door) tellTaken(list []storage.Capture) error {
	return d.tell(d.shapesTaken(list), func(p *page) { takenRows(p, list) })
}

func takenRows(p *page, list []storage.Capture) {
	rows := [][]string{}
	for _, c := range list {
		rows = append(rows, []string{string(c.ID), strings.TrimSpace(string(c.Shot) + " " + c.Kind), string(c.Status), clip(first(c.ImagePrompt, c.Prompt, c.Requested), columnLimit)})
	}
	p.table(rows)
}

type batchShape struct {
	ID        storage.BatchID     `json:"id"`
	Chat      storage.ChatID      `json:"chat"`
	By        storage.BatchBy     `json:"by"`
	Every     int                 `json:"every"` // messages
	Total     int                 `json:"total"`
	Prompting int                 `json:"prompting"`
	Drafts    int                 `json:"drafts"`
	Painting  int                 `json:"painting"`
	Done      int                 `json:"done"`
	Failed    int                 `json:"failed"`
	Left      float64             `json:"left"` // seconds, 0 while not known
	CreatedAt time.Time           `json:"created_at"`
	Captures  []storage.CaptureID `json:"captures"`
}

func shapeBatch(v pictures.BatchView) batchShape {
	return batchShape{v.ID, v.Chat, v.By, v.Every, v.Total, v.Prompting, v.Drafts, v.Painting, v.Done, v.Failed, v.Left.Seconds(), v.CreatedAt, orNone(v.Captures)}
}

// batchDetailShape is a batch with its captures. Faults says, by capture, why one
// was not sent.
type batchDetailShape struct {
	batchShape
	Items  []captureDetailShape         `json:"items"`
	Faults map[storage.CaptureID]string `json:"faults,omitempty"`
}

// batchOf reads a batch again, with its captures.
func batchOf(e *engine.Engine, id storage.BatchID) (pictures.BatchView, []storage.Capture, error) {
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

// tellBatch prints a batch as it is now. What failed in it makes the command fail.
func (d *door) tellBatch(e *engine.Engine, id storage.BatchID, faults map[storage.CaptureID]error) error {
	v, list, err := batchOf(e, id)
	if err != nil {
		return err
	}
	doc := batchDetailShape{shapeBatch(v), d.shapesTaken(list), unsentWords(faults)}
	if err := d.tell(doc, func(p *page) {
		p.line(batchRow(v))
		takenRows(p, list)
	}); err != nil {
		return err
	}
	return d.failures(list, faults, v.Failed)
}

func unsentWords(faults map[storage.CaptureID]error) map[storage.CaptureID]string {
	out := map[storage.CaptureID]string{}
	for id, err := range faults {
		out[id] = failure.Words(err)
	}
	return out
}

// failures is the error of a command of whose captures some have failed.
func (d *door) failures(list []storage.Capture, faults map[storage.CaptureID]error, failed int) error {
	for id, err := range faults {
		d.note("%s: %s", id, failure.Words(err))
	}
	for _, c := range list {
		if c.Status == storage.CaptureFailed || c.Waiting {
			d.note("%s: %s", c.ID, first(c.Error, "it failed"))
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
	}{{v.Prompting, "without a prompt"}, {v.Drafts, "drafts"}, {v.Painting, "being painted"}, {v.Done, "done"}, {v.Failed, "failed"}} {
		if n.n > 0 {
			words += fmt.Sprintf(", %d %s", n.n, n.word)
		}
	}
	if v.Left > 0 {
		words += ", about " + v.Left.Round(time.Second).String() + " left"
	}
	return words
}

// awaitCaptures begins work on several captures and lets the queue run until all
// of it is done.
func (d *door) awaitCaptures(ctx context.Context, e *engine.Engine, begin func() ([]storage.Capture, error)) error {
	feed := e.Follow()
	defer feed.Close()
	list, err := begin()
	if err != nil {
		return err
	}
	open := map[storage.CaptureID]bool{}
	for _, c := range list {
		if atWork(c) {
			open[c.ID] = true
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := e.Start(); err != nil {
		return err
	}
	bar := d.progress()
	defer bar.done()
	all, words := len(open), ""
	for len(open) > 0 {
		ev, err := feed.Next(ctx)
		if err != nil {
			return errInterrupted
		}
		switch ev := ev.(type) {
		case house.OperationProgress:
			if open[ev.Capture] {
				var detail string
				words, detail = progressWords(ev.Type, ev.Progress)
				bar.show(fmt.Sprintf("%d of %d done: %s", all-len(open), all, words), detail)
			}
		case pictures.CaptureChanged:
			if open[ev.Capture.ID] && !atWork(ev.Capture) {
				delete(open, ev.Capture.ID)
				bar.show(fmt.Sprintf("%d of %d done: %s", all-len(open), all, words), "")
			}
		}
	}
	return nil
}

// batchFlags are what all commands that ask for a batch take.
func batchFlags(f *pflag.FlagSet, r *pictures.BatchRequest, video, later *bool) {
	f.BoolVar(video, "video", false, "for videos")
	f.StringVar(&r.Words, "camera", "", "add the words `TEXT` about the camera")
	f.StringArrayVar(&r.Focus, "focus", nil, "`NAME` matters most; may be given several times")
	f.BoolVar(later, "later", false, "only put the work into the queue")
}

// writeBatch asks for a batch and waits until nothing more is done for it.
func (d *door) writeBatch(ctx context.Context, e *engine.Engine, later bool, ask func() (pictures.BatchView, error)) error {
	var id storage.BatchID
	begin := func() ([]storage.Capture, error) {
		v, err := ask()
		if err != nil {
			return nil, err
		}
		id = v.ID
		_, list, err := batchOf(e, id)
		return list, err
	}
	var err error
	if later {
		_, err = begin()
	} else {
		err = d.awaitCaptures(ctx, e, begin)
	}
	if err != nil {
		return err
	}
	return d.tellBatch(e, id, nil)
}

func (d *door) captureAngles() *cobra.Command {
	var r pictures.BatchRequest
	var video, later bool
	var at string
	var look cameraFlags
	c := &cobra.Command{Use: "angles CHAT", Short: "have prompts of the moment written from several angles", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have prompts of the moment written from several angles, with one call of the model. Nothing is painted before ghostlight capture batch send. " + cameraHelp}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
		r.By, r.Kind = storage.ByAngles, kindOf(video)
		if at != "" {
			m, err := message(e, chat.ID, at)
			if err != nil {
				return err
			}
			r.At = m.ID
		}
		if r.Camera, err = look.over(e, c.Flags(), storage.Camera{}); err != nil {
			return err
		}
		return d.writeBatch(ctx, e, later, func() (pictures.BatchView, error) { return e.Pictures.CaptureBatch(chat.ID, r) })
	})
	c.Flags().StringVar(&at, "at", "", "the moment after `MESSAGE` instead of the present one")
	c.Flags().StringSliceVar(&r.Angles, "angle", nil, "an angle `KEY`; may be given several times. Four usual ones without it")
	batchFlags(c.Flags(), &r, &video, &later)
	look.add(c.Flags(), "angle")
	return c
}

func (d *door) captureSeries() *cobra.Command {
	var r pictures.BatchRequest
	var video, later, scenes bool
	var look cameraFlags
	c := &cobra.Command{Use: "series CHAT", Short: "have prompts written along the story: one per scene, or per so many messages", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Have prompts written along the story: one per scene, or per so many messages. Nothing is painted before ghostlight capture batch send. " + cameraHelp}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
		every := c.Flags().Changed("every")
		if scenes == every {
			return misuse{"either --scenes or --every N"}
		}
		r.By, r.Kind = storage.ByScenes, kindOf(video)
		if every {
			r.By = storage.ByEvery
			if r.Every < 1 {
				return misuse{"--every takes a number from 1"}
			}
		}
		if r.Camera, err = look.over(e, c.Flags(), storage.Camera{}); err != nil {
			return err
		}
		return d.writeBatch(ctx, e, later, func() (pictures.BatchView, error) { return e.Pictures.CaptureBatch(chat.ID, r) })
	})
	c.Flags().BoolVar(&scenes, "scenes", false, "one at the end of each scene")
	c.Flags().IntVar(&r.Every, "every", 0, "one every `N` messages")
	batchFlags(c.Flags(), &r, &video, &later)
	look.add(c.Flags())
	return c
}

func (d *door) captureBatch() *cobra.Command {
	list := &cobra.Command{Use: "list CHAT", Short: "list a chat's batches, the newest first", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Batches(c.ID)
			if err != nil {
				return err
			}
			doc := []batchShape{}
			for _, v := range list {
				doc = append(doc, shapeBatch(v))
			}
			return d.tell(doc, func(p *page) {
				for _, v := range list {
					p.line(batchRow(v))
				}
			})
		})}
	show := &cobra.Command{Use: "show BATCH", Short: "print a batch and its captures", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.batchWork(func(_ context.Context, e *engine.Engine, v pictures.BatchView) error {
			_, list, err := batchOf(e, v.ID)
			if err != nil {
				return err
			}
			return d.tell(batchDetailShape{shapeBatch(v), d.shapesTaken(list), nil}, func(p *page) {
				p.line(batchRow(v))
				takenRows(p, list)
			})
		})}
	cancel := &cobra.Command{Use: "cancel BATCH", Short: "stop the work on all captures of a batch; prompts that are there stay", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.batchWork(func(_ context.Context, e *engine.Engine, v pictures.BatchView) error {
			if _, err := e.Pictures.CancelBatch(v.Chat, v.ID); err != nil {
				return err
			}
			v, err := e.Pictures.FindBatch(string(v.ID))
			if err != nil {
				return err
			}
			return d.tell(shapeBatch(v), func(p *page) { p.line(batchRow(v)) })
		})}
	return group("batch", "follow several captures that were asked for in one go", list, show, d.batchSend(), cancel)
}

// batchWork is work on the batch that the first argument names.
func (d *door) batchWork(w func(ctx context.Context, e *engine.Engine, v pictures.BatchView) error) func(*cobra.Command, []string) error {
	return d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		v, err := e.Pictures.FindBatch(args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, v)
	})
}

func (d *door) batchSend() *cobra.Command {
	var later bool
	c := &cobra.Command{Use: "send BATCH", Short: "have all drafts of a batch painted", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.batchWork(func(ctx context.Context, e *engine.Engine, v pictures.BatchView) error {
			faults, err := d.sendAll(ctx, e, later, func() (pictures.Sent, error) { return e.Pictures.SendBatch(v.Chat, v.ID) })
			if err != nil {
				return err
			}
			return d.tellBatch(e, v.ID, faults)
		})}
	c.Flags().BoolVar(&later, "later", false, "only put it into the queue")
	return c
}

// sendAll sends several captures and waits for their pictures, unless later.
func (d *door) sendAll(ctx context.Context, e *engine.Engine, later bool, send func() (pictures.Sent, error)) (map[storage.CaptureID]error, error) {
	var sent pictures.Sent
	begin := func() (list []storage.Capture, err error) {
		sent, err = send()
		return sent.Captures, err
	}
	if later {
		_, err := begin()
		return sent.Faults, err
	}
	err := d.awaitCaptures(ctx, e, begin)
	return sent.Faults, err
}

func (d *door) captureDrafts() *cobra.Command {
	var send, later bool
	c := &cobra.Command{Use: "drafts [CHAT]", Short: "list captures that were sent while ComfyUI was not there, and send them", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
			var chat storage.ChatID
			if len(args) > 0 {
				c, err := e.Chats.Find(args[0])
				if err != nil {
					return err
				}
				chat = c.ID
			}
			list, err := e.Pictures.WaitingDrafts(chat)
			if err != nil || !send {
				return errors.Join(err, d.tellUnless(err, list))
			}
			var ids []storage.CaptureID
			for _, c := range list {
				ids = append(ids, c.ID)
			}
			faults, err := d.sendAll(ctx, e, later, func() (pictures.Sent, error) { return e.Pictures.SendDrafts(ids) })
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
			return errors.Join(d.tellTaken(list), d.failures(list, faults, failed))
		})}
	c.Flags().BoolVar(&send, "send", false, "send them all in one go")
	c.Flags().BoolVar(&later, "later", false, "with --send: only put them into the queue")
	return c
}

func (d *door) tellUnless(err error, list []storage.Capture) error {
	if err != nil {
		return nil
	}
	return d.tellTaken(list)
}
