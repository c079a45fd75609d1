// Package scenes has the commands on scenes: scene breaks, scene recaps, the running recap, recall
// tests, and recap files.
package scenes

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Command returns the command ghostlight scene.
func Command(app *cli.App) *cobra.Command {
	return cli.Group(
		"scene",
		"scenes and recaps",
		listCommand(app),
		breakCommand(app, true),
		breakCommand(app, false),
		detectCommand(app),
		renameCommand(app),
		joinCommand(app),
		recapCommand(app),
		runningCommand(app),
		messageCommand(app),
		versionsCommand(app),
		diffCommand(app),
		searchCommand(app),
		exportCommand(app),
		importCommand(app),
		recallTestCommand(app),
	)
}

func listCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "list CHAT", "list the scenes of a chat, the open one last",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			return printScenes(app, e, c.ID)
		})
}

func printScenes(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	s, err := e.Scenes.List(chat)
	if err != nil {
		return err
	}
	return cli.PrintViews(app, s.List, sceneRow)
}

// sceneRow returns a scene as a line of a list. Messages are numbered as in chat show.
func sceneRow(s scenes.Scene) []string {
	where := ""
	if s.First != "" {
		where = fmt.Sprintf("#%d-#%d", s.FirstDepth+1, s.LastDepth+1)
	}
	recap, state := "", ""
	if s.Recap.Versions > 0 {
		recap = fmt.Sprintf("v%d/%d", s.Recap.Version, s.Recap.Versions)
	}
	for _, m := range []struct {
		is   bool
		word string
	}{{s.Open, "open"}, {s.Detected, "detected"}, {s.Recap.Stale, "outdated"}, {s.InMemory, "merged"},
		{s.Working, "working"}} {
		if m.is && state != "" {
			state += ", "
		}
		if m.is {
			state += m.word
		}
	}
	return []string{
		strconv.Itoa(s.Number),
		cli.Clip(s.Name, cli.ColumnWidth),
		where,
		fmt.Sprintf("%d messages", s.Messages),
		fmt.Sprintf("%d tokens", s.Tokens),
		recap,
		state,
	}
}

// breakCommand returns the command that ends a scene, or takes that back.
func breakCommand(app *cli.App, on bool) *cobra.Command {
	c := &cobra.Command{Use: "break CHAT MESSAGE", Short: "end a scene at a message"}
	if !on {
		c.Use, c.Short = "unbreak CHAT MESSAGE",
			"remove a scene break; its recap and storyboard are kept for a new break there"
	}
	c.Long = cli.Sentence(c.Short) + " " + messageHelp
	c.RunE = app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		m, err := cli.FindMessage(e, c.ID, args[0])
		if err != nil {
			return err
		}
		changed, err := e.Scenes.SetBreak(c.ID, m.ID, on)
		if err != nil {
			return err
		}
		s, err := e.Scenes.List(c.ID)
		if err != nil {
			return err
		}
		doc := breakDoc{Message: m.ID, Break: on, Changed: changed}
		for _, sc := range s.List {
			if sc.Break == m.ID {
				doc.Scene = sc.Number
			}
		}
		if !changed && on {
			app.Note("note: a scene already ends there")
		} else if !changed {
			app.Note("note: no scene ends there")
		}
		if taught, err := e.Lore.SceneChanges(c.ID, m.ID); err == nil && !on && len(taught) > 0 {
			app.Note(
				"note: lorebook changes of the scene are kept; ghostlight lore undo-changes %s %s undoes them",
				c.ID,
				m.ID,
			)
		}
		return app.Print(doc, func(p *cli.Page) {
			switch {
			case !on:
				p.Linef("%s  no scene ends here", m.ID)
			case doc.Scene == 0:
				p.Linef("%s  a scene ends here, on another branch", m.ID)
			default:
				p.Linef("%s  scene %d ends here", m.ID, doc.Scene)
			}
		})
	})
	return c
}

// messageHelp says how to name a message.
const messageHelp = "MESSAGE is an id or the start of one, a number as in chat show, last, or a position from the " +
	"end: -1 is the last, -2 the one before."

