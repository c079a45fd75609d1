// Package director has the commands for series, episodes and the director.
package director

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// DirectorCommand returns the command ghostlight director.
func DirectorCommand(app *cli.App) *cobra.Command {
	return cli.Group("director", "the director: its results, and automatic pictures",
		cli.Chats.Act(app, "show CHAT", "print the episode of a chat and what the director found in its turns",
			func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
				return printDirector(app, e, c.ID)
			}),
		directorEvaluateCommand(app),
		directorAnswerCommand(app, "allow CHAT", "allow automatic pictures in a chat, and create a waiting one", true),
		directorAnswerCommand(app, "refuse CHAT", "decline automatic pictures in a chat", false),
		directorSparksCommand(app))
}

// printDirector prints the director's view of a chat.
func printDirector(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	v, err := e.Director.View(chat)
	if err != nil {
		return err
	}
	return app.Print(newDirectorDoc(v), func(p *cli.Page) { writeDirector(p, v) })
}

func writeDirector(p *cli.Page, v director.View) {
	rows := [][]string{{"chat", cli.OneLine(v.Chat.Title) + ", " + playWords(v)}}
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, []string{name, cli.OneLine(text)})
		}
	}
	if v.Off {
		add("director", "turned off in the settings")
	} else if v.Working {
		add("director", "on")
	}
	if v.Series != nil {
		add("series", v.Series.Title)
	}
	if v.Episode != nil {
		add("situation", v.Episode.Situation)
		add("question", v.Episode.Question)
		add("terms", episodeTerms(*v.Episode))
	}
	add("turn", fmt.Sprintf("%d, %s", v.Turn, v.Phase))
	if slices.ContainsFunc(v.Turns, func(b director.TurnView) bool { return b.Evaluated }) {
		add("tension", strconv.Itoa(v.Tension))
	}
	add("pictures", sparkWords(v))
	add("moment", v.Moment)
	add("together", v.Engagement.Together)
	add("relationship", v.Engagement.Text)
	if v.Next != nil {
		add("next", fmt.Sprintf("%d %s", v.Next.Number, v.Next.Title))
	}
	p.Table(rows)
	for i, b := range v.Turns {
		if i == 0 {
			p.Line("")
		}
		writeTurn(p, b)
	}
}

// sparkWords says how many sparks are left for automatic pictures.
func sparkWords(v director.View) string {
	if v.Mode == storage.ScenesOff {
		return "no automatic pictures"
	}
	words := fmt.Sprintf("%s, %d of %s left", v.Mode, v.Sparks.Left, cli.Plural(v.Sparks.Allowance, "spark", "sparks"))
	switch v.Sparks.Answer {
	case storage.SparksAllowed:
		return words + ", allowed"
	case storage.SparksRefused:
		return words + ", refused"
	case storage.SparksAsked:
		return words + ", one is waiting for approval: director allow or director refuse"
	}
	return words
}

// writeTurn writes what the director made of an exchange.
func writeTurn(p *cli.Page, b director.TurnView) {
	p.Linef("turn %d  %s  %s", b.Turn, b.Node, cli.Clip(b.Excerpt, cli.ColumnWidth))
	var words []string
	if b.Evaluated {
		words = append(words, b.Status, fmt.Sprintf("tension %d", b.Tension), b.Tone, b.Beat)
		if b.VisualType != "" && b.VisualType != "none" {
			words = append(words, "picture: "+b.VisualType+" "+b.VisualHint)
		}
		words = append(words, b.Why)
	} else {
		words = append(words, cmp.Or(b.Fault, "not checked"))
	}
	if words = append(words, b.CaptureWhy); b.Capture != "" {
		words = append(words, "picture "+string(b.Capture))
	}
	if n := len(b.TakenUp); n > 0 {
		words = append(words, cli.Plural(n, "hook brought up", "hooks brought up"))
	}
	var said []string
	for _, w := range words {
		if w = cli.OneLine(w); w != "" {
			said = append(said, w)
		}
	}
	p.Line("  " + strings.Join(said, "; "))
}

func directorEvaluateCommand(app *cli.App) *cobra.Command {
	var wait bool
	c := cli.Chats.Act(app, "evaluate CHAT", "let the director check the last turn again",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			t := cli.Task{Chat: c.ID, Begin: func() (storage.OperationID, error) { return e.Director.Evaluate(c.ID) }}
			if !wait {
				return app.QueueTask(e, t)
			}
			if err := app.RunTask(ctx, e, t); err != nil {
				return err
			}
			return printDirector(app, e, c.ID)
		})
	c.Long = "Let the director check the last turn again, including memories and hooks. " +
		"The work is queued: ghostlight queue run runs it, --wait waits for it."
	c.Flags().BoolVar(&wait, "wait", false, "wait for it, and print the result")
	return c
}

// directorAnswerCommand returns the command that answers whether pictures may be made by
// themselves.
func directorAnswerCommand(app *cli.App, use, short string, yes bool) *cobra.Command {
	return cli.Chats.Act(app, use, short, func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		if err := e.Director.AllowScenes(c.ID, yes); err != nil {
			return err
		}
		return printDirector(app, e, c.ID)
	})
}

func directorSparksCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "sparks CHAT N",
		"set the sparks of a chat, the budget for automatic pictures; 0 turns them off",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			n, err := cli.NumberArgBetween(args[0], 0, director.MaxSparks)
			if err != nil {
				return cli.UsageError("N must be " + err.Error())
			}
			if err := e.Director.RefillSparks(c.ID, n); err != nil {
				return err
			}
			return printDirector(app, e, c.ID)
		})
}

// printPlay prints a chat with its episode and state.
func printPlay(app *cli.App, e *engine.Engine, id storage.ChatID) error {
	v, err := e.Director.View(id)
	if err != nil {
		return err
	}
	c := v.Chat
	doc := playDoc{cli.NewChatDoc(c), c.Play.Series, c.Play.Episode, v.State}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  %s  %s", c.ID, cli.OneLine(c.Title), playWords(v))
	})
}

// playWords describes the episode of a chat and its state.
func playWords(v director.View) string {
	if v.Episode == nil {
		return "has no episode"
	}
	words := fmt.Sprintf("episode %s, %s", cli.Quote(cli.OneLine(v.Episode.Title)), v.State)
	if v.Ended == nil {
		return words
	}
	switch v.Ended.By {
	case storage.EndedSemantic:
		return words + ": set by the director"
	case storage.EndedByTurns:
		return words + ": its turn budget is reached"
	}
	return words + ": set by you"
}

// episodeTerms says how long an episode is and what pictures it makes.
func episodeTerms(ep storage.Episode) string {
	words := "no turn budget"
	if ep.TurnBudget > 0 {
		words = "complete after " + cli.Plural(ep.TurnBudget, "turn", "turns")
	}
	switch ep.Mode() {
	case storage.ScenesOff:
		return words + "; no automatic pictures"
	case storage.ScenesRhythmic:
		words += "; a picture every " + cli.Plural(ep.Interval(), "turn", "turns") + " and at peaks"
		words = strings.Replace(words, "every 1 turn ", "every turn ", 1)
	default:
		words += "; a picture at peaks"
	}
	return words + ", for " + cli.Plural(ep.Cost(), "spark", "sparks")
}
