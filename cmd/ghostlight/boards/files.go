package boards

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// BatchWriter starts a batch of captures and prints it. It prints once the prompts are written, or
// immediately if later is set.
type BatchWriter func(
	ctx context.Context, app *cli.App, e *engine.Engine, later bool, ask func() (pictures.BatchView, error),
) error

func sketchCommand(app *cli.App, write BatchWriter) *cobra.Command {
	var r boards.SketchRequest
	var shots []string
	var video, later bool
	c := boardCommand(
		app,
		"sketch CHAT SCENE",
		"sketch the shots of a confirmed storyboard, as one batch",
		func(ctx context.Context, b boardRef, _ []string) error {
			if shots != nil && len(shots) == 0 { // --shot ''
				return cli.UsageError("--shot needs the id of a shot; ghostlight storyboard show prints them")
			}
			r.Kind, r.Shots = string(capture.Image), nil
			if video {
				r.Kind = string(capture.Video)
			}
			for _, id := range shots {
				r.Shots = append(r.Shots, storage.ShotID(id))
			}
			return write(
				ctx,
				app,
				b.e,
				later,
				func() (pictures.BatchView, error) { return b.e.Boards.Sketch(b.chat, b.scene.Break, r) },
			)
		},
	)
	c.Long = "Create a capture of each shot of a confirmed storyboard, with the shot's camera. Shots with an " +
		"up-to-date sketch are skipped. " +
		"Without --send nothing is generated until ghostlight capture batch send. The pictures are in the gallery, " +
		"not in the chat. " + boardHelp
	f := c.Flags()
	f.StringSliceVar(&shots, "shot", nil, "only the shot `SHOT`; repeatable")
	f.BoolVar(&r.Again, "again", false, "also sketch shots whose sketch is up to date")
	f.BoolVar(&r.Send, "send", false, "send each to ComfyUI as soon as its prompt is ready")
	f.BoolVar(&r.Plain, "plain", false, "write the prompts without a model")
	f.BoolVar(&r.OneSeed, "one-seed", false, "use the same seed for all sketches")
	f.BoolVar(&video, "video", false, "write prompts for videos")
	f.BoolVar(&later, "later", false, "only queue it; ghostlight queue run continues it")
	return c
}

func exportCommand(app *cli.App) *cobra.Command {
	var force bool
	c := boardCommand(
		app,
		"export CHAT SCENE FILE",
		"export a storyboard: .png, .html, .md or .json",
		func(_ context.Context, b boardRef, args []string) error {
			path, err := b.e.Boards.Export(b.chat, b.scene.Break, app.Path(args[0]), force)
			if err != nil {
				return cli.SuggestForce(err)
			}
			return app.PrintExport(path, map[string]any{"scene": b.scene.Number})
		},
	)
	c.Long = "Export a storyboard: a contact sheet of its sketches (.png), a page with them (.html), " +
		"Markdown (.md), or JSON (.json), which ghostlight storyboard import reads. " + boardHelp
	c.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return c
}

func animaticCommand(app *cli.App) *cobra.Command {
	var r boards.AnimaticRequest
	c := boardCommand(
		app,
		"animatic CHAT SCENE --out FILE",
		"export a storyboard as a film: a .gif, or with ffmpeg an .mp4",
		func(ctx context.Context, b boardRef, _ []string) error {
			if strings.TrimSpace(r.Path) == "" {
				return cli.UsageError("--out FILE is missing, such as --out scene.gif")
			}
			r.Path = app.Path(r.Path)
			a, err := b.e.Boards.Animatic(ctx, b.chat, b.scene.Break, r)
			if err != nil {
				return cli.SuggestForce(err)
			}
			app.WarnUnencrypted()
			return app.Print(a, func(p *cli.Page) {
				for _, path := range append([]string{a.Path}, a.Subtitles...) {
					p.Line(path)
				}
				p.Linef(
					"%s, %s, %d × %d",
					cli.Plural(a.Shots, "shot", "shots"),
					secondsText(a.Seconds),
					a.Width,
					a.Height,
				)
				if a.Cards > 0 {
					p.Linef("%s without a picture: a text card is shown "+
						"instead", cli.Plural(a.Cards, "shot", "shots"))
				}
				if a.MissingGlyphs > 0 {
					p.Linef(
						"some characters in the text of %s cannot be drawn; they are only in the subtitles",
						cli.Plural(a.MissingGlyphs, "shot", "shots"),
					)
				}
			})
		},
	)
	c.Long = "Export the shots of a storyboard as a film. Each shot is shown for its duration, 3 seconds by " +
		"default. Dialogue is drawn into the pictures and saved as .srt and .vtt. " +
		"A shot without a picture is shown as a text card. GIF needs no other program; " +
		".mp4 needs ffmpeg on your PATH. " + boardHelp
	f := c.Flags()
	f.StringVar(&r.Path, "out", "", "the `FILE` to write")
	f.StringVar(&r.Format, "format", "", "write a `gif|mp4` file (default: by file extension)")
	f.IntVar(&r.Side, "side", 0, "length of the longer side in `PIXELS` (default 768)")
	f.BoolVar(&r.Overwrite, "force", false, "replace files that exist")
	return c
}

func importCommand(app *cli.App) *cobra.Command {
	c := boardCommand(
		app,
		"import CHAT SCENE FILE",
		"replace a scene's storyboard with one from JSON (- reads standard input)",
		func(_ context.Context, b boardRef, args []string) error {
			var v boards.View
			err := app.ReadInput(args[0], "storyboard.json", boards.MaxBoardFile, func(path string) error {
				data, err := cli.ReadFile(path, boards.MaxBoardFile)
				if err == nil {
					v, err = b.e.Boards.Import(b.chat, b.scene.Break, data)
				}
				return err
			})
			if err != nil {
				return err
			}
			return printBoard(app, v)
		},
	)
	c.Long = "Read a storyboard from JSON, as ghostlight storyboard export writes it, and replace the scene's with " +
		"it. ghostlight storyboard undo restores the old one. " + boardHelp
	return c
}
