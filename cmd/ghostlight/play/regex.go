package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Scripts are the regex scripts as commands refer to them.
var Scripts = cli.Noun[chats.RegexView]{
	Find:   func(e *engine.Engine, ref string) (chats.RegexView, error) { return e.Chats.Regex.Find(ref) },
	List:   func(e *engine.Engine) ([]chats.RegexView, error) { return e.Chats.Regex.List("") },
	Called: func(v chats.RegexView) (id, name string) { return v.ID, v.Name },
	Page:   writeRegex,
	Delete: func(e *engine.Engine, v chats.RegexView) error { _, err := e.Chats.Regex.Delete(v); return err },
}

// RegexCommand returns the command ghostlight regex.
func RegexCommand(app *cli.App) *cobra.Command {
	c := cli.Group("regex", "regex scripts: change shown and sent text",
		regexListCommand(app),
		Scripts.ShowCommand(app, "show SCRIPT", "print a regex script, and its problems"),
		regexImportCommand(app),
		regexExportCommand(app),
		regexNewCommand(app),
		regexEditCommand(app),
		regexSwitchCommand(app, "on SCRIPT", "enable a regex script", true),
		regexSwitchCommand(app, "off SCRIPT", "disable a regex script", false),
		regexAllowCommand(app, "allow CHARACTER", "allow the regex scripts of a card", true),
		regexAllowCommand(app, "forbid CHARACTER", "no longer allow the regex scripts of a card", false),
		regexMoveCommand(app),
		regexTestCommand(app),
		regexApplyCommand(app),
		Scripts.DeleteCommand(app, "delete SCRIPT", "delete a script of your own"))
	c.Long = "Regex scripts find and replace text in what is shown and in what is sent to the model. " +
		"Stored messages are not changed unless you apply a script to a chat. They work as in SillyTavern: " +
		"your own scripts are global; scripts of a card are inactive until you allow them. " +
		"SCRIPT is an id, the start of one, or a name; for a card also CHARACTER/NUMBER."
	return c
}

// regexState says in a word whether a script acts.
func regexState(v chats.RegexView) string {
	switch {
	case v.Fault != "":
		return "no effect"
	case v.Off:
		return "off"
	case !v.Allowed:
		return "not allowed"
	}
	return "on"
}

// regexWhere describes whether a script acts on shown or sent text, and its places.
func regexWhere(v chats.RegexView) string {
	where := "shown, sent"
	switch {
	case v.DisplayOnly && !v.PromptOnly:
		where = "shown"
	case v.PromptOnly && !v.DisplayOnly:
		where = "sent"
	}
	var places []string
	for _, p := range v.Places {
		places = append(places, string(p))
	}
	return where + ": " + strings.Join(places, ", ")
}

func writeRegex(p *cli.Page, v chats.RegexView) {
	of := ""
	if v.Of != "" {
		of = " (card of " + cli.OneLine(v.Of) + ")"
	}
	p.Linef("%s  %s%s  %s", v.ID, cli.OneLine(v.Name), of, regexState(v))
	p.Line("  find: " + cli.OneLine(v.Find))
	p.Line("  replace: " + cli.OneLine(v.Replace))
	if len(v.Trim) > 0 {
		p.Line("  trim out: " + cli.OneLine(strings.Join(v.Trim, ", ")))
	}
	p.Line("  " + regexWhere(v))
	depth := func(words string, n *int) {
		if n != nil {
			p.Linef("  %s: %d", words, *n)
		}
	}
	depth("min depth", v.MinDepth)
	depth("max depth", v.MaxDepth)
	if v.Macros != "" {
		p.Line("  macros in the pattern: " + string(v.Macros))
	}
	if v.OnEdit {
		p.Line("  runs on edit")
	}
	for _, words := range []string{v.Fault, v.Unstable} {
		if words != "" {
			p.Line("  - " + words)
		}
	}
}

// printRegex prints a script as it is now.
func printRegex(app *cli.App, e *engine.Engine, id string) error {
	v, err := e.Chats.Regex.Find(id)
	if err != nil {
		return err
	}
	return Scripts.Print(app, v)
}

func regexListCommand(app *cli.App) *cobra.Command {
	return app.Command("list [CHAT]", "list the regex scripts, or those active in a chat, in order",
		func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Chats.Regex.List(chat)
			if err != nil {
				return err
			}
			return cli.PrintViews(app, list, func(v chats.RegexView) []string {
				words := regexState(v)
				if v.On && v.Unstable != "" {
					words += ", changes prompts"
				}
				return []string{
					v.ID,
					cli.Clip(v.Name, cli.ColumnWidth),
					cli.Clip(v.Of, cli.ColumnWidth),
					words,
					regexWhere(v),
				}
			})
		})
}

// importedScripts is the result of importing files with regex scripts.
type importedScripts struct {
	chats.RegexImport
	Refused []string `json:"refused"`
}

