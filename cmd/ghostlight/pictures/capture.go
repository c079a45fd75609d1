// Package pictures has the commands of pictures: captures and batches of them, the
// gallery, the camera, the continuity sheet, and workflows.
package pictures

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureCommand is ghostlight capture.
func CaptureCommand(app *cli.App) *cobra.Command {
	cmds := []*cobra.Command{promptCommand(app), sendCommand(app), listCommand(app), showCommand(app), redoCommand(app), cancelCommand(app), deleteCommand(app),
		avatarCommand(app), fromCommand(app)}
	cmds = append(cmds, batchCommands(app)...)
	return cli.Group("capture", "create pictures of the story", append(cmds, galleryCommands(app)...)...)
}

// withCapture is work on the capture that the first argument names.
func withCapture(app *cli.App, w func(ctx context.Context, e *engine.Engine, c storage.Capture) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (storage.Capture, error) { return e.Pictures.FindCapture(ref) }, func(ctx context.Context, e *engine.Engine, v storage.Capture, _ []string) error { return w(ctx, e, v) })
}

func promptCommand(app *cli.App) *cobra.Command {
	var r pictures.CaptureRequest
	var video bool
	var at string
	var look cameraFlags
	c := &cobra.Command{Use: "prompt CHAT", Short: "write the prompt for a picture of the scene",
		Long: "Write the prompt for a picture of the current scene. " + cameraHelp}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
		r.Kind = captureKind(video)
		if at != "" {
			m, err := cli.FindMessage(e, chat.ID, at)
			if err != nil {
				return err
			}
			r.At = m.ID
		}
		if r.Camera, err = look.over(e, c.Flags(), storage.Camera{}); err != nil {
			return err
		}
		return runPrompt(ctx, app, e, func() (storage.Capture, error) { return e.Pictures.Capture(chat.ID, r) })
	})
	f := c.Flags()
	f.BoolVar(&video, "video", false, "for a video")
	f.StringVar(&r.Requested, "requested", "", "show `TEXT` instead of the whole scene")
	f.StringVar(&at, "at", "", "the scene at `MESSAGE` instead of the current one")
	f.StringVar(&r.Words, "camera", "", "add the camera words `TEXT`")
	f.StringArrayVar(&r.Focus, "focus", nil, "focus on `NAME`; repeatable")
	look.add(f)
	return c
}

func captureKind(video bool) string {
	if video {
		return string(capture.Video)
	}
	return string(capture.Image)
}

// runPrompt begins a capture's prompt, waits for it and prints it.
func runPrompt(ctx context.Context, app *cli.App, e *engine.Engine, begin func() (storage.Capture, error)) error {
	c, err := awaitCapture(ctx, app, e, begin)
	if err != nil {
		return err
	}
	if c.Status == storage.CaptureFailed {
		return errors.New(cmp.Or(c.Error, "the prompt could not be written"))
	}
	app.Notes(c.Warnings)
	doc := capturePromptDoc{c.ID, c.Kind, c.Prompt, c.NegativePrompt, c.Reasoning, capture.Words(c.Prompt), c.Warnings}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s\n\n%s", c.ID, c.Prompt)
		if c.NegativePrompt != "" {
			p.Line("\nwithout: " + c.NegativePrompt)
		}
	})
}

// awaitCapture begins work on a capture and lets the queue run until it is
// done. Interrupted, it leaves the work in the queue.
func awaitCapture(ctx context.Context, app *cli.App, e *engine.Engine, begin func() (storage.Capture, error)) (storage.Capture, error) {
	feed := e.Follow()
	defer feed.Close()
	c, err := begin()
	if err != nil {
		return c, err
	}
	if err := e.Start(); err != nil {
		return c, err
	}
	bar := app.Progress()
	defer bar.Done()
	for {
		ev, err := feed.Next(ctx)
		if err != nil {
			return c, cli.ErrInterrupted
		}
		switch ev := ev.(type) {
		case house.OperationProgress:
			if ev.Capture == c.ID {
				bar.Show(cli.ProgressText(ev.Type, ev.Progress))
			}
		case house.OperationChanged:
			if op := ev.Operation; op.Status == storage.Pending && op.Error != "" {
				bar.Show("once more: "+op.Error, "")
			}
		case pictures.CaptureChanged:
			if ev.Capture.ID == c.ID && !working(ev.Capture) {
				return ev.Capture, nil
			}
		}
	}
}

