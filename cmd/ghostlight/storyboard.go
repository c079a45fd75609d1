package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/boards"
	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

func (d *door) storyboardCommand() *cobra.Command {
	c := group("storyboard", "plan a scene in shots, and sketch them",
		d.storyboardList(), d.storyboardShow(), d.storyboardPlan(), d.storyboardSteer(),
		d.storyboardBeats(), d.storyboardFiller(), d.storyboardBudget(),
		d.storyboardInsert(), d.storyboardModify(), d.storyboardRemove(), d.storyboardMove(), d.storyboardMerge(), d.storyboardSplit(),
		d.storyboardCall(), d.storyboardExecute(), d.storyboardConfirm(),
		d.storyboardBack("undo", "take the last change back", func(e *engine.Engine, chat storage.ChatID, node storage.NodeID) (boards.View, error) {
			return e.Boards.Undo(chat, node)
		}),
		d.storyboardBack("redo", "do again what was taken back last", func(e *engine.Engine, chat storage.ChatID, node storage.NodeID) (boards.View, error) {
			return e.Boards.Redo(chat, node)
		}),
		d.storyboardCalls(), d.storyboardUsed(), d.storyboardCancel(), d.storyboardDelete(),
		d.storyboardSketch(), d.storyboardExport(), d.storyboardImport())
	c.Example = `ghostlight storyboard plan "The lamp" 1 --all
ghostlight storyboard steer "The lamp" 1 "make this more uncomfortable"
ghostlight storyboard modify "The lamp" 1 s2 --size close-up --seconds 4
ghostlight storyboard confirm "The lamp" 1
ghostlight storyboard sketch "The lamp" 1 --send
ghostlight storyboard export "The lamp" 1 board.html`
	return c
}

// boardHelp says how a scene is named.
const boardHelp = "A scene goes by its number in ghostlight scene list, or by the id of its last message, which finds one of another branch too."

// onBoard is work on the storyboard that the first two arguments name.
type onBoard struct {
	e     *engine.Engine
	chat  storage.ChatID
	scene scenes.Scene
}

func (d *door) boardWork(w func(ctx context.Context, b onBoard, args []string) error) func(*cobra.Command, []string) error {
	return d.chatWork(func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		sc, err := sceneNamed(e, c.ID, args[0])
		if err != nil {
			return err
		}
		return w(ctx, onBoard{e, c.ID, sc}, args[1:])
	})
}

// sceneNamed finds a scene that has ended by its number or its last message.
func sceneNamed(e *engine.Engine, chat storage.ChatID, ref string) (scenes.Scene, error) {
	if _, err := strconv.Atoi(ref); err == nil {
		return sceneNumbered(e, chat, ref)
	}
	m, err := message(e, chat, ref)
	if ref == "" || errors.Is(err, storage.ErrNotFound) { // nothing is no message here, not the last one
		err = fmt.Errorf("there is no scene %q: a scene goes by its number in ghostlight scene list, or by the id of its last message", ref)
	}
	if err != nil {
		return scenes.Scene{}, err
	}
	v, err := e.Boards.Board(chat, m.ID)
	return v.Scene, err
}

// boardCommand is a command about one storyboard.
func (d *door) boardCommand(use, short string, least, most int, w func(ctx context.Context, b onBoard, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: sentence(short) + " " + boardHelp, Args: takes(least, most),
		ValidArgsFunction: cobra.NoFileCompletions, RunE: d.boardWork(w)}
}

