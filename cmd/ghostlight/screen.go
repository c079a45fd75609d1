package main

import (
	"context"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui"
)

// screen shows the terminal interface until the user leaves it. Going over to a
// rehearsal opens everything anew.
func (d *door) screen(ctx context.Context, theme, chat string) error {
	switch {
	case d.json:
		return misuse{"--json is for commands; ghostlight help lists them"}
	case !isTerminal(d.in) || !isTerminal(d.out):
		return misuse{"the terminal interface needs a terminal; for scripts there are commands, such as ghostlight send"}
	}
	if err := d.prepare(); err != nil {
		return err
	}
	for {
		out, err := d.show(ctx, theme, chat)
		if err != nil || !out.Rehearse {
			return err
		}
		d.rehearse = true
	}
}

// show opens the engine and shows the screen once.
func (d *door) show(ctx context.Context, theme, chat string) (out tui.Outcome, err error) {
	e, err := d.open(onScreen)
	if err != nil {
		return out, d.shut(nil, err)
	}
	defer func() { err = d.shut(e, err) }()
	o, err := d.screenOptions(e, theme)
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
	return tui.Run(ctx, e, o, d.at.state)
}

// screenOptions are what flags, settings and the user's last choice say of the
// screen.
func (d *door) screenOptions(e *engine.Engine, theme string) (tui.Options, error) {
	set, faults := themes.Load(d.folder("themes"))
	o := tui.Options{Themes: set, Dark: d.set.UI.dark(), Keys: d.set.Keys, QuickReplies: d.set.quickReplies(), Images: first(d.set.UI.Images, "auto"), Rehearse: d.rehearse,
		Log: d.log, Warnings: wordsOf(faults)}
	o.Theme = first(theme, d.set.UI.Theme, e.House.Theme())
	if _, ok := set.Find(o.Theme); o.Theme != "" && !ok {
		words := "there is no theme " + quote(o.Theme)
		if theme != "" {
			return o, misuse{words}
		}
		o.Warnings = append(o.Warnings, words)
	}
	return o, nil
}
