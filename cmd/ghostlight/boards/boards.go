// Package boards has the storyboard commands.
package boards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Command returns the command ghostlight storyboard. write starts and prints a batch of captures.
func Command(app *cli.App, write BatchWriter) *cobra.Command {
	c := cli.Group(
		"storyboard",
		"plan a scene in shots, and sketch them",
		listCommand(app),
		showCommand(app),
		planCommand(app),
		steerCommand(app),
		beatsCommand(app),
		fillerCommand(app),
		budgetCommand(app),
		insertCommand(
			app,
		),
		modifyCommand(app),
		removeCommand(app),
		moveCommand(app),
		mergeCommand(app),
		splitCommand(app),
		callCommand(app),
		executeCommand(app),
		confirmCommand(app),
		undoRedoCommand(
			app,
			"undo",
			"undo the last change",
			func(e *engine.Engine, chat storage.ChatID, node storage.NodeID) (boards.View, error) {
				return e.Boards.Undo(chat, node)
			},
		),
		undoRedoCommand(
			app,
			"redo",
			"redo the last undone change",
			func(e *engine.Engine, chat storage.ChatID, node storage.NodeID) (boards.View, error) {
				return e.Boards.Redo(chat, node)
			},
		),
		callsCommand(app),
		usedCommand(app),
		cancelCommand(app),
		deleteCommand(app),
		sketchCommand(app, write),
		exportCommand(app),
		animaticCommand(app),
		importCommand(app),
	)
	c.Example = `ghostlight storyboard plan "The lamp" 1 --all
ghostlight storyboard steer "The lamp" 1 "make this more uncomfortable"
ghostlight storyboard modify "The lamp" 1 s2 --size close-up --seconds 4
ghostlight storyboard confirm "The lamp" 1
ghostlight storyboard sketch "The lamp" 1 --send
ghostlight storyboard export "The lamp" 1 board.html
ghostlight storyboard animatic "The lamp" 1 --out scene.gif`
	return c
}

// boardHelp explains how a scene is named.
const boardHelp = "SCENE is a number from ghostlight scene list, or the id of the scene's last message, which also " +
	"works on other branches."

// boardRef is the storyboard that the first two arguments name.
type boardRef struct {
	e     *engine.Engine
	chat  storage.ChatID
	scene scenes.Scene
}

// findScene returns an ended scene by its number or its last message.
func findScene(e *engine.Engine, chat storage.ChatID, ref string) (scenes.Scene, error) {
	if _, err := strconv.Atoi(ref); err == nil {
		return cli.FindScene(e, chat, ref)
	}
	m, err := cli.FindMessage(e, chat, ref)
	if ref == "" || errors.Is(err, storage.ErrNotFound) { // nothing is no message here, not the last one
		err = fmt.Errorf("no scene %q: use its number in ghostlight scene list, or the id of its last message", ref)
	}
	if err != nil {
		return scenes.Scene{}, err
	}
	v, err := e.Boards.Board(chat, m.ID)
	return v.Scene, err
}

// boardCommand returns a command on a storyboard. args are the arguments after its scene.
func boardCommand(
	app *cli.App,
	use, short string,
	do func(ctx context.Context, b boardRef, args []string) error,
) *cobra.Command {
	c := cli.Chats.Act(
		app,
		use,
		short,
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			sc, err := findScene(e, chat.ID, args[0])
			if err != nil {
				return err
			}
			return do(ctx, boardRef{e, chat.ID, sc}, args[1:])
		},
	)
	c.Long = cli.Sentence(short) + " " + boardHelp
	return c
}

// CompleteShot completes the shots of the storyboard that the previous arguments name.
func CompleteShot(e *engine.Engine, before []string) (words []string) {
	if len(before) < 2 {
		return nil
	}
	chat, err := e.Chats.Find(before[0])
	if err != nil {
		return nil
	}
	sc, err := findScene(e, chat.ID, before[1])
	if err != nil {
		return nil
	}
	v, err := e.Boards.Board(chat.ID, sc.Break)
	if err != nil {
		return nil
	}
	for _, s := range v.Shots {
		words = append(words, cli.Suggestion(string(s.ID), s.Description))
	}
	return words
}

func listCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(
		app,
		"list CHAT",
		"list the scenes that have ended, with their storyboards",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Boards.List(c.ID)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, func(r boards.Row) []string {
				number, name := strconv.Itoa(r.Scene), cli.Clip(r.Name, cli.ColumnWidth)
				if r.Detached {
					number, name = "-", "no scene ends at "+string(r.Node)+" any more"
				}
				return []string{number, name, cmp.Or(string(r.Stage), "-"),
					cli.Plural(
						r.Shots,
						"shot",
						"shots",
					), cli.Plural(r.Calls, "change", "changes"), learnedText(r.Learned)}
			})
		},
	)
}

