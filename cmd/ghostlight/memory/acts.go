package memory

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// factHelp says how to name a fact.
const factHelp = " FACT is a fact's id, or the beginning or the end of one, as knows prints it."

// actDoc is something that was done to a fact, or taken back.
type actDoc struct {
	Did  string              `json:"did"`
	Fact string              `json:"fact"`
	Text string              `json:"text"` // "" if it was undone
	To   storage.CharacterID `json:"to"`   // who learned it, "" for nobody
}

// shortFact returns the short form of a fact's id: the end of the record's id, and the index of the
// statement.
func shortFact(f memory.Fact) string {
	short := cli.ShortID(f.Record)
	if rest := f.ID[strings.Index(f.ID, f.Record)+len(f.Record):]; rest != "" {
		short += rest
	}
	return short
}

func endCommand(app *cli.App) *cobra.Command {
	var undo bool
	c := &cobra.Command{Use: "end CHAT FACT", Short: "end a fact: it is no longer true and no longer sent",
		Long: "End a fact: a memory, a hook, a thread, a line of a recap or a fact of a lorebook entry. It ends on " +
			"all branches and is no longer sent, but it is kept; --undo reopens it, and needs the full id. The " +
			"lorebook entry itself is not changed; lore show lists its ended facts." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		if undo {
			if err := e.Memory.Reopen(c.ID, args[0]); err != nil {
				return err
			}
			return app.Print(actDoc{Did: "reopened", Fact: args[0]}, func(p *cli.Page) { p.Line("reopened") })
		}
		s, err := e.Memory.End(c.ID, args[0])
		if err != nil {
			return err
		}
		return app.Print(actDoc{"ended", s.Fact.ID, s.Fact.Text, ""}, func(p *cli.Page) {
			p.Linef("ended: %s", cli.OneLine(s.Fact.Text))
			p.Linef("knows end CHAT %s --undo undoes it", s.Fact.ID)
		})
	})
	c.Flags().BoolVar(&undo, "undo", false, "reopen the fact")
	return c
}

func tellCommand(app *cli.App) *cobra.Command {
	var undo bool
	var to string
	c := &cobra.Command{Use: "tell CHAT FACT", Short: "share a fact with a character",
		Long: "Share a fact with a character of the chat who does not know it. A memory is then known to this " +
			"character too; for other facts a memory for this character is created. --undo undoes it." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		if to == "" {
			return cli.UsageError("give the character with --to")
		}
		who, err := cli.FindMember(e, c.ID, to)
		if err != nil {
			return err
		}
		do, did, words := e.Memory.Share, "told", "shared with "
		if undo {
			do, did, words = e.Memory.Unshare, "untold", "no longer known to "
		}
		s, err := do(c.ID, args[0], who.Character)
		if err != nil {
			return err
		}
		return app.Print(actDoc{did, s.Fact.ID, s.Fact.Text, who.Character}, func(p *cli.Page) {
			p.Linef("%s%s: %s", words, cli.OneLine(who.Name), cli.OneLine(s.Fact.Text))
		})
	})
	c.Flags().StringVar(&to, "to", "", "share with the character `NAME`")
	c.Flags().BoolVar(&undo, "undo", false, "undo the sharing")
	return c
}

func bringBackCommand(app *cli.App) *cobra.Command {
	var undo bool
	c := &cobra.Command{Use: "bring CHAT FACT", Short: "restore a fact that left the prompt",
		Long: "Restore a fact that left the prompt for lack of space or priority: a recap line is kept in the recap, " +
			"and a memory is pinned. --undo undoes it." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		do, did, words := e.Memory.KeepInPrompt, "brought", "restored: "
		if undo {
			do, did, words = e.Memory.UndoKeepInPrompt, "released", "released: "
		}
		s, err := do(c.ID, args[0])
		if err != nil {
			return err
		}
		return app.Print(actDoc{did, s.Fact.ID, s.Fact.Text, ""},
			func(p *cli.Page) { p.Line(words + cli.OneLine(s.Fact.Text)) })
	})
	c.Flags().BoolVar(&undo, "undo", false, "stop keeping the fact in prompts")
	return c
}
