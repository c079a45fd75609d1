package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// panicking is the program with a command "fault" that panics amid a transaction.
func panicking() {
	app := cli.New(os.Stdin, os.Stdout, os.Stderr, thisBuild().Version)
	fault := func(_ context.Context, e *engine.Engine, _ []string) error {
		return e.Core().Store.Update(func(tx *storage.Tx) error {
			for id, c := range storage.Chats.All(tx) {
				c.Title = "half done"
				if err := storage.Chats.Put(tx, id, c); err != nil {
					return err
				}
			}
			panic("amid a transaction")
		})
	}
	app.Args, app.Tree = os.Args[1:], func(app *cli.App) *cobra.Command {
		root := newRoot(app)
		root.AddCommand(&cobra.Command{Use: "fault", RunE: app.WithEngine(fault)})
		return root
	}
	root := app.Tree(app)
	root.SetArgs(app.Args)
	os.Exit(app.Exit(root.Execute(), app.Args))
}
