package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// kept is a kind of thing that is kept of a story, memories or hooks: what their
// commands have in common. V is a view of one, and A what can be done to several.
type kept[V any, I, A ~string] struct {
	app  *cli.App
	arg  string // what one is called among the arguments
	noun string // and in a sentence
	help string // how one is named
	hint string // what lists them

	find  func(m *memory.Service, scope storage.ScopeID, ref string) (I, error)
	all   func(m *memory.Service, ask memory.Query) ([]V, error)
	act   func(m *memory.Service, scope storage.ScopeID, ids []I, do A) (changed int, err error)
	id    func(v V) I
	doc   func(scope storage.ScopeID, v V) any
	row   func(v V) []string
	print func(e *engine.Engine, s cli.Story, v V) error // one, with where it comes from
}

// view finds the one that ref names.
func (k kept[V, I, A]) view(e *engine.Engine, s cli.Story, ref string) (v V, err error) {
	id, err := k.find(e.Memory, s.Scope, ref)
	if errors.Is(err, storage.ErrNotFound) {
		return v, fmt.Errorf("%w; ghostlight %s", err, k.hint)
	}
	if err != nil {
		return v, err
	}
	list, err := k.all(e.Memory, s.WholeQuery())
	if err != nil {
		return v, err
	}
	for _, v := range list {
		if k.id(v) == id {
			return v, nil
		}
	}
	return v, fmt.Errorf("%w: the %s is gone", storage.ErrNotFound, k.noun)
}

// printNow prints one as it is now.
func (k kept[V, I, A]) printNow(e *engine.Engine, s cli.Story, id I) error {
	v, err := k.view(e, s, string(id))
	if err != nil {
		return err
	}
	return k.print(e, s, v)
}

func (k kept[V, I, A]) listCommand(short, long, all string) *cobra.Command {
	var ask memory.Query
	c := k.app.StoryCommand("list", short, long, 0, 0, func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
		q := s.Query()
		q.All, q.Search = ask.All, ask.Search
		list, err := k.all(e.Memory, q)
		if err != nil {
			return err
		}
		return cli.PrintList(k.app, list, func(v V) any { return k.doc(s.Scope, v) }, k.row)
	})
	c.Flags().BoolVar(&ask.All, "all", false, all)
	c.Flags().StringVar(&ask.Search, "search", "", "only those that contain all of the `WORDS`")
	return c
}

func (k kept[V, I, A]) showCommand(short string) *cobra.Command {
	return k.app.StoryCommand("show "+k.arg, short, cli.Sentence(short)+" "+k.help, 1, 1, func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
		v, err := k.view(e, s, args[0])
		if err != nil {
			return err
		}
		return k.print(e, s, v)
	})
}

// addCommand makes one of the argument TEXT; empty says what cannot be done with an
// empty one.
func (k kept[V, I, A]) addCommand(short, long, empty string, save func(e *engine.Engine, s cli.Story, text string) (I, error)) *cobra.Command {
	return k.app.StoryCommand("add TEXT", short, long+" A TEXT of - is read from standard input.", 1, 1, func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
		text, err := k.app.TextArg(args[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return cli.UsageError("there is nothing to " + empty + ": TEXT is empty")
		}
		id, err := save(e, s, text)
		if err != nil {
			return err
		}
		return k.printNow(e, s, id)
	})
}

// editing is how one is changed.
type editing[V any, I ~string] struct {
	content string             // what its content is, in the help
	empty   string             // what to do in place of emptying it
	flags   []string           // that change something else
	text    func(v *V) *string // its content
	save    func(e *engine.Engine, s cli.Story, v V) (I, error)
}

// editCommand changes what the flags name: --content itself, the others by save. The
// caller adds those.
func (k kept[V, I, A]) editCommand(ed editing[V, I]) *cobra.Command {
	var content cli.ValueFlag
	var flags *pflag.FlagSet
	names := append([]string{"content"}, ed.flags...)
	c := k.app.StoryCommand("edit "+k.arg, "change a "+k.noun, "Change of a "+k.noun+" given by flags. "+k.help, 1, 1, func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
		if !cli.AnyChanged(flags, names...) {
			last := len(names) - 1
			return cli.UsageError("nothing to change; --" + strings.Join(names[:last], ", --") + " and --" + names[last] + " change something")
		}
		v, err := k.view(e, s, args[0])
		if err != nil {
			return err
		}
		if err := content.Apply(k.app, ed.text(&v)); err != nil {
			return err
		}
		if flags.Changed("content") && strings.TrimSpace(*ed.text(&v)) == "" {
			return cli.UsageError("a " + k.noun + " says something: --content is empty; " + ed.empty)
		}
		id, err := ed.save(e, s, v)
		if err != nil {
			return err
		}
		return k.printNow(e, s, id)
	})
	flags = c.Flags()
	content.Add(c, "content", ed.content)
	return c
}

// actionCommand does something to several.
func (k kept[V, I, A]) actionCommand(name string, do A, short string) *cobra.Command {
	return cli.StoryActionCommand(k.app, name, k.arg, short, k.help,
		func(e *engine.Engine, s cli.Story, ref string) (I, error) {
			v, err := k.view(e, s, ref)
			return k.id(v), err
		},
		func(e *engine.Engine, s cli.Story, ids []I) (int, error) { return k.act(e.Memory, s.Scope, ids, do) })
}

// words are the texts of a list of named values.
func words[T ~string](list []T) []string {
	var out []string
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// oneOf checks the value of a flag that takes one of some words.
func oneOf(flag, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return cli.UsageError(fmt.Sprintf("--%s must be %s, not %q", flag, cli.OrList(allowed), value))
}
