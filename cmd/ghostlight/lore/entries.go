package lore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryFlags are what the commands that write an entry take.
type entryFlags struct {
	set  []string
	file string
}

func (f *entryFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.set, "set", nil, "set `FIELD=VALUE`; a text of @FILE is read from a file, - from standard input")
	c.Flags().StringVar(&f.file, "file", "", "take the fields of the JSON object in `FILE`, such as lore show --json prints (- reads standard input)")
}

// fieldHelp says which fields there are and how lists are written.
func fieldHelp() string {
	return "The fields are: " + strings.Join(entryFieldNames(), ", ") + ". Separate the items of a list with commas, or put one on each line. " +
		"The value default makes scan_depth, case_sensitive, whole_words and use_group_scoring use the lorebook's values and the settings."
}

// applyFields changes an entry as the flags say.
func applyFields(app *cli.App, f entryFlags, e *storage.LoreEntry) error {
	fields := fieldsOf(*e)
	if f.file != "" {
		text, err := app.FileArg(f.file)
		if err != nil {
			return err
		}
		if err := fields.fromJSON([]byte(text), e.ID); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(strings.TrimPrefix(f.file, "-"), "standard input"), err)
		}
	}
	for _, s := range f.set {
		name, v, ok := strings.Cut(s, "=")
		if !ok {
			return cli.UsageError("--set takes FIELD=VALUE, not " + cli.Quote(s))
		}
		v, err := app.ValueArg(v)
		if err != nil {
			return err
		}
		if err := fields.set(name, v); err != nil {
			return err
		}
	}
	return fields.put(e)
}

func addCommand(app *cli.App) *cobra.Command {
	var f entryFlags
	var at chatFlag
	var name, typ, content string
	var keys, aliases []string
	var constant bool
	c := &cobra.Command{Use: "add BOOK --name NAME", Short: "write a new entry",
		Long: "Write a new entry into a lorebook. " + fieldHelp() + " " + bookHelp}
	c.RunE = withBook(app, func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
		chat, err := at.find(e, b)
		if err != nil {
			return err
		}
		text, err := app.ValueArg(content)
		if err != nil {
			return err
		}
		entry := storage.NewLoreEntry()
		entry.Name, entry.Type, entry.Content, entry.Keys, entry.Aliases, entry.Constant = name, typ, text, keys, aliases, constant
		if err := applyFields(app, f, &entry); err != nil {
			return err
		}
		if strings.TrimSpace(entry.Name) == "" {
			return cli.UsageError("an entry needs a name: --name")
		}
		if entry, err = e.Lore.SaveEntry(b.ID, chat, entry); err != nil {
			return err
		}
		return printEntry(app, e, entryRef{b, chat, entry.ID})
	})
	c.Flags().StringVar(&name, "name", "", "call it `NAME`")
	c.Flags().StringVar(&typ, "type", "", "what it is: `TYPE`, such as character or location")
	c.Flags().StringArrayVar(&keys, "key", nil, "trigger `KEY`: words, or /regex/flags; repeatable")
	c.Flags().StringArrayVar(&aliases, "alias", nil, "alias `NAME`; repeatable")
	c.Flags().StringVar(&content, "content", "", "content: `TEXT`, @FILE, or - for standard input")
	c.Flags().BoolVar(&constant, "constant", false, "constant: in every prompt")
	f.add(c)
	at.add(c)
	return c
}

func editCommand(app *cli.App) *cobra.Command {
	var f entryFlags
	var at chatFlag
	c := &cobra.Command{Use: "edit BOOK ENTRY --set FIELD=VALUE", Short: "change fields of an entry",
		Long: "Change fields of an entry. Its earlier states are kept: lore history, lore undo. " + fieldHelp() + " " + bookHelp + " " + entryHelp}
	c.RunE = withEntry(app, &at, func(_ context.Context, e *engine.Engine, t entryRef, _ []string) error {
		if len(f.set) == 0 && f.file == "" {
			return cli.UsageError("nothing to change; --set FIELD=VALUE changes a field, --file FILE several")
		}
		v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
		if err != nil {
			return err
		}
		entry := v.LoreEntry
		if err := applyFields(app, f, &entry); err != nil {
			return err
		}
		if _, err := e.Lore.SaveEntry(t.book.ID, t.chat, entry); err != nil {
			return err
		}
		return printEntry(app, e, t)
	})
	f.add(c)
	at.add(c)
	return c
}

func renameCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	c := &cobra.Command{Use: "rename BOOK ENTRY NAME", Short: "rename an entry; its old name becomes an alias",
		Long: "Rename an entry. Its old name becomes an alias, and the head of its content is renamed with it. " + bookHelp + " " + entryHelp}
	c.RunE = withEntry(app, &at, func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
		if err := cli.CheckTitle(args[0]); err != nil {
			return err
		}
		if err := e.Lore.Rename(t.book.ID, t.chat, t.id, args[0]); err != nil {
			return err
		}
		return printEntry(app, e, t)
	})
	at.add(c)
	return c
}

func mergeCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	c := &cobra.Command{Use: "merge BOOK INTO FROM", Short: "merge two entries into one, with the facts, keys and aliases of both",
		Long: "Merge two entries into one. INTO gets the facts, keys, name and aliases of FROM, which is removed; lore undo restores either, FROM by the id that is printed. " +
			bookHelp + " " + entryHelp}
	c.RunE = withEntry(app, &at, func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
		from, err := findEntry(e, t.book, args[0])
		if err != nil {
			return err
		}
		if from == t.id {
			return cli.UsageError("INTO and FROM are the same entry")
		}
		if err := e.Lore.Merge(t.book.ID, t.chat, t.id, from); err != nil {
			return err
		}
		app.Note("note: the other entry is gone; ghostlight lore undo %s %s brings it back", t.book.ID, from)
		return printEntry(app, e, t)
	})
	at.add(c)
	return c
}

func splitCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	var facts []int
	c := &cobra.Command{Use: "split BOOK ENTRY NAME --fact N", Short: "move facts of an entry to a new one",
		Long: "Move facts of an entry to a new one that is called NAME, and print that one. Give facts by their numbers in lore show. " +
			bookHelp + " " + entryHelp}
	c.RunE = withEntry(app, &at, func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
		if len(facts) == 0 {
			return cli.UsageError("which facts? --fact N gives the number of one, as lore show prints it")
		}
		v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
		if err != nil {
			return err
		}
		have := len(factsOf(v.Content))
		var moved []int
		for _, n := range facts {
			if n < 1 || n > have {
				return fmt.Errorf("%s has no fact %d; facts in it: %d", cli.Quote(v.Name), n, have)
			}
			if !slices.Contains(moved, n-1) {
				moved = append(moved, n-1)
			}
		}
		if err := cli.CheckTitle(args[0]); err != nil {
			return err
		}
		made, err := e.Lore.Split(t.book.ID, t.chat, t.id, args[0], moved)
		if err != nil {
			return err
		}
		return printEntry(app, e, entryRef{t.book, t.chat, made})
	})
	c.Flags().IntSliceVar(&facts, "fact", nil, "move the fact `N`; repeatable")
	at.add(c)
	return c
}

// bulkCommand is a command that does something to entries.
func bulkCommand(app *cli.App, name string, do lore.Action, short string) *cobra.Command {
	return bulkActionCommand(app, name+" BOOK [ENTRY...]", short, do, 0)
}

// bulkArgCommand is bulkCommand whose last argument says what to put.
func bulkArgCommand(app *cli.App, name, what string, do lore.Action, short string) *cobra.Command {
	return bulkActionCommand(app, name+" BOOK [ENTRY...] "+what, short, do, 1)
}

func bulkActionCommand(app *cli.App, use, short string, do lore.Action, values int) *cobra.Command {
	var at chatFlag
	var all bool
	c := &cobra.Command{Use: use, Short: short, Args: cli.Args(1+values, -1),
		Long: cli.Sentence(short) + " " + bookHelp + " " + entryHelp}
	c.RunE = withBook(app, func(_ context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
		arg := ""
		if values > 0 {
			args, arg = args[:len(args)-1], args[len(args)-1]
		}
		if all == (len(args) > 0) {
			return cli.UsageError("name entries, or give --all")
		}
		if _, err := strconv.Atoi(arg); do == lore.Reorder && err != nil {
			return cli.UsageError("ORDER must be a whole number, not " + cli.Quote(arg))
		}
		chat, err := at.find(e, b)
		if err != nil {
			return err
		}
		ids, err := entriesNamed(e, b, chat, args)
		if err != nil {
			return err
		}
		n, err := e.Lore.Act(b.ID, chat, ids, do, arg)
		if err != nil {
			return err
		}
		if n == 0 {
			app.Note("note: nothing has changed")
		}
		doc := actedDoc{b.ID, do, n, ids}
		return app.Print(doc, func(p *cli.Page) {
			if do == lore.Delete {
				for _, id := range ids {
					p.Line(string(id))
				}
				p.Linef("%d of %s deleted; ghostlight lore undo %s ID brings one back", n, cli.Plural(len(ids), "entry", "entries"), b.ID)
				return
			}
			p.Linef("%d of %s changed", n, cli.Plural(len(ids), "entry", "entries"))
		})
	})
	c.Flags().BoolVar(&all, "all", false, "all entries of the lorebook")
	at.add(c)
	return c
}

// entriesNamed are entries of a book by their names, or all of them.
func entriesNamed(e *engine.Engine, b storage.Lorebook, chat storage.ChatID, refs []string) ([]storage.EntryID, error) {
	ids := []storage.EntryID{}
	if len(refs) == 0 {
		list, err := e.Lore.Entries(b.ID, chat)
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		return ids, err
	}
	for _, ref := range refs {
		id, err := findEntry(e, b, ref)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
