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

// branchDoc is a stretch of a chat's tree on which no ways part.
type branchDoc struct {
	First    storage.NodeID `json:"first"`
	Last     storage.NodeID `json:"last"`
	Above    int            `json:"above"` // its number in the list, from 0; -1 where it begins the chat
	Level    int            `json:"level"`
	Depth    int            `json:"depth"`
	Messages int            `json:"messages"`
	Pictures int            `json:"pictures"`
	Scenes   int            `json:"scenes"`
	Takes    int            `json:"takes"` // replies beside it that nothing followed
	Shown    bool           `json:"shown"`
	Ends     bool           `json:"ends"`
	Name     string         `json:"name"`
	Speaker  string         `json:"speaker"`
	Opening  string         `json:"opening"`
	At       time.Time      `json:"at"`
}

type branchesDoc struct {
	Chat     storage.ChatID `json:"chat"`
	Branches []branchDoc    `json:"branches"`
	More     int            `json:"more"` // that are not listed
}

func branchesCommand(app *cli.App) *cobra.Command {
	var takes bool
	c := &cobra.Command{Use: "branches CHAT", Short: "list the branches of a chat",
		Long: `List the branches of a chat: how many messages each has, when it started and its
first words. The current branch is marked with *. "chat goto CHAT MESSAGE" goes
to another.`,
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			b, err := e.Chats.Branches(c.ID, takes)
			if err != nil {
				return err
			}
			doc := branchesDoc{c.ID, []branchDoc{}, b.More}
			for _, l := range b.Legs {
				doc.Branches = append(doc.Branches, branchDoc(l))
			}
			return app.Print(doc, func(p *cli.Page) { writeBranches(p, b) })
		})}
	c.Flags().BoolVar(&takes, "takes", false, "also list swipes without further messages")
	return c
}

// writeBranches writes a line for each.
func writeBranches(p *cli.Page, b chats.Branches) {
	var rows [][]string
	for _, l := range b.Legs {
		mark := " "
		if l.Shown {
			mark = "*"
		}
		about := fmt.Sprint(l.Messages)
		for _, x := range []struct {
			n    int
			word string
		}{{l.Scenes, "scenes"}, {l.Pictures, "pictures"}, {l.Takes, "more swipes"}} {
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
	return &cobra.Command{Use: "name-branch CHAT MESSAGE [NAME]", Short: "name the branch that starts with a message",
		RunE: onMessage(app, func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			return e.Chats.NameBranch(c.ID, m.ID, strings.Join(args, ""))
		})}
}

func stitchCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "stitch CHAT MESSAGE TEXT", Short: "add your own text as a swipe of a reply (- reads standard input)",
		RunE: onMessage(app, func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			_, err = e.Chats.Stitch(c.ID, m.ID, text)
			return err
		})}
}
