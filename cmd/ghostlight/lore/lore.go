// Package lore has the commands for lorebooks: books and entries, filling them from recaps, the
// inbox, history, the linter, and why an entry is in the prompt.
package lore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Command returns the command ghostlight lore.
func Command(app *cli.App) *cobra.Command {
	return cli.Group("lore", "lorebooks: entries, triggers and review",
		listCommand(app), showCommand(app), newCommand(app), bookCommand(app),
		Books.DeleteCommand(app, "remove BOOK", "remove a lorebook; lore bring-back restores it by its id"),
		bringBackCommand(app), switchCommand(app), importCommand(app), exportCommand(app),
		addCommand(app), editCommand(app), renameCommand(app), mergeCommand(app), splitCommand(app),
		bulkCommand(app, "enable BOOK [ENTRY...]", "enable entries", lore.Enable),
		bulkCommand(app, "disable BOOK [ENTRY...]", "disable entries", lore.Disable),
		bulkCommand(app, "lock BOOK [ENTRY...]", "lock entries: only you can change them", lore.Lock),
		bulkCommand(app, "unlock BOOK [ENTRY...]", "unlock entries", lore.Unlock),
		bulkCommand(app, "constant BOOK [ENTRY...]", "make entries constant: always in the prompt", lore.Constant),
		bulkCommand(app, "keyed BOOK [ENTRY...]", "make entries keyed: triggered by their keys", lore.Keyed),
		bulkCommand(app, "delete BOOK [ENTRY...]", "delete entries; lore undo brings one back", lore.Delete),
		bulkCommand(app, "retype BOOK [ENTRY...] TYPE", "change the type of entries", lore.Retype),
		bulkCommand(app, "reorder BOOK [ENTRY...] ORDER",
			"change the order of entries: a higher order comes closer to the end of the prompt", lore.Reorder),
		historyCommand(app), undoCommand(app), restoreCommand(app),
		activateCommand(app), testCommand(app), whyCommand(app),
		fillCommand(app), compactCommand(app), sceneChangesCommand(app), undoSceneCommand(app),
		inboxCommand(app), acceptCommand(app), rejectCommand(app), undoReviewCommand(app),
		lintCommand(app), unitCommand(app))
}

// Help on the arguments of several commands.
const (
	bookHelp = "BOOK is a lorebook's id, the start of one, or its name; or a chat, character or persona that has a " +
		"single lorebook."

	entryHelp = "ENTRY is an entry's id, the start of one, its uid, its name or an alias."
)

