// Package taste has the commands for the learned taste of the user.
package taste

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Command returns ghostlight taste.
func Command(app *cli.App) *cobra.Command {
	c := cli.Group("taste", "preferences learned from your edits",
		listCommand(app), showCommand(app), memoriesCommand(app), blockCommand(app), learnCommand(app),
		profileCommand(app), summaryCommand(app),
		cli.Group("card", "write, change, mute and delete preference cards",
			cardAddCommand(app), cardEditCommand(app),
			cardActionCommand(app, "mute", taste.MuteCards, "mute cards: keep them, but do not use them"),
			cardActionCommand(app, "unmute", taste.UnmuteCards, "unmute cards"),
			cardActionCommand(app, "delete", taste.DeleteCards, "delete cards; card restore restores one"),
			cardActionCommand(app, "restore", taste.RestoreCards, "reset cards to the learned text")),
		forgetCommand(app), resetCommand(app))
	c.Example = `ghostlight taste show "The lamp"
ghostlight taste block "The lamp" recommend_key_beats
ghostlight taste card add "The lamp" "Doors are shown before they open." --when entrances
ghostlight taste card mute --series "The dark house" CARD`
	return c
}

func listCommand(app *cli.App) *cobra.Command {
	return app.Command("list", "list the stories with learned preferences",
		func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Taste.List()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newTasteRowDoc, func(v taste.View) []string {
				return []string{string(v.Scope), cli.Clip(v.Name, cli.ColumnWidth),
					cli.Plural(countCards(v.Cards), "card", "cards"),
					cli.Plural(len(v.Memories), "scene", "scenes"), workingText(v.Working)}
			})
		})
}

func workingText(working bool) string {
	if working {
		return "in progress"
	}
	return ""
}

func showCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("show", "print the learned preferences of a story",
		"Print the learned preferences of a story: the profile with its cards, and the source scenes.", 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			return printTaste(app, e, s.Scope)
		})
}

// printTaste prints a story's current profile.
func printTaste(app *cli.App, e *engine.Engine, scope storage.ScopeID) error {
	v, err := e.Taste.View(scope)
	if err != nil {
		return err
	}
	if len(v.Cards) == 0 && v.Summary == "" && len(v.Memories) == 0 {
		app.Note("note: nothing learned from this story yet")
	}
	return app.Print(newTasteDoc(v), func(p *cli.Page) {
		p.Linef("%s  %s", v.Scope, cli.OneLine(v.Name))
		for _, part := range []string{v.Summary, v.StatsSummary} {
			if part != "" {
				p.Line("\n" + strings.TrimSpace(part))
			}
		}
		for _, c := range v.Cards {
			writeCard(p, c)
		}
		for i, m := range v.Memories {
			if i == 0 {
				p.Line("\nlearned from")
			}
			p.Linef("%s  %s in %s: %s", cli.ShortID(m.ID), cmp.Or(cli.OneLine(m.SceneName), "a deleted scene"),
				cli.Quote(cli.OneLine(cmp.Or(m.ChatTitle, string(m.Chat)))),
				cli.Plural(len(m.SceneLearnings), "lesson", "lessons"))
		}
		if v.Working {
			p.Line("\nlearning is in progress")
		}
	})
}

func memoriesCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("memories", "print the lessons of each scene, newest first", "", 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			v, err := e.Taste.View(s.Scope)
			if err != nil {
				return err
			}
			doc := cli.Docs(v.Memories, newTasteMemoryDoc)
			return app.Print(doc, func(p *cli.Page) {
				for i, m := range v.Memories {
					if i > 0 {
						p.Line("")
					}
					writeTasteMemory(p, m)
				}
			})
		})
}

// writeTasteMemory writes what was learned from a scene.
func writeTasteMemory(p *cli.Page, m taste.Memory) {
	p.Linef("%s  %s in %s  %s", cli.ShortID(m.ID), cmp.Or(cli.OneLine(m.SceneName), "a deleted scene"),
		cli.Quote(cli.OneLine(cmp.Or(m.ChatTitle, string(m.Chat)))),
		m.UpdatedAt.Local().Format(time.DateTime))
	for _, part := range []string{m.SceneContextSummary, m.EditSummary} {
		if part != "" {
			p.Line(cli.OneLine(part))
		}
	}
	if m.Summary != nil && m.Summary.Sentence != "" {
		p.Line(cli.OneLine(m.Summary.Sentence))
	}
	for _, l := range m.SceneLearnings {
		p.Linef("- %s (%s)", cli.OneLine(l.Learning), l.Confidence)
		writeConditions(p, l.AppliesTo, l.AvoidApplyingTo, l.Evidence)
	}
	for i, ev := range m.Events {
		if i == 0 {
			p.Line("edits")
		}
		p.Linef("- %s: %s", cmp.Or(ev.About, string(ev.Type)), cli.OneLine(ev.Summary))
	}
}

