package taste

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// effectDoc says whether a profile helps.
type effectDoc struct {
	Scope   storage.ScopeID  `json:"scope"`
	With    float64          `json:"edits_per_shot_with"` // of storyboards for which the profile was told
	Told    int              `json:"scenes_with"`
	Without float64          `json:"edits_per_shot_without"`
	Untold  int              `json:"scenes_without"`
	Scenes  []effectSceneDoc `json:"scenes"`  // oldest first
	Doubted []storage.CardID `json:"doubted"` // cards whose advice you keep undoing
	Missed  []missedDoc      `json:"missed"`  // confirmed scenes that were not learnt from
}

type effectSceneDoc struct {
	Chat     storage.ChatID   `json:"chat"`
	Scene    storage.NodeID   `json:"scene"`
	Name     string           `json:"name"`
	Shots    int              `json:"shots"`
	Edits    int              `json:"edits"`
	PerShot  float64          `json:"edits_per_shot"`
	WithTold bool             `json:"profile_told"`
	Undone   []storage.CardID `json:"undone"`
}

type missedDoc struct {
	Chat  storage.ChatID `json:"chat"`
	Scene storage.NodeID `json:"scene"`
	Name  string         `json:"name"`
}

func newEffectDoc(scope storage.ScopeID, e taste.Effects) effectDoc {
	same := func(id storage.CardID) storage.CardID { return id }
	return effectDoc{scope, e.With, e.Told, e.Without, e.Untold,
		cli.Docs(e.Points, func(p taste.Point) effectSceneDoc {
			return effectSceneDoc{p.Chat, p.Scene, p.Name, p.Shots, p.Edits, p.PerShot(), p.Told, cli.Docs(p.Undone, same)}
		}),
		cli.Docs(e.Doubted, same), cli.Docs(e.Missed, func(m taste.Missed) missedDoc { return missedDoc(m) })}
}

func effectCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("effect", "print whether the profile helps",
		"Print whether the profile helps: edits per shot of each confirmed storyboard, with and without the profile, cards you keep undoing, and scenes that were not learned.", 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			x, err := e.Taste.Effects(s.Scope)
			if err != nil {
				return err
			}
			return app.Print(newEffectDoc(s.Scope, x), func(p *cli.Page) {
				p.Linef("with the profile     %.2f edits a shot, %s", x.With, cli.Plural(x.Told, "scene", "scenes"))
				p.Linef("without the profile  %.2f edits a shot, %s", x.Without, cli.Plural(x.Untold, "scene", "scenes"))
				for _, c := range x.Points {
					with := "without"
					if c.Told {
						with = "with"
					}
					p.Linef("  %-8s %.2f  %s", with, c.PerShot(), cli.OneLine(c.Name))
				}
				for _, id := range x.Doubted {
					p.Linef("you keep undoing card %s: taste card keep, mute or delete it", cli.ShortID(id))
				}
				if n := len(x.Missed); n > 0 {
					p.Linef("%s not learned: taste missed learns them", cli.Plural(n, "confirmed scene", "confirmed scenes"))
				}
			})
		})
}

func missedCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("missed", "learn from confirmed scenes that were missed",
		"Learn from confirmed and edited storyboards that were missed because learning was off.", 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			n, err := e.Taste.LearnMissed(s.Scope)
			if err != nil {
				return err
			}
			app.Note("note: learning from %s", cli.Plural(n, "scene", "scenes"))
			return printTaste(app, e, s.Scope)
		})
}

func cardKeepCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("keep CARD", "keep a card that you have been undoing",
		"Keep a card although your edits contradict it. "+cardHelp, 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			c, err := findCard(e, s, args[0])
			if err != nil {
				return err
			}
			if err := e.Taste.KeepCard(s.Scope, c.ID); err != nil {
				return err
			}
			return printCard(app, e, s, c.ID)
		})
}
