package boards

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shotFlags are the fields of a shot. What is not given stays as it is.
type shotFlags struct {
	texts   map[string]*string
	seconds float64
	changed func(string) bool
}

func (s *shotFlags) add(c *cobra.Command) {
	s.texts, s.changed = map[string]*string{}, c.Flags().Changed
	for _, f := range [][2]string{
		{"description", "what is seen: `TEXT`"},
		{"beat", "the beat `ID` that it belongs to"},
		{"kind", "`KIND`: key, or filler"},
		{"size", "`SIZE`, such as wide, medium or close-up"},
		{"angle", "`ANGLE`, such as eye-level, low or high"},
		{"movement", "`MOVEMENT` of the camera, such as static or pan"},
		{"job", "`JOB`: what it is for, such as reaction or establishing"},
		{"subject", "`TEXT`: who or what it shows"},
		{"dialogue", "`TEXT`: what is said in it"},
	} {
		s.texts[f[0]] = c.Flags().String(f[0], "", f[1])
	}
	c.Flags().Float64Var(&s.seconds, "seconds", 0, "how long it takes: `N` seconds")
}

// params are the fields that were given.
func (s *shotFlags) params() (map[string]any, error) {
	out := map[string]any{}
	for name, text := range s.texts {
		if s.changed(name) {
			out[name] = *text
		}
	}
	if s.changed("seconds") {
		if math.IsNaN(s.seconds) || math.IsInf(s.seconds, 0) { // JSON has no words for these
			return nil, cli.UsageError("--seconds takes a number, such as 2.5")
		}
		out["seconds"] = s.seconds
	}
	return out, nil
}

// callTool calls a tool and prints what the storyboard is then.
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

// placeFlags say where in the list something goes.
type placeFlags struct {
	before, after, key string
	at                 int
	changed            func(string) bool
}

func (f *placeFlags) add(c *cobra.Command, key string) {
	f.key, f.changed = key, c.Flags().Changed
	c.Flags().StringVar(&f.before, "before", "", "before the shot `ID`")
	c.Flags().StringVar(&f.after, "after", "", "after the shot `ID`")
	c.Flags().IntVar(&f.at, key, 0, "at the place `N`, from 1")
}

func (f *placeFlags) into(params map[string]any) error {
	if f.before != "" && f.after != "" || f.before+f.after != "" && f.changed(f.key) {
		return cli.UsageError("--before, --after and --" + f.key + " each name a place: give only one of them")
	}
	if f.before != "" {
		params["before"] = f.before
	}
	if f.after != "" {
		params["after"] = f.after
	}
	if f.changed(f.key) {
		if f.at < 1 { // 0 would be no place at all
			return cli.UsageError(fmt.Sprintf("--%s takes the place in the list, from 1, not %d", f.key, f.at))
		}
		params[f.key] = f.at
	}
	return nil
}

func insertCommand(app *cli.App) *cobra.Command {
	var shot shotFlags
	var at placeFlags
	c := newBoardCommand(app, "insert CHAT SCENE --description TEXT", "insert a shot into a storyboard, at the end unless a place is given", 2, 2, func(_ context.Context, b boardRef, _ []string) error {
		if !shot.changed("description") {
			return cli.UsageError("what is seen in the shot? Say it with --description")
		}
		fields, err := shot.params()
		if err != nil {
			return err
		}
		params := map[string]any{"shots": []any{fields}}
		if err := at.into(params); err != nil {
			return err
		}
		return callTool(app, b, storyboard.InsertShot, params)
	})
	shot.add(c)
	at.add(c, "index")
	return c
}

func modifyCommand(app *cli.App) *cobra.Command {
	var shot shotFlags
	c := newBoardCommand(app, "modify CHAT SCENE SHOT", "change fields of a shot", 3, 3, func(_ context.Context, b boardRef, args []string) error {
		params, err := shot.params()
		if err != nil {
			return err
		}
		if len(params) == 0 {
			return cli.UsageError("nothing to change: name a field, such as --size close-up")
		}
		params["shot"] = args[0]
		return callTool(app, b, storyboard.ModifyShot, params)
	})
	shot.add(c)
	return c
}

func removeCommand(app *cli.App) *cobra.Command {
	return newBoardCommand(app, "remove CHAT SCENE SHOT...", "remove shots", 3, -1, func(_ context.Context, b boardRef, args []string) error {
		return callTool(app, b, storyboard.RemoveShots, map[string]any{"shots": args})
	})
}

func moveCommand(app *cli.App) *cobra.Command {
	var at placeFlags
	c := newBoardCommand(app, "move CHAT SCENE SHOT...", "move shots to another place", 3, -1, func(_ context.Context, b boardRef, args []string) error {
		params := map[string]any{"shots": args}
		if err := at.into(params); err != nil {
			return err
		}
		if len(params) == 1 {
			return cli.UsageError("no place given: use --before, --after or --to")
		}
		return callTool(app, b, storyboard.ReorderShots, params)
	})
	at.add(c, "to")
	return c
}

func mergeCommand(app *cli.App) *cobra.Command {
	var shot shotFlags
	var into string
	c := newBoardCommand(app, "merge CHAT SCENE SHOT SHOT...", "merge several shots into one", 4, -1, func(_ context.Context, b boardRef, args []string) error {
		params, err := shot.params()
		if err != nil {
			return err
		}
		params["shots"] = args
		if into != "" {
			params["into"] = into
		}
		return callTool(app, b, storyboard.MergeShots, params)
	})
	shot.add(c)
	c.Flags().StringVar(&into, "into", "", "the shot `ID` that stays; default: the first")
	return c
}

func splitCommand(app *cli.App) *cobra.Command {
	var text string
	c := newBoardCommand(app, "split CHAT SCENE SHOT --description TEXT", "split a shot into two, each half as long", 3, 3, func(_ context.Context, b boardRef, args []string) error {
		if text == "" {
			return cli.UsageError("what is seen in the second shot? Say it with --description")
		}
		v, err := b.e.Boards.SplitShot(b.chat, b.scene.Break, storage.ShotID(args[0]), text)
		if err != nil {
			return err
		}
		return printBoard(app, v)
	})
	c.Flags().StringVar(&text, "description", "", "what is seen in the second: `TEXT`")
	return c
}

func callCommand(app *cli.App) *cobra.Command {
	c := newBoardCommand(app, "call CHAT SCENE TOOL [JSON]", "call a storyboard tool with your own parameters", 3, 4, func(_ context.Context, b boardRef, args []string) error {
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
	})
	words := "Call a storyboard tool with your own parameters, a JSON object (@FILE reads a file, - standard input). The tools are "
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
