package library

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func characterExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var format string
	c := Characters.Act(app, "export CHARACTER", "export a character as a card: JSON, PNG or CHARX",
		func(_ context.Context, e *engine.Engine, c storage.Character, _ []string) error {
			named := f.Output
			if named == "-" {
				named = "card.json"
			}
			how, err := library.CardFormatOf(named, format)
			if err != nil {
				return cli.UsageError(failure.Text(err))
			}
			data, remarks, err := e.Library.ExportCard(c.ID, how.Name)
			if err != nil {
				return err
			}
			app.Notes(remarks)
			return app.WriteFile(f, string(c.ID)+how.Ending, how.Name, data)
		})
	c.Long = "Export a character as a card. The file extension sets the format: .png is a picture with the card " +
		"embedded, .json is text, .charx is an archive with all assets of the card. --format v2 writes JSON for " +
		"programs that only support V2 cards."
	f.Add(c)
	c.Flags().StringVar(&format, "format", "",
		"write `KIND`: json (V3), v2 (JSON too), png or charx (default: by file extension, else png)")
	return c
}

// placeWords describe the places of an asset's content.
var placeWords = map[formats.AssetPlace]string{
	formats.AssetKept:    "kept",
	formats.AssetInline:  "embedded in the card",
	formats.AssetPicture: "the avatar",
	formats.AssetDefault: "program default",
	formats.AssetAddress: "external, never downloaded",
	formats.AssetMissing: "missing from the file",
}

func characterAssetsCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var number int
	c := Characters.Act(app, "assets CHARACTER", "list the assets of a card: emotions, backgrounds, other files",
		func(_ context.Context, e *engine.Engine, who storage.Character, _ []string) error {
			if number != 0 {
				return writeAsset(app, e, who, number, f)
			}
			if f.Output != "" {
				return cli.UsageError("--output needs --number N")
			}
			list, err := e.Library.Assets(who.ID)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, func(a library.Asset) []string {
				size := ""
				if a.HasFile() {
					size = cli.ByteSize(int64(a.Bytes))
				}
				kind, title := cli.Clip(a.Type, cli.ColumnWidth), cli.Clip(a.Title(), cli.ColumnWidth)
				return []string{fmt.Sprint(a.Number), kind, title, size, placeWords[a.Place]}
			})
		})
	c.Long = "List the assets of a card file, also those that the card does not list: emotion pictures, backgrounds, " +
		"sounds. --number N exports one of them unchanged. External assets are listed but never downloaded."
	f.Add(c)
	c.Flags().IntVar(&number, "number", 0, "export the asset with the number `N`")
	return c
}

// writeAsset writes a file of a character's card.
func writeAsset(app *cli.App, e *engine.Engine, who storage.Character, number int, f cli.FileFlags) error {
	a, data, err := e.Library.AssetData(who.ID, number)
	if err != nil {
		return err
	}
	ending := formats.PictureEnding(data)
	return app.WriteFile(f, fmt.Sprintf("%s-asset-%d%s", who.ID, a.Number, ending), ending[1:], data)
}