func detectCommand(app *cli.App) *cobra.Command {
	var r scenes.DetectRequest
	var undo, later bool
	c := &cobra.Command{Use: "detect CHAT", Short: "detect scenes in a whole chat",
		Long: "Detect the scenes of a whole chat. Explicit breaks such as --- or \"Chapter 3\" are found " +
			"immediately; a model is asked about the other messages, and the command waits for it. If interrupted, " +
			"or with --later, the rest stays in the queue, and ghostlight queue run continues it. Messages that were " +
			"checked before are not checked again."}
	f := c.Flags()
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
		if undo {
			if f.Changed("min") || r.TableOnly || r.Again || later {
				return cli.UsageError("--undo cannot be combined with other flags")
			}
			n, err := e.Scenes.UndoDetection(c.ID)
			if err != nil {
				return err
			}
			return app.Print(map[string]int{"undone": n}, func(p *cli.Page) { p.Linef("%d undone", n) })
		}
		if f.Changed("min") && (r.Min < 1 || r.Min > settings.MaxMinMessages) {
			return cli.UsageError(
				fmt.Sprintf("--min must be a number of messages from 1 to %d", settings.MaxMinMessages),
			)
		}
		return detect(ctx, app, e, c.ID, r, later)
	})
	f.IntVar(&r.Min, "min", 0, "detect no scenes of fewer than `N` messages")
	f.BoolVar(&r.TableOnly, "table", false, "find only explicit breaks, without the model")
	f.BoolVar(&r.Again, "again", false, "check messages again that were checked before")
	f.BoolVar(&undo, "undo", false, "undo the last detection")
	cli.LaterFlag(c, &later)
	return c
}

// detect searches a chat for scenes and prints the results, even if the search fails halfway.
func detect(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	chat storage.ChatID,
	r scenes.DetectRequest,
	later bool,
) error {
	before, err := e.Scenes.List(chat)
	if err != nil {
		return err
	}
	known := map[storage.NodeID]bool{}
	for _, s := range before.List {
		known[s.Break] = true
	}
	var found scenes.Detected
	begin := func() (storage.OperationID, error) {
		if before.Detecting && !r.TableOnly {
			app.Note("note: continuing an earlier detection")
			found = scenes.Detected{Left: before.Unchecked, Total: before.Unchecked}
			return "", nil
		}
		found, err = e.Scenes.Detect(chat, r)
		return "", err
	}
	var fault error
	if later || r.TableOnly {
		if _, err := begin(); err != nil {
			return err
		}
	} else if fault = app.RunTask(ctx, e,
		cli.Task{Chat: chat, Types: []string{"detect_scenes"}, Begin: begin}); fault != nil && found.Total == 0 {
		return fault
	}
	after, err := e.Scenes.List(chat)
	if err != nil {
		return errors.Join(fault, err)
	}
	doc := detectDoc{Left: found.Left, Total: found.Total, Error: app.Redact(failure.Text(fault))}
	switch {
	case r.TableOnly || later:
	case fault == nil:
		doc.Left = 0
	default:
		doc.Left = min(found.Left, after.Unchecked)
	}
	for _, s := range after.List {
		if s.Break != "" && !known[s.Break] {
			doc.Breaks = append(doc.Breaks, foundDoc{s.Number, s.Break, s.Name, s.Rationale})
		}
	}
	doc.Found = len(doc.Breaks)
	if doc.Total == 0 && fault == nil {
		if r.Again {
			app.Note("note: no message can start a new scene")
		} else {
			app.Note("note: nothing new to check; --again checks all messages")
		}
	}
	err = app.Print(doc, func(p *cli.Page) {
		p.Linef("%d found; the model has not been asked about %d of %d messages", doc.Found, doc.Left, doc.Total)
		for _, b := range doc.Breaks {
			p.Linef("%d  %s  %s", b.Scene, b.Message, cli.OneLine(b.Rationale))
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

func renameCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "rename CHAT N NAME", "rename a scene; an empty name uses the recap's title",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			sc, err := cli.FindScene(e, c.ID, args[0])
			if err != nil {
				return err
			}
			if err := cli.CheckTitle(args[1]); err != nil {
				return err
			}
			if err := e.Scenes.Rename(c.ID, sc.Break, args[1]); err != nil {
				return err
			}
			if sc, err = cli.FindScene(e, c.ID, args[0]); err != nil {
				return err
			}
			return app.Print(sc, func(p *cli.Page) { p.Table([][]string{sceneRow(sc)}) })
		})
}

func joinCommand(app *cli.App) *cobra.Command {
	var later bool
	c := cli.Chats.Act(app, "join CHAT FROM TO", "join several scenes and their recaps into one",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			from, err := cli.FindScene(e, c.ID, args[0])
			if err != nil {
				return err
			}
			to, err := cli.FindScene(e, c.ID, args[1])
			if err != nil {
				return err
			}
			if from.Number >= to.Number {
				return cli.UsageError(
					fmt.Sprintf("FROM must come before TO, but %d does not come before %d", from.Number, to.Number),
				)
			}
			begin := func() (storage.OperationID, error) { return "", e.Scenes.Join(c.ID, from.Break, to.Break) }
			t := cli.Task{Chat: c.ID, Types: []string{"join_scene_recaps"}, Begin: begin}
			if later {
				return app.QueueTask(e, t)
			}
			if err := app.RunTask(ctx, e, t); err != nil {
				return err
			}
			to.Number = from.Number
			return printRecap(app, sceneSubject(e, c.ID, to))
		})
	c.Long = "Join the scenes from number FROM to number TO into one, with a recap created from theirs. " +
		"ghostlight scene break separates them again, with their old recaps."
	cli.LaterFlag(c, &later)
	return c
}
