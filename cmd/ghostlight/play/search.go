package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// searchPlaces are the values of search --in.
var searchPlaces = []string{"chats", "branch", "recaps", "lore", "memory"}

func searchCommand(app *cli.App) *cobra.Command {
	var in, chat string
	var limit int
	c := app.Command("search TEXT", "search messages, recaps, lorebooks and memories",
		func(ctx context.Context, e *engine.Engine, args []string) error {
			if strings.TrimSpace(args[0]) == "" {
				return cli.UsageError("nothing to search for: TEXT is empty")
			}
			if !slices.Contains(searchPlaces, in) {
				return cli.UsageError("--in is one of " + strings.Join(searchPlaces, ", ") + ", not " + cli.Quote(in))
			}
			if in == "branch" && chat == "" {
				return cli.UsageError("--in branch needs --chat CHAT")
			}
			var id storage.ChatID
			if chat != "" {
				c, err := e.Chats.Find(chat)
				if err != nil {
					return err
				}
				id = c.ID
			}
			return printHits(
				ctx,
				app,
				e,
				in,
				chats.Search{Chat: id, Branch: in == "branch", Text: args[0], Most: max(1, limit)},
			)
		})
	c.Long = "Find messages whose words start with the words of TEXT, in any order, ignoring case and accents; " +
		"the newest of each chat come first. Quote a phrase ('\"the lamp\"') to search for it exactly. --in searches " +
		"elsewhere: in the current branch of a chat, in recaps, in lorebook entries, or in memories, hooks and threads."
	c.Flags().StringVar(&in, "in", "chats", "search in `"+strings.Join(searchPlaces, "|")+"`")
	c.Flags().StringVar(&chat, "chat", "", "search only in the chat `CHAT`")
	c.Flags().IntVar(&limit, "limit", 50, "print at most `N` results")
	return c
}

// printHits searches for a text and prints the results.
func printHits(ctx context.Context, app *cli.App, e *engine.Engine, in string, ask chats.Search) error {
	var list any
	var lines []string
	var err error
	line := func(id, lead, snippet string) {
		lines = append(lines, fmt.Sprintf("%s  %s: %s", id, cli.OneLine(lead), cli.OneLine(snippet)))
	}
	switch in {
	case "recaps":
		hits, fault := e.Scenes.SearchRecaps(ask.Chat, ask.Text, ask.Most)
		for _, h := range hits {
			lead := h.Title
			if h.Scene > 0 {
				lead = strings.TrimSpace(fmt.Sprintf("%s, scene %d %s", h.Title, h.Scene, h.Name))
			}
			line(string(h.Recap), lead, h.Snippet)
		}
		list, err = hits, fault
	case "lore":
		hits, fault := e.Lore.Search(ask.Chat, ask.Text, ask.Most)
		for _, h := range hits {
			line(string(h.Entry), h.BookName+", "+h.Name, h.Snippet)
		}
		list, err = hits, fault
	case "memory":
		hits, fault := e.Memory.Search(ask.Chat, ask.Text, ask.Most)
		for _, h := range hits {
			line(h.Record, h.Title+", "+string(h.Kind), h.Snippet)
		}
		list, err = hits, fault
	default:
		found, fault := e.Chats.Search(ctx, ask)
		for _, h := range found.Hits {
			line(string(h.Node), h.Title, h.Snippet)
		}
		list, err = found.Hits, fault
	}
	if err != nil {
		return err
	}
	return app.Print(list, func(p *cli.Page) {
		for _, l := range lines {
			p.Line(l)
		}
	})
}
