package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine"
)

// Noun is a kind of thing that commands list, show, change and delete, such as a persona. Its
// methods make commands whose first argument is a reference to one.
type Noun[T any] struct {
	// Find finds a thing by its id, its name, or the beginning of one of them.
	Find func(e *engine.Engine, ref string) (T, error)
	List func(e *engine.Engine) ([]T, error)
	// Called is the id of a thing, and its name for people.
	Called func(v T) (id, name string)
	Row    func(v T) []string // in a table
	Page   func(p *Page, v T) // all of it
	// Doc is the document of a thing, nil for the thing itself; Brief the one in a list, nil
	// for Doc.
	Doc, Brief func(v T) any
	Delete     func(e *engine.Engine, v T) error
	Help       string // how to refer to a thing; part of every command's help
}

// Act makes a command that does something with the thing that its first argument refers to.
// args are the other arguments.
func (n *Noun[T]) Act(
	app *App, use, short string, do func(ctx context.Context, e *engine.Engine, v T, args []string) error,
) *cobra.Command {
	c := app.Command(use, short, func(ctx context.Context, e *engine.Engine, args []string) error {
		v, err := n.find(e, args[0])
		if err != nil {
			return err
		}
		return do(ctx, e, v, args[1:])
	})
	if n.Help != "" {
		c.Long = Sentence(short) + " " + n.Help
	}
	return c
}

// ListCommand makes the command that lists the things.
func (n *Noun[T]) ListCommand(app *App, short string) *cobra.Command {
	return app.Command("list", short, func(_ context.Context, e *engine.Engine, _ []string) error {
		list, err := n.List(e)
		if err != nil {
			return err
		}
		return PrintList(app, list, n.brief, n.Row)
	})
}

// ShowCommand makes the command that prints a thing.
func (n *Noun[T]) ShowCommand(app *App, use, short string) *cobra.Command {
	return n.Act(app, use, short, func(_ context.Context, _ *engine.Engine, v T, _ []string) error {
		return n.Print(app, v)
	})
}

// DeleteCommand makes the command that deletes a thing.
func (n *Noun[T]) DeleteCommand(app *App, use, short string) *cobra.Command {
	return n.Act(app, use, short, func(_ context.Context, e *engine.Engine, v T, _ []string) error {
		if err := n.Delete(e, v); err != nil {
			return err
		}
		return app.PrintDeleted(n.Called(v))
	})
}

// Print prints all of a thing.
func (n *Noun[T]) Print(app *App, v T) error {
	return app.Print(n.doc(v), func(p *Page) { n.Page(p, v) })
}

// PrintDone prints a thing that something was done to: its document, or a line that ends in
// words such as "saved".
func (n *Noun[T]) PrintDone(app *App, v T, words string) error {
	return app.Print(n.doc(v), func(p *Page) {
		id, name := n.Called(v)
		p.Linef("%s  %s  %s", id, OneLine(name), words)
	})
}

// Complete returns the completion of arguments that refer to a thing.
func (n *Noun[T]) Complete(e *engine.Engine, _ []string) []string {
	list, err := n.List(e)
	if err != nil {
		return nil
	}
	var words []string
	for _, v := range list {
		id, name := n.Called(v)
		words = append(words, Suggestion(id, name))
	}
	return words
}

func (n *Noun[T]) doc(v T) any {
	if n.Doc == nil {
		return v
	}
	return n.Doc(v)
}

func (n *Noun[T]) brief(v T) any {
	if n.Brief == nil {
		return n.doc(v)
	}
	return n.Brief(v)
}

// find finds a thing. If nothing matches, the error lists the existing names.
func (n *Noun[T]) find(e *engine.Engine, ref string) (T, error) {
	v, err := n.Find(e, ref)
	if n.List == nil {
		return v, err
	}
	return v, withNames(err, func() ([]T, error) { return n.List(e) }, func(v T) string {
		_, name := n.Called(v)
		return name
	})
}
