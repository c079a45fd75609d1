package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
)

// serveCommand returns ghostlight serve: the program without a front end, for commands.
func serveCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "serve", Short: "run without a screen, for commands",
		Long: "Keep the data folder open and run the queue, without a screen, until ctrl+c or SIGTERM. Commands " +
			"connect to it through a local socket, as they do while the screen is open; nothing listens on a " +
			"network. It prints one line, or one JSON document, when it is ready.",
		RunE: app.WithoutEngine(func(ctx context.Context, _ *cobra.Command, _ []string) error {
			if app.IsInside() {
				return cli.UsageError("another program already serves this data folder")
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
	hosting, err := app.Host(e)
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
		p.Linef("%s accepts commands (process %d); ctrl+c stops it", doc.Data, doc.PID)
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
