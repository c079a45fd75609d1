package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/storage"
)

// sheetFactShape is a line of a continuity sheet.
type sheetFactShape struct {
	ID        storage.FactID     `json:"id"`
	Kind      storage.FactKind   `json:"kind"`
	Who       string             `json:"who"` // "" for what is about the place
	Text      string             `json:"text"`
	Source    storage.FactSource `json:"source"`
	Capture   storage.CaptureID  `json:"capture"` // that it was seen in
	Message   storage.NodeID     `json:"message"` // the newest one at that time
	Muted     bool               `json:"muted"`
	CreatedAt *time.Time         `json:"created_at"` // null for what a card or a lorebook tells
	UpdatedAt *time.Time         `json:"updated_at"`
}

func shapeFact(f storage.Fact) sheetFactShape {
	return sheetFactShape{f.ID, f.Kind, f.Who, f.Text, f.Source, f.Capture, f.At, f.Muted, whenSet(f.CreatedAt), whenSet(f.UpdatedAt)}
}

func (d *door) captureContinuity() *cobra.Command {
	return group("continuity", "see and change what stays as it is from picture to picture",
		d.continuityList(), d.continuitySet(), d.continuityMute(true), d.continuityMute(false), d.continuityDelete(), d.continuityCheck())
}

// tellFact prints a line of a sheet.
func (d *door) tellFact(f storage.Fact) error {
	return d.tell(shapeFact(f), func(p *page) { p.table([][]string{factRow(f)}) })
}

func factRow(f storage.Fact) []string {
	state := string(f.Source)
	if f.Muted {
		state += ", muted"
	}
	return []string{string(f.ID), string(f.Kind), clip(f.Who, 24), clip(f.Text, columnLimit), state}
}

func (d *door) continuityList() *cobra.Command {
	return &cobra.Command{Use: "list CHAT", Short: "list what stays from picture to picture", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Continuity(c.ID)
			if err != nil {
				return err
			}
			doc, rows := []sheetFactShape{}, [][]string{}
			for _, f := range list {
				doc, rows = append(doc, shapeFact(f)), append(rows, factRow(f))
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

// factNamed finds a line of a sheet by its id, or by how that begins.
func factNamed(e *engine.Engine, chat storage.ChatID, ref string) (storage.Fact, error) {
	list, err := e.Pictures.Continuity(chat)
	if err != nil {
		return storage.Fact{}, err
	}
	var hits []storage.Fact
	for _, f := range list {
		if ref != "" && len(ref) <= len(f.ID) && strings.EqualFold(string(f.ID[:len(ref)]), ref) {
			hits = append(hits, f)
		}
	}
	switch len(hits) {
	case 0:
		return storage.Fact{}, fmt.Errorf("%w: the sheet has no line %q; ghostlight capture continuity list prints their ids", storage.ErrNotFound, ref)
	case 1:
		return hits[0], nil
	}
	return storage.Fact{}, fmt.Errorf("%d lines of the sheet have an id that begins with %q: give more of it", len(hits), ref)
}

func (d *door) continuitySet() *cobra.Command {
	var who, id string
	c := &cobra.Command{Use: "set CHAT KIND TEXT", Short: "write a line of the sheet", Args: takes(3, 3), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Write a line of the sheet. KIND is appearance, clothes, place, light or props. What you write the program never changes."}
	c.RunE = d.chatWork(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		f := storage.Fact{Kind: storage.FactKind(args[0]), Text: args[1], Who: who}
		if id != "" {
			old, err := factNamed(e, chat.ID, id)
			if err != nil {
				return err
			}
			f.ID, f.Muted = old.ID, old.Muted
			if !c.Flags().Changed("who") {
				f.Who = old.Who
			}
		}
		f, err := e.Pictures.PutFact(chat.ID, f)
		if err != nil {
			return err
		}
		return d.tellFact(f)
	})
	c.Flags().StringVar(&who, "who", "", "it is about `NAME`; nobody without it")
	c.Flags().StringVar(&id, "id", "", "in place of the line `ID`")
	return c
}

// continuityMute is the command that keeps a line from prompts, or takes that back.
func (d *door) continuityMute(mute bool) *cobra.Command {
	c := &cobra.Command{Use: "mute CHAT ID", Short: "keep a line of the sheet from prompts", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions}
	if !mute {
		c.Use, c.Short = "unmute CHAT ID", "offer a line of the sheet to prompts again"
	}
	c.RunE = d.chatWork(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		f, err := factNamed(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		f.Muted = mute
		if f, err = e.Pictures.PutFact(chat.ID, f); err != nil {
			return err
		}
		return d.tellFact(f)
	})
	return c
}

func (d *door) continuityDelete() *cobra.Command {
	return &cobra.Command{Use: "delete CHAT ID", Short: "take a line off the sheet", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			f, err := factNamed(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			if err := e.Pictures.DeleteFact(chat.ID, f.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(f.ID), f.Text)
		})}
}

func (d *door) continuityCheck() *cobra.Command {
	return &cobra.Command{Use: "check CHAT PROMPT", Short: "say where a prompt disagrees with the sheet", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			list, err := e.Pictures.Contradictions(chat.ID, args[0])
			if err != nil {
				return err
			}
			return d.tell(map[string][]string{"contradictions": orNone(list)}, func(p *page) {
				for _, s := range list {
					p.line(s)
				}
			})
		})}
}

func (d *door) captureEdits() *cobra.Command {
	return &cobra.Command{Use: "edits CHAT", Short: "list what you have changed in prompts, the oldest first", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Taste.CaptureEdits(c.ID)
			if err != nil {
				return err
			}
			return d.tell(orNone(list), func(p *page) {
				for _, x := range list {
					p.linef("%s  %s", x.About, x.At.Format(time.DateTime))
					for _, ch := range x.Changes {
						p.linef("  %s: -%s +%s", ch.Field, quote(ch.Removed), quote(ch.Added))
					}
				}
			})
		})}
}