func regexImportCommand(app *cli.App) *cobra.Command {
	c := app.Command("import FILE...",
		"import regex scripts: exported ones, those of a preset, a card or settings.json",
		func(_ context.Context, e *engine.Engine, args []string) error {
			var doc importedScripts
			var faults []error
			for _, path := range args {
				got, err := e.Chats.Regex.Import(path)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				doc.Scripts, doc.Here, doc.Remarks = append(
					doc.Scripts,
					got.Scripts...), doc.Here+got.Here, append(
					doc.Remarks,
					got.Remarks...)
			}
			if len(faults) == len(args) {
				return errors.Join(faults...)
			}
			doc.Refused = cli.ErrorTexts(faults)
			app.Notes(doc.Refused)
			err := app.Print(doc, func(p *cli.Page) {
				for _, v := range doc.Scripts {
					writeRegex(p, v)
				}
				if doc.Here > 0 {
					p.Linef("%d already imported", doc.Here)
				}
				for _, r := range doc.Remarks {
					p.Line("- " + cli.OneLine(r))
				}
			})
			if len(faults) > 0 && err == nil {
				err = fmt.Errorf("%d of %d files failed", len(faults), len(args))
			}
			return err
		})
	c.Long = "Import regex scripts as global scripts: SillyTavern exports, one script or a list; " +
		"those in a preset, a card, or a settings.json. Existing ones are skipped."
	return c
}

func regexExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := app.Command("export [SCRIPT...]", "export regex scripts for SillyTavern: one, or all of your own as a list",
		func(_ context.Context, e *engine.Engine, args []string) error {
			var list []chats.RegexView
			for _, ref := range args {
				v, err := e.Chats.Regex.Find(ref)
				if err != nil {
					return err
				}
				list = append(list, v)
			}
			if len(args) == 0 {
				all, err := e.Chats.Regex.List("")
				if err != nil {
					return err
				}
				list = slices.DeleteFunc(all, func(v chats.RegexView) bool { return v.Character != "" })
			}
			if len(list) == 0 {
				return errors.New(
					"you have no regex scripts of your own: give a card's script from ghostlight regex list")
			}
			data, err := e.Chats.Regex.Export(list...)
			if err != nil {
				return err
			}
			return app.WriteDocument(f, "json", data)
		})
	f.AddForDocument(c)
	return c
}

func regexSwitchCommand(app *cli.App, use, short string, on bool) *cobra.Command {
	return Scripts.Act(app, use, short, func(_ context.Context, e *engine.Engine, v chats.RegexView, _ []string) error {
		if err := e.Chats.Regex.Switch(v, on); err != nil {
			return err
		}
		if on && !v.Allowed {
			app.Note(
				"note: it is inactive until you allow the scripts of its card: ghostlight regex allow %s",
				v.Character,
			)
		}
		return printRegex(app, e, v.ID)
	})
}

// allowedScripts are the scripts of a card after they were allowed, or not.
type allowedScripts struct {
	Character storage.CharacterID `json:"character"`
	Allowed   bool                `json:"allowed"`
	Scripts   int                 `json:"scripts"`
}

func regexAllowCommand(app *cli.App, use, short string, on bool) *cobra.Command {
	return app.Command(use, short, func(_ context.Context, e *engine.Engine, args []string) error {
		who, err := cli.FindCharacter(e, args[0])
		if err != nil {
			return err
		}
		n, err := e.Chats.Regex.Allow(who.ID, on)
		if err != nil {
			return err
		}
		return app.Print(allowedScripts{who.ID, on, n}, func(p *cli.Page) {
			verb := "not allowed"
			if on {
				verb = "allowed"
			}
			p.Linef("%s of %s %s", cli.Plural(n, "regex script", "regex scripts"), cli.OneLine(who.Card.Name), verb)
		})
	})
}

func regexMoveCommand(app *cli.App) *cobra.Command {
	return Scripts.Act(app, "move SCRIPT POSITION", "move a script to a position, from 1",
		func(_ context.Context, e *engine.Engine, v chats.RegexView, args []string) error {
			to, err := cli.NumberArg(args[0], "a position from 1")
			if err != nil {
				return err
			}
			if err := e.Chats.Regex.Move(v, to-1); err != nil {
				return err
			}
			return printRegex(app, e, v.ID)
		})
}

// appliedScript is the result of applying a script to the stored messages of a chat.
type appliedScript struct {
	Chat    storage.ChatID `json:"chat"`
	Script  string         `json:"script"`
	Changed int            `json:"changed"`
}

func regexApplyCommand(app *cli.App) *cobra.Command {
	var last uint
	c := Scripts.Act(app, "apply SCRIPT CHAT", "apply a script to the stored messages of a chat",
		func(_ context.Context, e *engine.Engine, v chats.RegexView, args []string) error {
			chat, err := e.Chats.Find(args[0])
			if err != nil {
				return err
			}
			n, err := e.Chats.ApplyRegex(chat.ID, v, int(last))
			if err != nil {
				return err
			}
			return app.Print(appliedScript{chat.ID, v.ID, n}, func(p *cli.Page) {
				p.Linef("%s rewritten", cli.Plural(n, "message", "messages"))
			})
		})
	c.Long = "Apply a script to the stored messages of a chat, the only way a script changes stored text. " +
		"ghostlight chat undo CHAT restores the messages."
	c.Flags().UintVar(&last, "last", 0, "only the newest `N` messages")
	return c
}
