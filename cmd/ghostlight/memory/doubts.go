package memory

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func doubtsCommand(app *cli.App) *cobra.Command {
	c := &cobra.Command{Use: "doubts CHAT", Short: "list facts that may be outdated",
		Long: "List facts that may be outdated and need your decision, for example because their source message was " +
			"edited, or because of an out-of-character line. They stay valid until you answer with knows settle."}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		list, err := e.Memory.Doubts(c.ID)
		if err != nil {
			return err
		}
		return app.Print(list, func(p *cli.Page) {
			if len(list) == 0 {
				p.Line("no facts to check")
			}
			writeDoubts(p, list)
		})
	})
	return c
}

func writeDoubts(p *cli.Page, list []memory.Doubt) {
	for _, d := range list {
		p.Linef("  %s  %s  %s", shortID(d.ID), d.Kind, cli.OneLine(d.Text))
		if d.Instead != "" {
			p.Linef("      now: %s", cli.OneLine(d.Instead))
		}
		why := d.Why
		if d.Number > 0 {
			why += " (message " + strconv.Itoa(d.Number) + ")"
		}
		p.Linef("      %s", cli.OneLine(why))
	}
}

// shortID returns the short form of a fact's id.
func shortID(id string) string {
	parts := strings.Split(id, "/")
	if len(parts) < 2 {
		return id
	}
	parts[1] = cli.ShortID(parts[1])
	return strings.Join(parts[1:], "/")
}

func answerDoubtCommand(app *cli.App) *cobra.Command {
	var text string
	c := &cobra.Command{Use: "settle CHAT FACT ended|holds|mend", Short: "decide whether a fact is outdated",
		Long: "Answer a question of knows doubts: the fact has ended, it still holds, or it must be corrected " +
			"(mend). With mend, --text or the new text replaces it in all exact matches. ghostlight correct CHAT " +
			"--undo undoes it." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		v := memory.Verdict(args[1])
		switch v {
		case memory.HasEnded, memory.StillHolds:
			if text != "" {
				return cli.UsageError("--text needs mend")
			}
		case memory.Reworded:
		default:
			return cli.UsageError("answer with ended, holds or mend")
		}
		if v == memory.Reworded && text == "" {
			list, err := e.Memory.Doubts(c.ID)
			if err != nil {
				return err
			}
			for _, d := range list {
				if strings.EqualFold(d.ID, args[0]) ||
					strings.HasSuffix(strings.ToLower(d.ID), strings.ToLower(args[0])) {
					text = d.Instead
				}
			}
		}
		done, err := e.Memory.AnswerDoubt(c.ID, args[0], v, text)
		if err != nil {
			return err
		}
		return app.Print(done, func(p *cli.Page) {
			words := map[memory.Verdict]string{memory.HasEnded: "ended", memory.StillHolds: "holds",
				memory.Reworded: "corrected"}[v]
			p.Linef("%s: %s", words, cli.OneLine(done.Text))
			p.Line("correct CHAT --undo undoes it")
		})
	})
	c.Flags().StringVar(&text, "text", "", "the correct text `TEXT`, for mend")
	return c
}
