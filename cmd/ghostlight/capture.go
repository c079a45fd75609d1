package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/tui/safetext"
)

func (d *door) captureCommand() *cobra.Command {
	cmds := []*cobra.Command{d.capturePrompt(), d.captureSend(), d.captureList(), d.captureShow(), d.captureRedo(), d.captureCancel(), d.captureDelete(),
		d.captureAvatar()}
	cmds = append(cmds, d.batchCommands()...)
	return group("capture", "turn moments into pictures", append(cmds, d.galleryCommands()...)...)
}

// captureWork is work on the capture that the first argument names.
func (d *door) captureWork(w func(ctx context.Context, e *engine.Engine, c storage.Capture) error) func(*cobra.Command, []string) error {
	return d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		c, err := e.Pictures.FindCapture(args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, c)
	})
}

func (d *door) capturePrompt() *cobra.Command {
	var r pictures.CaptureRequest
	var video bool
	var at string
	var look cameraFlags
	c := &cobra.Command{Use: "prompt CHAT", Short: "have the prompt of a picture of the moment written", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Have the prompt of a picture of the moment written. " + cameraHelp}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
		r.Kind = kindOf(video)
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
		return d.writePrompt(ctx, e, func() (storage.Capture, error) { return e.Pictures.Capture(chat.ID, r) })
	})
	f := c.Flags()
	f.BoolVar(&video, "video", false, "for a video")
	f.StringVar(&r.Requested, "requested", "", "show `TEXT` instead of the whole scene")
	f.StringVar(&at, "at", "", "the moment after `MESSAGE` instead of the present one")
	f.StringVar(&r.Words, "camera", "", "add the words `TEXT` about the camera")
	f.StringArrayVar(&r.Focus, "focus", nil, "`NAME` matters most; may be given several times")
	look.add(f)
	return c
}

func kindOf(video bool) string {
	if video {
		return string(capture.Video)
	}
	return string(capture.Image)
}

// writePrompt begins a capture's prompt, waits for it and prints it.
func (d *door) writePrompt(ctx context.Context, e *engine.Engine, begin func() (storage.Capture, error)) error {
	c, err := d.awaitCapture(ctx, e, begin)
	if err != nil {
		return err
	}
	if c.Status == storage.CaptureFailed {
		return errors.New(first(c.Error, "the prompt could not be written"))
	}
	d.notes(c.Warnings)
	doc := capturePromptShape{c.ID, c.Kind, c.Prompt, c.NegativePrompt, c.Reasoning, capture.Words(c.Prompt), orNone(c.Warnings)}
	return d.tell(doc, func(p *page) {
		p.linef("%s\n\n%s", c.ID, c.Prompt)
		if c.NegativePrompt != "" {
			p.line("\nwithout: " + c.NegativePrompt)
		}
	})
}

// awaitCapture begins work on a capture and lets the queue run until it is
// done. Interrupted, it leaves the work in the queue.
func (d *door) awaitCapture(ctx context.Context, e *engine.Engine, begin func() (storage.Capture, error)) (storage.Capture, error) {
	feed := e.Follow()
	defer feed.Close()
	c, err := begin()
	if err != nil {
		return c, err
	}
	if err := e.Start(); err != nil {
		return c, err
	}
	bar := d.progress()
	defer bar.done()
	for {
		ev, err := feed.Next(ctx)
		if err != nil {
			return c, errInterrupted
		}
		switch ev := ev.(type) {
		case house.OperationProgress:
			if ev.Capture == c.ID {
				bar.show(progressWords(ev.Type, ev.Progress))
			}
		case house.OperationChanged:
			if op := ev.Operation; op.Status == storage.Pending && op.Error != "" {
				bar.show("once more: "+op.Error, "")
			}
		case pictures.CaptureChanged:
			if ev.Capture.ID == c.ID && !atWork(ev.Capture) {
				return ev.Capture, nil
			}
		}
	}
}

