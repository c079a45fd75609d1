package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recordCommands is a kind of thing that is kept of a story, memories or hooks: what their
// commands have in common. V is a view of one, R its record, and A what can be done to several.
type recordCommands[V, R any, I, A ~string] struct {
	app  *cli.App
	arg  string // what one is called among the arguments
	noun string // and in a sentence
	help string // how one is named
	hint string // what lists them

	fields *field.Record[R]
	record func(v V) R
	save   func(e *engine.Engine, s cli.Story, r R) (I, error)

	find  func(m *memory.Service, scope storage.ScopeID, ref string) (I, error)
	all   func(m *memory.Service, ask memory.Query) ([]V, error)
	act   func(m *memory.Service, scope storage.ScopeID, ids []I, do A) (changed int, err error)
	id    func(v V) I
	row   func(v V) []string
	print func(e *engine.Engine, v V) error // one record, with its origin
}

// view finds the record that ref names.
func (k recordCommands[V, R, I, A]) view(e *engine.Engine, s cli.Story, ref string) (v V, err error) {
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
	return v, fmt.Errorf("%w: the %s no longer exists", storage.ErrNotFound, k.noun)
}

// printNow prints the present state of a record.
func (k recordCommands[V, R, I, A]) printNow(e *engine.Engine, s cli.Story, id I) error {
	v, err := k.view(e, s, string(id))
	if err != nil {
		return err
	}
	return k.print(e, v)
}

func (k recordCommands[V, R, I, A]) listCommand(short, long, all string) *cobra.Command {
	var ask memory.Query
	c := k.app.StoryCommand("list", short, long, 0, 0,
		func(_ context.Context, e *engine.Engine, s cli.Story, _ []string) error {
			q := s.Query()
			q.All, q.Search = ask.All, ask.Search
			list, err := k.all(e.Memory, q)
			if err != nil {
				return err
			}
			return cli.PrintViews(k.app, list, k.row)
		})
	c.Flags().BoolVar(&ask.All, "all", false, all)
	c.Flags().StringVar(&ask.Search, "search", "", "only those that contain all of the `WORDS`")
	return c
}

func (k recordCommands[V, R, I, A]) showCommand(short string) *cobra.Command {
	return k.app.StoryCommand("show "+k.arg, short, cli.Sentence(short)+" "+
		k.help, 1, 1, func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
		v, err := k.view(e, s, args[0])
		if err != nil {
			return err
		}
		return k.print(e, v)
	})
}

// addCommand returns a command that adds a record, with the argument TEXT for its content and flags
// for its other fields. then is called with the new record's id; it may be nil.
func (k recordCommands[V, R, I, A]) addCommand(short, long string, fresh R,
	then func(e *engine.Engine, s cli.Story, id I) error) *cobra.Command {
	fields := cli.Fields[R]{Record: k.fields.Without("content"), Shown: *new(V)}
	c := k.app.StoryCommand("add TEXT", short, long+" A TEXT of - is read from standard input.", 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			r := fresh
			text, err := k.app.TextArg(args[0])
			if err != nil {
				return err
			}
			if err := k.fields.Set(&r, "content", text); err != nil {
				return err
			}
			if err := fields.Apply(k.app, &r); err != nil {
				return err
			}
			id, err := k.save(e, s, r)
			if err == nil && then != nil {
				err = then(e, s, id)
			}
			if err != nil {
				return err
			}
			return k.printNow(e, s, id)
		})
	fields.Add(c)
	return c
}

// editCommand changes what the flags name.
func (k recordCommands[V, R, I, A]) editCommand() *cobra.Command {
	fields := cli.Fields[R]{Record: k.fields, Shown: *new(V)}
	short := "change a " + k.noun
	c := k.app.StoryCommand("edit "+k.arg, short, cli.Sentence(short)+" "+k.help, 1, 1,
		func(_ context.Context, e *engine.Engine, s cli.Story, args []string) error {
			v, err := k.view(e, s, args[0])
			if err != nil {
				return err
			}
			r := k.record(v)
			if err := fields.Change(k.app, &r); err != nil {
				return err
			}
			id, err := k.save(e, s, r)
			if err != nil {
				return err
			}
			return k.printNow(e, s, id)
		})
	fields.Add(c)
	return c
}

// actionCommand does something to several.
func (k recordCommands[V, R, I, A]) actionCommand(name string, do A, short string) *cobra.Command {
	return cli.StoryActionCommand(k.app, name, k.arg, short, k.help,
		func(e *engine.Engine, s cli.Story, ref string) (I, error) {
			v, err := k.view(e, s, ref)
			return k.id(v), err
		},
		func(e *engine.Engine, s cli.Story, ids []I) (int, error) { return k.act(e.Memory, s.Scope, ids, do) })
}
