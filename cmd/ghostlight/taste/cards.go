package taste

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// cardHelp says how commands want a card named.
const cardHelp = "CARD is a card's id, or the start or end of one, as printed by taste show."

// writeCard writes a preference card.
func writeCard(p *cli.Page, c lessons.Card) {
	p.Linef("\n%s  %s  %s", cli.ShortID(c.ID), c.Confidence, cardState(c))
	p.Line("  " + cli.OneLine(c.Preference))
	writeConditions(p, c.AppliesTo, c.AvoidApplyingTo, c.Evidence)
}

// cardState says in words what is special about a card.
func cardState(c lessons.Card) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{c.Deleted, "deleted"}, {c.Muted, "muted"}, {c.Over, fmt.Sprintf("off: %d others are used", lessons.MostCards)}, {c.Own, "edited by you"},
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

// printCard prints a card as it is now.
func printCard(app *cli.App, e *engine.Engine, s cli.Story, id storage.CardID) error {
	c, err := findCard(e, s, string(id))
	if err != nil {
		return err
	}
	return app.Print(newCardDoc(c), func(p *cli.Page) { writeCard(p, c) })
}

// cardFlags are what the commands that write a card take.
type cardFlags struct {
	when, avoid, evidence cli.ValueFlag
	confidence, of        string
	flags                 *pflag.FlagSet
}

// confidences are the words for how sure a card is.
var confidences = []string{string(storage.LowConfidence), string(storage.MediumConfidence), string(storage.HighConfidence)}

func (f *cardFlags) add(c *cobra.Command) {
	f.flags = c.Flags()
	f.when.Add(c, "when", "when it applies")
	f.avoid.Add(c, "avoid", "when it does not apply")
	f.evidence.Add(c, "evidence", "evidence, not sent to the model")
	f.flags.StringVar(&f.confidence, "confidence", "", "how sure it is: `LEVEL`, which is "+cli.OrList(confidences))
	f.flags.StringVar(&f.of, "for", "", "what it is `ABOUT`: "+cli.OrList(lessons.Fors()))
}

// apply writes what was said into a card.
func (f *cardFlags) apply(app *cli.App, to *storage.PreferenceCard) error {
	if err := cmp.Or(f.when.Apply(app, &to.AppliesTo), f.avoid.Apply(app, &to.AvoidApplyingTo), f.evidence.Apply(app, &to.Evidence)); err != nil {
		return err
	}
	if f.flags.Changed("confidence") {
		if !slices.Contains(confidences, f.confidence) {
			return cli.UsageError(fmt.Sprintf("--confidence must be %s, not %q", cli.OrList(confidences), f.confidence))
		}
		to.Confidence = storage.Confidence(f.confidence)
	}
	if f.flags.Changed("for") {
		if !slices.Contains(lessons.Fors(), f.of) {
			return cli.UsageError(fmt.Sprintf("--for must be %s, not %q", cli.OrList(lessons.Fors()), f.of))
		}
		to.For = f.of
	}
	return nil
}

func cardAddCommand(app *cli.App) *cobra.Command {
	var set cardFlags
	c := app.StoryCommand("add TEXT", "add a card",
		"Add your own preference card; it is kept in every new profile. A TEXT of - is read from standard input.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return cli.UsageError("TEXT is empty")
			}
			own := storage.PreferenceCard{Preference: text}
			if err := set.apply(app, &own); err != nil {
				return err
			}
			if own, err = e.Taste.SaveCard(s.Scope, own); err != nil {
				return err
			}
			return printCard(app, e, s, own.ID)
		})
	set.add(c)
	return c
}

func cardEditCommand(app *cli.App) *cobra.Command {
	var set cardFlags
	var preference cli.ValueFlag
	c := app.StoryCommand("edit CARD", "change a card",
		"Change a card; your edits are kept in every new profile, and card restore resets it. "+cardHelp, 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			if !cli.AnyChanged(set.flags, "preference", "when", "avoid", "evidence", "confidence", "for") {
				return cli.UsageError("nothing to change; --preference, --when, --avoid, --evidence, --confidence and --for change something")
			}
			old, err := findCard(e, s, args[0])
			if err != nil {
				return err
			}
			now := old.PreferenceCard
			if err := cmp.Or(preference.Apply(app, &now.Preference), set.apply(app, &now)); err != nil {
				return err
			}
			if _, err := e.Taste.SaveCard(s.Scope, now); err != nil {
				return err
			}
			return printCard(app, e, s, now.ID)
		})
	preference.Add(c, "preference", "what you prefer")
	set.add(c)
	return c
}

// cardActionCommand is a command that does something to cards.
func cardActionCommand(app *cli.App, name string, do taste.Action, short string) *cobra.Command {
	return cli.StoryActionCommand(app, name, "CARD", short, cardHelp,
		func(e *engine.Engine, s cli.Story, ref string) (storage.CardID, error) {
			c, err := findCard(e, s, ref)
			return c.ID, err
		},
		func(e *engine.Engine, s cli.Story, ids []storage.CardID) (int, error) {
			return e.Taste.ActCards(s.Scope, ids, do)
		})
}
