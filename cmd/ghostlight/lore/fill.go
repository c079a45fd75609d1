package lore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loreWorkTypes are the operations that fill a lorebook.
var loreWorkTypes = []string{"lore_lookup", "lore_resolve", "lore_merge"}

func fillCommand(app *cli.App) *cobra.Command {
	var missing, later bool
	c := cli.Chats.Act(app, "fill CHAT [SCENE]", "update the chat's lorebook from a scene's recap",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			if missing && len(args) > 0 {
				return cli.UsageError("--missing processes all scenes that are not processed yet: leave out SCENE")
			}
			var queued lore.Queued
			var brk storage.NodeID
			fill := func() (_ storage.OperationID, err error) {
				queued, err = e.Lore.FillMissing(chat.ID)
				return "", err
			}
			if !missing {
				sc, err := sceneToFill(e, chat.ID, args)
				if err != nil {
					return err
				}
				brk = sc.Break
				fill = func() (_ storage.OperationID, err error) {
					queued, err = e.Lore.Fill(chat.ID, brk)
					return "", err
				}
			}
			t := cli.Task{Chat: chat.ID, Types: loreWorkTypes, Begin: fill}
			if later {
				return app.QueueTask(e, t)
			}
			fault := app.RunTask(ctx, e, t)
			if fault != nil && len(queued.Operations) == 0 {
				return fault
			}
			if queued.Candidates == 0 {
				app.Note("note: nothing new for the lorebook")
			}
			if err := printFill(app, e, chat.ID, brk, queued, app.Redact(failure.Text(fault))); err != nil {
				return err
			}
			return fault
		})
	c.Long = "Update the chat's lorebook from the current recap of scene SCENE, by default the " +
		"last one that has ended, and print the changes. This happens automatically after each recap, unless turned " +
		"off in the settings. Changes that need review are in ghostlight lore inbox."
	c.Flags().BoolVar(&missing, "missing", false, "process all scenes that are not processed yet")
	cli.LaterFlag(c, &later)
	return c
}

// sceneToFill returns the scene that the arguments name, or the last that has ended.
func sceneToFill(e *engine.Engine, chat storage.ChatID, args []string) (scenes.Scene, error) {
	if len(args) > 0 {
		return cli.FindScene(e, chat, args[0])
	}
	s, err := e.Scenes.List(chat)
	if err != nil {
		return scenes.Scene{}, err
	}
	for i := len(s.List) - 1; i >= 0; i-- {
		if !s.List[i].Open {
			return s.List[i], nil
		}
	}
	return scenes.Scene{}, fmt.Errorf("no scene has ended here; ghostlight scene break %s last ends one", chat)
}

// printFill prints the result of filling a book. If brk is set, that includes the changes by the
// scene that ends there.
func printFill(app *cli.App, e *engine.Engine, chat storage.ChatID, brk storage.NodeID, q lore.Queued,
	fault string) error {
	doc := fillDoc{Queued: q, Operations: len(q.Operations), Error: fault}
	if brk != "" {
		var err error
		if doc.Taught, err = sceneChanges(e, chat, brk); err != nil {
			return err
		}
	}
	inbox, err := e.Lore.Inbox(chat, "")
	if err != nil {
		return err
	}
	doc.Waiting = len(inbox)
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s from %s, %d to review", cli.Plural(doc.Candidates, "candidate", "candidates"),
			cli.Plural(doc.Scenes, "scene", "scenes"), doc.Waiting)
		writeSceneChanges(p, doc.Taught)
	})
}

func writeSceneChanges(p *cli.Page, list []lore.SceneChange) {
	for _, t := range list {
		what := ""
		if t.New {
			what = "  new"
		}
		p.Linef("%s%s", cli.OneLine(t.Name), what)
		for _, f := range t.Facts {
			if slices.Contains(t.Outdated, f) {
				p.Linef("  ! %s  (not in the current recap)", cli.OneLine(f))
			} else {
				p.Linef("  + %s", cli.OneLine(f))
			}
		}
	}
}

// sceneEnd returns the last message of the scene that an argument names by number or by its last
// message. The message may no longer end a scene.
func sceneEnd(e *engine.Engine, chat storage.ChatID, ref string) (storage.NodeID, error) {
	if _, err := strconv.Atoi(ref); err == nil {
		sc, err := cli.FindScene(e, chat, ref)
		if sc.Open {
			return "", fmt.Errorf("scene %s is still open; for a scene whose break was removed, give the id of the "+
				"message at which it ended", ref)
		}
		return sc.Break, err
	}
	m, err := cli.FindMessage(e, chat, ref)
	return m.ID, err
}

const sceneHelp = "SCENE is the number of a scene, or the id of the message at which it ended."

