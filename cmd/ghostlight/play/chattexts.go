package play

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// placeDefault names the note position that the program chooses. Earlier versions called it
// oldPlaceDefault.
const (
	placeDefault    = "default"
	oldPlaceDefault = "house"
)

// shownPlan returns a plan with its defaults filled in, for display.
func shownPlan(p storage.NotePlan) storage.NotePlan {
	p.Place, p.Every, p.Role = cmp.Or(p.Place, placeDefault), cmp.Or(p.Every, 1), cmp.Or(p.Role, storage.System)
	return p
}

// notePlan holds the flags for how a note is inserted.
type notePlan struct {
	cmd          *cobra.Command
	place, role  string
	depth, every int
}

func (p *notePlan) add(c *cobra.Command) {
	p.cmd = c
	c.Flags().StringVar(&p.place, "place", "",
		"insert it at `PLACE`: default (end of the prompt), depth (between the messages), "+
			"prompt (before the messages) or before (start of the prompt)")
	c.Flags().IntVar(&p.depth, "depth", 0, "insert it `N` messages above the newest")
	c.Flags().IntVar(&p.every, "every", 1,
		"at a depth: insert it with every `N`th of your messages; -1: never, at any place")
	c.Flags().StringVar(&p.role, "role", "", "insert it with the message role `ROLE`: system, user or assistant")
}

// set changes the plan of a chat by the flags that were given, and returns the new plan.
func (p *notePlan) set(app *cli.App, e *engine.Engine, c storage.Chat) (storage.NotePlan, error) {
	now, said := c.Note, p.cmd.Flags().Changed
	if !said("place") && !said("depth") && !said("every") && !said("role") {
		return shownPlan(now), nil
	}
	if said("depth") || now.Place == storage.NoteDefault {
		now.Place = storage.NoteAtDepth
	}
	switch place := strings.ToLower(p.place); {
	case place == "":
	case place == oldPlaceDefault:
		app.Note("note: --place house is now --place default")
		now = storage.NotePlan{}
	case place == placeDefault:
		now = storage.NotePlan{}
	case place == string(storage.NoteAtDepth), place == string(storage.NoteInPrompt),
		place == string(storage.NoteBeforePrompt):
		now.Place = storage.NotePlace(place)
	default:
		return now, cli.UsageError(fmt.Sprintf("--place must be default, depth, prompt or before, not %q", p.place))
	}
	if said("depth") {
		now.Depth = p.depth
	}
	if said("every") {
		now.Every = p.every
	}
	if said("role") {
		now.Role = storage.Role(strings.ToLower(p.role))
	}
	if err := e.Chats.SetNotePlan(c.ID, now); err != nil {
		return now, err
	}
	c, err := e.Chats.Find(string(c.ID))
	return shownPlan(c.Note), err
}

func overCommand(app *cli.App) *cobra.Command {
	var o storage.CardOverrides
	var c *cobra.Command
	c = cli.Chats.Act(app, "texts CHAT",
		"print or set the scenario, examples and system prompt of a chat, instead of the card's",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
			now, changed := chat.Overrides, false
			for name, of := range map[string]struct{ to, from *string }{
				"scenario": {&now.Scenario, &o.Scenario}, "examples": {&now.Examples, &o.Examples},
				"system-prompt": {&now.System, &o.System},
			} {
				if !c.Flags().Changed(name) {
					continue
				}
				text, err := app.TextArg(*of.from)
				if err != nil {
					return err
				}
				*of.to, changed = text, true
			}
			if changed {
				if err := e.Chats.SetOver(chat.ID, now); err != nil {
					return err
				}
			}
			doc := struct {
				Chat storage.ChatID `json:"chat"`
				storage.CardOverrides
			}{chat.ID, now}
			return app.Print(doc, func(p *cli.Page) {
				for _, part := range [][2]string{
					{"scenario", now.Scenario}, {"examples", now.Examples}, {"system prompt", now.System},
				} {
					if part[1] != "" {
						p.Line(part[0] + ":")
						p.Line(part[1])
					}
				}
			})
		})
	c.Flags().StringVar(&o.Scenario, "scenario", "",
		"set the scenario to `TEXT`; empty uses the card's, - reads standard input")
	c.Flags().StringVar(&o.Examples, "examples", "", "set the dialogue examples to `TEXT`")
	c.Flags().StringVar(&o.System, "system-prompt", "", "set the system prompt to `TEXT`")
	return c
}
