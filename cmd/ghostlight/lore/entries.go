package lore

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// entryFields returns the flags for the fields of an entry. --file is an old name of --from.
func entryFields(c *cobra.Command) *cli.Fields[storage.LoreEntry] {
	f := &cli.Fields[storage.LoreEntry]{Record: &lore.EntryFields, Shown: entryDoc{}}
	f.Add(c)
	c.Long += " The value \"default\" makes scan_depth, case_sensitive, whole_words and use_group_scoring use the " +
		"lorebook's values and the settings."
	c.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "file" {
			name = "from"
		}
		return pflag.NormalizedName(name)
	})
	return f
}

func addCommand(app *cli.App) *cobra.Command {
	var fields *cli.Fields[storage.LoreEntry]
	var at chatFlag
	c := Books.Act(app, "add BOOK --name NAME", "write a new entry",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			chat, err := at.find(e, b)
			if err != nil {
				return err
			}
			entry := lore.EntryFields.Default()
			if err := fields.Apply(app, &entry); err != nil {
				return err
			}
			if entry, err = e.Lore.SaveEntry(b.ID, chat, entry); err != nil {
				return err
			}
			return printEntry(app, e, entryRef{b, chat, entry.ID})
		})
	fields = entryFields(c)
	at.add(c)
	return c
}

func editCommand(app *cli.App) *cobra.Command {
	var fields *cli.Fields[storage.LoreEntry]
	c := entryCommand(app, "edit BOOK ENTRY --set FIELD=VALUE", "change fields of an entry",
		"Change fields of an entry. Earlier versions are kept: lore history prints them, lore undo restores the last "+
			"one.",
		func(_ context.Context, e *engine.Engine, t entryRef, _ []string) error {
			v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
			if err != nil {
				return err
			}
			entry := v.LoreEntry
			if err := fields.Change(app, &entry); err != nil {
				return err
			}
			if _, err := e.Lore.SaveEntry(t.book.ID, t.chat, entry); err != nil {
				return err
			}
			return printEntry(app, e, t)
		})
	fields = entryFields(c)
	return c
}

func renameCommand(app *cli.App) *cobra.Command {
	return entryCommand(app, "rename BOOK ENTRY NAME", "rename an entry; its old name becomes an alias",
		"Rename an entry. Its old name becomes an alias, and the name at the start of its content is changed too.",
		func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
			if err := cli.CheckTitle(args[0]); err != nil {
				return err
			}
			if err := e.Lore.Rename(t.book.ID, t.chat, t.id, args[0]); err != nil {
				return err
			}
			return printEntry(app, e, t)
		})
}

func mergeCommand(app *cli.App) *cobra.Command {
	return entryCommand(app, "merge BOOK INTO FROM",
		"merge two entries into one, with the facts, keys and aliases of both",
		"Merge two entries into one. INTO gets the facts, keys, name and aliases of FROM, which is removed; lore "+
			"undo restores either, FROM by the id that is printed.",
		func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
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
			app.Note("note: the other entry was removed; ghostlight lore undo %s %s restores it", t.book.ID, from)
			return printEntry(app, e, t)
		})
}

func splitCommand(app *cli.App) *cobra.Command {
	var facts []int
	c := entryCommand(app, "split BOOK ENTRY NAME --fact N", "move facts of an entry to a new one",
		"Move facts of an entry to a new entry called NAME, and print that one. Give the facts by their numbers in "+
			"lore show.",
		func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
			if len(facts) == 0 {
				return cli.UsageError("which facts? Give their numbers in lore show with --fact N")
			}
			moved, err := parseFacts(e, t, facts)
			if err != nil {
				return err
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
	return c
}

// parseFacts returns facts of an entry by their numbers in lore show, counted from 0.
func parseFacts(e *engine.Engine, t entryRef, numbers []int) (list []int, err error) {
	v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
	if err != nil {
		return nil, err
	}
	have := len(factsOf(v.Content))
	for _, n := range numbers {
		if n < 1 || n > have {
			return nil, fmt.Errorf("%s has no fact %d; facts in it: %d", cli.Quote(v.Name), n, have)
		}
		if !slices.Contains(list, n-1) {
			list = append(list, n-1)
		}
	}
	return list, nil
}

// bulkCommand returns a command that does something to entries. If the action needs a value, the
// last argument is the value.
func bulkCommand(app *cli.App, use, short string, do lore.Action) *cobra.Command {
	var at chatFlag
	var all bool
	c := Books.Act(app, use, short, func(_ context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
		arg := ""
		if do == lore.Retype || do == lore.Reorder {
			args, arg = args[:len(args)-1], args[len(args)-1]
		}
		if all == (len(args) > 0) {
			return cli.UsageError("name entries, or use --all")
		}
		if _, err := strconv.Atoi(arg); do == lore.Reorder && err != nil {
			return cli.UsageError("ORDER must be a whole number, not " + cli.Quote(arg))
		}
		chat, err := at.find(e, b)
		if err != nil {
			return err
		}
		ids, err := findEntries(e, b, chat, args)
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
		doc := map[string]any{"book": b.ID, "action": do, "changed": n, "entries": ids}
		return app.Print(doc, func(p *cli.Page) {
			if do == lore.Delete {
				for _, id := range ids {
					p.Line(string(id))
				}
				p.Linef("%d of %s deleted; ghostlight lore undo %s ID restores one", n,
					cli.Plural(len(ids), "entry", "entries"), b.ID)
				return
			}
			p.Linef("%d of %s changed", n, cli.Plural(len(ids), "entry", "entries"))
		})
	})
	c.Long += " " + entryHelp
	c.Flags().BoolVar(&all, "all", false, "all entries of the lorebook")
	at.add(c)
	return c
}

// findEntries returns entries of a book by their names, or all of them.
func findEntries(e *engine.Engine, b storage.Lorebook, chat storage.ChatID, refs []string) ([]storage.EntryID, error) {
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
