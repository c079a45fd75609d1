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
		Long: "Show the story time at the end of a chat, in the words of the story: as the model found it after the " +
			"last turns, or as set by you. Each branch has its own time. The model uses it to decide which hooks are " +
			"due.",
		Example: "ghostlight clock \"The lamp\"\nghostlight clock \"The lamp\" --set \"Thursday evening\" --days " +
			"3\nghostlight clock \"The lamp\" --undo"}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
		said := c.Flags().Changed("set")
		if said && undo {
			return cli.UsageError("--set and --undo cannot be combined")
		}
		var passed *int
		if c.Flags().Changed("days") {
			if passed = &days; !said {
				return cli.UsageError("--days needs --set")
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
			p.Line(cmp.Or(v.Text, "the story time is unknown"))
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
	c.Flags().StringVar(&set, "set", "", "set the story time to `TIME`, in any words, such as Thursday evening, \"3 "+
		"March, 19:40\" or day 4; empty or unknown: unknown")
	c.Flags().IntVar(&days, "days", 0, "with --set: `N` days passed before the last message")
	c.Flags().BoolVar(&undo, "undo", false, "undo your last --set")
	return c
}
