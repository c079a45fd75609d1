package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/tui/plain"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// openFront shows the screen. If plainly is set, or there is no terminal that can show a screen, it
// shows the plain front end.
func openFront(ctx context.Context, app *cli.App, theme, chat string, plainly bool) error {
	if app.JSON {
		return cli.UsageError("--json only works with commands; ghostlight help lists them")
	}
	if err := app.Prepare(); err != nil {
		return err
	}
	if plainly || app.Settings.UI.Plain || os.Getenv("TERM") == "dumb" || !cli.IsTerminal(app.In) ||
		!cli.IsTerminal(app.Out) {
		app.NoteOutdated()
		return openPlain(ctx, app, chat)
	}
	return openScreen(ctx, app, theme, chat)
}

// openPlain converses line by line until the user leaves. Switching to demo mode closes everything
// and opens it again.
func openPlain(ctx context.Context, app *cli.App, chat string) error {
	if err := app.UnlockFirst(); err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	o := plain.Options{In: plain.NewInput(app.In, cli.IsTerminal(app.In)), Out: app.Out, Interrupts: interrupts,
		Work: cli.OperationWords}
	defer o.In.Close()
	app.Printed = true
	for {
		out, err := conversePlainly(ctx, app, o, chat)
		if err != nil || !out.Demo {
			return err
		}
		app.Demo, o.Introduced = true, true
	}
}

// conversePlainly opens the engine and converses once.
func conversePlainly(ctx context.Context, app *cli.App, o plain.Options, chat string) (out plain.Outcome, err error) {
	e, err := app.Open(cli.OnScreen)
	if err != nil {
		return out, app.Close(nil, err)
	}
	defer func() { err = app.Close(e, err) }()
	if chat != "" {
		c, err := e.Chats.Find(chat)
		if err != nil {
			return out, err
		}
		o.Chat = c.ID
	}
	o.Demo, o.Program, o.Tips = app.Demo, program(app, e), !settings.IsOff(app.Settings.UI.Tips)
	if err := e.Start(); err != nil {
		return out, err
	}
	hosting, _ := app.Host(e) // the log says why not
	defer hosting.Close()
	return plain.Run(ctx, e, o)
}

// program runs commands on an engine that is open.
func program(app *cli.App, e *engine.Engine) func(args []string, out io.Writer) error {
	return func(args []string, out io.Writer) error {
		safe := safetext.Writer(out)
		root := app.Inside(e, safe, newRoot)
		root.SetArgs(cli.EscapeFromEnd(root, args))
		err := root.Execute()
		if closing := safe.Close(); err == nil {
			err = closing
		}
		return err
	}
}
