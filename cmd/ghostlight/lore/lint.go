package lore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func lintCommand(app *cli.App) *cobra.Command {
	var at chatFlag
	var fix bool
	var rules []string
	c := Books.Act(app, "lint BOOK", "check a lorebook; exits with 1 if there are errors",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			chat, err := at.find(e, b)
			if err != nil {
				return err
			}
			var fixed []string
			if fix {
				if fixed, err = fixFindings(app, e, b.ID, chat, rules); err != nil {
					return err
				}
			}
			list, err := e.Lore.Lint(b.ID, chat)
			if err != nil {
				return err
			}
			if len(rules) > 0 {
				list = slices.DeleteFunc(list, func(f lore.Finding) bool { return !slices.Contains(rules, f.Rule) })
			}
			return printFindings(app, list, fixed)
		})
	c.Long = "Check a lorebook: invalid contents and regexes, keys that never match, always match or are duplicates, " +
		"and macros in the stable part of the prompt that change with each turn. It exits with 1 if there are " +
		"errors; warnings and hints do not count. --fix first fixes what it can, and every fix can be undone. " +
		bookHelp
	c.Flags().BoolVar(&fix, "fix", false, "fix what can be fixed")
	c.Flags().StringSliceVar(&rules, "rule", nil, "only findings of the rule `RULE`; repeatable")
	at.add(c)
	return c
}

// fixFindings fixes what it can. A fix may fix or move other findings, so it searches again after
// each fix.
func fixFindings(app *cli.App, e *engine.Engine, b storage.LorebookID, chat storage.ChatID,
	rules []string) (fixed []string, err error) {
	tried := map[lore.Finding]bool{}
	wanted := func(f lore.Finding) bool {
		return f.Fix != "" && !tried[f] && (len(rules) == 0 || slices.Contains(rules, f.Rule))
	}
	for {
		list, err := e.Lore.Lint(b, chat)
		if err != nil {
			return fixed, err
		}
		next := slices.IndexFunc(list, wanted)
		if next < 0 {
			return fixed, nil
		}
		f := list[next]
		tried[f] = true
		what, err := e.Lore.Fix(b, chat, f)
		if err != nil {
			app.Note("note: %s: %s", cli.OneLine(f.Name), failure.Text(err))
			continue
		}
		fixed = append(fixed, cmp.Or(what, f.Fix))
	}
}

// printFindings prints what a linter has found. Errors are the command's own.
func printFindings(app *cli.App, list []lore.Finding, fixed []string) error {
	doc := lintDoc{Findings: list, Fixed: fixed}
	for _, f := range list {
		switch f.Severity {
		case linter.Error:
			doc.Errors++
		case linter.Warning:
			doc.Warnings++
		default:
			doc.Hints++
		}
	}
	var fault error
	if doc.Errors > 0 {
		fault = fmt.Errorf("errors in the lorebook: %d", doc.Errors)
		doc.Error = fault.Error()
	}
	err := app.Print(doc, func(p *cli.Page) {
		for _, f := range doc.Fixed {
			p.Linef("fixed: %s", cli.OneLine(f))
		}
		rows := [][]string{}
		for _, f := range doc.Findings {
			rows = append(rows, []string{string(f.Severity), f.Rule, cli.Clip(f.Name, cli.ColumnWidth),
				cli.OneLine(f.Text)})
		}
		p.Table(rows)
		p.Linef("%s, %s, %s", cli.Plural(doc.Errors, "error", "errors"),
			cli.Plural(doc.Warnings, "warning", "warnings"), cli.Plural(doc.Hints, "hint", "hints"))
	})
	return cmp.Or(fault, err)
}

// unitFlags are the flags of lore unit.
type unitFlags struct {
	add, remove, text string
	fires, not        []string
}

