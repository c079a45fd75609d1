package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Func is the function of a command that needs an open engine. Its context is cancelled when the
// user interrupts the command.
type Func func(ctx context.Context, e *engine.Engine, args []string) error

// WithEngine makes a command's function of w: everything is opened before w and closed after it.
func (app *App) WithEngine(w Func) func(*cobra.Command, []string) error {
	return app.RunOrDelegate(func(ctx context.Context, c *cobra.Command, args []string) error {
		e, err := app.Open(c.CommandPath())
		if err != nil {
			return app.Close(nil, err)
		}
		return app.Close(e, w(ctx, e, args))
	})
}

// Command returns a command with a usage line, which names its arguments, and its function.
func (app *App) Command(use, short string, w Func) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: app.WithEngine(w)}
}

// RunOrDelegate is WithoutEngine for commands that open the store themselves. If another program has
// the store open, that program runs the command.
func (app *App) RunOrDelegate(w func(ctx context.Context, c *cobra.Command,
	args []string) error) func(*cobra.Command, []string) error {
	return app.WithoutEngine(func(ctx context.Context, c *cobra.Command, args []string) error {
		asked, err := app.ask(ctx)
		if asked {
			return err
		}
		if err = w(ctx, c, args); !errors.Is(err, storage.ErrLocked) || app.Printed {
			return err
		}
		if asked, there := app.ask(ctx); asked { // it was just being opened
			return there
		}
		return err
	})
}

// WithoutEngine is WithEngine for commands that leave the store alone.
func (app *App) WithoutEngine(w func(ctx context.Context, c *cobra.Command,
	args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := app.Prepare(); err != nil {
			return err
		}
		if app.served != nil { // the signals of the process are the front end's
			return w(c.Context(), c, args)
		}
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		// The second signal has its default effect: it ends a program that hangs.
		context.AfterFunc(ctx, stop)
		if app.Demo && app.shared == nil {
			app.Note("demo mode: no real server is used")
		}
		return app.Close(nil, w(ctx, c, args))
	}
}

// FlagErrorText returns the error about a flag in words for the user. The text of an
// InvalidValueError is replaced, because pflag's own names the parsing function that failed.
func FlagErrorText(err error) string {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		words := err.Error()
		if given, ok := strings.CutPrefix(words, "bad flag syntax: "); ok {
			words = Quote(Clip(given, ColumnWidth)) + " is not a flag"
		}
		return words + "; write -- before a text that begins with dashes: ghostlight send CHAT -- \"---\""
	}
	wanted := map[string]string{"int": "a whole number", "int64": "a whole number", "uint": "a whole number from 0",
		"float64": "a number", "bool": "true or false"}[bad.GetFlag().Value.Type()]
	return fmt.Sprintf("--%s takes %s, not %q", bad.GetFlag().Name, cmp.Or(wanted, "another value"),
		Clip(bad.GetValue(), ColumnWidth))
}

// checkFlagGroups returns an error for flags that exclude or need each other, in the program's own
// words.
func checkFlagGroups(c *cobra.Command, _ []string) error {
	err := c.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	words := err.Error()
	group, rest, _ := strings.Cut(strings.TrimPrefix(words[strings.Index(words, "["):], "["), "]")
	named := func(list string) string {
		return "--" + strings.Join(strings.Fields(strings.Trim(list, "[]")), ", --")
	}
	switch {
	case strings.Contains(words, "none of the others"):
		return UsageError("only one of these can be given: " + named(group))
	case strings.Contains(words, "at least one"):
		return UsageError("give one of these: " + named(group))
	}
	_, missing, _ := strings.Cut(rest, "missing ")
	return UsageError("give these together: " + named(group) + "; missing: " + named(missing))
}

// Args checks the number of arguments; most < 0 means any number.
func Args(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least {
			return UsageError("an argument is missing; the command is: " + c.UseLine())
		}
		if most >= 0 && len(args) > most {
			return UsageError("too many arguments (" + Quote(args[most]) + "); the command is: " + c.UseLine())
		}
		return nil
	}
}

// Group returns a command that only holds others.
func Group(use, short string, cmds ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use + " COMMAND", Short: short, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return UsageError(UnknownCommand(c, args[0]))
			}
			words := c.CommandPath() + " needs a subcommand:"
			for _, sub := range c.Commands() {
				words += " " + sub.Name()
			}
			return UsageError(words)
		}}
	c.AddCommand(cmds...)
	return c
}

// UnknownCommand returns the error text for a command that c does not have, with similar names.
func UnknownCommand(c *cobra.Command, name string) string {
	if c.SuggestionsMinimumDistance <= 0 {
		c.SuggestionsMinimumDistance = 2
	}
	words := "unknown command " + Quote(name) + " in " + c.CommandPath()
	if near := c.SuggestionsFor(name); len(near) > 0 {
		words += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return words
}
