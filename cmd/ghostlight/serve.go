package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// serveCommand is ghostlight serve: the program without a front end, for commands.
func serveCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "serve", Short: "keep the program open without a screen, for commands beside it", Args: cli.Args(0, 0),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Keep the data folder open and let the queue run, without a screen, until ctrl+c or SIGTERM. Every command finds the open program through a socket of yours and acts through it, " +
			"as it does while the screen is open; nothing listens on a network. That the program serves is told in one line, or one document.",
		RunE: app.WithoutEngine(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if app.IsInside() {
				return cli.UsageError("the program that has the data folder open serves commands already")
			}
			return serve(ctx, app)
		})}
}

// serve keeps the engine open for others until ctx ends.
func serve(ctx context.Context, app *cli.App) (err error) {
	e, err := app.Open(cli.OnScreen)
	if err != nil {
		return err
	}
	defer func() { err = app.Close(e, err) }()
	if err := e.Start(); err != nil {
		return err
	}
	hosting, err := app.Host(e, attached(app, e, &fileSettings{app: app, eng: e}))
	if err != nil {
		return err
	}
	defer hosting.Close()
	doc := struct {
		Data   string `json:"data"`
		Socket string `json:"socket"`
		PID    int    `json:"pid"`
	}{app.Dirs.Data, hosting.Path(), os.Getpid()}
	if err := app.Print(doc, func(p *cli.Page) {
		p.Linef("%s is open for commands (process %d); ctrl+c ends that", doc.Data, doc.PID)
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
