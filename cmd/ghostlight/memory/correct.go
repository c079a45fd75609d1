package memory

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// correctionDoc is a correction with its places and its result.
type correctionDoc struct {
	memory.CorrectionPlan
	Done bool `json:"done"` // false for a preview
	memory.CorrectionResult
}

// correctFlags are the flags of ghostlight correct.
type correctFlags struct {
	instead   string
	dry, undo bool
	places    []int
	only      bool
}

// CorrectCommand returns the command ghostlight correct.
func CorrectCommand(app *cli.App) *cobra.Command {
	var f correctFlags
	c := &cobra.Command{Use: "correct CHAT [WRONG]", Short: "fix a fact everywhere",
		Long: "Fix the sentence WRONG everywhere: in recaps, memories, hooks, threads and lorebooks, in one step " +
			"that --undo undoes. --instead gives the correct text; without it the sentence is removed. Exact matches " +
			"are fixed; messages and uncertain matches are fixed only if given with --place. If no match contains " +
			"it, the correct text is saved as a memory."}
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		switch {
		case f.undo && (len(args) > 0 || f.instead != "" || f.dry || f.only):
			return cli.UsageError("--undo takes only the chat")
		case f.undo:
			return undoCorrection(app, e, c.ID)
		case len(args) == 0:
			return cli.UsageError("give the wrong sentence")
		}
		return correct(app, e, memory.Correction{Chat: c.ID, Wrong: args[0], Instead: f.instead}, f)
	})
	c.PreRun = func(c *cobra.Command, _ []string) { f.only = c.Flags().Changed("place") }
	c.Flags().StringVar(&f.instead, "instead", "", "the correct text: `TEXT`")
	c.Flags().BoolVar(&f.dry, "dry-run", false, "only list the matches, with their numbers")
	c.Flags().IntSliceVar(&f.places, "place", nil, "fix only the matches with these numbers `N`; 0 for none")
	c.Flags().BoolVar(&f.undo, "undo", false, "undo the last correction of the chat")
	return c
}

func correct(app *cli.App, e *engine.Engine, ask memory.Correction, f correctFlags) error {
	m, err := e.Memory.PlanCorrection(ask)
	if err != nil {
		return err
	}
	doc := correctionDoc{CorrectionPlan: m}
	var ids []string
	for i := range doc.Places {
		p := &doc.Places[i]
		if f.only {
			p.Chosen = false
			for _, n := range f.places {
				p.Chosen = p.Chosen || n == p.Number
			}
		}
		if p.Chosen {
			ids = append(ids, p.ID)
		}
	}
	for _, n := range f.places {
		if n < 0 || n > len(doc.Places) {
			return cli.UsageError(fmt.Sprintf("--place %d: the list has %s", n,
				cli.Plural(len(doc.Places), "match", "matches")))
		}
	}
	if f.dry {
		return app.Print(doc, func(p *cli.Page) { writeCorrection(p, doc) })
	}
	if doc.CorrectionResult, err = e.Memory.ApplyCorrection(ask, ids); err != nil {
		return err
	}
	doc.Done = true
	return app.Print(doc, func(p *cli.Page) { writeCorrection(p, doc) })
}

func undoCorrection(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	words, left, err := e.Memory.UndoCorrection(chat, "")
	if err != nil {
		return err
	}
	doc := struct {
		Undone string `json:"undone"`
		Left   int    `json:"changed_since"` // places that were left as they are
	}{words, left}
	return app.Print(doc, func(p *cli.Page) {
		p.Line("undone: " + cli.OneLine(words))
		if left > 0 {
			p.Linef("%s changed in the meantime and not undone", cli.Plural(left, "match was", "matches were"))
		}
	})
}

// writeCorrection writes the places of a correction, each with its present and its new text.
func writeCorrection(p *cli.Page, doc correctionDoc) {
	if len(doc.Places) == 0 {
		p.Line("not found")
	}
	for _, x := range doc.Places {
		mark, sure := " ", ""
		if x.Chosen {
			mark = "x"
		}
		if !x.Certain {
			sure = " (uncertain)"
		}
		p.Linef("%3d [%s] %s: %s%s", x.Number, mark, cli.OneLine(x.Home), cli.OneLine(x.Effect), sure)
		p.Linef("        - %s", cli.OneLine(x.Now))
		if x.After != "" {
			p.Linef("        + %s", cli.OneLine(x.After))
		}
	}
	if doc.LeftOut > 0 {
		p.Linef("and %d more", doc.LeftOut)
	}
	switch {
	case !doc.Done && doc.Remembers:
		p.Line("the correct text would be saved as a memory")
	case doc.Done:
		p.Linef("\nfixed: %s; correct --undo undoes it", cli.Plural(doc.Count, "place", "places"))
		if doc.Remember {
			p.Line("the correct text is saved as a memory")
		}
	}
}