// writeConditions writes when a lesson applies, when not, and the evidence.
func writeConditions(p *cli.Page, applies, avoid, evidence string) {
	for _, part := range [][2]string{{"when", applies}, {"not when", avoid}, {"seen", evidence}} {
		if part[1] != "" {
			p.Linef("    %s: %s", part[0], cli.OneLine(part[1]))
		}
	}
}

func blockCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("block TOOL", "print the profile text sent to a planning tool",
		"Print the profile text that would be sent to a planning tool now. TOOL is the name of a planning tool, or "+
			"steer.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			u, err := e.Taste.Block(s.Scope, args[0])
			if err != nil {
				return err
			}
			switch {
			case settings.IsOff(app.Settings.Taste.Use):
				app.Note("note: taste.use is off in the config file: the profile is not used")
			case u.Block == "":
				app.Note("note: there is no profile yet")
			}
			doc := struct {
				Scope storage.ScopeID `json:"scope"`
				Tool  string          `json:"tool"`
				storage.TasteUse
			}{s.Scope, args[0], u}
			return app.Print(doc, func(p *cli.Page) {
				if u.Block != "" {
					p.Line(u.Block)
				}
			})
		})
}

func learnCommand(app *cli.App) *cobra.Command {
	var later bool
	c := &cobra.Command{Use: "learn CHAT SCENE", Short: "learn from a scene now, and print the lessons",
		Long: "Learn from the scene SCENE now: from its confirmed storyboard, and from your edits to picture prompts " +
			"and recaps. Then the profile is rebuilt."}
	c.RunE = app.WithChat(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		sc, err := cli.FindScene(e, chat.ID, args[0])
		if err != nil {
			return err
		}
		t := cli.Task{Chat: chat.ID, Begin: func() (storage.OperationID, error) {
			return e.Taste.Harvest(chat.ID, sc.Break)
		}}
		if later {
			return app.QueueTask(e, t)
		}
		if err := app.RunTask(ctx, e, t); err != nil {
			return err
		}
		scope, err := e.Chats.ScopeOf(chat.ID)
		if err != nil {
			return err
		}
		m, err := e.Taste.FindMemory(scope, string(sc.Break))
		if err != nil {
			return err
		}
		return app.Print(newTasteMemoryDoc(m), func(p *cli.Page) { writeTasteMemory(p, m) })
	})
	cli.LaterFlag(c, &later)
	return c
}

func profileCommand(app *cli.App) *cobra.Command {
	var later bool
	c := app.StoryCommand("profile", "rebuild a story's profile from its scenes, and print it", "", 0, 0,
		func(ctx context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			t := cli.Task{Chat: s.Chat, Begin: func() (storage.OperationID, error) {
				return e.Taste.Aggregate(s.Scope)
			}}
			if later {
				return app.QueueTask(e, t)
			}
			if err := app.RunTask(ctx, e, t); err != nil {
				return err
			}
			return printTaste(app, e, s.Scope)
		})
	cli.LaterFlag(c, &later)
	return c
}

func summaryCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("summary TEXT", "replace the profile's summary",
		"Replace the profile's summary. TEXT may be @FILE, or - for standard input; empty resets it.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			text, err := app.ValueArg(args[0])
			if err != nil {
				return err
			}
			if err := e.Taste.SaveSummary(s.Scope, text); err != nil {
				return err
			}
			return printTaste(app, e, s.Scope)
		})
}

// findLesson returns a memory by the number of a scene of the chat, or by an ID.
func findLesson(e *engine.Engine, s cli.Story, ref string) (taste.Memory, error) {
	if number, err := strconv.Atoi(ref); err == nil && s.Chat != "" && number > 0 {
		sc, err := cli.FindScene(e, s.Chat, ref)
		if err != nil {
			return taste.Memory{}, err
		}
		m, err := e.Taste.FindMemory(s.Scope, string(sc.Break))
		if err != nil {
			return m, fmt.Errorf("scene %d has no lessons yet", number)
		}
		return m, nil
	}
	return e.Taste.FindMemory(s.Scope, ref)
}

func forgetCommand(app *cli.App) *cobra.Command {
	return app.StoryCommand("forget SCENE", "forget the lessons of a scene",
		"Forget the lessons of a scene; the queue then rebuilds the profile. SCENE is a scene number of CHAT, or an "+
			"id, or the start or end of one, as printed by taste memories.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			m, err := findLesson(e, s, args[0])
			if err != nil {
				return err
			}
			if err := e.Taste.DeleteMemory(s.Scope, m.Scene); err != nil {
				return err
			}
			return printTaste(app, e, s.Scope)
		})
}

func resetCommand(app *cli.App) *cobra.Command {
	var yes bool
	c := app.StoryCommand("reset --yes", "forget all preferences of a story, including your own cards",
		"Forget all preferences of a story, including your own cards. Storyboards are kept.", 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			if !yes {
				return cli.UsageError("this cannot be undone; confirm with --yes")
			}
			if err := e.Taste.Reset(s.Scope); err != nil {
				return err
			}
			return printTaste(app, e, s.Scope)
		})
	c.Flags().BoolVar(&yes, "yes", false, "confirm it")
	return c
}