func learnedText(learnt bool) string {
	if learnt {
		return "learned from"
	}
	return ""
}

func showCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"show CHAT SCENE",
		"print a storyboard",
		func(_ context.Context, b boardRef, _ []string) error { return printBoardOf(app, b) },
	)
}

// printBoardOf prints the current storyboard.
func printBoardOf(app *cli.App, b boardRef) error {
	v, err := b.e.Boards.Board(b.chat, b.scene.Break)
	if err != nil {
		return err
	}
	return printBoard(app, v)
}

func printBoard(app *cli.App, v boards.View) error {
	return app.Print(newBoardDoc(v), func(p *cli.Page) { writeBoard(p, v) })
}

func executeCommand(app *cli.App) *cobra.Command {
	var drop bool
	c := boardCommand(
		app,
		"execute CHAT SCENE",
		"apply the proposed change",
		func(_ context.Context, b boardRef, _ []string) error {
			params := map[string]any{}
			if drop {
				params["drop"] = true
			}
			return callTool(app, b, storyboard.ExecuteEdit, params)
		},
	)
	c.Flags().BoolVar(&drop, "drop", false, "reject it instead of applying it")
	return c
}

func confirmCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"confirm CHAT SCENE",
		"confirm the shots: they can be sketched",
		func(_ context.Context, b boardRef, _ []string) error {
			return callTool(app, b, storyboard.ConfirmShots, map[string]any{})
		},
	)
}

// undoRedoCommand returns the undo or the redo command.
func undoRedoCommand(
	app *cli.App,
	name, short string,
	do func(*engine.Engine, storage.ChatID, storage.NodeID) (boards.View, error),
) *cobra.Command {
	return boardCommand(app, name+" CHAT SCENE", short, func(_ context.Context, b boardRef, _ []string) error {
		v, err := do(b.e, b.chat, b.scene.Break)
		if err != nil {
			return err
		}
		return printBoard(app, v)
	})
}

func cancelCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"cancel CHAT SCENE",
		"stop the model's work on a storyboard",
		func(_ context.Context, b boardRef, _ []string) error {
			if err := b.e.Boards.Cancel(b.chat, b.scene.Break); err != nil {
				return err
			}
			return printBoardOf(app, b)
		},
	)
}

func deleteCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"delete CHAT SCENE",
		"delete a storyboard; its sketches stay in the gallery",
		func(_ context.Context, b boardRef, _ []string) error {
			if err := b.e.Boards.Delete(b.chat, b.scene.Break); err != nil {
				return err
			}
			return app.Print(
				map[string]any{"chat": b.chat, "scene": b.scene.Number, "deleted": true},
				func(p *cli.Page) {
					p.Linef("the storyboard of scene %d was deleted", b.scene.Number)
				},
			)
		},
	)
}

func callsCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"calls CHAT SCENE",
		"list the calls that made a storyboard, oldest first",
		func(_ context.Context, b boardRef, _ []string) error {
			list, err := b.e.Boards.Calls(b.chat, b.scene.Break)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, func(c boards.CallView) []string {
				return []string{strconv.Itoa(c.Number), c.Tool, string(c.By),
					cli.Plural(len(c.After.Shots), "shot", "shots"),
					cli.Clip(cmp.Or(c.Text, string(c.Params)), cli.ColumnWidth)}
			})
		},
	)
}

func usedCommand(app *cli.App) *cobra.Command {
	c := boardCommand(
		app,
		"used CHAT SCENE [CALL]",
		"print the taste profile sent to the model for a storyboard",
		func(_ context.Context, b boardRef, args []string) error {
			list, err := b.e.Boards.Calls(b.chat, b.scene.Break)
			if err != nil {
				return err
			}
			only := 0
			if len(args) > 0 {
				if only, err = cli.NumberArg(args[0], "a call number as in ghostlight storyboard calls "+
					"it"); err != nil {
					return err
				}
				if only > len(list) {
					return fmt.Errorf("there is no call %d; calls of this storyboard: %d", only, len(list))
				}
			}
			doc := []usedDoc{}
			for _, c := range list {
				if only == c.Number || only == 0 && c.Used != nil {
					doc = append(doc, newUsedDoc(c))
				}
			}
			if len(doc) == 0 || only > 0 && !doc[0].Used {
				app.Note("note: no taste profile was sent")
			}
			return app.Print(doc, func(p *cli.Page) {
				for _, u := range doc {
					if u.Used {
						p.Linef("call %d  %s\n\n%s\n", u.Number, u.Tool, u.Block)
					}
				}
			})
		},
	)
	c.Long = cli.Sentence(c.Short) + " Without CALL, it lists all calls that used the profile. " + boardHelp
	return c
}
