package pictures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/process"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func galleryCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "gallery CHAT", "list the captures of a chat by scene, in story order",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Gallery.Scenes(c.ID)
			if err != nil {
				return err
			}
			for _, s := range list {
				for i := range s.Captures {
					s.Captures[i].Capture = shownCapture(app, s.Captures[i].Capture)
				}
			}
			return app.Print(list, func(p *cli.Page) { writeGallery(p, list) })
		},
	)
}

func writeGallery(p *cli.Page, list []pictures.GalleryScene) {
	for i, s := range list {
		if i > 0 {
			p.Line("")
		}
		switch {
		case s.Number == 0:
			p.Line("from other branches")
		default:
			p.Line(strings.TrimSpace(fmt.Sprintf("scene %d  %s", s.Number, cli.OneLine(s.Name))))
		}
		rows := [][]string{}
		for _, c := range s.Captures {
			var marks []string
			if c.Variants > 1 {
				marks = append(marks, fmt.Sprintf("variant %d of %d", c.Variant, c.Variants))
			}
			if c.Avatar {
				marks = append(marks, "avatar")
			}
			rows = append(
				rows,
				[]string{
					"  " + string(c.ID),
					c.Kind,
					string(c.Status),
					cli.Clip(cmp.Or(c.ImagePrompt, c.Prompt, c.Requested), cli.ColumnWidth),
					strings.Join(marks, ", "),
				},
			)
		}
		p.Table(rows)
	}
}

func exportCommand(app *cli.App) *cobra.Command {
	var o pictures.ExportOptions
	var chat string
	c := &cobra.Command{
		Use:   "export CAPTURE [FILE]",
		Short: "export a capture's picture to a file, without ComfyUI metadata",
		Args:  cli.Args(0, 2),
		Long: "Export a capture's picture: as FILE, into the folder FILE, or into the current folder; to standard " +
			"output for -. With --chat, export all pictures of a chat into a folder.\n\n" +
			"ComfyUI stores the workflow and the prompt in its pictures. This metadata is removed unless " +
			"--keep-graph is given.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			if chat != "" {
				if len(args) > 1 {
					return cli.UsageError("with --chat, give only a folder")
				}
				return exportAll(app, e, chat, app.Path(cmp.Or(append(args, ".")...)), o)
			}
			if len(args) == 0 {
				return cli.UsageError("give a capture, or a chat with --chat")
			}
			c, err := e.Pictures.FindCapture(args[0])
			if err != nil {
				return err
			}
			if len(args) > 1 && args[1] == "-" {
				return writePictureToStdout(app, e, c, o)
			}
			path, err := e.Pictures.Gallery.Export(c.ID, app.Path(cmp.Or(append(args[1:], ".")...)), o)
			if err != nil {
				return cli.SuggestForce(err)
			}
			return app.PrintExport(path, map[string]any{"id": c.ID})
		}),
	}
	c.Flags().StringVar(&chat, "chat", "", "export all pictures of `CHAT`")
	c.Flags().BoolVar(&o.KeepMetadata, "keep-graph", false, "keep ComfyUI's metadata in the file")
	c.Flags().BoolVar(&o.Overwrite, "force", false, "replace files that exist")
	return c
}

// writePictureToStdout writes a capture's picture to standard output, as it would be
// exported.
func writePictureToStdout(app *cli.App, e *engine.Engine, c storage.Capture, o pictures.ExportOptions) error {
	switch {
	case app.JSON:
		return cli.UsageError("- and --json cannot be combined: both write to standard output")
	case cli.IsTerminal(app.Out):
		return cli.UsageError("a terminal cannot show a picture: give a file name")
	}
	dir, err := os.MkdirTemp("", "ghostlight-")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := e.Pictures.Gallery.Export(c.ID, dir, o)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	app.WarnUnencrypted()
	return app.Write(data)
}

type exportedDoc struct {
	pictures.ExportedCapture
	Error string `json:"error,omitempty"`
}

func exportAll(app *cli.App, e *engine.Engine, ref, dir string, o pictures.ExportOptions) error {
	chat, err := e.Chats.Find(ref)
	if err != nil {
		return err
	}
	list, err := e.Pictures.Gallery.ExportAll(chat.ID, dir, o)
	if err != nil {
		return err
	}
	doc := []exportedDoc{}
	failed := 0
	for _, x := range list {
		item := exportedDoc{ExportedCapture: x}
		if x.Err != nil {
			failed++
			item.Error = failure.Text(cli.SuggestForce(x.Err))
		}
		doc = append(doc, item)
	}
	app.WarnUnencrypted()
	err = app.Print(doc, func(p *cli.Page) {
		for _, x := range doc {
			if x.Error == "" {
				p.Line(x.Path)
			}
		}
	})
	if err != nil || failed == 0 {
		return err
	}
	if !app.JSON {
		for _, x := range doc {
			if x.Error != "" {
				app.Note("%s: %s", x.Capture, x.Error)
			}
		}
	}
	return fmt.Errorf("%d of %d pictures were not exported", failed, len(doc))
}

func sheetCommand(app *cli.App) *cobra.Command {
	var force bool
	c := cli.Chats.Act(app, "sheet CHAT FILE",
		"write a contact sheet of a chat: a .png, or an .html with the story",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			path, err := e.Pictures.Gallery.ContactSheet(c.ID, app.Path(args[0]), force)
			if err != nil {
				return cli.SuggestForce(err)
			}
			return app.PrintExport(path, nil)
		})
	c.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return c
}

func openCommand(app *cli.App) *cobra.Command {
	return Captures.Act(app, "open CAPTURE", "open a capture's picture in the system's viewer",
		func(_ context.Context, e *engine.Engine, c storage.Capture, _ []string) error {
			if e.Pictures.Gallery.Path(c) == "" {
				return errors.New("this capture has no picture yet")
			}
			path, plain, err := e.Pictures.Gallery.ViewablePath(c)
			if err != nil {
				return err
			}
			if plain {
				app.Note("the viewer opens a copy that is not encrypted")
			}
			if err := process.Open(path); err != nil {
				return fmt.Errorf("the viewer could not be started: %w; the picture is %s", err, path)
			}
			return app.PrintFile(path, map[string]any{"id": c.ID})
		},
	)
}
