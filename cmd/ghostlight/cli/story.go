package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// storyHelp says how commands want a story named.
const storyHelp = "The story is the series of CHAT, or the chat itself if it has no series. Use --series S instead " +
	"of CHAT for a series; if no chat has the name CHAT, the series of that name is used."

// Story is the story whose memories, hooks and taste a command works on. Chat is "" if a series was
// named.
type Story struct {
	Chat   storage.ChatID
	series storage.SeriesID
	Scope  storage.ScopeID
}

// Query asks for what holds in the story now.
func (s Story) Query() memory.Query { return memory.Query{Chat: s.Chat, Series: s.series} }

// WholeQuery asks for all that was ever kept of the story.
func (s Story) WholeQuery() memory.Query { a := s.Query(); a.All = true; return a }

// StoryFunc is the function of a command on a story. args are the arguments after the story.
type StoryFunc func(ctx context.Context, e *engine.Engine, s Story, args []string) error

// StoryCommand returns a command on a story, which the first argument or --series names. use is its
// name and the arguments after the story: at least least of them, no more than most; most < 0 means
// any number. long is the help text, "" to use short as a sentence; a paragraph on how to name a
// story is appended.
func (app *App) StoryCommand(use, short, long string, least, most int, w StoryFunc) *cobra.Command {
	name, rest, _ := strings.Cut(use, " ")
	var series string
	c := &cobra.Command{Use: strings.TrimRight(name+" CHAT|--series S "+rest, " "), Short: short,
		Long: cmp.Or(long, Sentence(short)) + " " + storyHelp}
	c.Args = func(c *cobra.Command, args []string) error {
		n := 1
		if series != "" {
			n = 0
		}
		if most >= 0 {
			return Args(least+n, most+n)(c, args)
		}
		return Args(least+n, most)(c, args)
	}
	c.RunE = app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
		s, args, err := findStory(e, series, args)
		if err != nil {
			return err
		}
		return w(ctx, e, s, args)
	})
	c.Flags().StringVar(&series, "series", "", "use the series `S` instead of a chat")
	return c
}

// findStory finds the story, and what follows it among the arguments.
func findStory(e *engine.Engine, series string, args []string) (s Story, rest []string, err error) {
	if series != "" {
		v, err := FindSeries(e, series)
		s.series, s.Scope = v.ID, storage.ScopeID(v.ID)
		return s, args, err
	}
	c, err := e.Chats.Find(args[0])
	if errors.Is(err, storage.ErrNotFound) {
		if v, no := e.Director.FindSeries(args[0]); no == nil {
			s.series, s.Scope = v.ID, storage.ScopeID(v.ID)
			return s, args[1:], nil
		}
	}
	if err != nil {
		return s, nil, err
	}
	s.Chat = c.ID
	s.Scope, err = e.Chats.ScopeOf(c.ID)
	return s, args[1:], err
}

// StoryActionCommand returns a command that acts on several things of a story. arg is the name of
// its arguments, and help says how to refer to a thing. find returns the id of one, and act returns
// how many it changed.
func StoryActionCommand[I ~string](app *App, name, arg, short, help string,
	find func(e *engine.Engine, s Story, ref string) (I, error),
	act func(e *engine.Engine, s Story, ids []I) (int, error)) *cobra.Command {
	return app.StoryCommand(name+" "+arg+"...", short, Sentence(short)+" "+
		help, 1, -1, func(_ context.Context, e *engine.Engine, s Story, args []string) error {
		var ids []I
		for _, ref := range args {
			id, err := find(e, s, ref)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		n, err := act(e, s, ids)
		if err != nil {
			return err
		}
		return PrintDone(app, s.Scope, name, n, ids)
	})
}

// ValueFlag is a flag for a text: itself, @FILE, or - for standard input.
type ValueFlag struct {
	name, value string
	flags       *pflag.FlagSet
}

// Add adds the flag to a command. usage describes the text; how to pass it is appended.
func (f *ValueFlag) Add(c *cobra.Command, name, usage string) {
	f.name, f.flags = name, c.Flags()
	f.flags.StringVar(&f.value, name, "", usage+": `TEXT`, @FILE, or - for standard input")
}

// Apply reads the text into a field, if the flag was given.
func (f *ValueFlag) Apply(app *App, to *string) error {
	if !f.flags.Changed(f.name) {
		return nil
	}
	text, err := app.ValueArg(f.value)
	if err == nil {
		*to = text
	}
	return err
}
