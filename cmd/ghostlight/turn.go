package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/event"
	"ghostlight/engine/play"
	"ghostlight/storage"
)

const (
	// textLimit is the longest text that is read from standard input or a file.
	textLimit = 1 << 20
	// stopTime is how long a reply that was stopped may take to end.
	stopTime = 5 * time.Second
)

func (d *door) sendCommand() *cobra.Command {
	var thinking bool
	var to addressed
	var nudge string
	c := &cobra.Command{Use: "send CHAT TEXT", Short: "say something and print the reply as it comes",
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Say TEXT in a chat and print the reply as it comes. A TEXT of - is read from standard input. " +
			"What you said is kept whatever becomes of the reply; ctrl+c stops the reply and keeps what was written. " +
			"--nudge stands in place of TEXT: nothing is said, and the next reply, or another one in place of the last, follows an instruction that is not kept."}
	c.Args = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("nudge") {
			if len(args) > 1 {
				return misuse{"--nudge stands in place of TEXT; leave one of them out"}
			}
			return takes(1, 1)(c, args)
		}
		return takes(2, 2)(c, args)
	}
	c.RunE = d.chatWork(func(ctx context.Context, e *engine.Engine, chat storage.Chat, args []string) error {
		if len(args) == 0 {
			if to.given() {
				return misuse{"--nudge says nothing that somebody could hear: --as and --whisper need TEXT"}
			}
			return d.nudge(ctx, e, chat, thinking, nudge)
		}
		text, err := d.textArg(args[0])
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return misuse{"there is nothing to say: TEXT is empty"}
		}
		who, hears, err := to.find(e, chat.ID)
		if err != nil {
			return err
		}
		return d.turn(ctx, e, chat, thinking, func() error { _, err := e.Play.SendTo(chat.ID, text, who, hears); return err })
	})
	thinkingFlag(c, &thinking)
	to.add(c)
	c.Flags().StringVar(&nudge, "nudge", "", "in place of TEXT: the next reply follows the instruction `TEXT`, which is not kept (- reads standard input)")
	return c
}

// nudge asks for the next reply with an instruction for this one turn.
func (d *door) nudge(ctx context.Context, e *engine.Engine, chat storage.Chat, thinking bool, instruction string) error {
	text, err := d.textArg(instruction)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return misuse{"--nudge needs an instruction, such as \"let the lamp go out\""}
	}
	return d.turn(ctx, e, chat, thinking, func() error { return e.Play.Nudge(chat.ID, text) })
}

func thinkingFlag(c *cobra.Command, on *bool) {
	c.Flags().BoolVar(on, "thinking", false, "show on standard error what the model thinks")
}

// textArg is a text from the command line; "-" stands for standard input.
func (d *door) textArg(arg string) (string, error) {
	if arg != "-" {
		return readable("what was said on the command line", arg)
	}
	data, err := io.ReadAll(io.LimitReader(d.in, textLimit+1))
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	if len(data) > textLimit {
		return "", fmt.Errorf("standard input holds more than %d bytes of text", textLimit)
	}
	return readable("standard input", strings.TrimRight(string(data), "\r\n"))
}

// readable is a text from somewhere; what is not UTF-8 could not be kept as it is.
func readable(from, text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("%s is not UTF-8 text: write it as UTF-8", from)
	}
	return text, nil
}

// turn begins a reply and follows it to its end, printing what comes.
func (d *door) turn(ctx context.Context, e *engine.Engine, chat storage.Chat, thinking bool, begin func() error) error {
	feed := e.Follow()
	defer feed.Close()
	if err := begin(); err != nil {
		return err
	}
	f := follower{d: d, e: e, chat: chat.ID, reply: newPage(d.out), thoughts: newPage(d.errs), thinking: thinking}
	end, err := f.follow(ctx, feed)
	if err != nil {
		return err
	}
	if end.Err != nil {
		if end.Turn.UserMessage != "" {
			d.note("What you said is kept. This asks for a reply again: ghostlight chat regenerate %s", chat.ID)
		}
		return end.Err
	}
	words := end.Turn.Fault
	switch {
	case end.Turn.State == storage.Stopped:
		words = first(words, "The reply was stopped; what was written is kept.")
	case end.Turn.State == storage.Cut:
		d.note("note: %s", first(words, "the reply was cut off"))
		words = ""
	case end.Turn.State == storage.Broken:
		words = first(words, "The reply broke off; what was written is kept.")
	default:
		words = ""
	}
	words = d.discreet(words)
	if d.json {
		if err := d.tell(shapeTurn(end.Turn, words), nil); err != nil {
			return err
		}
	}
	if words != "" {
		return errors.New(words)
	}
	return nil
}

// follower prints the events of one chat's reply.
type follower struct {
	d               *door
	e               *engine.Engine
	chat            storage.ChatID
	reply, thoughts *page
	thinking        bool
	begun           bool   // text of the reply was printed
	line            string // a line suggested to the user
	hangUp          func() // ends the following
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
				return play.ReplyEnded{}, errors.New("the reply did not stop in time; what was written is kept")
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
			if ev.Chat == f.chat {
				f.delta(ev.Thinking, ev.Content)
			}
		case play.LineSuggested:
			if ev.Chat != f.chat {
				continue
			}
			f.delta("", ev.Text)
			f.line += ev.Text
			if ev.Finished {
				return play.ReplyEnded{Chat: ev.Chat, Err: ev.Err}, f.end()
			}
		case play.ReplyEnded:
			if ev.Chat == f.chat {
				return ev, f.end()
			}
		default:
			f.d.noteEvent(ev)
		}
	}
}

func (f *follower) delta(thinking, content string) {
	if f.thinking && thinking != "" {
		f.thoughts.text(thinking)
		_ = f.thoughts.flush() // nobody left to tell
	}
	if content == "" || f.d.json {
		return
	}
	if !f.begun && f.thinking {
		f.thoughts.line("")
		_ = f.thoughts.flush()
	}
	f.begun, f.d.said = true, true
	f.reply.text(content)
	// A fault stays with the page and comes with end. Nobody needs more of a
	// reply that nobody reads; what came is kept, as with ctrl+c.
	if errors.Is(f.reply.flush(), syscall.EPIPE) {
		f.hangUp()
	}
}

func (f *follower) end() error {
	if f.begun {
		f.reply.line("")
	}
	return errors.Join(f.reply.close(), f.thoughts.close())
}