// sceneChanges returns the changes of the scene that ends at brk in the chat's lorebook that are
// still there.
func sceneChanges(e *engine.Engine, chat storage.ChatID, brk storage.NodeID) (out []lore.SceneChange, err error) {
	list, err := e.Lore.SceneChanges(chat, brk)
	if err != nil {
		return nil, err
	}
	outdated := map[storage.EntryID]lore.SceneChange{}
	for _, l := range list {
		outdated[l.Entry] = l
	}
	books, err := e.Lore.Books(chat)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(books, func(b lore.Book) bool { return b.Chat == chat })
	if at < 0 {
		return nil, nil
	}
	rows, err := e.Lore.Entries(books[at].ID, chat)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.Cause.Break != brk && !slices.ContainsFunc(r.Past, func(p storage.LorePast) bool { return p.At != "" }) {
			continue
		}
		v, err := e.Lore.Entry(books[at].ID, r.ID, chat)
		if err != nil {
			return nil, err
		}
		t := lore.SceneChange{Book: v.Book, Entry: v.ID, Name: v.Name,
			Outdated: append([]string{}, outdated[v.ID].Facts...)}
		for _, s := range v.History {
			if s.Cause.Break != brk || s.Cause.Origin != storage.LoreByScene || !s.OnPath {
				continue
			}
			t.New = t.New || s.Before == ""
			for _, f := range s.Facts {
				same := func(have string) bool { return plist.SameFact(have, f) }
				if slices.ContainsFunc(factsOf(v.Content), same) && !slices.ContainsFunc(t.Facts, same) {
					t.Facts = append(t.Facts, f)
				}
			}
		}
		if t.New || len(t.Facts) > 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

func sceneChangesCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "changes CHAT SCENE", "print the lorebook changes of a scene",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			brk, err := sceneEnd(e, c.ID, args[0])
			if err != nil {
				return err
			}
			doc, err := sceneChanges(e, c.ID, brk)
			if err != nil {
				return err
			}
			if len(doc) == 0 {
				app.Note("note: the lorebook has no changes from this scene")
			}
			return app.Print(doc, func(p *cli.Page) { writeSceneChanges(p, doc) })
		})
	c.Aliases = []string{"taught"}
	c.Long = "Print the lorebook changes of a scene that are still there, and which of them are not in its current " +
		"recap. " + sceneHelp
	return c
}

func undoSceneCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "undo-changes CHAT SCENE", "undo lorebook changes of a scene that are not in its recap",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			brk, err := sceneEnd(e, c.ID, args[0])
			if err != nil {
				return err
			}
			list, err := e.Lore.SceneChanges(c.ID, brk)
			if err != nil {
				return err
			}
			n, err := e.Lore.UndoScene(c.ID, brk)
			if err != nil {
				return err
			}
			if n == 0 {
				app.Note("note: nothing to undo: all changes are in the scene's current recap")
			}
			doc := struct {
				Message storage.NodeID     `json:"message"` // that the scene ended at
				Changed int                `json:"changed"`
				Entries []lore.SceneChange `json:"entries"` // that something was taken out of
			}{brk, n, list}
			return app.Print(doc, func(p *cli.Page) {
				for _, t := range doc.Entries {
					p.Linef("%s  %s", t.Entry, cli.OneLine(t.Name))
				}
				p.Linef("%s changed", cli.Plural(n, "entry", "entries"))
			})
		})
	c.Aliases = []string{"takeback"}
	c.Long = "Undo the lorebook changes of a scene that are not in its current recap: all of them if the scene break " +
		"was removed, or those of earlier recap versions. Entries created by the scene are removed. Their ids are " +
		"printed: lore undo restores them. " + sceneHelp
	return c
}

func compactCommand(app *cli.App) *cobra.Command {
	var later bool
	long := "Let the model propose a shorter version of an entry, and print it. Review it in ghostlight lore inbox."
	c := entryCommand(app, "compact BOOK ENTRY", "propose a shorter version of an entry", long,
		func(ctx context.Context, e *engine.Engine, t entryRef, _ []string) error {
			job := cli.Task{Chat: t.chat, Begin: func() (storage.OperationID, error) {
				return e.Lore.Compact(t.book.ID, t.chat, t.id)
			}}
			if later {
				return app.QueueTask(e, job)
			}
			if err := app.RunTask(ctx, e, job); err != nil {
				return err
			}
			list, err := e.Lore.Inbox("", t.book.ID)
			if err != nil {
				return err
			}
			for i := len(list) - 1; i >= 0; i-- {
				if p := list[i]; p.Kind == storage.LoreCompacts && p.After.ID == t.id {
					doc := newProposalDoc(p)
					return app.Print(doc, func(out *cli.Page) { writeProposal(out, doc) })
				}
			}
			return errors.New("no shorter version was found")
		})
	cli.LaterFlag(c, &later)
	return c
}
