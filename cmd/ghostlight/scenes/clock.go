package scenes

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ClockCommand returns the command ghostlight clock.
func ClockCommand(app *cli.App) *cobra.Command {
	var set string
	var days int
	var undo bool
	c := &cobra.Command{Use: "clock CHAT", Short: "show or set the story time",
		Long: "Show the story time at the end of a chat, in the story's words: as found by the model after the last turns, " +
			"or set by you. Each branch has its own time. The model uses it to decide which hooks are due.",
		Example: "ghostlight clock \"The lamp\"\nghostlight clock \"The lamp\" --set \"Thursday evening\" --days 3\nghostlight clock \"The lamp\" --undo"}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
		said := c.Flags().Changed("set")
		if said && undo {
			return cli.UsageError("--set and --undo exclude each other")
		}
		var passed *int
		if c.Flags().Changed("days") {
			if passed = &days; !said {
				return cli.UsageError("--days goes with --set")
			}
		}
		var err error
		switch {
		case said:
			err = e.Scenes.SetClock(chat.ID, set, passed)
		case undo:
			err = e.Scenes.UndoClock(chat.ID)
		}
		if err != nil {
			return err
		}
		v, err := e.Scenes.Clock(chat.ID)
		if err != nil {
			return err
		}
		return app.Print(v, func(p *cli.Page) {
			p.Line(cmp.Or(v.Words, "the story time is unknown"))
			switch v.By {
			case "":
			case storage.ClockUser:
				p.Line("set by you")
			default:
				p.Line("from the story")
			}
			if v.Passed > 0 {
				p.Linef("%s since the chat began", cli.Plural(v.Passed, "day", "days"))
			}
		})
	})
	c.Flags().StringVar(&set, "set", "", "set the `TIME`, in any words: Thursday evening, \"3 March, 19:40\", day 4; empty or unknown: unknown")
	c.Flags().IntVar(&days, "days", 0, "with --set: `N` days passed before the last message")
	c.Flags().BoolVar(&undo, "undo", false, "undo the last time you set")
	return c
}
