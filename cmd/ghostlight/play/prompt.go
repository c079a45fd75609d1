package play

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PromptCommand returns the command ghostlight prompt.
func PromptCommand(app *cli.App) *cobra.Command {
	var input string
	c := cli.Chats.Act(app, "prompt CHAT", "print the next prompt and its parts",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			text, err := app.TextArg(input)
			if err != nil {
				return err
			}
			v, err := e.Play.Prompt(ctx, c.ID, text)
			if err != nil {
				return err
			}
			app.Notes(v.Warnings)
			return app.Print(v, func(p *cli.Page) { writePrompt(p, v) })
		})
	c.Flags().StringVar(&input, "input", "", "as if you sent `TEXT` next (- reads standard input)")
	return c
}

func writePrompt(p *cli.Page, v play.PromptView) {
	for _, m := range v.Messages {
		p.Linef("[%s]\n%s\n", m.Role, m.Content)
	}
	rows := [][]string{{"", "LAYER", "SOURCE", "TOKENS", "WHY"}}
	for _, part := range v.Parts {
		mark := "-"
		if part.Included {
			mark = "+"
		}
		rows = append(rows, []string{mark, part.Layer, part.Source, fmt.Sprint(part.Tokens), part.Reason})
	}
	p.Table(rows)
	rows = rows[:0]
	for _, c := range v.Changes {
		where := ""
		if c.First {
			where = "processed again from here"
		}
		rows = append(rows, []string{string(c.Kind), c.Layer, c.Source, cli.Plural(c.Tokens, "token", "tokens"), where})
	}
	if len(rows) > 0 {
		p.Line("\nsince the last prompt:")
		p.Table(rows)
	}
	if v.Miss != nil {
		p.Line("\n" + cli.CacheMissText(*v.Miss))
	}
	if m := v.Last; m != nil {
		read := ""
		if m.Read >= 0 {
			read = fmt.Sprintf(", about %d of them processed again, estimated from the time", m.Read)
		}
		p.Linef(
			"\nthe last prompt: %d tokens%s (%d estimated), in %.1f s",
			m.Prompt,
			read,
			m.Predicted,
			float64(m.MS)/1000,
		)
	}
	if m := v.Last; m != nil && m.Backtracks > 0 {
		p.Linef(
			"its reply was cut and continued %s: about %d tokens discarded, %d ms until the next token",
			cli.Plural(m.Backtracks, "time", "times"),
			m.RejectedTokens,
			m.BacktrackMS,
		)
	}
	if m := v.Last; m != nil && m.Restarts > 0 {
		p.Linef(
			"it was restarted %s: this model cannot continue a partial reply",
			cli.Plural(m.Restarts, "time", "times"),
		)
	}
	if v.Speaker != "" {
		p.Linef("\n%s speaks next", cli.OneLine(v.Speaker))
	}
	u := v.Uses
	p.Linef(
		"\nused for messages %d, memory %d, lore %d, cards %d, instructions %d",
		u.Words,
		u.Memory,
		u.Lore,
		u.Cards,
		u.Instructions,
	)
	p.Linef("%s: %d of %d tokens, about %d to process; reply limit %d",
		cmp.Or(cli.OneLine(v.Model), "no model chosen"), v.Tokens, v.Budget, v.PredictedReread, v.Options.NumPredict)
}