func (d *door) storyboardList() *cobra.Command {
	return &cobra.Command{Use: "list CHAT", Short: "list the scenes that have ended, with their storyboards", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Boards.List(c.ID)
			if err != nil {
				return err
			}
			doc, rows := []boardRowShape{}, [][]string{}
			for _, r := range list {
				doc = append(doc, shapeBoardRow(r))
				number, name := strconv.Itoa(r.Scene.Number), clip(r.Scene.Name, columnLimit)
				if r.Kept {
					number, name = "-", "no scene ends at "+string(r.Scene.Break)+" any more"
				}
				rows = append(rows, []string{number, name, first(string(r.Stage), "-"),
					counted(r.Shots, "shot", "shots"), counted(r.Calls, "change", "changes"), learntWord(r.Learnt)})
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

func learntWord(learnt bool) string {
	if learnt {
		return "learnt from"
	}
	return ""
}

func (d *door) storyboardShow() *cobra.Command {
	return d.boardCommand("show CHAT SCENE", "print a storyboard", 2, 2, func(_ context.Context, b onBoard, _ []string) error { return d.showBoard(b) })
}

// showBoard prints a storyboard as it is now.
func (d *door) showBoard(b onBoard) error {
	v, err := b.e.Boards.Board(b.chat, b.scene.Break)
	if err != nil {
		return err
	}
	return d.tellBoard(v)
}

func (d *door) tellBoard(v boards.View) error {
	return d.tell(shapeBoard(v), func(p *page) { p.board(v) })
}

func (d *door) storyboardExecute() *cobra.Command {
	var drop bool
	c := d.boardCommand("execute CHAT SCENE", "carry out the change that was proposed", 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		params := map[string]any{}
		if drop {
			params["drop"] = true
		}
		return d.callBoard(b, storyboard.ExecuteEdit, params)
	})
	c.Flags().BoolVar(&drop, "drop", false, "drop it instead: nothing of it is carried out")
	return c
}

func (d *door) storyboardConfirm() *cobra.Command {
	return d.boardCommand("confirm CHAT SCENE", "confirm the shots: they can be sketched", 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		return d.callBoard(b, storyboard.ConfirmShots, map[string]any{})
	})
}

// storyboardBack is undo or redo.
func (d *door) storyboardBack(name, short string, do func(*engine.Engine, storage.ChatID, storage.NodeID) (boards.View, error)) *cobra.Command {
	return d.boardCommand(name+" CHAT SCENE", short, 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		v, err := do(b.e, b.chat, b.scene.Break)
		if err != nil {
			return err
		}
		return d.tellBoard(v)
	})
}

func (d *door) storyboardCancel() *cobra.Command {
	return d.boardCommand("cancel CHAT SCENE", "stop what the model is asked for a storyboard", 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		if err := b.e.Boards.Cancel(b.chat, b.scene.Break); err != nil {
			return err
		}
		return d.showBoard(b)
	})
}

func (d *door) storyboardDelete() *cobra.Command {
	return d.boardCommand("delete CHAT SCENE", "delete a storyboard; its sketches stay in the gallery", 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		if err := b.e.Boards.Delete(b.chat, b.scene.Break); err != nil {
			return err
		}
		return d.tell(map[string]any{"chat": b.chat, "scene": b.scene.Number, "deleted": true}, func(p *page) {
			p.linef("the storyboard of scene %d is deleted", b.scene.Number)
		})
	})
}

func (d *door) storyboardCalls() *cobra.Command {
	return d.boardCommand("calls CHAT SCENE", "list the calls that made a storyboard, oldest first", 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		list, err := b.e.Boards.Calls(b.chat, b.scene.Break)
		if err != nil {
			return err
		}
		doc, rows := []boardCallShape{}, [][]string{}
		for i, c := range list {
			doc = append(doc, shapeBoardCall(i+1, c))
			rows = append(rows, []string{strconv.Itoa(i + 1), c.Tool, string(c.By), counted(len(c.After.Shots), "shot", "shots"),
				clip(first(c.Text, string(c.Params)), columnLimit)})
		}
		return d.tell(doc, func(p *page) { p.table(rows) })
	})
}

func (d *door) storyboardUsed() *cobra.Command {
	c := d.boardCommand("used CHAT SCENE [CALL]", "print what the model was told of your taste for a storyboard", 2, 3, func(_ context.Context, b onBoard, args []string) error {
		list, err := b.e.Boards.Calls(b.chat, b.scene.Break)
		if err != nil {
			return err
		}
		only := 0
		if len(args) > 0 {
			if only, err = countArg(args[0], "the number of a call, as ghostlight storyboard calls shows it"); err != nil {
				return err
			}
			if only > len(list) {
				return fmt.Errorf("there is no call %d; calls of this storyboard: %d", only, len(list))
			}
		}
		doc := []tasteUsedShape{}
		for i, c := range list {
			if only == i+1 || only == 0 && c.Used != nil {
				doc = append(doc, shapeTasteUsed(i+1, c))
			}
		}
		if len(doc) == 0 || only > 0 && !doc[0].Told {
			d.note("note: nothing was told of how you direct")
		}
		return d.tell(doc, func(p *page) {
			for _, u := range doc {
				if u.Told {
					p.linef("call %d  %s\n\n%s\n", u.Number, u.Tool, u.Block)
				}
			}
		})
	})
	c.Long = sentence(c.Short) + " Without a CALL it is that of all its calls that were told anything. " + boardHelp
	return c
}
