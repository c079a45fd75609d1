package boards

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func shotFields() cli.Fields[storage.Shot] {
	return cli.Fields[storage.Shot]{Record: &storyboard.ShotFields, Shown: shotDoc{}}
}

// callTool calls a tool and prints the resulting storyboard.
func callTool(app *cli.App, b boardRef, tool string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	v, err := b.e.Boards.Call(b.chat, b.scene.Break, storage.ToolCall{Tool: tool, Params: raw})
	if err != nil {
		return err
	}
	return printBoard(app, v)
}

// placeFlags are the flags for a position in the list.
type placeFlags struct {
	before, after, key string
	at                 int
	changed            func(string) bool
}

func (f *placeFlags) add(c *cobra.Command, key string) {
	f.key, f.changed = key, c.Flags().Changed
	c.Flags().StringVar(&f.before, "before", "", "before the shot `SHOT`")
	c.Flags().StringVar(&f.after, "after", "", "after the shot `SHOT`")
	c.Flags().IntVar(&f.at, key, 0, "at position `N`, from 1")
}

func (f *placeFlags) apply(params map[string]any) error {
	if f.before != "" && f.after != "" || f.before+f.after != "" && f.changed(f.key) {
		return cli.UsageError("--before, --after and --" + f.key + " cannot be combined")
	}
	if f.before != "" {
		params["before"] = f.before
	}
	if f.after != "" {
		params["after"] = f.after
	}
	if f.changed(f.key) {
		if f.at < 1 { // 0 would be no place at all
			return cli.UsageError(fmt.Sprintf("--%s needs a position in the list, from 1, not %d", f.key, f.at))
		}
		params[f.key] = f.at
	}
	return nil
}

func insertCommand(app *cli.App) *cobra.Command {
	fields := shotFields()
	var at placeFlags
	c := boardCommand(
		app,
		"insert CHAT SCENE --description TEXT",
		"insert a shot into a storyboard, by default at the end",
		func(_ context.Context, b boardRef, _ []string) error {
			var s storage.Shot
			if err := fields.Apply(app, &s); err != nil {
				return err
			}
			if err := storyboard.ShotFields.Find("description").Valid(&s); err != nil {
				return err
			}
			params := map[string]any{"shots": []any{storyboard.ChangedFields(storage.Shot{}, s)}}
			if err := at.apply(params); err != nil {
				return err
			}
			return callTool(app, b, storyboard.InsertShot, params)
		},
	)
	fields.Add(c)
	at.add(c, "index")
	return c
}

func modifyCommand(app *cli.App) *cobra.Command {
	fields := shotFields()
	c := boardCommand(
		app,
		"modify CHAT SCENE SHOT",
		"change fields of a shot",
		func(_ context.Context, b boardRef, args []string) error {
			v, err := b.e.Boards.Board(b.chat, b.scene.Break)
			if err != nil {
				return err
			}
			var before storage.Shot // stays empty if there is no such shot: the tool returns the error
			for _, s := range v.Shots {
				if strings.EqualFold(string(s.ID), args[0]) {
					before = s
				}
			}
			after := before
			if err := fields.Change(app, &after); err != nil {
				return err
			}
			params := storyboard.ChangedFields(before, after)
			if len(params) == 0 && before.ID != "" {
				return printBoard(app, v)
			}
			params["shot"] = args[0]
			return callTool(app, b, storyboard.ModifyShot, params)
		},
	)
	fields.Add(c)
	return c
}

func removeCommand(app *cli.App) *cobra.Command {
	return boardCommand(
		app,
		"remove CHAT SCENE SHOT...",
		"remove shots",
		func(_ context.Context, b boardRef, args []string) error {
			return callTool(app, b, storyboard.RemoveShots, map[string]any{"shots": args})
		},
	)
}

func moveCommand(app *cli.App) *cobra.Command {
	var at placeFlags
	c := boardCommand(
		app,
		"move CHAT SCENE SHOT...",
		"move shots to another position",
		func(_ context.Context, b boardRef, args []string) error {
			params := map[string]any{"shots": args}
			if err := at.apply(params); err != nil {
				return err
			}
			if len(params) == 1 {
				return cli.UsageError("no position given: use --before, --after or --to")
			}
			return callTool(app, b, storyboard.ReorderShots, params)
		},
	)
	at.add(c, "to")
	return c
}

func mergeCommand(app *cli.App) *cobra.Command {
	fields := shotFields()
	var into string
	c := boardCommand(
		app,
		"merge CHAT SCENE SHOT SHOT...",
		"merge several shots into one",
		func(_ context.Context, b boardRef, args []string) error {
			var said storage.Shot
			if err := fields.Apply(app, &said); err != nil {
				return err
			}
			params := storyboard.ChangedFields(storage.Shot{}, said)
			params["shots"] = args
			if into != "" {
				params["into"] = into
			}
			return callTool(app, b, storyboard.MergeShots, params)
		},
	)
	fields.Add(c)
	c.Flags().StringVar(&into, "into", "", "keep the shot `SHOT` (default: the first)")
	return c
}

func splitCommand(app *cli.App) *cobra.Command {
	var text string
	c := boardCommand(
		app,
		"split CHAT SCENE SHOT --description TEXT",
		"split a shot into two, each half as long",
		func(_ context.Context, b boardRef, args []string) error {
			if text == "" {
				return cli.UsageError("describe the second shot with --description TEXT")
			}
			v, err := b.e.Boards.SplitShot(b.chat, b.scene.Break, storage.ShotID(args[0]), text)
			if err != nil {
				return err
			}
			return printBoard(app, v)
		},
	)
	c.Flags().StringVar(&text, "description", "", "what the second shot shows: `TEXT`")
	return c
}

func callCommand(app *cli.App) *cobra.Command {
	c := boardCommand(
		app,
		"call CHAT SCENE TOOL [JSON]",
		"call a storyboard tool with your own parameters",
		func(_ context.Context, b boardRef, args []string) error {
			params := "{}"
			if len(args) > 1 {
				text, err := app.ValueArg(args[1])
				if err != nil {
					return err
				}
				params = text
			}
			if !json.Valid([]byte(params)) {
				return cli.UsageError("the parameters are not JSON: " + cli.Clip(params, cli.ColumnWidth))
			}
			return callTool(app, b, args[0], json.RawMessage(params))
		},
	)
	words := "Call a storyboard tool with your own parameters, a JSON object (@FILE reads a file, - standard " +
		"input). The tools are "
	for i, t := range storyboard.Tools() {
		if i > 0 {
			words += ", "
		}
		words += t.Name
	}
	c.Long = words + ". " + boardHelp
	c.Example = `ghostlight storyboard call "The lamp" 1 modify_shot '{"shot": "s2", "size": "wide"}'`
	return c
}
