package play

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// saveRegex stores a script of the user's own and prints it.
func saveRegex(app *cli.App, e *engine.Engine, s storage.RegexScript) error {
	v, err := e.Chats.Regex.Put(s)
	if err != nil {
		return err
	}
	return Scripts.Print(app, v)
}

func regexNewCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.RegexScript]{Record: chats.RegexFields.Without("name"), Shown: chats.RegexView{}}
	c := app.Command("new NAME --find PATTERN", "create a regex script",
		func(_ context.Context, e *engine.Engine, args []string) error {
			s := chats.RegexFields.Default()
			s.Name = args[0]
			if err := fields.Apply(app, &s); err != nil {
				return err
			}
			return saveRegex(app, e, s)
		})
	c.Long = "Create a global regex script. Without --on it affects your messages and replies; " +
		"with neither --shown nor --sent it affects both."
	fields.Add(c)
	return c
}

func regexEditCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.RegexScript]{Record: &chats.RegexFields, Shown: chats.RegexView{}}
	c := Scripts.Act(app, "edit SCRIPT", "change a regex script of your own",
		func(_ context.Context, e *engine.Engine, v chats.RegexView, _ []string) error {
			if v.Character != "" {
				return chats.ErrCardScript
			}
			if err := fields.Change(app, &v.RegexScript); err != nil {
				return err
			}
			return saveRegex(app, e, v.RegexScript)
		})
	fields.Add(c)
	return c
}

func regexTestCommand(app *cli.App) *cobra.Command {
	var chat string
	fields := cli.Fields[storage.RegexScript]{Record: &chats.RegexFields, Shown: chats.RegexView{}}
	c := Scripts.Act(app, "test SCRIPT TEXT", "test a regex script on a text",
		func(_ context.Context, e *engine.Engine, v chats.RegexView, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			if err := fields.Apply(app, &v.RegexScript); err != nil {
				return err
			}
			var in []string
			if chat != "" {
				in = append(in, chat)
			}
			id, err := cli.OptionalChat(e, in)
			if err != nil {
				return err
			}
			trial, err := e.Chats.Regex.Try(v.RegexScript, text, id)
			if err != nil {
				return err
			}
			return app.Print(trial, func(p *cli.Page) {
				switch {
				case trial.Fault != "":
					p.Line("- " + trial.Fault)
				case !trial.Changed:
					p.Line("No change.")
				case trial.Shown == trial.Sent:
					p.Line(trial.Sent)
				default:
					p.Linef("shown:\n%s\n\nsent:\n%s", trial.Shown, trial.Sent)
				}
			})
		})
	c.Long = "Test a regex script on a text, or on standard input for -: nothing is stored. Flags override its " +
		"settings."
	fields.Add(c)
	c.Flags().StringVar(&chat, "chat", "", "fill in macros as in the chat `CHAT`")
	return c
}