func atWork(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

func progressWords(typ string, p queue.Progress) (words, detail string) {
	words = p.Text
	if does := jobWords(typ); does != typ {
		words = does
	}
	switch {
	case p.Of > 0:
		detail = fmt.Sprintf("%d/%d", p.Step, p.Of)
	case p.Tokens > 0:
		words, detail = first(words, "writing the prompt"), fmt.Sprintf("%d tokens", p.Tokens)
	}
	return words, detail
}

func (d *door) captureSend() *cobra.Command {
	var edit pictures.CaptureEdit
	var seed int64
	var save, later bool
	var look cameraFlags
	c := &cobra.Command{Use: "send ID", Short: "have a capture painted by ComfyUI", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Have a capture painted by ComfyUI and wait for the picture. A capture that has its picture already is painted again as a new one. " + cameraHelp}
	f := c.Flags()
	c.RunE = d.captureWork(func(ctx context.Context, e *engine.Engine, c storage.Capture) error {
		edit, err := mergeEdit(f.Changed, c, edit, seed)
		if err != nil {
			return err
		}
		if edit.Camera, err = look.over(e, f, c.Camera); err != nil {
			return err
		}
		edit.ImagePrompt = capture.Redirect(edit.ImagePrompt, c.Camera, edit.Camera)
		if save {
			if err := e.Pictures.SaveCapture(c.ID, edit); err != nil {
				return err
			}
			return d.tellCapture(e, c.ID)
		}
		if later {
			if c, err = e.Pictures.SendCapture(c.ID, edit); err != nil {
				return err
			}
			return d.tellSent(c)
		}
		c, err = d.awaitCapture(ctx, e, func() (storage.Capture, error) { return e.Pictures.SendCapture(c.ID, edit) })
		if err != nil {
			return err
		}
		return d.tellSent(c)
	})
	f.StringVar(&edit.ImagePrompt, "prompt", "", "paint `P` instead of the prompt that was written")
	f.StringVar(&edit.NegativePrompt, "negative", "", "keep `N` out of the picture")
	f.Int64Var(&seed, "seed", -1, "begin with the seed `S`; -1 picks one")
	f.StringVar(&edit.Workflow, "workflow", "", "use the workflow `W`; ghostlight workflow list prints them")
	f.IntVar(&edit.Width, "width", 0, "paint so many `pixels` wide; goes with --height, and 0 leaves both to character and workflow")
	f.IntVar(&edit.Height, "height", 0, "paint so many `pixels` high")
	look.add(f)
	f.BoolVar(&save, "save", false, "only keep the changes")
	f.BoolVar(&later, "later", false, "only put it into the queue")
	return c
}

// mergeEdit is a capture as it stands with what the flags change of it.
func mergeEdit(changed func(string) bool, c storage.Capture, flags pictures.CaptureEdit, seed int64) (pictures.CaptureEdit, error) {
	edit := pictures.CaptureEdit{ImagePrompt: first(c.ImagePrompt, c.Prompt), NegativePrompt: c.NegativePrompt, Seed: c.Seed,
		Workflow: c.Workflow, Width: c.Width, Height: c.Height, Camera: c.Camera}
	if c.Status == storage.CaptureCompleted {
		edit.Seed = nil // another picture, not the same one again
	}
	if changed("prompt") {
		edit.ImagePrompt = flags.ImagePrompt
	}
	if changed("negative") {
		edit.NegativePrompt = flags.NegativePrompt
	}
	if changed("workflow") {
		edit.Workflow = flags.Workflow
	}
	if changed("width") {
		edit.Width = flags.Width
	}
	if changed("height") {
		edit.Height = flags.Height
	}
	if changed("seed") {
		edit.Seed = &seed
		if seed == -1 {
			edit.Seed = nil
		}
	}
	if seed < -1 || edit.Width < 0 || edit.Height < 0 {
		return edit, misuse{"a seed, a width and a height are not below 0"}
	}
	return edit, nil
}

// tellSent prints what came of sending a capture.
func (d *door) tellSent(c storage.Capture) error {
	d.notes(c.Warnings)
	doc := d.shapeCaptureSend(c)
	failed := c.Status != storage.CaptureCompleted && !atWork(c)
	if failed {
		doc.Error = first(doc.Error, "no picture was made; it was cancelled")
	}
	if d.json || !failed {
		err := d.tell(doc, func(p *page) {
			p.linef("%s  %s", c.ID, c.Status)
			if doc.ImagePath != "" {
				p.line(doc.ImagePath)
			}
		})
		if err != nil {
			return err
		}
	}
	if failed {
		return errors.New(doc.Error)
	}
	return nil
}

func (d *door) tellCapture(e *engine.Engine, id storage.CaptureID) error {
	c, err := e.Pictures.FindCapture(string(id))
	if err != nil {
		return err
	}
	return d.tell(d.shapeTaken(c), func(p *page) {
		p.linef("%s  %s  %s", c.ID, c.Kind, c.Status)
		for _, f := range [][2]string{{"asked for", c.Requested}, {"prompt", first(c.ImagePrompt, c.Prompt)}, {"without", c.NegativePrompt},
			{"why", c.Reasoning}, {"camera", capture.Looks(c.Camera)}, {"in front", strings.Join(c.Focus, ", ")}, {"batch", string(c.Batch)}, {"made of", string(c.From)}, {"workflow", c.Workflow}, {"picture", d.inData(c.ImagePath)}, {"failed", c.Error}} {
			if f[1] != "" {
				p.linef("\n%s\n%s", f[0], f[1])
			}
		}
	})
}

func (d *door) captureList() *cobra.Command {
	return &cobra.Command{Use: "list [CHAT]", Short: "list captures, the newest first", Args: takes(0, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			var chat storage.ChatID
			if len(args) > 0 {
				c, err := e.Chats.Find(args[0])
				if err != nil {
					return err
				}
				chat = c.ID
			}
			list, err := e.Pictures.Captures(chat)
			if err != nil {
				return err
			}
			return d.tellTaken(list)
		})}
}

// columnLimit is the widest column of a list, in cells.
const columnLimit = 60

// clip shortens a text to n cells of one line.
func clip(s string, n int) string { return ansi.Truncate(safetext.Line(oneLine(s)), n, "…") }

func (d *door) captureShow() *cobra.Command {
	return &cobra.Command{Use: "show ID", Short: "print a capture", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(_ context.Context, e *engine.Engine, c storage.Capture) error { return d.tellCapture(e, c.ID) })}
}

func (d *door) captureRedo() *cobra.Command {
	return &cobra.Command{Use: "redo ID", Short: "have another prompt written", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(ctx context.Context, e *engine.Engine, c storage.Capture) error {
			return d.writePrompt(ctx, e, func() (storage.Capture, error) { return c, e.Pictures.RedoCapturePrompt(c.ID) })
		})}
}

func (d *door) captureCancel() *cobra.Command {
	return &cobra.Command{Use: "cancel ID", Short: "stop the work on a capture; its prompt stays", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := e.Pictures.CancelCapture(c.ID); err != nil {
				return err
			}
			return d.tellCapture(e, c.ID)
		})}
}

func (d *door) captureDelete() *cobra.Command {
	return &cobra.Command{Use: "delete ID", Short: "delete a capture and its picture", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := e.Pictures.DeleteCapture(c.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(c.ID), c.Kind)
		})}
}

func (d *door) captureAvatar() *cobra.Command {
	return &cobra.Command{Use: "avatar ID", Short: "make a capture's picture the avatar of its character", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := e.Pictures.CaptureAsAvatar(c.ID); err != nil {
				return err
			}
			return d.tellCapture(e, c.ID)
		})}
}
