package play

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func branchesCommand(app *cli.App) *cobra.Command {
	var takes bool
	c := cli.Chats.Act(app, "branches CHAT", "list the branches of a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			b, err := e.Chats.Branches(c.ID, takes)
			if err != nil {
				return err
			}
			return app.Print(b, func(p *cli.Page) { writeBranches(p, b) })
		})
	c.Long = "List the branches of a chat with the number of messages, the start and the first words of each. " +
		"The current branch is marked with *; ghostlight chat goto CHAT MESSAGE goes to another."
	c.Flags().BoolVar(&takes, "takes", false, "also list swipes that have no messages after them")
	return c
}

// writeBranches writes a line for each.
func writeBranches(p *cli.Page, b chats.Branches) {
	var rows [][]string
	for _, l := range b.Segments {
		mark := " "
		if l.Shown {
			mark = "*"
		}
		about := fmt.Sprint(l.Messages)
		for _, x := range []struct {
			n    int
			word string
		}{{l.Scenes, "scenes"}, {l.Pictures, "pictures"}, {l.Swipes, "more swipes"}} {
			if x.n > 0 {
				about += fmt.Sprintf(", %d %s", x.n, x.word)
			}
		}
		words := l.Opening
		if l.Name != "" {
			words = "[" + l.Name + "] " + words
		}
		rows = append(rows, []string{mark + strings.Repeat("  ", min(l.Level, 10)) + string(l.First), about,
			l.At.Local().Format(time.DateTime), cli.Clip(words, 60)})
	}
	p.Table(rows)
	if b.More > 0 {
		p.Linef("and %d more", b.More)
	}
}

func nameBranchCommand(app *cli.App) *cobra.Command {
	return onMessage(app, "name-branch CHAT MESSAGE [NAME]", "name the branch that starts with a message",
		func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			return e.Chats.NameBranch(c.ID, m.ID, strings.Join(args, ""))
		})
}

func stitchCommand(app *cli.App) *cobra.Command {
	return onMessage(app, "stitch CHAT MESSAGE TEXT",
		"add your own text as a swipe of a reply (- reads standard input)",
		func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			_, err = e.Chats.CombineSwipes(c.ID, m.ID, text)
			return err
		})
}
