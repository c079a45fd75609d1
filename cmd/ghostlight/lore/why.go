package lore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func activateCommand(app *cli.App) *cobra.Command {
	var input string
	c := cli.Chats.Act(app, "activate CHAT", "print the entries of the next prompt, and why",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			text, err := app.TextArg(input)
			if err != nil {
				return err
			}
			a, err := e.Play.ActivateLore(ctx, c.ID, text)
			if err != nil {
				return err
			}
			return printActivation(app, a)
		})
	c.Long = "Print which lorebook entries are in the next prompt, and why: the matching keys and messages, entries " +
		"cut by the budget or their group, and the tokens of each. ghostlight lore why explains why an entry is " +
		"missing."
	c.Flags().StringVar(&input, "input", "", "as if you sent `TEXT` next (- reads standard input)")
	return c
}

func testCommand(app *cli.App) *cobra.Command {
	var at, text string
	c := &cobra.Command{Use: "test [BOOK] --text FILE", Short: "print which entries a text triggers",
		Long: "Print which entries a text triggers, as if it were a message: those of BOOK, or with only --chat " +
			"those of all lorebooks of the chat. " + bookHelp}
	c.RunE = app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
		if len(args) == 0 && at == "" {
			return cli.UsageError("which lorebook? Name one, or a chat with --chat")
		}
		if text == "" {
			return cli.UsageError("give the file with the text with --text FILE; - reads standard input")
		}
		var b storage.Lorebook
		var err error
		if len(args) > 0 {
			if b, err = findBook(e, args[0]); err != nil {
				return err
			}
		}
		chat, err := (&chatFlag{at}).find(e, b)
		if err != nil {
			return err
		}
		words, err := app.FileArg(text)
		if err != nil {
			return err
		}
		a, err := e.Lore.Test(ctx, chat, b.ID, words)
		if err != nil {
			return err
		}
		return printActivation(app, a)
	})
	c.Flags().StringVar(&text, "text", "", "test the text in `FILE` (- reads standard input)")
	c.Flags().StringVar(&at, "chat", "", "in the chat `CHAT` (default: the lorebook's chat)")
	return c
}

// printActivation prints what the lorebooks do for a prompt.
func printActivation(app *cli.App, a lore.Activation) error {
	doc := struct {
		lore.Activation
		Entries []traceDoc `json:"entries"`
	}{a, cli.Docs(slices.Concat(a.Triggered, a.Lost), newTraceDoc)}
	for _, f := range a.Faults {
		app.Note("note: %s", faultWords(f))
	}
	return app.Print(doc, func(p *cli.Page) {
		rows := [][]string{}
		for _, r := range doc.Entries {
			mark := "-"
			if r.Included {
				mark = "+"
			}
			where := positionWord(r.Position)
			if r.Position == storage.AtDepth {
				where += fmt.Sprintf(" %d", r.Depth)
			}
			rows = append(rows, []string{mark, cli.Clip(r.Name, cli.ColumnWidth), cli.Clip(r.BookName, cli.ColumnWidth),
				where, cli.Plural(r.Tokens, "token", "tokens"), cli.Clip(r.Reason, 200)})
		}
		for _, s := range a.Pinned {
			rows = append(rows, []string{"=", cli.Clip(s.Name, cli.ColumnWidth), cli.Clip(s.Book, cli.ColumnWidth),
				"history", cli.Plural(s.Tokens, "token", "tokens"),
				"stays: " + cli.Clip(s.Reason, 180)})
		}
		p.Table(rows)
		p.Linef("%d of %d tokens", a.Used, a.Budget)
	})
}

