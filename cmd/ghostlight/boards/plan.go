package boards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func planCommand(app *cli.App) *cobra.Command {
	var r boards.PlanRequest
	var beat string
	var later bool
	c := boardCommand(
		app,
		"plan CHAT SCENE",
		"let the model plan the next step of a storyboard, and print it",
		func(ctx context.Context, b boardRef, _ []string) error {
			if r.Tool == storyboard.ProposeEdit && r.Instruction == "" {
				return cli.UsageError("give an instruction with --wish TEXT")
			}
			r.Beat = storage.BeatID(beat)
			return waitForBoard(ctx, app, b, later, cli.Task{Chat: b.chat, Types: []string{"storyboard_plan"},
				Begin: func() (storage.OperationID, error) { return b.e.Boards.Plan(b.chat, b.scene.Break, r) }})
		},
	)
	words := "Let the model plan the next step of a storyboard: "
	for _, t := range storyboard.Tools() {
		if t.Planning {
			words += t.Name + ", "
		}
	}
	c.Long = words[:len(words)-2] + ". The last one needs shots: it proposes a change that storyboard execute " +
		"applies. " + boardHelp
	f := c.Flags()
	f.StringVar(&r.Tool, "tool", "", "run the step `TOOL` instead of the next one")
	f.StringVar(&beat, "beat", "", "for generate_beat_package: write only the shots of the beat `ID`")
	f.StringVar(&r.Instruction, "wish", "", "instruct the model with `TEXT` for this step")
	f.BoolVar(&r.All, "all", false, "continue until there are shots")
	cli.LaterFlag(c, &later)
	return c
}

func steerCommand(app *cli.App) *cobra.Command {
	var later bool
	c := boardCommand(
		app,
		"steer CHAT SCENE TEXT",
		"let the model change a storyboard by instruction, and print it",
		func(ctx context.Context, b boardRef, args []string) error {
			line, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			return waitForBoard(ctx, app, b, later, cli.Task{Chat: b.chat,
				Begin: func() (storage.OperationID, error) { return b.e.Boards.Steer(b.chat, b.scene.Break, line) }})
		},
	)
	c.Long = cli.Sentence(c.Short) + " The model's reply is the last line of the talk; if it asks a question, answer " +
		"with another call. A TEXT of - is read from standard input. " + boardHelp
	cli.LaterFlag(c, &later)
	return c
}

// waitForBoard waits for the model's work on a storyboard, and prints it.
func waitForBoard(ctx context.Context, app *cli.App, b boardRef, later bool, t cli.Task) error {
	if later {
		return app.QueueTask(b.e, t)
	}
	if err := app.RunTask(ctx, b.e, t); err != nil {
		return err
	}
	return printBoardOf(app, b)
}

func beatsCommand(app *cli.App) *cobra.Command {
	return boardPartCommand(
		app,
		"beats CHAT SCENE",
		"print the key beats of a scene, or replace them",
		`[{"id": "b1", "text": "…", "why": "…", "messages": ["…"]}], `+
			"where a beat that keeps its id keeps its shots",
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Beats) },
		func(v boards.View) any { return v.Beats },
	)
}

func fillerCommand(app *cli.App) *cobra.Command {
	return boardPartCommand(
		app,
		"filler CHAT SCENE",
		"print the filler strategy between key shots, or replace it",
		`{"amount": "none, light, medium or rich", "jobs": ["reaction"], "where": "…", "why": "…"}`,
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Filler) },
		func(v boards.View) any { return v.Filler },
	)
}

func budgetCommand(app *cli.App) *cobra.Command {
	return boardPartCommand(
		app,
		"budget CHAT SCENE",
		"print the budget of each beat, or replace it",
		`[{"beat": "b1", "key": 2, "filler": 1, "seconds": 9}]`,
		func(data []byte, p *storage.Plan) error { return json.Unmarshal(data, &p.Budget) },
		func(v boards.View) any { return v.Budget },
	)
}

// boardPartCommand returns a command that prints a part of the plan, and with --set changes it.
func boardPartCommand(
	app *cli.App,
	use, short, form string,
	read func([]byte, *storage.Plan) error,
	part func(boards.View) any,
) *cobra.Command {
	var set string
	var c *cobra.Command
	c = boardCommand(app, use, short, func(_ context.Context, b boardRef, _ []string) error {
		v, err := b.e.Boards.Board(b.chat, b.scene.Break)
		if c.Flags().Changed("set") && err == nil {
			text, err := app.FileArg(set)
			if err != nil {
				return err
			}
			var p storage.Plan
			if err := read([]byte(text), &p); err != nil {
				return fmt.Errorf("%s does not have the format %s: %w", cmp.Or(set, "the file"), form, plainJSON(err))
			}
			v, err = b.e.Boards.EditPlan(b.chat, b.scene.Break, p)
			if err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		return app.Print(part(v), func(p *cli.Page) { writePlan(p, v.Plan) })
	})
	c.Long = cli.Sentence(short) + " The format is JSON: " + form + ". " + boardHelp
	c.Flags().StringVar(&set, "set", "", "replace it with the JSON in `FILE` (- reads standard input)")
	return c
}

// plainJSON encodes a value without the names of Go types.
func plainJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%s must not be of type %s", cmp.Or(kind.Field, "the value"), kind.Value)
	}
	return err
}
