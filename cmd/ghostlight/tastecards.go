package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/taste"
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// cardHelp says how commands want a card named.
const cardHelp = "CARD is a card's id, or the beginning or the end of one, as taste show prints it."

// card writes a preference card.
func (p *page) card(c lessons.Card) {
	p.linef("\n%s  %s  %s", shortID(c.ID), c.Confidence, cardState(c))
	p.line("  " + oneLine(c.Preference))
	p.conditions(c.AppliesTo, c.AvoidApplyingTo, c.Evidence)
}

// cardState says in words what is special about a card.
func cardState(c lessons.Card) string {
	var words []string
	for _, f := range []struct {
		is   bool
		word string
	}{{c.Deleted, "deleted"}, {c.Muted, "muted"}, {c.Own, "your words"}} {
		if f.is {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

// card finds a card of a story.
func card(e *engine.Engine, s story, ref string) (lessons.Card, error) {
	c, err := e.Taste.FindCard(s.scope, ref)
	if errors.Is(err, storage.ErrNotFound) {
		err = fmt.Errorf("%w; ghostlight taste show lists the cards", err)
	}
	return c, err
}

// tellCard prints a card as it is now.
func (d *door) tellCard(e *engine.Engine, s story, id storage.CardID) error {
	c, err := card(e, s, string(id))
	if err != nil {
		return err
	}
	return d.tell(shapeCard(c), func(p *page) { p.card(c) })
}

// cardFlags are what the commands that write a card take.
type cardFlags struct{ preference, when, avoid, evidence, confidence string }

// confidences are the words for how sure a card is.
var confidences = []string{string(storage.LowConfidence), string(storage.MediumConfidence), string(storage.HighConfidence)}

func (f *cardFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.when, "when", "", "when it holds: `TEXT`, @FILE, or - for standard input")
	c.Flags().StringVar(&f.avoid, "avoid", "", "when it does not: `TEXT`, @FILE, or - for standard input")
	c.Flags().StringVar(&f.evidence, "evidence", "", "what shows it, which no model is told: `TEXT`, @FILE, or - for standard input")
	c.Flags().StringVar(&f.confidence, "confidence", "", "how sure it is: `LEVEL`, which is "+orWords(confidences))
}

// apply writes what was said into a card.
func (f *cardFlags) apply(d *door, c *cobra.Command, to *storage.PreferenceCard) error {
	for _, part := range []struct {
		flag, value string
		into        *string
	}{{"preference", f.preference, &to.Preference}, {"when", f.when, &to.AppliesTo}, {"avoid", f.avoid, &to.AvoidApplyingTo}, {"evidence", f.evidence, &to.Evidence}} {
		if !c.Flags().Changed(part.flag) {
			continue
		}
		text, err := d.valueArg(part.value)
		if err != nil {
			return err
		}
		*part.into = text
	}
	if c.Flags().Changed("confidence") {
		if !slices.Contains(confidences, f.confidence) {
			return misuse{fmt.Sprintf("--confidence is %s, not %q", orWords(confidences), f.confidence)}
		}
		to.Confidence = storage.Confidence(f.confidence)
	}
	return nil
}

func (d *door) cardAdd() *cobra.Command {
	var f storyFlag
	var set cardFlags
	c := &cobra.Command{Use: "add CHAT|--series S TEXT", Short: "write a card of your own", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Write a card of your own, which says what you prefer; it outlives every new profile. A TEXT of - is read from standard input. " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		text, err := d.textArg(args[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return misuse{"a card says what you prefer: TEXT is empty"}
		}
		own := storage.PreferenceCard{Preference: text}
		if err := set.apply(d, c, &own); err != nil {
			return err
		}
		if own, err = e.Taste.SaveCard(s.scope, own); err != nil {
			return err
		}
		return d.tellCard(e, s, own.ID)
	})
	set.add(c)
	f.add(c)
	return c
}

func (d *door) cardEdit() *cobra.Command {
	var f storyFlag
	var set cardFlags
	c := &cobra.Command{Use: "edit CHAT|--series S CARD", Short: "change a card", Args: f.takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Change of a card what the flags name; your words outlive every new profile, and card restore gives the program's back. " + cardHelp + " " + storyHelp}
	c.RunE = d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
		if !anyChanged(c, "preference", "when", "avoid", "evidence", "confidence") {
			return misuse{"nothing to change; --preference, --when, --avoid, --evidence and --confidence change something"}
		}
		old, err := card(e, s, args[0])
		if err != nil {
			return err
		}
		now := old.PreferenceCard
		if err := set.apply(d, c, &now); err != nil {
			return err
		}
		if _, err := e.Taste.SaveCard(s.scope, now); err != nil {
			return err
		}
		return d.tellCard(e, s, now.ID)
	})
	c.Flags().StringVar(&set.preference, "preference", "", "what you prefer: `TEXT`, @FILE, or - for standard input")
	set.add(c)
	f.add(c)
	return c
}

// cardAct is a command that does something to cards.
func (d *door) cardAct(name string, do taste.Action, short string) *cobra.Command {
	var f storyFlag
	c := &cobra.Command{Use: name + " CHAT|--series S CARD...", Short: short, Args: f.takes(1, -1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: sentence(short) + " " + cardHelp + " " + storyHelp,
		RunE: d.storyWork(&f, func(e *engine.Engine, s story, args []string) error {
			var ids []storage.CardID
			for _, ref := range args {
				c, err := card(e, s, ref)
				if err != nil {
					return err
				}
				ids = append(ids, c.ID)
			}
			n, err := e.Taste.ActCards(s.scope, ids, do)
			if err != nil {
				return err
			}
			return tellDone(d, doneShape[storage.CardID]{s.scope, name, n, ids})
		})}
	f.add(c)
	return c
}
