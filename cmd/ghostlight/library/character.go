// Package library has the commands for characters and personas, and for import and export.
package library

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Characters are the characters as arguments of commands.
var Characters = cli.Noun[storage.Character]{
	Find:   func(e *engine.Engine, ref string) (storage.Character, error) { return e.Library.FindCharacter(ref) },
	List:   func(e *engine.Engine) ([]storage.Character, error) { return e.Library.Characters() },
	Called: func(c storage.Character) (id, name string) { return string(c.ID), c.Card.Name },
	Delete: func(e *engine.Engine, c storage.Character) error { return e.Library.DeleteCharacter(c.ID) },
	Brief:  func(c storage.Character) any { return newCharacterLine(c) },
	Row: func(c storage.Character) []string {
		tags := strings.Join(c.Card.Tags, ", ")
		return []string{
			string(c.ID), cli.Clip(c.Card.Name, cli.ColumnWidth), string(c.Immersion), cli.Clip(tags, cli.ColumnWidth),
		}
	},
	Page: func(p *cli.Page, c storage.Character) {
		p.Linef("%s  %s", c.ID, cli.OneLine(c.Card.Name))
		cli.Table(p, library.CharacterFields.Without("name"), &c)
	},
}

// characterLine is a character in a list, without its card.
type characterLine struct {
	ID        storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Immersion storage.Immersion   `json:"immersion"`
	Tags      []string            `json:"tags"`
	HasAvatar bool                `json:"has_avatar"`
	CreatedAt time.Time           `json:"created_at"`
	UpdatedAt time.Time           `json:"updated_at"`
}

func newCharacterLine(c storage.Character) characterLine {
	return characterLine{c.ID, c.Card.Name, c.Immersion, c.Card.Tags, c.HasAvatar, c.CreatedAt, c.UpdatedAt}
}

// CharacterCommand returns ghostlight character.
func CharacterCommand(app *cli.App) *cobra.Command {
	return cli.Group("character", "create, edit, import and export characters",
		characterImportCommand(app),
		characterNewCommand(app),
		Characters.ListCommand(app, "list the characters"),
		Characters.ShowCommand(app, "show CHARACTER", "print a character"),
		characterEditCommand(app),
		characterExportCommand(app),
		Characters.DeleteCommand(app, "delete CHARACTER", "delete a character; its chats are kept"),
		characterReferenceCommand(app),
		characterAssetsCommand(app))
}

// importedCharacter is a character with remarks about its file.
type importedCharacter struct {
	storage.Character
	Format   string   `json:"format"`
	Warnings []string `json:"warnings"`
}

func characterImportCommand(app *cli.App) *cobra.Command {
	c := app.Command("import FILE...", "import cards, or the cards of a folder (- reads standard input)",
		func(_ context.Context, e *engine.Engine, args []string) error {
			return cli.ImportAll(app, args, func(path string) (out cli.ImportResult[importedCharacter], err error) {
				var got library.ImportResult
				err = app.ReadInput(path, "standard input", formats.MaxCardFile, func(path string) (err error) {
					got, err = e.Library.ImportCharacter(path)
					return err
				})
				name := cli.OneLine(got.Character.Card.Name)
				return cli.ImportResult[importedCharacter]{
					Doc:     importedCharacter{got.Character, got.Format, got.Warnings},
					Remarks: got.Warnings,
					Line:    fmt.Sprintf("%s  %s  imported (%s)", got.Character.ID, name, got.Format),
				}, err
			})
		})
	c.Long = "Import character cards: V1 to V3 as PNG, JSON, CHARX, WebP or JPEG, the characters of Agnai, of " +
		"Backyard (PNG, BYAF) and of text-generation-webui (JSON, YAML). " + cli.ImportHelp
	return c
}

func characterNewCommand(app *cli.App) *cobra.Command {
	f := characterFlags{Fields: cli.Fields[storage.Character]{Record: library.CharacterFields.Without("name")}}
	c := app.Command("new NAME", "create a character", func(_ context.Context, e *engine.Engine, args []string) error {
		ch := library.CharacterFields.Default()
		ch.Card.Name = args[0]
		return f.save(app, e, ch, "made")
	})
	f.add(c)
	return c
}

func characterEditCommand(app *cli.App) *cobra.Command {
	f := characterFlags{Fields: cli.Fields[storage.Character]{Record: &library.CharacterFields}}
	c := Characters.Act(app, "edit CHARACTER", "change fields of a character",
		func(_ context.Context, e *engine.Engine, ch storage.Character, _ []string) error {
			if len(f.weights) == 0 && !f.Given() {
				return f.Change(app, &ch) // which says that nothing is to be changed
			}
			return f.save(app, e, ch, "saved")
		})
	f.add(c)
	return c
}

// characterFlags are the flags of commands that write a character.
type characterFlags struct {
	cli.Fields[storage.Character]
	weights []string
}

func (f *characterFlags) add(c *cobra.Command) {
	f.Shown = importedCharacter{}
	f.Add(c)
	c.Long += " Greetings have lines of --- between them."
	c.Flags().StringArrayVar(&f.weights, "weight", nil,
		"personality weight `TRAIT=N`, N from 0 to 100, such as warmth=80; TRAIT= removes it; repeatable")
}

// save applies the flags to a character, stores it and prints it.
func (f *characterFlags) save(app *cli.App, e *engine.Engine, c storage.Character, done string) error {
	flows := e.Pictures.Workflows
	f.Record = f.Record.With("workflow", flows.Choices(string(capture.Image))).
		With("video_workflow", flows.Choices(string(capture.Video)))
	if err := f.Apply(app, &c); err != nil {
		return err
	}
	if len(f.weights) > 0 {
		weights := f.Record.Find("weights")
		items := append([]string{weights.Get(&c)}, f.weights...)
		if err := weights.Set(&c, strings.Join(items, ", ")); err != nil {
			return err
		}
	}
	c, err := e.Library.SaveCharacter(c)
	if err != nil {
		return err
	}
	return Characters.PrintDone(app, c, done)
}
