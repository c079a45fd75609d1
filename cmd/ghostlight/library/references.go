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

// referenceDoc is a reference image of a character with its number, from 1.
type referenceDoc struct {
	Number int `json:"number"`
	storage.Reference
}

// characterReferenceCommand is ghostlight character reference.
func characterReferenceCommand(app *cli.App) *cobra.Command {
	var file, from string
	var avatar, first bool
	var remove int
	c := Characters.Act(app, "reference CHARACTER", "list, add or remove a character's reference images",
		func(_ context.Context, e *engine.Engine, who storage.Character, _ []string) (err error) {
			switch {
			case remove != 0:
				who, err = e.Pictures.References.Remove(who.ID, remove)
			case file != "" || from != "" || avatar:
				add := pictures.ReferenceSource{File: app.Path(file), Avatar: avatar}
				if from != "" {
					c, err := e.Pictures.FindCapture(from)
					if err != nil {
						return err
					}
					add.Capture = c.ID
				}
				who, err = e.Pictures.References.Add(who.ID, add, first)
			}
			if err != nil {
				return err
			}
			return printReferences(app, who.Imagery.References)
		})
	c.Long = "List, add or remove a character's reference images. They are sent to workflows that support them; " +
		"the first is the main one. A copy without metadata is stored."
	f := c.Flags()
	f.StringVar(&file, "file", "", "add the picture `FILE`: a PNG, JPEG or WebP")
	f.StringVar(&from, "capture", "", "add the picture of the capture `CAPTURE`")
	f.BoolVar(&avatar, "avatar", false, "add the current avatar")
	f.BoolVar(&first, "first", false, "make it the main image")
	f.IntVar(&remove, "remove", 0, "remove image `N`")
	c.MarkFlagsMutuallyExclusive("file", "capture", "avatar", "remove")
	return c
}

func printReferences(app *cli.App, list []storage.Reference) error {
	docs := []referenceDoc{}
	for i, r := range list {
		docs = append(docs, referenceDoc{i + 1, r})
	}
	return cli.PrintViews(app, docs, func(r referenceDoc) []string {
		what := "a file"
		switch {
		case r.Avatar:
			what = "the avatar"
		case r.Capture != "":
			what = "the picture " + string(r.Capture)
		}
		return []string{fmt.Sprint(r.Number), what, r.File}
	})
}
