package play

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// regexFlags are what is said of a script on the command line.
type regexFlags struct {
	c                 *cobra.Command
	find, replace     cli.ValueFlag
	name, macros      string
	least, most       string
	trim, places      []string
	shown, sent, edit bool
}

func addRegexFlags(c *cobra.Command) *regexFlags {
	f := &regexFlags{c: c}
	f.find.Add(c, "find", "find: a JavaScript regex, as /pattern/flags")
	f.replace.Add(c, "replace", "replace with; $1 and $<name> are groups, {{match}} the whole match")
	c.Flags().StringVar(&f.name, "name", "", "call it `NAME`")
	c.Flags().StringArrayVar(&f.trim, "trim", nil, "trim out `TEXT` from groups; repeatable, \"\" for nothing")
	c.Flags().StringSliceVar(&f.places, "on", nil, "affect `TEXTS`: user, reply, command, lore, thinking")
	c.Flags().BoolVar(&f.shown, "shown", false, "affect shown text")
	c.Flags().BoolVar(&f.sent, "sent", false, "affect sent text")
	c.Flags().BoolVar(&f.edit, "on-edit", false, "run on edit")
	c.Flags().StringVar(&f.macros, "macros", "", "macros in the find pattern: `HOW` is none, raw or escaped")
	c.Flags().StringVar(&f.least, "min-depth", "", "min depth `N`; none for unlimited")
	c.Flags().StringVar(&f.most, "max-depth", "", "max depth `N`; none for unlimited")
	return f
}

// apply writes what was said into a script.
func (f *regexFlags) apply(app *cli.App, s *storage.RegexScript) error {
	for flag, to := range map[*cli.ValueFlag]*string{&f.find: &s.Find, &f.replace: &s.Replace} {
		if err := flag.Apply(app, to); err != nil {
			return err
		}
	}
	given := f.c.Flags().Changed
	if given("name") {
		s.Name = strings.TrimSpace(f.name)
	}
	if given("trim") {
		s.Trim = slices.DeleteFunc(f.trim, func(t string) bool { return t == "" })
	}
	if given("on") {
		s.Places = nil
		for _, p := range f.places {
			place := storage.RegexPlace(strings.TrimSpace(p))
			if !slices.Contains(storage.RegexPlaces, place) {
				return cli.UsageError("--on is one of user, reply, command, lore, thinking, not " + cli.Quote(p))
			}
			s.Places = append(s.Places, place)
		}
	}
	for name, to := range map[string]struct {
		value bool
		to    *bool
	}{"shown": {f.shown, &s.OnlyShown}, "sent": {f.sent, &s.OnlySent}, "on-edit": {f.edit, &s.OnEdit}} {
		if given(name) {
			*to.to = to.value
		}
	}
	if given("macros") {
		switch m := storage.RegexMacros(f.macros); m {
		case "none", "":
			s.Macros = ""
		case storage.RegexRaw, storage.RegexEscaped:
			s.Macros = m
		default:
			return cli.UsageError("--macros is none, raw or escaped, not " + cli.Quote(f.macros))
		}
	}
	for name, d := range map[string]struct {
		value string
		least int
		to    **int
	}{"min-depth": {f.least, -1, &s.MinDepth}, "max-depth": {f.most, 0, &s.MaxDepth}} {
		if !given(name) {
			continue
		}
		if d.value == "none" || d.value == "" {
			*d.to = nil
			continue
		}
		n, err := strconv.Atoi(d.value)
		if err != nil || n < d.least {
			return cli.UsageError("--" + name + " is a number of messages or none, not " + cli.Quote(d.value))
		}
		*d.to = &n
	}
	return nil
}

func regexNewCommand(app *cli.App) *cobra.Command {
	c := &cobra.Command{Use: "new NAME --find PATTERN", Short: "create a regex script",
		Long: "Create a global regex script. Without --on it affects your messages and replies; with neither --shown nor --sent it affects both."}
	f := addRegexFlags(c)
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		s := storage.RegexScript{Name: args[0], Places: []storage.RegexPlace{storage.RegexUser, storage.RegexReply}, OnEdit: true}
		if err := f.apply(app, &s); err != nil {
			return err
		}
		v, err := e.Chats.Regex.Put(s)
		if err != nil {
			return err
		}
		return printRegex(app, v)
	})
	return c
}

func regexEditCommand(app *cli.App) *cobra.Command {
	c := &cobra.Command{Use: "edit SCRIPT", Short: "change a regex script of your own"}
	f := addRegexFlags(c)
	c.RunE = withRegex(app, func(e *engine.Engine, v chats.RegexView, _ []string) error {
		s := v.RegexScript
		if err := f.apply(app, &s); err != nil {
			return err
		}
		if v.Character != "" {
			return chats.ErrCardScript
		}
		v, err := e.Chats.Regex.Put(s)
		if err != nil {
			return err
		}
		return printRegex(app, v)
	})
	return c
}

func regexTestCommand(app *cli.App) *cobra.Command {
	var chat string
	c := &cobra.Command{Use: "test SCRIPT TEXT", Short: "test a regex script on a text",
		Long: "Test a regex script on a text, or on standard input for -: nothing is stored. Flags override its settings."}
	f := addRegexFlags(c)
	c.RunE = withRegex(app, func(e *engine.Engine, v chats.RegexView, args []string) error {
		text, err := app.TextArg(args[0])
		if err != nil {
			return err
		}
		if err := f.apply(app, &v.RegexScript); err != nil {
			return err
		}
		id := storage.ChatID("")
		if chat != "" {
			in, err := e.Chats.Find(chat)
			if err != nil {
				return err
			}
			id = in.ID
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
	c.Flags().StringVar(&chat, "chat", "", "use the macros of `CHAT`")
	return c
}
