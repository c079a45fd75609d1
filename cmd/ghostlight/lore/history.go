package lore

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func historyCommand(app *cli.App) *cobra.Command {
	return entryCommand(app, "history BOOK ENTRY", "print the versions of an entry, their causes and changes",
		"Print the versions of an entry, oldest first: what caused each, the scene it came from, what it changed, "+
			"and what was left out and why. lore restore takes their numbers.",
		func(_ context.Context, e *engine.Engine, t entryRef, _ []string) error {
			v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
			if err != nil {
				return err
			}
			doc := newRevisionDocs(v)
			return app.Print(doc, func(p *cli.Page) {
				for i, s := range doc {
					if i > 0 {
						p.Line("")
					}
					writeRevision(p, s)
				}
			})
		})
}

// writeRevision writes a state of an entry under a line that says how it was made.
func writeRevision(p *cli.Page, s revisionDoc) {
	mark := " "
	if s.Current {
		mark = "*"
	}
	head := fmt.Sprintf("%d%s %s  %s", s.Number, mark, s.CreatedAt.Local().Format("2006-01-02 15:04:05"), s.Origin)
	if s.Scene != "" {
		head += "  " + cli.OneLine(s.Scene)
	}
	if !s.OnPath {
		head += "  (another branch)"
	}
	if s.Removed {
		head += "  removed"
	}
	p.Line(head)
	for _, f := range s.Fields {
		writeChange(p, f)
	}
	for _, l := range s.Diff {
		p.Linef("  %c%s", l.Op, strings.TrimRight(l.Text, "\n"))
	}
	writeLeftOut(p, s.Dropped)
}

// writeLeftOut writes which facts were left out and why.
func writeLeftOut(p *cli.Page, dropped []storage.LoreDropped) {
	for _, d := range dropped {
		p.Linef("  left out: %s (%s)", cli.OneLine(d.Fact), cli.OneLine(d.Why))
	}
}

// writeChange writes what became of a field.
func writeChange(p *cli.Page, f field.Change) {
	if f.Before == "" {
		p.Linef("  %s: %s", f.Name, cli.Clip(f.After, cli.ColumnWidth))
		return
	}
	p.Linef("  %s: %s -> %s", f.Name, cli.Clip(f.Before, cli.ColumnWidth),
		cmp.Or(cli.Clip(f.After, cli.ColumnWidth), "none"))
}

func undoCommand(app *cli.App) *cobra.Command {
	return entryCommand(app, "undo BOOK ENTRY", "undo the last change of an entry; repeat it to undo earlier ones", "",
		func(_ context.Context, e *engine.Engine, t entryRef, _ []string) error {
			what, err := e.Lore.Undo(t.book.ID, t.chat, t.id)
			if err != nil {
				return err
			}
			return app.Print(map[string]string{"entry": string(t.id), "undone": what},
				func(p *cli.Page) { p.Linef("%s  undone: %s", t.id, what) })
		})
}

func restoreCommand(app *cli.App) *cobra.Command {
	return entryCommand(app, "restore BOOK ENTRY REVISION", "restore an earlier version of an entry",
		"Restore an earlier version of an entry. REVISION is the number of the version in lore history, its id, or "+
			"the start of the id.",
		func(_ context.Context, e *engine.Engine, t entryRef, args []string) error {
			v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
			if err != nil {
				return err
			}
			id, err := findRevision(v, args[0])
			if err != nil {
				return err
			}
			if err := e.Lore.Restore(t.book.ID, t.chat, t.id, id); err != nil {
				return err
			}
			return printEntry(app, e, t)
		})
}

// findRevision finds a state of an entry by its number in the history, or by its id.
func findRevision(v lore.EntryView, ref string) (storage.RevisionID, error) {
	if n, err := cli.NumberArgBetween(ref, 1, len(v.History)); err == nil {
		return v.History[n-1].Revision, nil
	}
	s, err := cli.ByID(v.History, func(s lore.State) storage.RevisionID { return s.Revision }, ref, "states",
		fmt.Errorf("%w: %s has no version %s; versions in its history: %d",
			storage.ErrNotFound, cli.Quote(v.Name), cli.Quote(ref), len(v.History)))
	return s.Revision, err
}
