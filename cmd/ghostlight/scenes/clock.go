package scenes

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// clockDoc is where a story stands in its own time. What is not known is null, 0 or "".
type clockDoc struct {
	Words   string              `json:"words"`
	Year    int                 `json:"year"`
	Month   int                 `json:"month"`
	Day     int                 `json:"day"`
	Weekday int                 `json:"weekday"` // 1, Monday, to 7
	Count   int                 `json:"day_of_story"`
	Part    storage.DayPart     `json:"part"`
	Time    string              `json:"time"`    // of day, "19:40"
	Passed  int                 `json:"passed"`  // days since the time was known first
	By      storage.ClockSource `json:"by"`      // text, director or user
	Said    string              `json:"said"`    // the words that it was read in
	Message storage.NodeID      `json:"message"` // from which it holds
}

func newClockDoc(v scenes.ClockView) clockDoc {
	t := v.Time
	doc := clockDoc{v.Words, t.Year, t.Month, t.Day, t.Weekday, t.Count, t.Part, "", t.Passed, v.By, v.Said, v.Node}
	if t.Minute > 0 {
		doc.Time = fmt.Sprintf("%02d:%02d", (t.Minute-1)/60%24, (t.Minute-1)%60)
	}
	return doc
}

// ClockCommand is ghostlight clock.
func ClockCommand(app *cli.App) *cobra.Command {
	var set string
	var undo bool
	c := &cobra.Command{Use: "clock CHAT", Short: "show or set what time it is in the story", Args: cli.Args(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Show what time it is in the story at the end of a chat, as far as the story says: by headers such as [Thursday, 3 March, evening], " +
			"by time skips such as \"Three days later\", by what the director sees, or by your word. Each branch has its own time. " +
			"Hooks and threads can be due by it.",
		Example: "ghostlight clock \"The lamp\"\nghostlight clock \"The lamp\" --set \"Thursday evening\"\nghostlight clock \"The lamp\" --undo"}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
		said := c.Flags().Changed("set")
		if said && undo {
			return cli.UsageError("--set and --undo exclude each other")
		}
		var err error
		switch {
		case said:
			err = e.Scenes.SetClock(chat.ID, set)
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
		return app.Print(newClockDoc(v), func(p *cli.Page) {
			p.Line(cmp.Or(v.Words, "the story's time is not known"))
			switch {
			case v.By == storage.ClockUser:
				p.Linef("set by you: %s", cli.OneLine(v.Said))
			case v.By == storage.ClockDirector:
				p.Linef("seen by the director: %s", cli.OneLine(v.Said))
			case v.By != "":
				p.Linef("said in the play: %s", cli.OneLine(v.Said))
			}
		})
	})
	c.Flags().StringVar(&set, "set", "", "it is `TIME` from here on: Thursday evening, \"3 March, 19:40\", day 4, three days later, or unknown")
	c.Flags().BoolVar(&undo, "undo", false, "take back what you set last")
	return c
}