func working(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

func sendCommand(app *cli.App) *cobra.Command {
	var edit pictures.CaptureEdit
	var seed int64
	var save, later bool
	var look cameraFlags
	c := &cobra.Command{Use: "send ID", Short: "send a capture to ComfyUI",
		Long: "Send a capture to ComfyUI and wait for the picture. A capture that already has a picture is generated again as a new one. " + cameraHelp}
	f := c.Flags()
	c.RunE = withCapture(app, func(ctx context.Context, e *engine.Engine, c storage.Capture) error {
		edit, err := mergeEdit(f.Changed, c, edit, seed)
		if err != nil {
			return err
		}
		if edit.Camera, err = look.over(e, f, c.Camera); err != nil {
			return err
		}
		edit.ImagePrompt = capture.Turn(edit.ImagePrompt, c.Camera, edit.Camera)
		if edit.Camera != c.Camera && !f.Changed("prompt") {
			app.Note("note: the prompt was written for another camera; ghostlight capture redo %s with the same options writes it again", c.ID)
		}
		if save {
			if err := e.Pictures.SaveCapture(c.ID, edit); err != nil {
				return err
			}
			return printCapture(app, e, c.ID)
		}
		unused := e.Pictures.Unused(c.ID, edit)
		app.Notes(unused)
		if later {
			if c, err = e.Pictures.SendCapture(c.ID, edit); err != nil {
				return err
			}
			return printSent(app, c)
		}
		c, err = awaitCapture(ctx, app, e, func() (storage.Capture, error) { return e.Pictures.SendCapture(c.ID, edit) })
		if err != nil {
			return err
		}
		c.Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool {
			return slices.Contains(unused, w) // said above
		})
		return printSent(app, c)
	})
	f.StringVar(&edit.ImagePrompt, "prompt", "", "use the prompt `P` instead")
	f.StringVar(&edit.NegativePrompt, "negative", "", "negative prompt `N`")
	f.Int64Var(&seed, "seed", -1, "seed `S`; -1 is random")
	f.StringVar(&edit.Workflow, "workflow", "", "use the workflow `W`; ghostlight workflow list prints them")
	f.IntVar(&edit.Width, "width", 0, "width in `pixels`; needs --height; 0 uses the defaults of character and workflow")
	f.IntVar(&edit.Height, "height", 0, "height in `pixels`")
	f.Float64Var(&edit.Strength, "strength", 0, "how much of the start picture may change, from 0 to `1`")
	look.add(f)
	f.BoolVar(&save, "save", false, "only save the changes")
	f.BoolVar(&later, "later", false, "only queue it")
	return c
}

// mergeEdit is a capture as it stands with what the flags change of it.
func mergeEdit(changed func(string) bool, c storage.Capture, flags pictures.CaptureEdit, seed int64) (pictures.CaptureEdit, error) {
	edit := pictures.CaptureEdit{ImagePrompt: cmp.Or(c.ImagePrompt, c.Prompt), NegativePrompt: c.NegativePrompt, Seed: c.Seed,
		Workflow: c.Workflow, Width: c.Width, Height: c.Height, Camera: c.Camera}
	if c.Status == storage.CaptureCompleted {
		edit.Seed = nil // another picture, not the same one again
	}
	edit.Strength = flags.Strength
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
		return edit, cli.UsageError("a seed, a width and a height cannot be below 0")
	}
	return edit, nil
}

// printSent prints what came of sending a capture.
func printSent(app *cli.App, c storage.Capture) error {
	app.Notes(c.Warnings)
	doc := newCaptureSendDoc(app, c)
	failed := c.Status != storage.CaptureCompleted && !working(c)
	if failed {
		doc.Error = cmp.Or(doc.Error, "no picture was made; it was cancelled")
	}
	if app.JSON || !failed {
		err := app.Print(doc, func(p *cli.Page) {
			p.Linef("%s  %s", c.ID, c.Status)
			if doc.ImagePath != "" {
				p.Line(doc.ImagePath)
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

func printCapture(app *cli.App, e *engine.Engine, id storage.CaptureID) error {
	c, err := e.Pictures.FindCapture(string(id))
	if err != nil {
		return err
	}
	return app.Print(newCaptureDetailDoc(app, c), func(p *cli.Page) {
		p.Linef("%s  %s  %s", c.ID, c.Kind, c.Status)
		for _, f := range [][2]string{{"request", c.Requested}, {"prompt", cmp.Or(c.ImagePrompt, c.Prompt)}, {"without", c.NegativePrompt},
			{"why", c.Reasoning}, {"camera", capture.Looks(c.Camera)}, {"focus", strings.Join(c.Focus, ", ")}, {"batch", string(c.Batch)}, {"source", string(c.From)}, {"workflow", c.Workflow}, {"picture", app.DataPath(c.ImagePath)}, {"failed", c.Error}} {
			if f[1] != "" {
				p.Linef("\n%s\n%s", f[0], f[1])
			}
		}
	})
}

func listCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list [CHAT]", Short: "list captures, the newest first",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Pictures.Captures(chat)
			if err != nil {
				return err
			}
			return printCaptures(app, list)
		})}
}

func showCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show ID", Short: "print a capture",
		RunE: withCapture(app, func(_ context.Context, e *engine.Engine, c storage.Capture) error { return printCapture(app, e, c.ID) })}
}

func redoCommand(app *cli.App) *cobra.Command {
	var look cameraFlags
	c := &cobra.Command{Use: "redo ID", Short: "write a new prompt",
		Long: "Write a new prompt, optionally for another camera. " + cameraHelp}
	c.RunE = withCapture(app, func(ctx context.Context, e *engine.Engine, shot storage.Capture) error {
		camera, err := look.over(e, c.Flags(), shot.Camera)
		if err != nil {
			return err
		}
		return runPrompt(ctx, app, e, func() (storage.Capture, error) { return shot, e.Pictures.RedoForCamera(shot.ID, camera) })
	})
	look.add(c.Flags())
	return c
}

func cancelCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "cancel ID", Short: "stop the work on a capture; its prompt is kept",
		RunE: withCapture(app, func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := app.Noted(e, func() error { return e.Pictures.CancelCapture(c.ID) }); err != nil {
				return err
			}
			return printCapture(app, e, c.ID)
		})}
}

func deleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete ID", Short: "delete a capture and its picture",
		RunE: withCapture(app, func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := app.Noted(e, func() error { return e.Pictures.DeleteCapture(c.ID) }); err != nil {
				return err
			}
			return app.PrintDeleted(string(c.ID), c.Kind)
		})}
}

func avatarCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "avatar ID", Short: "make a capture's picture the avatar of its character",
		RunE: withCapture(app, func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			if err := e.Pictures.CaptureAsAvatar(c.ID); err != nil {
				return err
			}
			return printCapture(app, e, c.ID)
		})}
}
