package pictures

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sheetFactDoc is a line of a continuity sheet, whole: stored, it leaves out what is
// empty.
type sheetFactDoc struct {
	ID        storage.FactID     `json:"id"`
	Kind      storage.FactKind   `json:"kind"`
	Who       string             `json:"who"` // "" for what is about the place
	Text      string             `json:"text"`
	Source    storage.FactSource `json:"source"`
	Capture   storage.CaptureID  `json:"capture"` // that it was seen in
	At        storage.NodeID     `json:"message"` // the newest one at that time
	Muted     bool               `json:"muted"`
	Ended     storage.NodeID     `json:"ended"`      // the message from which it is no longer true
	CreatedAt time.Time          `json:"created_at"` // null for what a card tells
	UpdatedAt time.Time          `json:"updated_at"`
}

func continuityCommand(app *cli.App) *cobra.Command {
	return cli.Group("continuity", "the continuity sheet",
		continuityListCommand(app), continuitySetCommand(app), muteFactCommand(app, true), muteFactCommand(app, false), continuityDeleteCommand(app))
}

// printFact prints a line of a sheet.
func printFact(app *cli.App, f storage.Fact) error {
	return app.Print(sheetFactDoc(f), func(p *cli.Page) { p.Table([][]string{factRow(f)}) })
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
	return &cobra.Command{Use: "list CHAT", Short: "list the continuity sheet",
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Continuity.Facts(c.ID)
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, func(f storage.Fact) sheetFactDoc { return sheetFactDoc(f) }, factRow)
		})}
}

// findFact finds a line of a sheet by its id, or by how that begins.
func findFact(e *engine.Engine, chat storage.ChatID, ref string) (storage.Fact, error) {
	list, err := e.Pictures.Continuity.Facts(chat)
	if err != nil {
		return storage.Fact{}, err
	}
	var hits []storage.Fact
	for _, f := range list {
		if ref != "" && len(ref) <= len(f.ID) && strings.EqualFold(string(f.ID[:len(ref)]), ref) {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 0:
		return storage.Fact{}, fmt.Errorf("%w: the sheet has no line %q; ghostlight capture continuity list prints their ids", storage.ErrNotFound, ref)
	case 1:
		return hits[0], nil
	}
	return storage.Fact{}, fmt.Errorf("%d lines of the sheet have an id that begins with %q: write more of it", len(hits), ref)
}

func continuitySetCommand(app *cli.App) *cobra.Command {
	var who, id string
	c := &cobra.Command{Use: "set CHAT KIND TEXT", Short: "add or replace a line of the sheet",
		Long: "Add or replace a line of the sheet. KIND is appearance, clothes, place, light or props. The text of your lines is never changed automatically; a line ends when the story does away with it."}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
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
	c.Flags().StringVar(&who, "who", "", "about `NAME`; default: everyone")
	c.Flags().StringVar(&id, "id", "", "replace the line `ID`")
	return c
}

// muteFactCommand is the command that keeps a line from prompts, or takes that back.
func muteFactCommand(app *cli.App, mute bool) *cobra.Command {
	c := &cobra.Command{Use: "mute CHAT ID", Short: "leave a line of the sheet out of prompts"}
	if !mute {
		c.Use, c.Short = "unmute CHAT ID", "use a line of the sheet in prompts again, also one that has ended"
	}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		f, err := findFact(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		f.Muted = mute
		if f, err = e.Pictures.Continuity.Put(chat.ID, f); err != nil {
			return err
		}
		return printFact(app, f)
	})
	return c
}

func continuityDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete CHAT ID", Short: "remove a line from the sheet",
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			f, err := findFact(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			if err := e.Pictures.Continuity.Delete(chat.ID, f.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(f.ID), f.Text)
		})}
}

func editsCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "edits CHAT", Short: "list your prompt edits, oldest first",
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
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
		})}
}
