package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/storage"
)

func (d *door) loreActivate() *cobra.Command {
	var input string
	c := &cobra.Command{Use: "activate CHAT", Short: "print which entries the next prompt has, and why", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Print which entries of the lorebooks the next prompt has, and why: which key in which message; which did not fit the budget or lost in their group; " +
			"and what each costs. ghostlight lore why tells about an entry that is not among them."}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		text, err := d.textArg(input)
		if err != nil {
			return err
		}
		a, err := e.Lore.Activate(ctx, c.ID, text)
		if err != nil {
			return err
		}
		return d.tellActivation(a)
	})
	c.Flags().StringVar(&input, "input", "", "as if you said `TEXT` next (- reads standard input)")
	return c
}

func (d *door) loreTest() *cobra.Command {
	var at, text string
	c := &cobra.Command{Use: "test [BOOK] --text FILE", Short: "print which entries a text would fire", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Print which entries a text would fire, as if it were a message: those of BOOK, or with --chat alone those of all books that count in the chat. " + bookHelp}
	c.RunE = d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		if len(args) == 0 && at == "" {
			return misuse{"which lorebook? Name one, or a chat with --chat"}
		}
		if text == "" {
			return misuse{"--text names the file with the text; - reads standard input"}
		}
		var b storage.Lorebook
		var err error
		if len(args) > 0 {
			if b, err = book(e, args[0]); err != nil {
				return err
			}
		}
		chat, err := (&atChat{at}).find(e, b)
		if err != nil {
			return err
		}
		words, err := d.fileArg(text)
		if err != nil {
			return err
		}
		a, err := e.Lore.Test(ctx, chat, b.ID, words)
		if err != nil {
			return err
		}
		return d.tellActivation(a)
	})
	c.Flags().StringVar(&text, "text", "", "the text of `FILE` (- reads standard input)")
	c.Flags().StringVar(&at, "chat", "", "as it is in the chat `CHAT` (default: the chat that the book belongs to)")
	return c
}

// tellActivation prints what the lorebooks do for a prompt.
func (d *door) tellActivation(a lore.Activation) error {
	doc := shapeActivation(a)
	for _, f := range doc.Faults {
		d.note("note: %s", f.words())
	}
	return d.tell(doc, func(p *page) {
		rows := [][]string{}
		for _, r := range doc.Entries {
			mark := "-"
			if r.Included {
				mark = "+"
			}
			where := r.Position
			if r.Position == positionWords[storage.AtDepth] {
				where += fmt.Sprintf(" %d", r.Depth)
			}
			rows = append(rows, []string{mark, clip(r.Name, columnLimit), clip(r.BookName, columnLimit), where, counted(r.Tokens, "token", "tokens"), clip(r.Reason, 200)})
		}
		for _, s := range doc.Stays {
			rows = append(rows, []string{"=", clip(s.Name, columnLimit), clip(s.BookName, columnLimit), "history", counted(s.Tokens, "token", "tokens"),
				"stays: " + clip(s.Reason, 180)})
		}
		p.table(rows)
		p.linef("%d of %d tokens", doc.Used, doc.Budget)
	})
}

func (d *door) loreWhy() *cobra.Command {
	var input, in string
	c := &cobra.Command{Use: "why CHAT ENTRY", Short: "tell why the next prompt has an entry, or why not", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Tell why the next prompt has an entry, or why not. " + entryHelp}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		text, err := d.textArg(input)
		if err != nil {
			return err
		}
		id, err := entryIn(e, c.ID, in, args[0])
		if err != nil {
			return err
		}
		a, err := e.Lore.Activate(ctx, c.ID, text)
		if err != nil {
			return err
		}
		t, err := e.Lore.Why(c.ID, id)
		if err != nil {
			return err
		}
		doc := whyShape{shapeTrace(t), t.Text, []faultShape{}}
		for _, f := range slices.Concat(a.Faults, a.Result.Faults) {
			if f.Entry == id {
				doc.Faults = append(doc.Faults, shapeFault(f))
			}
		}
		return d.tell(doc, func(p *page) { p.why(doc) })
	})
	c.Flags().StringVar(&input, "input", "", "as if you said `TEXT` next (- reads standard input)")
	c.Flags().StringVar(&in, "book", "", "the entry of the lorebook `BOOK`, where several have one of that name")
	return c
}

// entryIn finds an entry of the books that count in a chat, or of one of them.
func entryIn(e *engine.Engine, chat storage.ChatID, only, ref string) (storage.EntryID, error) {
	var named storage.LorebookID
	if only != "" {
		b, err := book(e, only)
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
			off = append(off, quote(b.Name))
		default:
			found, where = append(found, id), append(where, quote(b.Name))
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%w: the lorebooks %s have an entry %s; --book names one", failure.ErrAmbiguous, strings.Join(where, ", "), quote(ref))
	case len(off) > 0:
		return "", fmt.Errorf("the entry %s is in %s, which does not count in this chat; ghostlight lore switch %s BOOK on lets it",
			quote(ref), strings.Join(off, ", "), chat)
	}
	return "", fmt.Errorf("%w: no lorebook that counts in this chat has an entry %s", storage.ErrNotFound, quote(ref))
}

// why writes all that decided about an entry.
func (p *page) why(w whyShape) {
	p.linef("%s  %s  %s", oneLine(w.Name), oneLine(w.BookName), w.Verdict)
	p.linef("\n%s", w.Reason)
	for _, f := range w.Faults {
		p.linef("fault: %s: %s", quote(clip(f.Key, columnLimit)), oneLine(f.Text))
	}
	for _, h := range w.Matched {
		kind, at := "key", first(h.Where, string(h.Message))
		if h.Secondary {
			kind = "secondary key"
		}
		p.linef("%s %q in %s", kind, oneLine(h.Key), first(at, "the text"))
	}
	if len(w.Path) > 0 {
		p.linef("led to by: %s", oneLine(strings.Join(w.Path, " > ")))
	}
	if w.Group != "" && w.Group != w.Reason {
		p.linef("group: %s", oneLine(w.Group))
	}
	p.linef("position: %s, order %d, %s", w.Position, w.Order, counted(w.Tokens, "token", "tokens"))
	if w.Verdict == activation.Fired && strings.TrimSpace(w.Text) != "" {
		p.line("\n" + strings.TrimSpace(w.Text))
	}
}
