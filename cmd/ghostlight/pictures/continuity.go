package pictures

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func continuityCommand(app *cli.App) *cobra.Command {
	return cli.Group(
		"continuity",
		"the continuity sheet: looks, clothes, places and props",
		continuityListCommand(
			app,
		),
		continuitySetCommand(app),
		muteFactCommand(app, true),
		muteFactCommand(app, false),
		continuityDeleteCommand(app),
	)
}

// printFact prints a line of a sheet.
func printFact(app *cli.App, f storage.Fact) error {
	return app.Print(f, func(p *cli.Page) { p.Table([][]string{factRow(f)}) })
}

func factRow(f storage.Fact) []string {
	state := string(f.Source)
	switch {
	case f.Muted:
		state += ", muted"
	case f.Ended != "":
		state += ", ended"
	}
	return []string{string(f.ID), string(f.Kind), cli.Clip(f.Who, 24), cli.Clip(f.Text, cli.ColumnWidth), state}
}

func continuityListCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "list CHAT", "list the lines of the continuity sheet",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Continuity.Facts(c.ID)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, factRow)
		})
}

// findFact finds a line of a sheet by its id, or by how that begins.
func findFact(e *engine.Engine, chat storage.ChatID, ref string) (storage.Fact, error) {
	list, err := e.Pictures.Continuity.Facts(chat)
	if err != nil {
		return storage.Fact{}, err
	}
	return cli.ByID(list, func(f storage.Fact) storage.FactID { return f.ID }, ref, "lines of the sheet",
		fmt.Errorf("%w: the continuity sheet has no line %q; ghostlight capture continuity list prints the ids",
			storage.ErrNotFound, ref))
}

// CompleteFact lists the lines of the sheet of the chat before.
func CompleteFact(e *engine.Engine, before []string) (words []string) {
	if len(before) == 0 {
		return nil
	}
	c, err := e.Chats.Find(before[0])
	if err != nil {
		return nil
	}
	list, err := e.Pictures.Continuity.Facts(c.ID)
	if err != nil {
		return nil
	}
	for _, f := range list {
		words = append(words, cli.Suggestion(string(f.ID), f.Text))
	}
	return words
}

func continuitySetCommand(app *cli.App) *cobra.Command {
	var who, id string
	var c *cobra.Command
	c = cli.Chats.Act(app, "set CHAT appearance|clothes|place|light|props TEXT", "add or replace a line of the sheet",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			f := storage.Fact{Kind: storage.FactKind(args[0]), Text: args[1], Who: who}
			if id != "" {
				old, err := findFact(e, chat.ID, id)
				if err != nil {
					return err
				}
				f.ID, f.Muted = old.ID, old.Muted
				if !c.Flags().Changed("who") {
					f.Who = old.Who
				}
			}
			f, err := e.Pictures.Continuity.Put(chat.ID, f)
			if err != nil {
				return err
			}
			return printFact(app, f)
		})
	c.Long = "Add or replace a line of the sheet. The text of your lines is never changed automatically; a line " +
		"ends when the story changes it."
	c.Flags().StringVar(&who, "who", "", "about `NAME` (default: everyone)")
	c.Flags().StringVar(&id, "id", "", "replace the line `FACT`")
	return c
}

// onFact is a command about a line of a sheet.
func onFact(
	app *cli.App,
	use, short string,
	do func(e *engine.Engine, chat storage.ChatID, f storage.Fact) error,
) *cobra.Command {
	return cli.Chats.Act(
		app,
		use,
		short,
		func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			f, err := findFact(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			return do(e, chat.ID, f)
		},
	)
}

// muteFactCommand is the command that keeps a line from prompts, or takes that back.
func muteFactCommand(app *cli.App, mute bool) *cobra.Command {
	use, short := "mute CHAT FACT", "leave a line of the sheet out of prompts"
	if !mute {
		use, short = "unmute CHAT FACT", "use a line of the sheet in prompts again, also one that has ended"
	}
	return onFact(app, use, short, func(e *engine.Engine, chat storage.ChatID, f storage.Fact) (err error) {
		f.Muted = mute
		if f, err = e.Pictures.Continuity.Put(chat, f); err != nil {
			return err
		}
		return printFact(app, f)
	})
}

func continuityDeleteCommand(app *cli.App) *cobra.Command {
	return onFact(
		app,
		"delete CHAT FACT",
		"remove a line from the sheet",
		func(e *engine.Engine, chat storage.ChatID, f storage.Fact) error {
			if err := e.Pictures.Continuity.Delete(chat, f.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(f.ID), f.Text)
		},
	)
}

func editsCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "edits CHAT", "list your prompt edits, oldest first",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Taste.CaptureEdits(c.ID)
			if err != nil {
				return err
			}
			return app.Print(list, func(p *cli.Page) {
				for _, x := range list {
					p.Linef("%s  %s", x.About, x.At.Format(time.DateTime))
					for _, ch := range x.Changes {
						p.Linef("  %s: -%s +%s", ch.Field, cli.Quote(ch.Removed), cli.Quote(ch.Added))
					}
				}
			})
		})
}
