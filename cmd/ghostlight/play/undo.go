package play

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// undoFlags are the flags of chat undo.
type undoFlags struct {
	list, redo       bool
	message, restore string
}

func undoCommand(app *cli.App) *cobra.Command {
	var f undoFlags
	c := cli.Chats.Act(app, "undo CHAT", "undo the last change of a chat; --list shows all of them",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error { return f.run(app, e, c) },
	)
	c.Long = "Undo the last change of a chat: an edit, a deletion, a branch, a combined swipe, a branch name, " +
		"sampling settings or a correction. Repeat it to undo the change before that. A chat keeps its last hundred " +
		"changes, even after a restart."
	c.Flags().BoolVar(&f.list, "list", false, "list the changes, the newest first, and change nothing")
	c.Flags().StringVar(&f.message, "message", "", "with --list: list only the earlier texts of the message `M`")
	c.Flags().BoolVar(&f.redo, "redo", false, "redo the last undone change")
	c.Flags().StringVar(&f.restore, "restore", "", "restore the text that change `N` of the list removed")
	return c
}

func (f *undoFlags) run(app *cli.App, e *engine.Engine, c storage.Chat) error {
	switch {
	case f.redo && f.restore != "", (f.list || f.message != "") && (f.redo || f.restore != ""):
		return cli.UsageError("--list, --redo and --restore cannot be combined")
	case f.list || f.message != "":
		return f.print(app, e, c)
	case f.restore != "":
		from, err := e.Chats.FindChange(c.ID, f.restore)
		if err != nil {
			return err
		}
		if err := e.Chats.Restore(c.ID, from.ID); err != nil {
			return err
		}
		return printChat(app, e, c.ID, "earlier text restored")
	case f.redo:
		forth, err := e.Chats.StepForward(c.ID)
		if err != nil {
			return err
		}
		return printChat(app, e, c.ID, "again: "+cli.OneLine(forth.Text()))
	}
	back, err := e.Chats.StepBack(c.ID)
	if err != nil {
		return err
	}
	return printChat(app, e, c.ID, "undone: "+cli.OneLine(back.Text()))
}

// print lists the changes of a chat, or those of the words of one message.
func (f *undoFlags) print(app *cli.App, e *engine.Engine, c storage.Chat) error {
	var of storage.NodeID
	if f.message != "" {
		m, err := cli.FindMessage(e, c.ID, f.message)
		if err != nil {
			return err
		}
		of = m.ID
	}
	list, err := e.Chats.Changes(c.ID, of)
	if err != nil {
		return err
	}
	doc := struct {
		Chat    storage.ChatID `json:"chat"`
		Changes []chats.Change `json:"changes"`
	}{c.ID, list}
	return app.Print(doc, func(p *cli.Page) {
		if len(list) == 0 {
			p.Line("No changes.")
		}
		for _, x := range list {
			at := "earlier"
			if !x.At.IsZero() {
				at = x.At.Local().Format(time.DateTime)
			}
			words := cli.OneLine(x.Text())
			if state := x.State(); state != "" {
				words += " (" + state + ")"
			}
			p.Linef("%3d  %s  %s", x.Number, at, words)
			for _, t := range []struct{ sign, text string }{{"-", x.Was}, {"+", x.Now}} {
				if t.text != "" {
					p.Linef("     %s %s", t.sign, cli.Clip(t.text, 200))
				}
			}
		}
	})
}
