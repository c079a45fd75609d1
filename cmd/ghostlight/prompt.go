package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/play"
	"ghostlight/storage"
)

func (d *door) promptCommand() *cobra.Command {
	var input string
	c := &cobra.Command{Use: "prompt CHAT", Short: "print the next prompt and what it is made of", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			text, err := d.textArg(input)
			if err != nil {
				return err
			}
			v, err := e.Play.Prompt(ctx, c.ID, text)
			if err != nil {
				return err
			}
			d.notes(v.Warnings)
			return d.tell(shapePrompt(v), func(p *page) { p.prompt(v) })
		})}
	c.Flags().StringVar(&input, "input", "", "as if you said `TEXT` next (- reads standard input)")
	return c
}

func (p *page) prompt(v play.PromptView) {
	for _, m := range v.Messages {
		p.linef("[%s]\n%s\n", m.Role, m.Content)
	}
	rows := [][]string{{"", "LAYER", "SOURCE", "TOKENS", "WHY"}}
	for _, part := range v.Ledger {
		mark := "-"
		if part.Included {
			mark = "+"
		}
		rows = append(rows, []string{mark, part.Layer, part.Source, fmt.Sprint(part.Tokens), part.Reason})
	}
	p.table(rows)
	rows = rows[:0]
	for _, c := range v.Changes {
		where := ""
		if c.First {
			where = "from here on all is read anew"
		}
		rows = append(rows, []string{string(c.Kind), c.Layer, c.Source, counted(c.Tokens, "token", "tokens"), where})
	}
	if len(rows) > 0 {
		p.line("\nsince the last prompt:")
		p.table(rows)
	}
	if v.Break != nil {
		p.line("\n" + breakWords(*v.Break))
	}
	if m := v.Last; m != nil {
		read := ""
		if m.Read >= 0 {
			read = fmt.Sprintf(", %d of them read anew", m.Read)
		}
		p.linef("\nthe last prompt: %d tokens%s (%d foretold), in %.1f s", m.Prompt, read, m.Predicted, float64(m.MS)/1000)
	}
	if v.Speaker != "" {
		p.linef("\n%s speaks next", oneLine(v.Speaker))
	}
	p.linef("\n%s: %d of %d tokens, about %d of them read anew; the reply may have %d",
		first(oneLine(v.Model), "no model chosen"), v.Tokens, v.Room, v.PredictedReread, v.Options.NumPredict)
}

// breakWords says what makes the server read a prompt again, and what that costs.
func breakWords(b play.PrefixBreak) string {
	words := fmt.Sprintf("%s (%s): %s; %s read anew", oneLine(b.Layer), oneLine(b.Source), oneLine(b.What), counted(b.Tokens, "token is", "tokens are"))
	if b.Seconds > 0 {
		words += fmt.Sprintf(", about %.1f s on this machine", b.Seconds)
	}
	return words
}
