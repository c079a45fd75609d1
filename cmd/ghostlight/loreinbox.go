package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/lore"
	"ghostlight/storage"
)

func (d *door) loreInbox() *cobra.Command {
	var in string
	c := &cobra.Command{Use: "inbox [CHAT]", Short: "print the changes to lorebooks that wait for your word", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Print the changes to lorebooks that wait for your word, of one chat or of all, fact by fact, with the messages they came from. " +
			"ghostlight lore accept and reject decide about them. Which types of entries are reviewed is a setting: lore.review."}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		var chat storage.ChatID
		var of storage.LorebookID
		if len(args) > 0 {
			c, err := e.Chats.Find(args[0])
			if err != nil {
				return err
			}
			chat = c.ID
		}
		if in != "" {
			b, err := book(e, in)
			if err != nil {
				return err
			}
			of = b.ID
		}
		list, err := e.Lore.Inbox(chat, of)
		if err != nil {
			return err
		}
		doc := []proposalShape{}
		for _, p := range list {
			doc = append(doc, shapeProposal(p))
		}
		return d.tell(doc, func(p *page) {
			for i, s := range doc {
				if i > 0 {
					p.line("")
				}
				p.proposal(s)
			}
		})
	})
	c.Flags().StringVar(&in, "book", "", "of the lorebook `BOOK` alone")
	return c
}

// proposal writes a change like a hunk of a patch.
func (p *page) proposal(s proposalShape) {
	head := fmt.Sprintf("%s  %s  %s  in %s", s.ID, s.Kind, oneLine(s.Name), oneLine(s.BookName))
	if s.Scene != "" {
		head += "  from " + oneLine(s.Scene)
	}
	if s.Outdated {
		head += "  (the entry has changed since)"
	}
	p.line(head)
	for _, f := range s.Fields {
		p.change(f)
	}
	for _, h := range s.Hunks {
		p.linef("  hunk %d", h.Number)
		if h.Before != "" {
			p.linef("  - %s", oneLine(h.Before))
		}
		if h.After != "" {
			p.linef("  + %s", oneLine(h.After))
		}
	}
}

// proposalNamed finds a change that waits by its id or a unique beginning of it.
func proposalNamed(e *engine.Engine, ref string) (lore.Proposal, error) {
	list, err := e.Lore.Inbox("", "")
	if err != nil {
		return lore.Proposal{}, err
	}
	var hits []lore.Proposal
	for _, p := range list {
		if ref != "" && len(ref) <= len(p.ID) && strings.EqualFold(string(p.ID[:len(ref)]), ref) {
			hits = append(hits, p)
		}
	}
	switch len(hits) {
	case 0:
		return lore.Proposal{}, fmt.Errorf("%w: no change %s waits; ghostlight lore inbox lists those that do", storage.ErrNotFound, quote(ref))
	case 1:
		return hits[0], nil
	}
	return lore.Proposal{}, fmt.Errorf("%w: %d changes begin with %q; write more of the id", failure.ErrAmbiguous, len(hits), ref)
}

func (d *door) loreAccept() *cobra.Command {
	var hunks []int
	var content string
	c := &cobra.Command{Use: "accept ID", Short: "let a change happen that waits in the inbox, or some facts of it", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Let a change happen that waits in the inbox: all of it, the facts that --hunk names by their numbers in lore inbox, " +
			"or a content of your own in its place. What is not taken is gone with it."}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		if content != "" && len(hunks) > 0 {
			return misuse{"--hunk and --content contradict each other"}
		}
		p, err := proposalNamed(e, args[0])
		if err != nil {
			return err
		}
		var take []bool
		if c.Flags().Changed("hunk") {
			take = make([]bool, len(p.Hunks))
			for i, h := range p.Hunks {
				take[i] = h.Head && p.Before == nil // without it a new entry would be none
			}
			for _, n := range hunks {
				if n < 1 || n > len(take) {
					return fmt.Errorf("the change has no hunk %d; hunks in it: %d", n, len(take))
				}
				take[n-1] = true
			}
		}
		var edited *string
		if content != "" {
			text, err := d.fileArg(content)
			if err != nil {
				return err
			}
			edited = &text
		}
		if err := e.Lore.Accept(p.ID, take, edited); err != nil {
			return err
		}
		return d.tellDecided(p, "accepted")
	})
	c.Flags().IntSliceVar(&hunks, "hunk", nil, "take the hunk `N`; may be given several times")
	c.Flags().StringVar(&content, "content", "", "put the text of `FILE` in its place (- reads standard input)")
	return c
}

func (d *door) loreReject() *cobra.Command {
	return &cobra.Command{Use: "reject ID", Short: "let a change not happen that waits in the inbox", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			p, err := proposalNamed(e, args[0])
			if err != nil {
				return err
			}
			if err := e.Lore.Reject(p.ID); err != nil {
				return err
			}
			return d.tellDecided(p, "rejected")
		})}
}

func (d *door) loreReconsider() *cobra.Command {
	return &cobra.Command{Use: "reconsider", Short: "put the change that was accepted or rejected last back into the inbox", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			what, err := e.Lore.UndoReview()
			if err != nil {
				return err
			}
			return d.tell(map[string]string{"undone": what}, func(p *page) { p.line(what) })
		})}
}

func (d *door) tellDecided(p lore.Proposal, what string) error {
	doc := decidedShape{p.ID, what, p.Book, p.After.ID, p.Name}
	return d.tell(doc, func(out *page) { out.linef("%s  %s  %s", p.ID, oneLine(p.Name), what) })
}