func whyCommand(app *cli.App) *cobra.Command {
	var input, in string
	c := cli.Chats.Act(app, "why CHAT ENTRY", "explain why the next prompt has an entry, or not",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			text, err := app.TextArg(input)
			if err != nil {
				return err
			}
			id, err := findInChat(e, c.ID, in, args[0])
			if err != nil {
				return err
			}
			a, err := e.Play.ActivateLore(ctx, c.ID, text)
			if err != nil {
				return err
			}
			t, err := e.Lore.Why(c.ID, id)
			if err != nil {
				return err
			}
			doc := struct {
				traceDoc
				Text   string             `json:"text"` // as it goes into the prompt
				Faults []activation.Fault `json:"faults"`
			}{traceDoc: newTraceDoc(t), Text: t.Text}
			for _, f := range a.Faults {
				if f.Entry == id {
					doc.Faults = append(doc.Faults, f)
				}
			}
			return app.Print(doc, func(p *cli.Page) { writeWhy(p, doc.traceDoc, doc.Faults) })
		})
	c.Long = "Explain why the next prompt has an entry, or not. " + entryHelp
	c.Flags().StringVar(&input, "input", "", "as if you sent `TEXT` next (- reads standard input)")
	c.Flags().StringVar(&in, "book", "", "the entry in the lorebook `BOOK`, if several lorebooks have one of that name")
	return c
}

// findInChat finds an entry in the books that count in a chat, or in one of them.
func findInChat(e *engine.Engine, chat storage.ChatID, only, ref string) (storage.EntryID, error) {
	var named storage.LorebookID
	if only != "" {
		b, err := findBook(e, only)
		if err != nil {
			return "", err
		}
		named = b.ID
	}
	books, err := e.Lore.Books(chat)
	if err != nil {
		return "", err
	}
	var found []storage.EntryID
	var where, off []string
	for _, b := range books {
		if named != "" && b.ID != named {
			continue
		}
		id, err := e.Lore.FindEntry(b.ID, ref)
		switch {
		case errors.Is(err, storage.ErrNotFound):
		case err != nil:
			return "", err
		case !b.On:
			off = append(off, cli.Quote(b.Name))
		default:
			found, where = append(found, id), append(where, cli.Quote(b.Name))
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%w: the lorebooks %s have an entry %s; --book names one", failure.ErrAmbiguous,
			strings.Join(where, ", "), cli.Quote(ref))
	case len(off) > 0:
		return "", fmt.Errorf("the entry %s is in %s, which does not apply to this chat; ghostlight lore switch %s "+
			"BOOK on changes that",
			cli.Quote(ref), strings.Join(off, ", "), chat)
	}
	return "", fmt.Errorf("%w: no lorebook that applies to this chat has an entry %s", storage.ErrNotFound,
		cli.Quote(ref))
}

// writeWhy writes all that decided about an entry.
func writeWhy(p *cli.Page, w traceDoc, faults []activation.Fault) {
	p.Linef("%s  %s  %s", cli.OneLine(w.Name), cli.OneLine(w.BookName), w.Verdict)
	p.Linef("\n%s", w.Reason)
	for _, f := range faults {
		p.Linef("problem: %s: %s", cli.Quote(cli.Clip(f.Key, cli.ColumnWidth)), cli.OneLine(f.Text))
	}
	for _, h := range w.Hits {
		kind, at := "key", cmp.Or(h.Where, string(h.Message))
		if h.Secondary {
			kind = "secondary key"
		}
		p.Linef("%s %q in %s", kind, cli.OneLine(h.Key), cmp.Or(at, "the text"))
	}
	if len(w.Path) > 0 {
		p.Linef("via: %s", cli.OneLine(strings.Join(w.Path, " > ")))
	}
	if w.Group != "" && w.Group != w.Reason {
		p.Linef("group: %s", cli.OneLine(w.Group))
	}
	p.Linef("position: %s, order %d, %s", positionWord(w.Position), w.Order, cli.Plural(w.Tokens, "token", "tokens"))
	if w.Verdict == activation.Triggered && strings.TrimSpace(w.Text) != "" {
		p.Line("\n" + strings.TrimSpace(w.Text))
	}
}

func positionWord(p storage.LorePosition) string {
	word, _ := p.MarshalText() // never fails
	return string(word)
}
