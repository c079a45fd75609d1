package library

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func characterExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var format string
	c := &cobra.Command{Use: "export CHARACTER", Short: "export a character as a card: JSON, PNG or CHARX",
		Long: "Export a character as a card. The file extension sets the format: .png is a picture with the card embedded, .json is text, .charx is an archive with " +
			"all assets of the card. --format v2 writes JSON for programs that only support V2 cards."}
	c.RunE = withCharacter(app, func(e *engine.Engine, c storage.Character) error {
		named := f.Output
		if named == "-" {
			named = "card.json"
		}
		how, err := library.CardFormatOf(named, format)
		if err != nil {
			return cli.UsageError(failure.Words(err))
		}
		data, remarks, err := e.Library.ExportCard(c.ID, how.Name)
		if err != nil {
			return err
		}
		app.Notes(remarks)
		return app.WriteFile(f, string(c.ID)+how.Ending, how.Name, data)
	})
	f.Add(c)
	c.Flags().StringVar(&format, "format", "", "write `KIND`: json (V3), v2 (JSON too), png or charx (default: by file extension, else png)")
	return c
}

// assetDoc is a file of a character's card.
type assetDoc struct {
	Number int    `json:"number"` // from 1
	Type   string `json:"type"`   // icon, emotion, background ...; "" where the card does not name it
	Name   string `json:"name"`
	Ending string `json:"ext"`
	URI    string `json:"uri"`   // as the card has it, the head of a data URL; "" where it does not name it
	Path   string `json:"path"`  // in the file that it came in; "" where it is none
	Place  string `json:"place"` // kept, inline, picture, default, address or missing
	Bytes  int    `json:"bytes"`
}

func newAssetDoc(a library.Asset) assetDoc {
	return assetDoc{a.Number, a.Type, a.Name, a.Ext, a.URI, a.Path, string(a.Place), a.Bytes}
}

// placeWords say where the file behind an asset is.
var placeWords = map[ecosystem.Place]string{
	ecosystem.AssetKept: "kept", ecosystem.AssetInline: "embedded in the card", ecosystem.AssetPicture: "the avatar",
	ecosystem.AssetDefault: "default of the program", ecosystem.AssetAddress: "external, never downloaded", ecosystem.AssetMissing: "missing from the file",
}

func characterAssetsCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var number int
	c := &cobra.Command{Use: "assets CHARACTER", Short: "list the assets of a card: emotions, backgrounds, other files",
		Long: "List the assets of a card, listed or not: emotion pictures, backgrounds, sounds. --number N exports one of them " +
			"unchanged. External assets are listed but never downloaded."}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		who, err := e.Library.FindCharacter(args[0])
		if err != nil {
			return err
		}
		if c.Flags().Changed("number") {
			a, data, err := e.Library.AssetData(who.ID, number)
			if err != nil {
				return err
			}
			ending := ecosystem.PictureEnding(data)
			return app.WriteFile(f, fmt.Sprintf("%s-asset-%d%s", who.ID, a.Number, ending), ending[1:], data)
		}
		if f.Output != "" {
			return cli.UsageError("--output needs --number N")
		}
		list, err := e.Library.Assets(who.ID)
		if err != nil {
			return err
		}
		return cli.PrintList(app, list, newAssetDoc, func(a library.Asset) []string {
			size := ""
			if a.HasFile() {
				size = cli.ByteSize(int64(a.Bytes))
			}
			return []string{fmt.Sprint(a.Number), cli.Clip(a.Type, cli.ColumnWidth), cli.Clip(a.Title(), cli.ColumnWidth), size, placeWords[a.Place]}
		})
	})
	f.Add(c)
	c.Flags().IntVar(&number, "number", 0, "export asset `N` instead")
	return c
}
