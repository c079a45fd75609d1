package play

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func regenerateCommand(app *cli.App) *cobra.Command {
	var thinking, plain bool
	var s steerFlags
	c := cli.Chats.Act(app, "regenerate CHAT [MESSAGE]", "generate a new swipe of the last reply, or of a given one",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			m, err := messageOr(e, c.ID, args)
			if err != nil {
				return err
			}
			again, err := runRetake(app, e, c, m.ID, s, plain)
			if err != nil {
				return err
			}
			return runTurn(ctx, app, e, c, thinking, again)
		})
	c.Long = "Generate a new swipe of the last reply, or of a given one. Its beat and quick acts apply again, " +
		"unless you give others."
	s.add(c)
	c.Flags().BoolVar(&plain, "plain", false, "do not apply the reply's beat and quick acts again")
	thinkingFlag(c, &thinking)
	return c
}

// messageOr returns the message named, or the last one that is no picture.
func messageOr(e *engine.Engine, chat storage.ChatID, args []string) (chats.Message, error) {
	if len(args) > 0 {
		return cli.FindMessage(e, chat, args[0])
	}
	_, path, err := e.Chats.Path(chat, 50)
	if err != nil {
		return chats.Message{}, err
	}
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Role != storage.SceneCapture {
			return path[i], nil
		}
	}
	return cli.FindMessage(e, chat, "last")
}

func continueCommand(app *cli.App) *cobra.Command {
	var thinking bool
	c := cli.Chats.Act(app, "continue CHAT", "continue the last reply",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			return runTurn(ctx, app, e, c, thinking, func() error { return e.Play.Continue(c.ID) })
		})
	thinkingFlag(c, &thinking)
	return c
}

func swipeCommand(app *cli.App) *cobra.Command {
	var step int
	var thinking bool
	c := cli.Chats.Act(app, "swipe CHAT [MESSAGE]", "go to the next swipe of the last message, or of a given one",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			m, err := messageOr(e, c.ID, args)
			if err != nil {
				return err
			}
			var done bool
			swipe := func() (err error) {
				if done, err = e.Play.Swipe(c.ID, m.ID, step); err == nil && !done {
					err = fmt.Errorf("no such swipe: this is swipe %d of %d", m.At+1, m.Siblings)
				}
				return err
			}
			if m.At+step >= m.Siblings { // asks the model, or nothing
				return runTurn(ctx, app, e, c, thinking, swipe)
			}
			if err := swipe(); err != nil {
				return err
			}
			return printChat(app, e, c.ID, "")
		})
	c.Long = "Go to another swipe of a message: the last one, or MESSAGE. " +
		"After the last swipe of the chat's last reply, a new one is generated."
	c.Flags().IntVar(&step, "step", 1, "go `N` swipes forward, or back if below 0")
	thinkingFlag(c, &thinking)
	return c
}

func impersonateCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "impersonate CHAT [OUTLINE]",
		"let the model suggest your next message, optionally from an outline; nothing is sent",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			outline := ""
			if len(args) > 0 {
				var err error
				if outline, err = app.TextArg(args[0]); err != nil {
					return err
				}
			}
			feed := e.Follow()
			defer feed.Close()
			if err := e.Play.Impersonate(c.ID, outline); err != nil {
				return err
			}
			f := follower{app: app, e: e, chat: c.ID, reply: cli.NewPage(app.Out), thoughts: cli.NewPage(app.Err)}
			end, err := f.follow(ctx, feed)
			if err != nil {
				return err
			}
			if end.Err != nil {
				return end.Err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if app.JSON {
				return app.Print(map[string]any{"text": f.text, "rejected": f.rejected}, nil)
			}
			return nil
		})
}

func noteCommand(app *cli.App) *cobra.Command {
	var clear bool
	var plan notePlan
	c := cli.Chats.Act(app, "note CHAT [TEXT]",
		"print or set the author's note of a chat, which goes into every prompt",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			note := c.AuthorNote
			if clear || len(args) > 0 {
				note = ""
				if len(args) > 0 {
					var err error
					if note, err = app.TextArg(args[0]); err != nil {
						return err
					}
				}
				if err := e.Chats.SetAuthorNote(c.ID, note); err != nil {
					return err
				}
			}
			where, err := plan.set(app, e, c)
			if err != nil {
				return err
			}
			doc := map[string]any{"chat": c.ID, "author_note": note, "told": where}
			return app.Print(doc, func(p *cli.Page) {
				if note != "" {
					p.Line(note)
				}
			})
		})
	c.Flags().BoolVar(&clear, "clear", false, "clear the note")
	plan.add(c)
	return c
}

func personaCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "persona CHAT PERSONA", "choose the persona of a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			who, err := e.Library.FindPersona(args[0])
			if err != nil {
				return err
			}
			if err := e.Chats.SetPersona(c.ID, who.ID); err != nil {
				return err
			}
			return printChat(app, e, c.ID, "as "+cli.OneLine(who.Name))
		})
}

func modelCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "model CHAT [NAME]", "set the model of a chat, or reset it to the default",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			if err := e.Chats.SetModel(c.ID, name); err != nil {
				return err
			}
			return printChat(app, e, c.ID, "asks "+cmp.Or(cli.OneLine(name), "the default model"))
		})
}
