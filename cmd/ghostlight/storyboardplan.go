package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ghostlight/engine/boards"
	"ghostlight/engine/boards/storyboard"
	"ghostlight/storage"
)

func (d *door) storyboardPlan() *cobra.Command {
	var r boards.PlanRequest
	var beat string
	var later bool
	c := d.boardCommand("plan CHAT SCENE", "have the model plan the next step of a storyboard, and print it", 2, 2, func(ctx context.Context, b onBoard, _ []string) error {
		if r.Tool == storyboard.ProposeEdit && r.Wish == "" {
			return misuse{"what is to be different? Say it with --wish"}
		}
		r.Beat = storage.BeatID(beat)
		return d.askBoard(ctx, b, later, task{chat: b.chat, types: []string{"storyboard_plan"},
			begin: func() (storage.OperationID, error) { return b.e.Boards.Plan(b.chat, b.scene.Break, r) }})
	})
	words := "Have the model plan the next step of a storyboard: "
	for _, t := range storyboard.Tools() {
		if t.Planning {
			words += t.Name + ", "
		}
	}
	c.Long = words[:len(words)-2] + ". The last is for when there are shots: it proposes a change that storyboard execute carries out. " + boardHelp
	f := c.Flags()
	f.StringVar(&r.Tool, "tool", "", "do the step `TOOL` instead of the next one")
	f.StringVar(&beat, "beat", "", "of generate_beat_package: write the shots of the beat `ID` alone")
	f.StringVar(&r.Wish, "wish", "", "tell the model also `TEXT` about this step")
	f.BoolVar(&r.All, "all", false, "go on until there are shots")
	laterFlag(c, &later)
	return c
}

func (d *door) storyboardSteer() *cobra.Command {
	var later bool
	c := d.boardCommand("steer CHAT SCENE TEXT", "have the model change a storyboard as you say, and print it", 3, 3, func(ctx context.Context, b onBoard, args []string) error {
		line, err := d.textArg(args[0])
		if err != nil {
			return err
		}
		return d.askBoard(ctx, b, later, task{chat: b.chat,
			begin: func() (storage.OperationID, error) { return b.e.Boards.Steer(b.chat, b.scene.Break, line) }})
	})
	c.Long = sentence(c.Short) + " What the model says stands last under talk; where it asks back, answer with another line. - reads the text from standard input. " + boardHelp
	laterFlag(c, &later)
	return c
}

// askBoard waits for what the model is asked for a storyboard, and prints it.
func (d *door) askBoard(ctx context.Context, b onBoard, later bool, t task) error {
	if later {
		return d.postpone(b.e, t)
	}
	if err := d.finish(ctx, b.e, t); err != nil {
		return err
	}
	return d.showBoard(b)
}

func (d *door) storyboardBeats() *cobra.Command {
	return d.boardPart("beats CHAT SCENE", "print the key beats of a scene, or put others in their place", `[{"id": "b1", "text": "…", "why": "…", "messages": ["…"]}], where a beat with the id of a present one stays that beat`,
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Beats) },
		func(s boardShape) any { return s.Beats })
}

func (d *door) storyboardFiller() *cobra.Command {
	return d.boardPart("filler CHAT SCENE", "print what stands between the key shots, or put another strategy in its place", `{"amount": "none, light, medium or rich", "jobs": ["reaction"], "where": "…", "why": "…"}`,
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Filler) },
		func(s boardShape) any { return s.Filler })
}

func (d *door) storyboardBudget() *cobra.Command {
	return d.boardPart("budget CHAT SCENE", "print what each beat may cost, or put another budget in its place", `[{"beat": "b1", "key": 2, "filler": 1, "seconds": 9}]`,
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Budget) },
		func(s boardShape) any { return s.Budget })
}

// boardPart is a command that prints a part of the plan, and with --set changes it.
func (d *door) boardPart(use, short, form string, read func([]byte, *storage.Plan) error, part func(boardShape) any) *cobra.Command {
	var set string
	var c *cobra.Command
	c = d.boardCommand(use, short, 2, 2, func(_ context.Context, b onBoard, _ []string) error {
		v, err := b.e.Boards.Board(b.chat, b.scene.Break)
		if c.Flags().Changed("set") && err == nil {
			text, err := d.fileArg(set)
			if err != nil {
				return err
			}
			var p storage.Plan
			if err := read([]byte(text), &p); err != nil {
				return fmt.Errorf("%s is not of the form %s: %w", first(set, "the file"), form, plainJSON(err))
			}
			v, err = b.e.Boards.EditPlan(b.chat, b.scene.Break, p)
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		return d.tell(part(shapeBoard(v)), func(p *page) { p.plan(v.Plan) })
	})
	c.Long = sentence(short) + " The form is JSON: " + form + ". " + boardHelp
	c.Flags().StringVar(&set, "set", "", "take it from `FILE`, JSON (- reads standard input)")
	return c
}

// plainJSON says what does not fit in a document without the names of Go's types.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s must not be of the kind %s", first(kind.Field, "what it holds"), kind.Value)
	}
	return err
}
