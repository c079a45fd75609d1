package main

import (
	"cmp"
	"context"

	"ghostlight/cmd/ghostlight/cli"
	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui"
)

// openScreen shows the terminal interface until the user leaves it. Going over to a
// rehearsal opens everything anew.
func openScreen(ctx context.Context, app *cli.App, theme, chat string) error {
	switch {
	case app.JSON:
		return cli.UsageError("--json is for commands; ghostlight help lists them")
	case !cli.IsTerminal(app.In) || !cli.IsTerminal(app.Out):
		return cli.UsageError("the terminal interface needs a terminal; for scripts there are commands, such as ghostlight send")
	}
	if err := app.Prepare(); err != nil {
		return err
	}
	for {
		out, err := showScreen(ctx, app, theme, chat)
		if err != nil || !out.Rehearse {
			return err
		}
		app.Rehearse = true
	}
}

// showScreen opens the engine and shows the screen once.
func showScreen(ctx context.Context, app *cli.App, theme, chat string) (out tui.Outcome, err error) {
	e, err := app.Open(cli.OnScreen)
	if err != nil {
		return out, app.Close(nil, err)
	}
	defer func() { err = app.Close(e, err) }()
	o, err := screenOptions(app, e, theme)
	if err != nil {
		return out, err
	}
	if chat != "" {
		var c storage.Chat
		if c, err = e.Chats.Find(chat); err != nil {
			return out, err
		}
		o.Chat = c.ID
	}
	if err := e.Start(); err != nil {
		return out, err
	}
	return tui.Run(ctx, e, o, app.Dirs.State)
}

// screenOptions are what flags, settings and the user's last choice say of the
// screen.
func screenOptions(app *cli.App, e *engine.Engine, theme string) (tui.Options, error) {
	set, faults := themes.Load(app.ConfigDir("themes"))
	o := tui.Options{Themes: set, Dark: app.Settings.UI.DarkMode(), Keys: app.Settings.Keys, QuickReplies: app.Settings.QuickReplies(), Images: cmp.Or(app.Settings.UI.Images, "auto"), Rehearse: app.Rehearse,
		Log: app.Log, Warnings: cli.ErrorTexts(faults)}
	o.Theme = cmp.Or(theme, app.Settings.UI.Theme, e.House.Theme())
	if _, ok := set.Find(o.Theme); o.Theme != "" && !ok {
		words := "there is no theme " + cli.Quote(o.Theme)
		if theme != "" {
			return o, cli.UsageError(words)
		}
		o.Warnings = append(o.Warnings, words)
	}
	return o, nil
}
