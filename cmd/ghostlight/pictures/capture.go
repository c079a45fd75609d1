// Package pictures has the commands for pictures: captures and batches, the gallery, the camera,
// the continuity sheet, and workflows.
package pictures

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CaptureCommand returns ghostlight capture.
func CaptureCommand(app *cli.App) *cobra.Command {
	return cli.Group(
		"capture",
		"create pictures of the story",
		promptCommand(app),
		sendCommand(app),
		listCommand(app),
		changeCommand(
			app,
			"show CAPTURE",
			"print a capture",
			func(*engine.Engine, storage.CaptureID) error { return nil },
		),
		redoCommand(app),
		changeCommand(app, "cancel CAPTURE", "stop the work on a capture; its prompt is kept",
			func(e *engine.Engine, id storage.CaptureID) error { return e.Pictures.CancelCapture(id) }),
		deleteCommand(app),
		changeCommand(app, "avatar CAPTURE", "make a capture's picture the avatar of its character",
			func(e *engine.Engine, id storage.CaptureID) error { return e.Pictures.CaptureAsAvatar(id) }),
		fromCommand(app),
		anglesCommand(
			app,
		),
		seriesCommand(app),
		batchCommand(app),
		draftsCommand(app),
		cameraCommand(app),
		continuityCommand(app),
		editsCommand(app),
		galleryCommand(app),
		exportCommand(app),
		sheetCommand(app),
		openCommand(app),
	)
}

// Captures are the captures as arguments of commands.
var Captures = cli.Noun[storage.Capture]{
	Find:   func(e *engine.Engine, ref string) (storage.Capture, error) { return e.Pictures.FindCapture(ref) },
	Called: func(c storage.Capture) (id, name string) { return string(c.ID), c.Kind },
}

// CompleteCapture completes captures, the newest first.
func CompleteCapture(e *engine.Engine, _ []string) (words []string) {
	list, err := e.Pictures.Captures("")
	if err != nil {
		return nil
	}
	for _, c := range list {
		words = append(words, cli.Suggestion(string(c.ID), cmp.Or(c.Requested, c.ImagePrompt, c.Prompt)))
	}
	return words
}

func promptCommand(app *cli.App) *cobra.Command {
	var r pictures.CaptureRequest
	var video bool
	var at string
	var look cameraFlags
	var c *cobra.Command
	c = cli.Chats.Act(app, "prompt CHAT", "write the prompt for a picture of the scene",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, _ []string) (err error) {
			r.Kind = captureKind(video)
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
			return runPrompt(ctx, app, e, func() (storage.Capture, error) { return e.Pictures.Capture(chat.ID, r) })
		})
	c.Long = "Write the prompt for a picture of the current scene. " + cameraHelp
	f := c.Flags()
	f.BoolVar(&video, "video", false, "write a prompt for a video")
	f.StringVar(&r.Requested, "requested", "", "show `TEXT` instead of the whole scene")
	f.StringVar(&at, "at", "", "show the scene at `MESSAGE` instead of the current one")
	f.StringVar(&r.Words, "camera", "", "add `TEXT` to the camera settings")
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

// runPrompt starts a capture's prompt, waits for it and prints it.
func runPrompt(ctx context.Context, app *cli.App, e *engine.Engine, begin func() (storage.Capture, error)) error {
	c, err := awaitCapture(ctx, app, e, begin)
	if err != nil {
		return err
	}
	if c.Status == storage.CaptureFailed {
		return errors.New(cmp.Or(c.Error, "the prompt could not be written"))
	}
	app.Notes(c.Warnings)
	doc := struct {
		storage.Capture
		Words int `json:"words"` // in the prompt
	}{shownCapture(app, c), capture.CountWords(c.Prompt)}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s\n\n%s", c.ID, c.Prompt)
		if c.NegativePrompt != "" {
			p.Line("\nwithout: " + c.NegativePrompt)
		}
	})
}

// awaitCapture starts work on a capture and runs the queue until it is done. If it is interrupted,
// the work stays in the queue.
func awaitCapture(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	begin func() (storage.Capture, error),
) (storage.Capture, error) {
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
		case queue.Progressed:
			if ev.Capture == c.ID {
				bar.Show(cli.ProgressText(ev.Type, ev.Progress))
			}
		case queue.Changed:
			if op := ev.Operation; op.Status == storage.Pending && op.Error != "" {
				bar.Show("again: "+op.Error, "")
			}
		case pictures.CaptureChanged:
			if ev.Capture.ID == c.ID && !isWorking(ev.Capture) {
				return ev.Capture, nil
			}
		}
	}
}

func isWorking(c storage.Capture) bool {
	return c.Status == storage.CapturePrompting || c.Status == storage.CaptureGenerating
}

func sendCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[pictures.CaptureEdit]{Record: &pictures.EditFields, Shown: storage.Capture{}}
	var save, later bool
	var look cameraFlags
	var f *pflag.FlagSet
	c := Captures.Act(app, "send CAPTURE", "send a capture to ComfyUI",
		func(ctx context.Context, e *engine.Engine, c storage.Capture, _ []string) error {
			edit := pictures.EditOf(c)
			if c.Status == storage.CaptureCompleted {
				edit.Seed = nil // another picture, not the same one again
			}
			err := fields.Apply(app, &edit)
			if err != nil {
				return err
			}
			if edit.Seed != nil && *edit.Seed == pictures.RandomSeed {
				edit.Seed = nil
			}
			if edit.Camera, err = look.override(e, f, c.Camera); err != nil {
				return err
			}
			edit.ImagePrompt = capture.ChangeCamera(cmp.Or(edit.ImagePrompt, c.Prompt), c.Camera, edit.Camera)
			if edit.Camera != c.Camera && !f.Changed("prompt") {
				app.Note(
					"note: the prompt was written for other camera settings; ghostlight capture redo %s with the same "+
						"flags writes it again",
					c.ID,
				)
			}
			if save {
				if err := e.Pictures.SaveCapture(c.ID, edit); err != nil {
					return err
				}
				return printCapture(app, e, c.ID)
			}
			return send(ctx, app, e, c.ID, edit, later)
		},
	)
	f = c.Flags()
	c.Long = "Send a capture to ComfyUI and wait for the picture. A capture that already has a picture is generated " +
		"again as a new one. " + cameraHelp
	fields.Add(c)
	look.add(f)
	f.BoolVar(&save, "save", false, "only save the changes")
	f.BoolVar(&later, "later", false, "only queue it")
	return c
}

// send sends a capture, waits for its picture unless later is set, and prints the result.
func send(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	id storage.CaptureID,
	edit pictures.CaptureEdit,
	later bool,
) error {
	unused := e.Pictures.UnusedValues(id, edit)
	app.Notes(unused)
	begin := func() (storage.Capture, error) { return e.Pictures.SendCapture(id, edit) }
	if later {
		c, err := begin()
		if err != nil {
			return err
		}
		return printSent(app, c)
	}
	c, err := awaitCapture(ctx, app, e, begin)
	if err != nil {
		return err
	}
	c.Warnings = slices.DeleteFunc(slices.Clone(c.Warnings), func(w string) bool {
		return slices.Contains(unused, w) // printed above
	})
	return printSent(app, c)
}

// printSent prints the result of sending a capture.
func printSent(app *cli.App, c storage.Capture) error {
	app.Notes(c.Warnings)
	doc := shownCapture(app, c)
	failed := c.Status != storage.CaptureCompleted && !isWorking(c)
	if failed {
		doc.Error = cmp.Or(doc.Error, "no picture was generated: it was cancelled")
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
	return app.Print(shownCapture(app, c), func(p *cli.Page) {
		p.Linef("%s  %s  %s", c.ID, c.Kind, c.Status)
		for _, f := range [][2]string{
			{"request", c.Requested}, {"prompt", cmp.Or(c.ImagePrompt, c.Prompt)}, {"without", c.NegativePrompt},
			{"why", c.Reasoning}, {"camera", capture.DescribeCamera(c.Camera)}, {"focus", strings.Join(c.Focus, ", ")},
			{"batch", string(c.Batch)}, {"source", string(c.From)}, {"workflow", c.Workflow},
			{"picture", app.DataPath(c.ImagePath)}, {"failed", c.Error},
		} {
			if f[1] != "" {
				p.Linef("\n%s\n%s", f[0], f[1])
			}
		}
	})
}

func listCommand(app *cli.App) *cobra.Command {
	return app.Command(
		"list [CHAT]",
		"list captures, the newest first",
		func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Pictures.Captures(chat)
			if err != nil {
				return err
			}
			return printCaptures(app, list)
		},
	)
}

func redoCommand(app *cli.App) *cobra.Command {
	var look cameraFlags
	var f *pflag.FlagSet
	c := Captures.Act(app, "redo CAPTURE", "write a new prompt",
		func(ctx context.Context, e *engine.Engine, shot storage.Capture, _ []string) error {
			camera, err := look.override(e, f, shot.Camera)
			if err != nil {
				return err
			}
			return runPrompt(
				ctx,
				app,
				e,
				func() (storage.Capture, error) { return shot, e.Pictures.RedoForCamera(shot.ID, camera) },
			)
		},
	)
	f = c.Flags()
	c.Long = "Write a new prompt, optionally for another camera. " + cameraHelp
	look.add(f)
	return c
}

// changeCommand returns a command that changes a capture and prints it.
func changeCommand(
	app *cli.App,
	use, short string,
	do func(e *engine.Engine, id storage.CaptureID) error,
) *cobra.Command {
	return Captures.Act(
		app,
		use,
		short,
		func(_ context.Context, e *engine.Engine, c storage.Capture, _ []string) error {
			if err := app.Noted(e, func() error { return do(e, c.ID) }); err != nil {
				return err
			}
			return printCapture(app, e, c.ID)
		},
	)
}

func deleteCommand(app *cli.App) *cobra.Command {
	return Captures.Act(app, "delete CAPTURE", "delete a capture and its picture",
		func(_ context.Context, e *engine.Engine, c storage.Capture, _ []string) error {
			if err := app.Noted(e, func() error { return e.Pictures.DeleteCapture(c.ID) }); err != nil {
				return err
			}
			return app.PrintDeleted(string(c.ID), c.Kind)
		},
	)
}
