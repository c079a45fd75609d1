package library

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// referenceDoc is a reference image of a character.
type referenceDoc struct {
	Number  int               `json:"number"` // from 1
	Avatar  bool              `json:"avatar"`
	File    string            `json:"file"`    // "" for the avatar
	Capture storage.CaptureID `json:"capture"` // that it was made from
}

// characterReferenceCommand is ghostlight character reference.
func characterReferenceCommand(app *cli.App) *cobra.Command {
	var file, from string
	var avatar, first bool
	var remove int
	c := &cobra.Command{Use: "reference CHARACTER", Short: "list, add or remove a character's reference images",
		Long: "List, add or remove a character's reference images. They are sent to workflows that support them; the first is the main one. " +
			"A copy without metadata is stored."}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		who, err := e.Library.FindCharacter(args[0])
		if err != nil {
			return err
		}
		asked := 0
		for _, set := range []bool{file != "", from != "", avatar, remove != 0} {
			if set {
				asked++
			}
		}
		if asked > 1 {
			return cli.UsageError("one of --file, --capture, --avatar and --remove")
		}
		add := pictures.FaceFrom{File: app.Path(file), Avatar: avatar}
		if from != "" {
			c, err := e.Pictures.FindCapture(from)
			if err != nil {
				return err
			}
			add.Capture = c.ID
		}
		switch {
		case remove != 0:
			who, err = e.Pictures.Faces.Remove(who.ID, remove)
		case asked > 0:
			who, err = e.Pictures.Faces.Add(who.ID, add, first)
		}
		if err != nil {
			return err
		}
		doc := []referenceDoc{}
		for i, r := range who.Imagery.References {
			doc = append(doc, referenceDoc{i + 1, r.Avatar, r.File, r.Capture})
		}
		return app.Print(doc, func(p *cli.Page) {
			rows := [][]string{}
			for _, r := range doc {
				what := "a file"
				switch {
				case r.Avatar:
					what = "the avatar"
				case r.Capture != "":
					what = "the picture " + string(r.Capture)
				}
				rows = append(rows, []string{fmt.Sprint(r.Number), what, r.File})
			}
			p.Table(rows)
		})
	})
	f := c.Flags()
	f.StringVar(&file, "file", "", "add the picture `FILE`: a PNG, JPEG or WebP")
	f.StringVar(&from, "capture", "", "add the picture of the capture `ID`")
	f.BoolVar(&avatar, "avatar", false, "add the current avatar")
	f.BoolVar(&first, "first", false, "as the main one")
	f.IntVar(&remove, "remove", 0, "remove image `N`")
	return c
}
