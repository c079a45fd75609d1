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

// factHelp says how a fact is named.
const factHelp = " FACT is a fact's id, or the beginning or the end of one, as knows prints it."

// doneDoc is something that was done to a fact, or taken back.
type doneDoc struct {
	Did  string              `json:"did"`
	Fact string              `json:"fact"`
	Text string              `json:"text"` // "" where it is taken back
	To   storage.CharacterID `json:"to"`   // who was told, "" for nobody
}

// shortFact is an id of a fact as far as people need it: the end of the record's, and
// which of its statements it is.
func shortFact(f memory.Fact) string {
	short := cli.ShortID(f.Record)
	if rest := f.ID[strings.Index(f.ID, f.Record)+len(f.Record):]; rest != "" {
		short += rest
	}
	return short
}

func endCommand(app *cli.App) *cobra.Command {
	var undo bool
	c := &cobra.Command{Use: "end CHAT FACT", Short: "end a fact: it is over, and told no more", Args: cli.Args(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "End a fact: a memory, a hook, a thread, a line of a recap or a fact of a lorebook's entry. It is over on all branches, no prompt tells it any more, and it is kept; --undo takes its ends back, " +
			"and needs the whole id. An entry of a lorebook stays as it is written; lore show says what of it is over in a chat." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		if undo {
			if err := e.Memory.Reopen(c.ID, args[0]); err != nil {
				return err
			}
			return app.Print(doneDoc{Did: "reopened", Fact: args[0]}, func(p *cli.Page) { p.Line("it holds again") })
		}
		s, err := e.Memory.End(c.ID, args[0])
		if err != nil {
			return err
		}
		return app.Print(doneDoc{"ended", s.Fact.ID, s.Fact.Text, ""}, func(p *cli.Page) {
			p.Linef("ended: %s", cli.OneLine(s.Fact.Text))
			p.Linef("knows end CHAT %s --undo takes it back", s.Fact.ID)
		})
	})
	c.Flags().BoolVar(&undo, "undo", false, "take the ends of the fact back: it holds again")
	return c
}

func tellCommand(app *cli.App) *cobra.Command {
	var undo bool
	var to string
	c := &cobra.Command{Use: "tell CHAT FACT", Short: "tell a fact to somebody who plays", Args: cli.Args(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Tell a fact to somebody who plays and may not know it: it then knows the fact as if it had been there. A memory has one more witness; of a fact of another kind " +
			"a memory is made that only this character has. --undo takes it back." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		if to == "" {
			return cli.UsageError("--to names who is told")
		}
		who, err := cli.FindMember(e, c.ID, to)
		if err != nil {
			return err
		}
		do, did, words := e.Memory.Tell, "told", "told to "
		if undo {
			do, did, words = e.Memory.Untell, "untold", "no longer known to "
		}
		s, err := do(c.ID, args[0], who.Character)
		if err != nil {
			return err
		}
		return app.Print(doneDoc{did, s.Fact.ID, s.Fact.Text, who.Character}, func(p *cli.Page) {
			p.Linef("%s%s: %s", words, cli.OneLine(who.Name), cli.OneLine(s.Fact.Text))
		})
	})
	c.Flags().StringVar(&to, "to", "", "who is told: the character `NAME`")
	c.Flags().BoolVar(&undo, "undo", false, "have the character not know it")
	return c
}

func bringCommand(app *cli.App) *cobra.Command {
	var undo bool
	c := &cobra.Command{Use: "bring CHAT FACT", Short: "bring a fact back that only left the prompt", Args: cli.Args(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Bring a fact back that only left the prompt, for want of room or because others come first: a line of a recap stays in what is told of that, " +
			"and a memory is pinned. --undo takes it back." + factHelp}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		do, did, words := e.Memory.Bring, "brought", "brought back: "
		if undo {
			do, did, words = e.Memory.LetGo, "let go", "told like others: "
		}
		s, err := do(c.ID, args[0])
		if err != nil {
			return err
		}
		return app.Print(doneDoc{did, s.Fact.ID, s.Fact.Text, ""}, func(p *cli.Page) { p.Line(words + cli.OneLine(s.Fact.Text)) })
	})
	c.Flags().BoolVar(&undo, "undo", false, "have the fact be told like others again")
	return c
}
