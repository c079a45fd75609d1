package taste

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// cardHelp explains how a card is named.
const cardHelp = "CARD is a card's id, or the start or end of one, as printed by taste show."

// writeCard writes a preference card.
func writeCard(p *cli.Page, c lessons.Card) {
	p.Linef("\n%s  %s  %s", cli.ShortID(c.ID), c.Confidence, cardState(c))
	p.Line("  " + cli.OneLine(c.Preference))
	writeConditions(p, c.AppliesTo, c.AvoidApplyingTo, c.Evidence)
}

// cardState describes the state of a card.
func cardState(c lessons.Card) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{c.Deleted, "deleted"}, {c.Muted, "muted"},
		{c.BeyondLimit, fmt.Sprintf("not used: %d other cards are", lessons.MaxCards)}, {c.Own, "edited by you"},
		{c.For != "" && c.For != lessons.ForShots, "for " + c.For}} {
		if f.is {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

// findCard finds a card of a story.
func findCard(e *engine.Engine, s cli.Story, ref string) (lessons.Card, error) {
	c, err := e.Taste.FindCard(s.Scope, ref)
	if errors.Is(err, storage.ErrNotFound) {
		err = fmt.Errorf("%w; ghostlight taste show lists the cards", err)
	}
	return c, err
}

// printCard prints the current card.
func printCard(app *cli.App, e *engine.Engine, s cli.Story, id storage.CardID) error {
	c, err := findCard(e, s, string(id))
	if err != nil {
		return err
	}
	return app.Print(newCardDoc(c), func(p *cli.Page) { writeCard(p, c) })
}

// saveCard stores a card and prints it.
func saveCard(app *cli.App, e *engine.Engine, s cli.Story, c storage.PreferenceCard) error {
	c, err := e.Taste.SaveCard(s.Scope, c)
	if err != nil {
		return err
	}
	return printCard(app, e, s, c.ID)
}

func cardAddCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.PreferenceCard]{Record: taste.CardFields.Without("preference"), Shown: cardDoc{}}
	c := app.StoryCommand("add TEXT", "add a card",
		"Add your own preference card; every new version of the profile keeps it. A TEXT of - is read from standard "+
			"input.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			own := taste.CardFields.Default()
			own.Preference = text
			if err := fields.Apply(app, &own); err != nil {
				return err
			}
			return saveCard(app, e, s, own)
		})
	fields.Add(c)
	return c
}

func cardEditCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.PreferenceCard]{Record: &taste.CardFields, Shown: cardDoc{}}
	c := app.StoryCommand("edit CARD", "change a card",
		"Change a card; every new version of the profile keeps your edits, and card restore resets it. "+cardHelp, 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			old, err := findCard(e, s, args[0])
			if err != nil {
				return err
			}
			now := old.PreferenceCard
			if err := fields.Change(app, &now); err != nil {
				return err
			}
			return saveCard(app, e, s, now)
		})
	fields.Add(c)
	return c
}

// cardActionCommand returns a command that applies an action to cards.
func cardActionCommand(app *cli.App, name string, do taste.Action, short string) *cobra.Command {
	return cli.StoryActionCommand(app, name, "CARD", short, cardHelp,
		func(e *engine.Engine, s cli.Story, ref string) (storage.CardID, error) {
			c, err := findCard(e, s, ref)
			return c.ID, err
		},
		func(e *engine.Engine, s cli.Story, ids []storage.CardID) (int, error) {
			return e.Taste.ApplyAction(s.Scope, ids, do)
		})
}
