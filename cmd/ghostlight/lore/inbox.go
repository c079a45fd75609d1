package lore

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func inboxCommand(app *cli.App) *cobra.Command {
	var in string
	c := &cobra.Command{Use: "inbox [CHAT]", Short: "print lorebook changes to review",
		Long: "Print the lorebook changes to review, of one chat or of all, fact by fact, with source messages. " +
			"Use ghostlight lore accept and reject. The setting lore.review chooses which entry types are reviewed."}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		var of storage.LorebookID
		chat, err := cli.OptionalChat(e, args)
		if err != nil {
			return err
		}
		if in != "" {
			b, err := findBook(e, in)
			if err != nil {
				return err
			}
			of = b.ID
		}
		list, err := e.Lore.Inbox(chat, of)
		if err != nil {
			return err
		}
		doc := cli.Docs(list, newProposalDoc)
		return app.Print(doc, func(p *cli.Page) {
			for i, s := range doc {
				if i > 0 {
					p.Line("")
				}
				writeProposal(p, s)
			}
		})
	})
	c.Flags().StringVar(&in, "book", "", "only changes to the lorebook `BOOK`")
	return c
}

// writeProposal writes a change like a hunk of a patch.
func writeProposal(p *cli.Page, s proposalDoc) {
	head := fmt.Sprintf("%s  %s  %s  in %s", s.ID, s.Kind, cli.OneLine(s.Name), cli.OneLine(s.BookName))
	if s.Scene != "" {
		head += "  from " + cli.OneLine(s.Scene)
	}
	if s.Outdated {
		head += "  (the entry has changed since)"
	}
	p.Line(head)
	for _, f := range s.Fields {
		writeChange(p, f)
	}
	for _, h := range s.Hunks {
		p.Linef("  fact %d", h.Number)
		if h.Before != "" {
			p.Linef("  - %s", cli.OneLine(h.Before))
		}
		if h.After != "" {
			p.Linef("  + %s", cli.OneLine(h.After))
		}
	}
	writeLeftOut(p, s.Dropped)
}

// Proposals are the changes in the inbox as commands refer to them.
var Proposals = cli.Noun[lore.Proposal]{
	Find:   findProposal,
	List:   func(e *engine.Engine) ([]lore.Proposal, error) { return e.Lore.Inbox("", "") },
	Called: func(p lore.Proposal) (id, name string) { return string(p.ID), p.Name },
}

// findProposal finds a change that waits by its id or a unique beginning of it.
func findProposal(e *engine.Engine, ref string) (lore.Proposal, error) {
	list, err := e.Lore.Inbox("", "")
	if err != nil {
		return lore.Proposal{}, err
	}
	return cli.ByID(list, func(p lore.Proposal) storage.LoreChangeID { return p.ID }, ref, "changes",
		fmt.Errorf("%w: no change %s to review; ghostlight lore inbox lists them", storage.ErrNotFound, cli.Quote(ref)))
}

func acceptCommand(app *cli.App) *cobra.Command {
	var hunks []int
	var content string
	c := app.Command("accept CHANGE", "accept a change in the inbox, or some of its facts",
		func(_ context.Context, e *engine.Engine, args []string) error {
			p, err := findProposal(e, args[0])
			if err != nil {
				return err
			}
			var take []bool
			if len(hunks) > 0 {
				take = make([]bool, len(p.Hunks))
				for i, h := range p.Hunks {
					take[i] = h.Head && p.Before == nil // without it a new entry would be none
				}
				for _, n := range hunks {
					if n < 1 || n > len(take) {
						return fmt.Errorf("the change has no fact %d; facts in it: %d", n, len(take))
					}
					take[n-1] = true
				}
			}
			var edited *string
			if content != "" {
				text, err := app.FileArg(content)
				if err != nil {
					return err
				}
				edited = &text
			}
			if err := e.Lore.Accept(p.ID, take, edited); err != nil {
				return err
			}
			return printDecision(app, p, "accepted")
		})
	c.Long = "Accept a change in the inbox: all of it, the facts given with --hunk by their numbers in lore inbox, " +
		"or your own content instead. The rest is rejected."
	c.Flags().IntSliceVar(&hunks, "hunk", nil, "accept the fact with the number `N`; repeatable")
	c.Flags().StringVar(&content, "content", "", "use the text of `FILE` instead (- reads standard input)")
	c.MarkFlagsMutuallyExclusive("hunk", "content")
	return c
}

func rejectCommand(app *cli.App) *cobra.Command {
	return app.Command("reject CHANGE", "reject a change in the inbox",
		func(_ context.Context, e *engine.Engine, args []string) error {
			p, err := findProposal(e, args[0])
			if err != nil {
				return err
			}
			if err := e.Lore.Reject(p.ID); err != nil {
				return err
			}
			return printDecision(app, p, "rejected")
		})
}

func undoReviewCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "reconsider", Short: "undo the last accept or reject",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			what, err := e.Lore.UndoReview()
			if err != nil {
				return err
			}
			return app.Print(map[string]string{"undone": what}, func(p *cli.Page) { p.Line(what) })
		})}
}

func printDecision(app *cli.App, p lore.Proposal, what string) error {
	doc := map[string]any{"id": p.ID, "decision": what, "book": p.Book, "entry": p.After.ID, "name": p.Name}
	return app.Print(doc, func(out *cli.Page) { out.Linef("%s  %s  %s", p.ID, cli.OneLine(p.Name), what) })
}