// findBook finds a lorebook by its own name or id, else by its owner's.
func findBook(e *engine.Engine, ref string) (storage.Lorebook, error) {
	b, missing := e.Lore.FindBook(ref)
	if !errors.Is(missing, storage.ErrNotFound) {
		return b, missing
	}
	if c, err := e.Chats.Find(ref); err == nil {
		return bookOf(e, "the chat "+cli.Quote(c.Title), "--chat "+string(c.ID),
			func(b lore.Book) bool { return b.Chat == c.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	if c, err := e.Library.FindCharacter(ref); err == nil {
		return bookOf(e, "the character "+cli.Quote(c.Card.Name), "--character "+string(c.ID),
			func(b lore.Book) bool { return b.Character == c.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	if p, err := e.Library.FindPersona(ref); err == nil {
		return bookOf(e, "the persona "+cli.Quote(p.Name), "--persona "+string(p.ID),
			func(b lore.Book) bool { return b.Persona == p.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	return b, missing
}

// bookOf returns the only book of an owner.
func bookOf(e *engine.Engine, who, flag string, is func(lore.Book) bool) (storage.Lorebook, error) {
	list, err := e.Lore.Books("")
	if err != nil {
		return storage.Lorebook{}, err
	}
	var have []storage.Lorebook
	var names []string
	for _, b := range list {
		if is(b) {
			have, names = append(have, b.Lorebook), append(names, fmt.Sprintf("%s (%s)", b.Name, b.ID))
		}
	}
	switch len(have) {
	case 0:
		return storage.Lorebook{}, fmt.Errorf("%w: %s has no lorebook; ghostlight lore new NAME %s creates one",
			storage.ErrNotFound, who, flag)
	case 1:
		return have[0], nil
	}
	return storage.Lorebook{}, fmt.Errorf("%w: %s has %d lorebooks: %s", failure.ErrAmbiguous, who, len(have),
		strings.Join(names, ", "))
}

// Books are the lorebooks as commands refer to them.
var Books = cli.Noun[storage.Lorebook]{
	Find:   findBook,
	List:   listBooks,
	Called: func(b storage.Lorebook) (id, name string) { return string(b.ID), b.Name },
	Delete: func(e *engine.Engine, b storage.Lorebook) error { return e.Lore.RemoveBook(b.ID) },
	Help:   bookHelp,
}

func listBooks(e *engine.Engine) (list []storage.Lorebook, err error) {
	all, err := e.Lore.Books("")
	for _, b := range all {
		list = append(list, b.Lorebook)
	}
	return list, err
}

// CompleteEntries lists the entries of the lorebook that the first argument names, or of the
// lorebooks that are active in the chat that it names.
func CompleteEntries(e *engine.Engine, before []string) (words []string) {
	if len(before) == 0 {
		return nil
	}
	b, err := e.Lore.FindBook(before[0])
	chat := b.Chat
	if err != nil {
		c, err := e.Chats.Find(before[0])
		if chat = c.ID; err != nil {
			if b, err = findBook(e, before[0]); err != nil {
				return nil
			}
		}
	}
	rows, err := e.Lore.Entries(b.ID, chat)
	if err != nil {
		return nil
	}
	for _, r := range rows {
		words = append(words, cli.Suggestion(string(r.ID), r.Name))
	}
	return words
}

// entryCommand returns a command on the entry that its first two arguments name. The entry is in
// its state at the head of its book's chat, or of the chat of --chat. long is the long help, "" for
// none.
func entryCommand(app *cli.App, use, short, long string,
	do func(ctx context.Context, e *engine.Engine, t entryRef, args []string) error) *cobra.Command {
	var at chatFlag
	c := Books.Act(app, use, short,
		func(ctx context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
			chat, err := at.find(e, b)
			if err != nil {
				return err
			}
			id, err := findEntry(e, b, args[0])
			if err != nil {
				return err
			}
			return do(ctx, e, entryRef{b, chat, id}, args[1:])
		})
	c.Long = cmp.Or(long, cli.Sentence(short)) + " " + bookHelp + " " + entryHelp
	at.add(c)
	return c
}

// entryRef is an entry of a book, seen in a chat.
type entryRef struct {
	book storage.Lorebook
	chat storage.ChatID // "" for none
	id   storage.EntryID
}

// findEntry finds an entry of a book. A deleted entry, or one that is not in this chat, is found if
// no other has the name.
func findEntry(e *engine.Engine, b storage.Lorebook, ref string) (storage.EntryID, error) {
	id, err := e.Lore.FindEntry(b.ID, ref)
	if errors.Is(err, storage.ErrNotFound) {
		err = fmt.Errorf("%w in %s", err, cli.Quote(b.Name))
	}
	return id, err
}

// chatFlag is the flag that names the chat at whose head entries are seen.
type chatFlag struct{ ref string }

func (a *chatFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&a.ref, "chat", "", "in the chat `CHAT` (default: the lorebook's chat)")
}

// find returns that chat, "" for none. A book that belongs to a chat allows no other.
func (a *chatFlag) find(e *engine.Engine, b storage.Lorebook) (storage.ChatID, error) {
	if a == nil || a.ref == "" {
		return b.Chat, nil
	}
	c, err := e.Chats.Find(a.ref)
	if err == nil && b.Chat != "" && b.Chat != c.ID {
		err = cli.UsageError(fmt.Sprintf("%s belongs to another chat than --chat", cli.Quote(b.Name)))
	}
	return c.ID, err
}

func listCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	var entries bool
	c := &cobra.Command{Use: "list [CHAT|BOOK]", Short: "list all lorebooks, those of a chat, or the entries of one",
		Long: "List all lorebooks; those of CHAT, with the reasons; or the entries of BOOK. With --entries, the " +
			"entries of all lorebooks that apply to CHAT are listed. If a chat and a lorebook have the same name, " +
			"the chat is used. " + bookHelp}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		if len(args) == 0 {
			if entries || at.ref != "" {
				return cli.UsageError("whose entries? Name a chat or a lorebook")
			}
			return printBooks(app, e, "")
		}
		chat, err := e.Chats.Find(args[0])
		if err == nil && at.ref == "" {
			if b, other := e.Lore.FindBook(args[0]); other == nil && !entries {
				app.Note("note: the lorebook %s has that name too: ghostlight lore list %s lists its entries",
					cli.Quote(b.Name), b.ID)
			}
			if entries {
				return printEntries(app, e, "", chat.ID)
			}
			return printBooks(app, e, chat.ID)
		}
		b, other := findBook(e, args[0])
		if other != nil {
			if errors.Is(err, failure.ErrAmbiguous) {
				return err
			}
			if errors.Is(other, storage.ErrNotFound) {
				return fmt.Errorf("%w: no chat and no lorebook is called %s", storage.ErrNotFound, cli.Quote(args[0]))
			}
			return other
		}
		in, err := at.find(e, b)
		if err != nil {
			return err
		}
		return printEntries(app, e, b.ID, in)
	})
	c.Flags().BoolVar(&entries, "entries", false, "list the entries of the lorebooks that apply to the chat")
	at.add(c)
	return c
}

// printBooks prints the lorebooks, those of a chat first.
func printBooks(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	list, err := e.Lore.Books(chat)
	if err != nil {
		return err
	}
	return cli.PrintList(app, list, func(b lore.Book) bookDoc { return newBookDoc(b, chat) },
		func(b lore.Book) []string { return bookRow(b, chat) })
}

// bookRow returns a book as a line of a list.
func bookRow(b lore.Book, chat storage.ChatID) []string {
	row := []string{string(b.ID), cli.Clip(b.Name, cli.ColumnWidth), string(b.Kind),
		cli.Plural(b.Entries, "entry", "entries"), cli.Plural(b.Tokens, "token", "tokens")}
	if b.Waiting > 0 {
		row = append(row, fmt.Sprintf("%d to review", b.Waiting))
	} else {
		row = append(row, "")
	}
	switch {
	case chat != "" && b.On:
		return append(row, "on: "+b.Why)
	case chat != "":
		return append(row, "off: "+b.Why)
	case b.Off:
		return append(row, "off unless enabled in a chat")
	}
	return row
}

// currentBook returns the present state of a book, in a chat if one is named.
func currentBook(e *engine.Engine, id storage.LorebookID, chat storage.ChatID) (lore.Book, error) {
	list, err := e.Lore.Books(chat)
	if err != nil {
		return lore.Book{}, err
	}
	if at := slices.IndexFunc(list, func(b lore.Book) bool { return b.ID == id }); at >= 0 {
		return list[at], nil
	}
	return lore.Book{}, fmt.Errorf("%w: the lorebook no longer exists", storage.ErrNotFound)
}

// printBook prints one book as it is now.
func printBook(app *cli.App, e *engine.Engine, id storage.LorebookID, chat storage.ChatID) error {
	b, err := currentBook(e, id, chat)
	if err != nil {
		return err
	}
	return app.Print(newBookDoc(b, chat), func(p *cli.Page) { p.Table([][]string{bookRow(b, chat)}) })
}

func printEntries(app *cli.App, e *engine.Engine, b storage.LorebookID, chat storage.ChatID) error {
	list, err := e.Lore.Entries(b, chat)
	if err != nil {
		return err
	}
	return cli.PrintList(app, list, newEntryLine, func(r lore.Row) []string {
		row := []string{strconv.Itoa(r.UID), cli.Clip(r.Name, cli.ColumnWidth), r.Type,
			cli.Clip(strings.Join(r.Keys, ", "), cli.ColumnWidth),
			cli.Plural(r.Tokens, "token", "tokens"), entryState(r)}
		if b == "" {
			row = append([]string{cli.Clip(r.BookName, cli.ColumnWidth)}, row...)
		}
		return row
	})
}

// entryState describes what is special about an entry.
func entryState(r lore.Row) string {
	var words []string
	for _, m := range []struct {
		is   bool
		word string
	}{{r.Removed, "deleted"}, {r.Constant, "constant"}, {r.Disabled, "disabled"}, {r.Locked, "locked"},
		{r.OnPath, "only on this branch"}, {r.Stale, "outdated"},
		{r.Waiting > 0, fmt.Sprintf("%d to review", r.Waiting)},
		{r.LastTriggered > 0, fmt.Sprintf("triggered at #%d", r.LastTriggered)}} {
		if m.is {
			words = append(words, m.word)
		}
	}
	return strings.Join(words, ", ")
}

func showCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	c := Books.Act(app, "show BOOK [ENTRY]", "print a lorebook, or one entry with all its settings",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
			chat, err := at.find(e, b)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return printWholeBook(app, e, b, chat)
			}
			id, err := findEntry(e, b, args[0])
			if err != nil {
				return err
			}
			return printEntry(app, e, entryRef{b, chat, id})
		})
	c.Long = "Print a lorebook with its entries, or one entry with all its settings, its facts, numbered for lore " +
		"split, and its problems. " + bookHelp + " " + entryHelp
	at.add(c)
	return c
}

// printWholeBook prints a book with its entries.
func printWholeBook(app *cli.App, e *engine.Engine, b storage.Lorebook, chat storage.ChatID) error {
	whole, err := currentBook(e, b.ID, chat)
	if errors.Is(err, storage.ErrNotFound) {
		whole, err = lore.Book{Lorebook: b}, nil // a removed one
	}
	if err != nil {
		return err
	}
	rows, err := e.Lore.Entries(b.ID, chat)
	if err != nil {
		return err
	}
	doc := newBookDoc(whole, chat)
	doc.Contents = cli.Docs(rows, newEntryLine)
	return app.Print(doc, func(p *cli.Page) {
		p.Table([][]string{bookRow(whole, chat)})
		if b.Description != "" {
			p.Line("\n" + b.Description)
		}
		for _, r := range rows {
			p.Linef("\n%d  %s", r.UID, strings.TrimSpace(cli.OneLine(r.Name)+"  "+r.Type+"  "+entryState(r)))
			if len(r.Keys) > 0 {
				p.Linef("  keys: %s", cli.OneLine(strings.Join(r.Keys, ", ")))
			}
			p.Line("  " + cli.Clip(cmp.Or(r.Synopsis, r.Content), 200))
		}
	})
}

// printEntry prints an entry as it is now.
func printEntry(app *cli.App, e *engine.Engine, t entryRef) error {
	v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
	if err != nil {
		return err
	}
	doc := newEntryDoc(v)
	return app.Print(doc, func(p *cli.Page) { writeEntry(p, v) })
}

// writeEntry writes an entry: a heading, its content, and all settings that differ from a new
// entry's.
func writeEntry(p *cli.Page, v lore.EntryView) {
	p.Line(strings.TrimSpace(fmt.Sprintf("%s  %d  %s  %s  %s", v.ID, v.UID, cli.OneLine(v.Name), v.Type,
		entryState(v.Row))))
	p.Line("\n" + strings.TrimSpace(v.Content) + "\n")
	rows := [][]string{}
	std := lore.EntryFields.Default()
	for _, c := range lore.Changes(&std, &v.LoreEntry) {
		if c.Name != "name" && c.Name != "type" {
			rows = append(rows, []string{c.Name, cli.Clip(c.After, 200)})
		}
	}
	p.Table(rows)
	for i, f := range factsOf(v.Content) {
		if i == 0 {
			p.Line("\nfacts:")
		}
		p.Linef("%d  %s", i+1, cli.OneLine(f))
		if at := slices.IndexFunc(v.Ended, func(o lore.EndedFact) bool { return o.Nth == i }); at >= 0 {
			words := memory.EndWords(memory.NewEndView(&v.Ended[at].End.End))
			p.Linef("   ended: %s; knows end CHAT %s --undo undoes it", cli.Clip(words, 200), factID(v, i))
		}
	}
	for _, f := range v.Problems {
		p.Linef("\ninvalid: line %d, column %d: %s", f.Line, f.Column, cli.OneLine(f.Text))
	}
	for _, f := range v.Faults {
		p.Linef("\ninvalid: %s", faultWords(f))
	}
	p.Linef("\n%s; versions in its history: %d", cli.Plural(v.Tokens, "token", "tokens"), len(v.History))
}
