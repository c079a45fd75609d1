package play

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// stopTime is how long a stopped reply may take to end.
const stopTime = 5 * time.Second

// SendCommand returns the command ghostlight send.
func SendCommand(app *cli.App) *cobra.Command {
	var thinking bool
	var to addressFlags
	var nudge string
	var want steerFlags
	c := cli.Chats.Act(app, "send CHAT TEXT", "send a message and print the reply as it arrives",
		func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
			if len(args) == 0 {
				if to.given() {
					return cli.UsageError("--as and --whisper need TEXT")
				}
				if want.given() {
					return runSteered(ctx, app, e, chat, thinking, want)
				}
				return runNudge(ctx, app, e, chat, thinking, nudge)
			}
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			if strings.TrimSpace(text) == "" {
				return cli.UsageError("TEXT is empty")
			}
			who, hears, err := to.find(e, chat.ID)
			if err != nil {
				return err
			}
			line := play.Line{Text: text, Responder: who, WhisperTo: hears}
			if want.given() {
				steer, err := want.wanted(app, e, chat.Steer)
				if err != nil {
					return err
				}
				line.Steer = &steer
			}
			return runTurn(ctx, app, e, chat, thinking, func() error {
				_, err := e.Play.SendLine(chat.ID, line)
				return err
			})
		})
	c.Long = "Send TEXT in a chat and print the reply as it arrives. A TEXT of - is read from standard input. " +
		"Your message is always kept; ctrl+c stops the reply and keeps the text so far. " +
		"--nudge replaces TEXT: no message is sent, and the next reply, or a new swipe of the last, follows an " +
		"instruction that is not saved. --beat and --act set what happens in the reply and how it is written; " +
		"without TEXT they also request the next reply, or a new swipe of the last."
	c.Args = func(c *cobra.Command, args []string) error {
		switch nudged := c.Flags().Changed("nudge"); {
		case nudged && want.given():
			return cli.UsageError("--nudge cannot be combined with --beat and --act")
		case nudged && len(args) > 1:
			return cli.UsageError("--nudge replaces TEXT; leave one of them out")
		case nudged:
			return cli.Args(1, 1)(c, args)
		case want.given():
			return cli.Args(1, 2)(c, args)
		}
		return cli.Args(2, 2)(c, args)
	}
	thinkingFlag(c, &thinking)
	to.add(c)
	want.add(c)
	c.Flags().StringVar(&nudge, "nudge", "",
		"instead of TEXT: the instruction `TEXT` for the next reply, not saved (- reads standard input)")
	return c
}

// runNudge asks for the next reply with an instruction for this one turn.
func runNudge(ctx context.Context, app *cli.App, e *engine.Engine, chat storage.Chat, thinking bool,
	instruction string) error {
	text, err := app.TextArg(instruction)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return cli.UsageError("--nudge needs an instruction, such as \"let the lamp go out\"")
	}
	return runTurn(ctx, app, e, chat, thinking, func() error { return e.Play.Nudge(chat.ID, text) })
}

func thinkingFlag(c *cobra.Command, on *bool) {
	c.Flags().BoolVar(on, "thinking", false, "show the model's thinking on standard error")
}

// runTurn begins a reply and follows it to its end, printing what comes.
func runTurn(ctx context.Context, app *cli.App, e *engine.Engine, chat storage.Chat, thinking bool,
	begin func() error) error {
	feed := e.Follow()
	defer feed.Close()
	if err := begin(); err != nil {
		return err
	}
	f := follower{app: app, e: e, chat: chat.ID, reply: cli.NewPage(app.Out), thoughts: cli.NewPage(app.Err),
		thinking: thinking,
		whole:    e.Chats.Rewrites(chat.ID)}
	end, err := f.follow(ctx, feed)
	if err != nil {
		return err
	}
	if end.Err != nil {
		if end.Turn.UserMessage != "" {
			app.Note("Your message is saved. ghostlight chat regenerate %s requests the reply again.", chat.ID)
		}
		return end.Err
	}
	words := end.Turn.Fault
	switch {
	case end.Turn.State == storage.Stopped:
		words = cmp.Or(words, "The reply was stopped; the text so far is kept.")
	case end.Turn.State == storage.Cut:
		app.Note("note: %s", cmp.Or(words, "the reply was cut off"))
		words = ""
	case end.Turn.State == storage.Broken:
		words = cmp.Or(words, "The reply was interrupted; the text so far is kept.")
	default:
		words = ""
	}
	words = app.Redact(words)
	if app.JSON {
		doc := end.Turn
		doc.Fault = words
		if err := app.Print(doc, nil); err != nil {
			return err
		}
	}
	noteUnrecapped(ctx, app, e, chat)
	if words != "" {
		return errors.New(words)
	}
	return nil
}

