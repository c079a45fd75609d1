// Command ghostlight is the door of the program: flags, config file and
// subcommands. Without a subcommand it opens the terminal interface; with one
// it does a single thing on the same use cases and ends.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ghostlight/engine/crash"
)

// What the process ends with.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program as a function of its arguments and streams.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	// A reader that went away must not end the program amid its work: whoever
	// writes is told by an error instead. Ignoring the signal would do as well,
	// but the programs that this one starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	crash.Prepare("", "ghostlight", nil) // the log's folder takes over once it is known
	defer crash.Recover("a command")
	d := newDoor(in, out, errs)
	root := d.root()
	root.SetArgs(fromTheEnd(root, args))
	err := root.Execute()
	return d.leave(err, asksJSON(args))
}

// asksJSON tells whether --json is among the arguments, for faults that come up
// before the flags have been read.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// misuse is a fault of the command line, not of the work.
type misuse struct{ words string }

func (m misuse) Error() string { return m.words }

// root builds the tree of commands.
func (d *door) root() *cobra.Command {
	var theme, chat string
	var version bool
	c := &cobra.Command{
		Use:   "ghostlight",
		Short: "a terminal theatre for one",
		Long: "Ghostlight is a terminal theatre for one: you play a role, a local model plays the others, " +
			"and ComfyUI paints what happens. Without a command it opens the terminal interface.",
		Example: "ghostlight                                    play\n" +
			"ghostlight --rehearse                         try it with nothing installed\n" +
			"ghostlight character import card.png\n" +
			"ghostlight chat new --character Ada --title \"The lamp\"\n" +
			"ghostlight send \"The lamp\" \"I light the lamp.\"\n" +
			"ghostlight scene list \"The lamp\"\n" +
			"ghostlight lore activate \"The lamp\"\n" +
			"ghostlight episode play \"The first night\"\n" +
			"ghostlight memory list \"The lamp\"\n" +
			"ghostlight capture prompt \"The lamp\" --json",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return misuse{unknownCommand(c, args[0])}
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if version {
				return d.tellVersion()
			}
			return d.screen(c.Context(), theme, chat)
		},
	}
	c.Flags().StringVar(&theme, "theme", "", "start with the theme `NAME`")
	c.Flags().StringVar(&chat, "chat", "", "open the chat `CHAT`")
	c.Flags().BoolVar(&version, "version", false, "print the version")
	d.globalFlags(c.PersistentFlags())
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return misuse{flagWords(err)} })
	c.SetHelpFunc(d.help)
	c.SetHelpCommand(d.helpCommand())
	c.SetOut(d.out)
	c.SetErr(d.errs)
	c.AddGroup(&cobra.Group{ID: "play", Title: "The play"}, &cobra.Group{ID: "picture", Title: "Pictures and the queue"},
		&cobra.Group{ID: "house", Title: "The house"})
	c.SetHelpCommandGroupID("house")
	c.CompletionOptions.DisableDefaultCmd = true
	d.add(c, "play", d.sendCommand(), d.chatCommand(), d.sceneCommand(), d.loreCommand(), d.seriesCommand(), d.episodeCommand(), d.directorCommand(),
		d.storyboardCommand(), d.tasteCommand(), d.memoryCommand(), d.hooksCommand(), d.promptCommand(), d.characterCommand(), d.personaCommand())
	d.add(c, "picture", d.captureCommand(), d.workflowCommand(), d.queueCommand())
	d.add(c, "house", d.modelCommand(), d.profileCommand(), d.doctorCommand(), d.backupCommand(), d.restoreCommand(), d.configCommand(), d.completionCommand(), d.manCommand(),
		d.versionCommand())
	return c
}

// flagWords says what is wrong with a flag. The library tells which of its
// functions could not read the value.
func flagWords(err error) string {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err.Error()
	}
	wanted := map[string]string{"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false"}[bad.GetFlag().Value.Type()]
	return fmt.Sprintf("--%s takes %s, not %q", bad.GetFlag().Name, first(wanted, "another value"), clip(bad.GetValue(), columnLimit))
}

func (d *door) add(root *cobra.Command, group string, cmds ...*cobra.Command) {
	for _, c := range cmds {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
}

func thisBuild() build {
	b := build{Version: version}
	info, ok := debug.ReadBuildInfo()
	if ok {
		b.Go = info.GoVersion
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "development"
	}
	return b
}

func (d *door) tellVersion() error {
	b := thisBuild()
	return d.tell(b, func(p *page) {
		p.line("ghostlight " + b.Version)
		if b.Commit != "" {
			p.line("commit " + b.Commit)
		}
		p.line(b.Go)
	})
}

func (d *door) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print the version", Args: takes(0, 0), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error { return d.tellVersion() }}
}

// takes checks the number of arguments; most < 0 means any number.
func takes(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least {
			return misuse{"something is missing; the command is: " + c.UseLine()}
		}
		if most >= 0 && len(args) > most {
			return misuse{"that is too much (" + quote(args[most]) + "); the command is: " + c.UseLine()}
		}
		return nil
	}
}

// group is a command that only holds others.
func group(use, short string, cmds ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use + " COMMAND", Short: short, Args: cobra.ArbitraryArgs, DisableFlagsInUseLine: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse{unknownCommand(c, args[0])}
			}
			words := c.CommandPath() + " needs to know what to do:"
			for _, sub := range c.Commands() {
				words += " " + sub.Name()
			}
			return misuse{words}
		}}
	c.AddCommand(cmds...)
	return c
}

func unknownCommand(c *cobra.Command, name string) string {
	if c.SuggestionsMinimumDistance <= 0 {
		c.SuggestionsMinimumDistance = 2
	}
	words := "there is no command " + quote(name) + " in " + c.CommandPath()
	if near := c.SuggestionsFor(name); len(near) > 0 {
		words += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return words
}

func isMisuse(err error) bool {
	var m misuse
	return errors.As(err, &m)
}
