package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// AskCommand returns the command ghostlight ask.
func AskCommand(app *cli.App) *cobra.Command {
	var as string
	c := &cobra.Command{Use: "ask CHAT QUESTION", Short: "ask a question about the story, out of character",
		Long: "Ask a question about the story, out of character: the chat's model answers from relevant facts and " +
			"messages; nothing is stored. Every sentence is printed with its sources; sentences without a source are " +
			"left out. A QUESTION of - is read from standard input."}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		text, err := app.TextArg(args[0])
		if err != nil {
			return err
		}
		q := memory.Question{Chat: c.ID, Text: text}
		if strings.TrimSpace(text) == "" {
			return cli.UsageError("there is nothing to ask: QUESTION is empty")
		}
		if q.As, err = findMember(e, c.ID, as); err != nil {
			return err
		}
		a, err := e.Memory.Answer(ctx, q)
		if err != nil {
			return err
		}
		return app.Print(a, func(p *cli.Page) { writeAnswer(p, a) })
	})
	asFlag(c, &as)
	return c
}

func writeAnswer(p *cli.Page, a memory.Answer) {
	if len(a.Lines) == 0 {
		p.Line("The story does not say.")
	}
	for _, l := range a.Lines {
		p.Line(cli.OneLine(l.Text))
		for _, m := range l.From {
			where := string(m.Kind)
			if m.Number > 0 {
				where = fmt.Sprintf("message %d", m.Number)
			}
			p.Linef("  %s: %s", where, cli.Clip(m.Text, 100))
		}
	}
}