func unitCommand(app *cli.App) *cobra.Command {
	var f unitFlags
	c := Books.Act(app, "unit BOOK", "run the test cases of a lorebook; exits with 1 if one fails",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			if err := changeCases(app, e, b, f); err != nil {
				return err
			}
			list, err := e.Lore.RunCases(b.ID)
			if err != nil {
				return err
			}
			if len(list) == 0 {
				app.Note("note: no test case is saved; --add NAME --text FILE --fires ENTRY saves one")
			}
			return printCases(app, list)
		})
	c.Long = "Run the test cases of a lorebook: texts, each with the entries that it must and must not trigger. It " +
		"exits with 1 if one fails. --add saves a test case first, replacing one of the same name; --remove deletes " +
		"one. " + bookHelp
	c.Flags().StringVar(&f.add, "add", "", "save a test case called `NAME`")
	c.Flags().StringVar(&f.text, "text", "", "with --add: the text in `FILE` (- reads standard input)")
	c.Flags().StringArrayVar(&f.fires, "fires", nil, "with --add: the text must trigger `ENTRY`; repeatable")
	c.Flags().StringArrayVar(&f.not, "not", nil, "with --add: the text must not trigger `ENTRY`; repeatable")
	c.Flags().StringVar(&f.remove, "remove", "", "delete the test case `NAME`")
	c.MarkFlagsMutuallyExclusive("add", "remove")
	return c
}

// changeCases adds and removes cases of a book as the flags say.
func changeCases(app *cli.App, e *engine.Engine, b storage.Lorebook, f unitFlags) error {
	named := func(name string) func(storage.LoreCase) bool {
		return func(c storage.LoreCase) bool { return strings.EqualFold(c.Name, name) }
	}
	switch {
	case f.add == "" && (f.text != "" || len(f.fires)+len(f.not) > 0):
		return cli.UsageError("--text, --fires and --not need --add")
	case f.remove != "":
		at := slices.IndexFunc(b.Cases, named(f.remove))
		if at < 0 {
			return fmt.Errorf("%w: the lorebook has no test case %s", storage.ErrNotFound, cli.Quote(f.remove))
		}
		b.Cases = slices.Delete(slices.Clone(b.Cases), at, at+1)
		return e.Lore.EditBook(b)
	case f.add == "":
		return nil
	case f.text == "" || len(f.fires)+len(f.not) == 0:
		return cli.UsageError("a test case needs --text FILE, and --fires or --not")
	}
	text, err := app.FileArg(f.text)
	if err != nil {
		return err
	}
	fires, err := entryNames(e, b.ID, f.fires)
	if err != nil {
		return err
	}
	not, err := entryNames(e, b.ID, f.not)
	if err != nil {
		return err
	}
	made := storage.LoreCase{Name: f.add, Text: text, Fires: fires, Not: not}
	b.Cases = slices.Clone(b.Cases)
	if at := slices.IndexFunc(b.Cases, named(f.add)); at >= 0 {
		b.Cases[at] = made
	} else {
		b.Cases = append(b.Cases, made)
	}
	return e.Lore.EditBook(b)
}

// printCases prints the results of a book's cases.
func printCases(app *cli.App, list []lore.CaseResult) error {
	var doc unitDoc
	for _, c := range list {
		doc.Cases = append(doc.Cases, c)
		if c.OK {
			doc.Passed++
		} else {
			doc.Failed++
		}
	}
	var fault error
	if doc.Failed > 0 {
		fault = fmt.Errorf("%d of %d test cases failed", doc.Failed, len(list))
		doc.Error = fault.Error()
	}
	err := app.Print(doc, func(p *cli.Page) {
		for _, c := range doc.Cases {
			mark := "ok    "
			if !c.OK {
				mark = "FAILED"
			}
			p.Linef("%s  %s", mark, cli.OneLine(c.Name))
			for _, f := range []struct {
				words string
				names []string
			}{{"did not trigger", c.Missing}, {"triggered, but must not", c.Extra},
				{"is not in the lorebook", c.Unknown}} {
				for _, name := range f.names {
					p.Linef("        %s: %s", f.words, cli.OneLine(name))
				}
			}
		}
		p.Linef("%d passed, %d failed", doc.Passed, doc.Failed)
	})
	return cmp.Or(fault, err)
}

// entryNames returns the names of entries that may be named in another way. It is never nil.
func entryNames(e *engine.Engine, book storage.LorebookID, refs []string) ([]string, error) {
	names := []string{}
	for _, ref := range refs {
		id, err := e.Lore.FindEntry(book, ref)
		if err != nil {
			return nil, err
		}
		v, err := e.Lore.Entry(book, id, "")
		if err != nil {
			return nil, err
		}
		names = append(names, v.Name)
	}
	return names, nil
}
