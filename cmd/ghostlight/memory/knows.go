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

// KnowsCommand returns the command ghostlight knows.
func KnowsCommand(app *cli.App) *cobra.Command {
	var as string
	c := &cobra.Command{Use: "knows CHAT [SUBJECT]", Short: "list the facts of a chat, and who knows them",
		Long: "List the facts of a chat by subject, from recaps, lorebooks, memories and hooks. Each has its source " +
			"messages, who knows it, and whether and why it is in the next prompt. Contradictions and duplicates " +
			"come first. With SUBJECT only matching facts are listed, then similar ones if an embedding model is " +
			"set. If a chat has the name of a subcommand, use its id."}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		ask := memory.FactQuery{Chat: c.ID}
		if len(args) > 0 {
			ask.Subject = args[0]
		}
		var err error
		if ask.As, err = findMember(e, c.ID, as); err != nil {
			return err
		}
		v, err := e.Play.Facts(ctx, ask)
		if err != nil {
			return err
		}
		return app.Print(v, func(p *cli.Page) { writeKnown(p, v) })
	})
	asFlag(c, &as)
	c.AddCommand(endCommand(app), tellCommand(app), bringBackCommand(app), doubtsCommand(app), answerDoubtCommand(app))
	return c
}

func asFlag(c *cobra.Command, as *string) {
	c.Flags().StringVar(as, "as", "", "only what the character `NAME` knows")
}

// findMember returns the character that ref names, "" if ref is "".
func findMember(e *engine.Engine, chat storage.ChatID, ref string) (storage.CharacterID, error) {
	if ref == "" {
		return "", nil
	}
	who, err := cli.FindMember(e, chat, ref)
	return who.Character, err
}

// writeKnown writes what a play knows.
func writeKnown(p *cli.Page, v memory.FactList) {
	if len(v.Facts) == 0 {
		p.Line("no facts found")
	}
	if len(v.Doubts) > 0 {
		p.Line("MAY BE OUTDATED (answer with knows settle)")
		writeDoubts(p, v.Doubts)
		p.Line("")
	}
	writePairs(p, v, "CONTRADICTIONS", v.Contradictions)
	writePairs(p, v, "DUPLICATES", v.Duplicates)
	subject := "\x00"
	meant := false
	for _, f := range v.Facts {
		if f.ByMeaning && !meant {
			meant, subject = true, "\x00"
			p.Line("\nSIMILAR")
		}
		if f.Subject != subject {
			if subject != "\x00" {
				p.Line("")
			}
			if subject = f.Subject; subject == "" {
				p.Line("(no name)")
			} else {
				p.Line(cli.OneLine(subject))
			}
		}
		p.Linef("  %s  %s  %s", shortFact(f), f.Kind, cli.OneLine(f.Text))
		p.Linef("      %s", cli.OneLine(strings.Join(factNotes(f), "; ")))
	}
	if v.LeftOut > 0 {
		p.Linef("\nand %s more", cli.Plural(v.LeftOut, "fact", "facts"))
	}
	if v.Fault != "" {
		p.Linef("\nnext prompt unavailable: %s", cli.OneLine(v.Fault))
	}
}

func writePairs(p *cli.Page, v memory.FactList, title string, list []memory.Pair) {
	if len(list) == 0 {
		return
	}
	p.Line(title)
	for _, pair := range list {
		a, b := v.Find(pair.Older), v.Find(pair.Newer)
		if a == nil || b == nil {
			continue
		}
		p.Linef("  %s%s", cli.OneLine(a.Text), where(*a))
		later := ""
		if pair.Later != "" {
			if later = ", later"; pair.Reason != "" {
				later += ": " + cli.OneLine(pair.Reason)
			}
		}
		p.Linef("  %s%s%s\n", cli.OneLine(b.Text), where(*b), later)
	}
}

func where(f memory.Fact) string {
	if f.Since == 0 {
		return " (" + f.Home + ")"
	}
	return fmt.Sprintf(" (%s, message %d)", f.Home, f.Since)
}

// factNotes says where a fact came from, who may know it, and whether it is in the prompt.
func factNotes(f memory.Fact) []string {
	out := []string{f.Home}
	if len(f.Sources) > 0 {
		var numbers []string
		for _, s := range f.Sources {
			numbers = append(numbers, fmt.Sprint(s.Number))
		}
		from := "message " + strings.Join(numbers, ", ")
		if f.Scene > 0 {
			from += fmt.Sprintf(", scene %d", f.Scene)
		}
		out = append(out, from)
	}
	if !f.Everybody {
		names := []string{}
		for _, k := range f.Knowers {
			names = append(names, k.Name)
		}
		if len(names) == 0 {
			names = []string{"nobody"}
		}
		out = append(out, "known to "+strings.Join(names, ", "))
	}
	switch {
	case f.InPrompt:
		out = append(out, "in prompt: "+f.InPromptBy)
	case f.WhyNotInPrompt != "":
		out = append(out, "not in prompt: "+f.WhyNotInPrompt)
	}
	return out
}
