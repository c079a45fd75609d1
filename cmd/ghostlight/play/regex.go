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

// RegexCommand is ghostlight regex.
func RegexCommand(app *cli.App) *cobra.Command {
	c := cli.Group("regex", "regex scripts: change shown and sent text",
		regexListCommand(app), regexShowCommand(app), regexImportCommand(app), regexExportCommand(app), regexNewCommand(app), regexEditCommand(app),
		regexSwitchCommand(app, true), regexSwitchCommand(app, false), regexAllowCommand(app, true), regexAllowCommand(app, false),
		regexMoveCommand(app), regexTestCommand(app), regexApplyCommand(app), regexDeleteCommand(app))
	c.Long = "Regex scripts find and replace text in what is shown and in what is sent to the model. Stored messages are not changed unless you apply a script to a chat. " +
		"They work as in SillyTavern: your own scripts are global; scripts of a card are inactive until you allow them. SCRIPT is an id, the start of one, or a name; for a card also CHARACTER/NUMBER."
	return c
}

// regexDoc is a script as a document tells of it.
type regexDoc struct {
	ID        string               `json:"id"`
	Name      string               `json:"name"`
	Character storage.CharacterID  `json:"character"` // in whose card it is, "" for the user's own
	Of        string               `json:"of"`
	On        bool                 `json:"on"`      // it acts
	Off       bool                 `json:"off"`     // it is switched off
	Allowed   bool                 `json:"allowed"` // those of the card may act
	Find      string               `json:"find"`
	Replace   string               `json:"replace"`
	Trim      []string             `json:"trim"`
	Places    []storage.RegexPlace `json:"places"`
	OnlyShown bool                 `json:"only_shown"`
	OnlySent  bool                 `json:"only_sent"`
	OnEdit    bool                 `json:"on_edit"`
	Macros    storage.RegexMacros  `json:"macros"`
	MinDepth  *int                 `json:"min_depth"`
	MaxDepth  *int                 `json:"max_depth"`
	Fault     string               `json:"fault"`
	Unstable  string               `json:"unstable"`
}

func newRegexDoc(v chats.RegexView) regexDoc {
	return regexDoc{v.ID, v.Name, v.Character, v.Of, v.On, v.Off, v.Allowed, v.Find, v.Replace, v.Trim, v.Places, v.OnlyShown, v.OnlySent, v.OnEdit, v.Macros,
		v.MinDepth, v.MaxDepth, v.Fault, v.Unstable}
}

// withRegex is work on the script that the first argument names.
func withRegex(app *cli.App, w func(e *engine.Engine, v chats.RegexView, args []string) error) func(*cobra.Command, []string) error {
	return cli.With(app, func(e *engine.Engine, ref string) (chats.RegexView, error) { return e.Chats.Regex.Find(ref) },
		func(_ context.Context, e *engine.Engine, v chats.RegexView, args []string) error {
			return w(e, v, args)
		})
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

// regexWhere says which texts a script acts on, and where.
func regexWhere(v chats.RegexView) string {
	where := "shown, sent"
	switch {
	case v.OnlyShown && !v.OnlySent:
		where = "shown"
	case v.OnlySent && !v.OnlyShown:
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

func printRegex(app *cli.App, v chats.RegexView) error {
	return app.Print(newRegexDoc(v), func(p *cli.Page) { writeRegex(p, v) })
}

func regexListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list [CHAT]", Short: "list the regex scripts, or those active in a chat, in order",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			chat, err := cli.OptionalChat(e, args)
			if err != nil {
				return err
			}
			list, err := e.Chats.Regex.List(chat)
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newRegexDoc, func(v chats.RegexView) []string {
				words := regexState(v)
				if v.On && v.Unstable != "" {
					words += ", changes prompts"
				}
				return []string{v.ID, cli.Clip(v.Name, cli.ColumnWidth), cli.Clip(v.Of, cli.ColumnWidth), words, regexWhere(v)}
			})
		})}
}

func regexShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show SCRIPT", Short: "print a regex script, and its problems",
		RunE: withRegex(app, func(_ *engine.Engine, v chats.RegexView, _ []string) error { return printRegex(app, v) })}
}

func regexImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE...", Short: "import regex scripts: exported ones, those of a preset, a card or settings.json",
		Long: "Import regex scripts as global scripts: SillyTavern exports, one script or a list; those in a preset, a card, or a settings.json. Existing ones are skipped.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			doc := struct {
				Scripts []regexDoc `json:"scripts"`
				Here    int        `json:"here"`
				Remarks []string   `json:"remarks"`
				Refused []string   `json:"refused"`
			}{Scripts: []regexDoc{}, Remarks: []string{}}
			var list []chats.RegexView
			var faults []error
			for _, path := range args {
				got, err := e.Chats.Regex.Import(path)
				if err != nil {
					faults = append(faults, err)
					continue
				}
				list, doc.Here, doc.Remarks = append(list, got.Scripts...), doc.Here+got.Here, append(doc.Remarks, got.Remarks...)
			}
			if len(faults) == len(args) {
				return errors.Join(faults...)
			}
			app.Notes(cli.ErrorTexts(faults))
			doc.Scripts, doc.Refused = cli.Docs(list, newRegexDoc), cli.ErrorTexts(faults)
			err := app.Print(doc, func(p *cli.Page) {
				for _, v := range list {
					writeRegex(p, v)
				}
				if doc.Here > 0 {
					p.Linef("%d already here", doc.Here)
				}
				for _, r := range doc.Remarks {
					p.Line("- " + cli.OneLine(r))
				}
			})
			if len(faults) > 0 && err == nil {
				err = fmt.Errorf("%d of %d files were refused", len(faults), len(args))
			}
			return err
		})}
}

func regexExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := &cobra.Command{Use: "export [SCRIPT...]", Short: "export regex scripts for SillyTavern: one, or all of your own as a list"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
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
			return errors.New("you have no regex scripts: give one of a card from ghostlight regex list")
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

func regexSwitchCommand(app *cli.App, on bool) *cobra.Command {
	use, words := "off SCRIPT", "disable a regex script"
	if on {
		use, words = "on SCRIPT", "enable a regex script"
	}
	return &cobra.Command{Use: use, Short: words,
		RunE: withRegex(app, func(e *engine.Engine, v chats.RegexView, _ []string) error {
			if err := e.Chats.Regex.Switch(v, on); err != nil {
				return err
			}
			v, err := e.Chats.Regex.Find(v.ID)
			if err != nil {
				return err
			}
			if on && !v.Allowed {
				app.Note("note: it is active once the scripts of that card are allowed: ghostlight regex allow %s", v.Character)
			}
			return printRegex(app, v)
		})}
}

func regexAllowCommand(app *cli.App, on bool) *cobra.Command {
	use, words := "forbid CHARACTER", "disable the regex scripts of a card"
	if on {
		use, words = "allow CHARACTER", "allow the regex scripts of a card"
	}
	return &cobra.Command{Use: use, Short: words,
		RunE: cli.With(app, func(e *engine.Engine, ref string) (storage.Character, error) { return e.Library.FindCharacter(ref) },
			func(_ context.Context, e *engine.Engine, who storage.Character, _ []string) error {
				n, err := e.Chats.Regex.Allow(who.ID, on)
				if err != nil {
					return err
				}
				doc := struct {
					Character storage.CharacterID `json:"character"`
					Allowed   bool                `json:"allowed"`
					Scripts   int                 `json:"scripts"`
				}{who.ID, on, n}
				return app.Print(doc, func(p *cli.Page) {
					verb := "not allowed"
					if on {
						verb = "allowed"
					}
					p.Linef("%s of %s %s", cli.Plural(n, "regex script", "regex scripts"), cli.OneLine(who.Card.Name), verb)
				})
			})}
}

func regexMoveCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "move SCRIPT PLACE", Short: "move a script to a position, from 1",
		RunE: withRegex(app, func(e *engine.Engine, v chats.RegexView, args []string) error {
			to, err := cli.NumberArg(args[0], "a place, from 1")
			if err != nil {
				return err
			}
			if err := e.Chats.Regex.Move(v, to-1); err != nil {
				return err
			}
			if v, err = e.Chats.Regex.Find(v.ID); err != nil {
				return err
			}
			return printRegex(app, v)
		})}
}

func regexApplyCommand(app *cli.App) *cobra.Command {
	var last int
	c := &cobra.Command{Use: "apply SCRIPT CHAT", Short: "apply a script to the stored messages of a chat",
		Long: "Apply a script to the stored messages of a chat, the only way a script changes stored text. ghostlight chat undo CHAT restores the messages."}
	c.RunE = withRegex(app, func(e *engine.Engine, v chats.RegexView, args []string) error {
		chat, err := e.Chats.Find(args[0])
		if err != nil {
			return err
		}
		if last < 0 {
			return cli.UsageError("--last must be a number of messages")
		}
		n, err := e.Chats.ApplyRegex(chat.ID, v, last)
		if err != nil {
			return err
		}
		doc := struct {
			Chat    storage.ChatID `json:"chat"`
			Script  string         `json:"script"`
			Changed int            `json:"changed"`
		}{chat.ID, v.ID, n}
		return app.Print(doc, func(p *cli.Page) {
			p.Linef("%s rewritten", cli.Plural(n, "message", "messages"))
		})
	})
	c.Flags().IntVar(&last, "last", 0, "only the newest `N` messages")
	return c
}

func regexDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete SCRIPT", Short: "delete a script of your own",
		RunE: withRegex(app, func(e *engine.Engine, v chats.RegexView, _ []string) error {
			if _, err := e.Chats.Regex.Delete(v); err != nil {
				return err
			}
			return app.PrintDeleted(v.ID, v.Name)
		})}
}