// noteUnrecapped says after a turn which messages the memory lacks, or soon will.
func noteUnrecapped(ctx context.Context, app *cli.App, e *engine.Engine, chat storage.Chat) {
	v, err := e.Play.Prompt(ctx, chat.ID, "")
	if err != nil {
		return // the turn is over, and nothing depends on this
	}
	if n := v.Uncovered; n > 0 {
		app.Note(
			"note: %s left the context without a recap; ghostlight scene recap %s --missing creates missing recaps",
			cli.Plural(n, "older message", "older messages"), chat.ID)
	}
	if n := v.Unrecapped; n > 0 && v.Tokens*10 >= v.Budget*6 { // soon
		app.Note("note: %s of ended scenes will leave the context without a recap (scenes.auto_generate_recap is off)",
			cli.Plural(n, "message", "messages"))
	}
}

// follower prints the events of one chat's reply.
type follower struct {
	app             *cli.App
	e               *engine.Engine
	chat            storage.ChatID
	reply, thoughts *cli.Page
	thinking        bool
	whole           bool                // the reply is printed once it is whole: scripts make something else of it
	begun           bool                // text of the reply was printed
	grew            bool                // some of it came
	text            string              // that came, from byte from of the message
	from, printed   int                 // and how many bytes of text were printed
	rejected        []storage.Rejected  // what a line suggested to the user was not let say
	passage         play.PassageWritten // that was rewritten
	hangUp          func()              // ends the following
}

// follow prints until the reply has ended. When ctx ends it stops the reply and
// waits for that.
func (f *follower) follow(ctx context.Context, feed *event.Feed) (play.ReplyEnded, error) {
	stopping := false
	ctx, f.hangUp = context.WithCancel(ctx)
	defer f.hangUp()
	for {
		ev, err := feed.Next(ctx)
		if err != nil {
			if stopping {
				return play.ReplyEnded{}, errors.New("the reply did not stop in time; the text so far is kept")
			}
			stopping = true
			f.e.Play.Stop(f.chat)
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopTime)
			defer cancel()
			continue
		}
		switch ev := ev.(type) {
		case play.ReplyDelta:
			if ev.Chat == f.chat && f.whole {
				if !f.grew && ev.Content != "" {
					f.grew, f.from = true, ev.At
				}
				f.delta(ev.Thinking, "")
			} else if ev.Chat == f.chat {
				f.delta(ev.Thinking, f.grown(ev))
			}
		case play.ReplyCut:
			if ev.Chat == f.chat && !f.whole {
				f.cut(ev.At)
			}
		case play.LineSuggested:
			if ev.Chat != f.chat {
				continue
			}
			f.cut(ev.At)
			f.delta("", f.grown(play.ReplyDelta{Content: ev.Text, At: ev.At, Firm: ev.Firm}))
			if ev.Finished {
				f.delta("", f.text[f.printed:])
				f.rejected = ev.Rejected
				return play.ReplyEnded{Chat: ev.Chat, Err: ev.Err}, f.end()
			}
		case play.PassageWritten:
			if ev.Chat == f.chat && ev.Finished {
				f.passage = ev
				return play.ReplyEnded{Chat: ev.Chat, Err: ev.Err}, f.end()
			}
		case play.ReplyEnded:
			if ev.Chat == f.chat {
				if f.whole && f.from == 0 && ev.Err == nil { // of a continued reply, only the new part is printed
					f.delta("", ev.Message.Text())
				} else if at := f.from + f.printed; ev.Err == nil && f.grew && at < len(ev.Message.Content) {
					f.delta("", ev.Message.Content[at:])
				}
				return ev, f.end()
			}
		default:
			f.app.NoteEvent(ev)
		}
	}
}

// cut takes back the message's text from byte at on. If some of that was already printed, the new
// text is printed after a blank line.
func (f *follower) cut(at int) {
	f.text = f.text[:min(len(f.text), max(at-f.from, 0))]
	if len(f.text) < f.printed {
		f.delta("", "\n\n")
		f.printed = len(f.text)
	}
}

// grown adds a delta to the reply, and returns the part that is final and was not printed yet:
// printed text cannot be taken back.
func (f *follower) grown(d play.ReplyDelta) string {
	if !f.grew && d.Content != "" {
		f.grew, f.from = true, d.At
	}
	f.text += d.Content
	firm := min(d.Firm-f.from, len(f.text))
	if firm <= f.printed {
		return ""
	}
	more := f.text[f.printed:firm]
	f.printed = firm
	return more
}

func (f *follower) delta(thinking, content string) {
	if f.thinking && thinking != "" {
		f.thoughts.Text(thinking)
		_ = f.thoughts.Flush() // nowhere to report a failure
	}
	if content == "" || f.app.JSON {
		return
	}
	if !f.begun && f.thinking {
		f.thoughts.Line("")
		_ = f.thoughts.Flush()
	}
	f.begun, f.app.Printed = true, true
	f.reply.Text(content)
	// The error stays with the page and is returned by end. If nothing reads the reply, generating
	// more is useless; the text so far is kept, as with ctrl+c.
	if errors.Is(f.reply.Flush(), syscall.EPIPE) {
		f.hangUp()
	}
}

func (f *follower) end() error {
	if f.begun {
		f.reply.Line("")
	}
	return errors.Join(f.reply.Close(), f.thoughts.Close())
}
