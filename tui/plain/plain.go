// Package plain is a front end without a screen that works line by line, for screen readers,
// Braille displays, pipes, and terminals without cursor control. It writes text and line ends only:
// no colours, no cursor, no sequences. Panes of the other front end are numbered lists here.
//
// It calls the same use cases as the screen. For lists and acts that exist as commands of the
// program, it runs those commands on the open engine.
package plain

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Options configure a run.
type Options struct {
	In         *Input
	Out        io.Writer
	Interrupts <-chan os.Signal // each a ctrl+c; may be nil
	Chat       storage.ChatID   // the chat to open; "" is the last one
	Demo       bool             // scripted replies, no model is used
	Introduced bool             // the user's name was asked already
	Tips       bool             // tips are printed, if Input.Terminal is set
	// Program runs a command of the program on the open engine and writes its output to out.
	Program func(args []string, out io.Writer) error
	// Work returns words for the operations of a type, "" for those not worth a report.
	Work func(operation string) string
}

// Outcome is the reason why the front end was left.
type Outcome struct {
	Demo bool // the user wants to continue with the demo servers
}

// session is one run.
type session struct {
	o         Options
	e         *engine.Engine
	out       *printer
	chat      storage.ChatID
	news      []string // not yet printed
	listed    []string // ids, by their numbers in the last list
	suggested string   // a suggested line for the user
	tips      *tip.Scheduler
	events    chan event.Event
	hangUp    func()
	outcome   Outcome
	over      bool
}

// Run runs the dialogue with the user until they leave, or the input ends.
func Run(ctx context.Context, e *engine.Engine, o Options) (Outcome, error) {
	s := &session{o: o, e: e, out: &printer{w: o.Out}, tips: tip.New(tips(e), e.Settings.Screen().Tips)}
	s.follow(ctx)
	defer func() { s.hangUp() }()
	if o.Demo {
		s.out.line("Demo mode: scripted replies, no model is used.")
	}
	if !o.In.Terminal && !o.In.more() {
		s.out.line("No input. ghostlight --plain reads messages and commands; /help lists them.")
		return s.outcome, s.out.err
	}
	if err := s.begin(ctx); err != nil {
		return s.outcome, err
	}
	defer s.leave()
	for !s.over {
		s.sayNews()
		s.sayTip()
		text, ok := s.ask(s.name() + ":")
		if !ok {
			break
		}
		s.obey(ctx, text)
		if s.out.err != nil {
			return s.outcome, s.out.err
		}
	}
	if !s.outcome.Demo {
		s.out.line("Goodbye. Everything is saved.")
	}
	return s.outcome, s.out.err
}

// follow subscribes to the engine's events. If it did so before, it starts again: events that a
// command of the program has already reported are not reported twice.
func (s *session) follow(ctx context.Context) {
	if s.hangUp != nil {
		s.hangUp()
	}
	ctx, cancel := context.WithCancel(ctx)
	feed, events, ended := s.e.Follow(), make(chan event.Event), make(chan struct{})
	crash.Go("the plain event pump", func() {
		defer close(ended)
		for {
			ev, err := feed.Next(ctx)
			if err != nil {
				return
			}
			select {
			case events <- ev:
			case <-ctx.Done():
				return
			}
		}
	})
	s.events = events
	s.hangUp = func() {
		cancel()
		<-ended
		feed.Close()
	}
}

// open makes a chat the current one and prints where it is.
func (s *session) open(chat storage.ChatID) error {
	v, err := s.e.Play.View(chat, 2)
	if err != nil {
		return err
	}
	if err := s.e.Chats.Opened(chat); err != nil {
		return err
	}
	s.leave()
	s.chat = chat
	s.e.Play.EnterChat(chat)
	s.out.line(fmt.Sprintf("%s. %s. You are %s.", v.Chat.Title, plural(v.Total, "message", "messages"),
		cmp.Or(v.Persona.Name, "You")))
	for _, m := range v.Messages {
		s.sayMessage(m)
	}
	s.out.line("Write a message, or /help.")
	return nil
}

// leave reports to the engine that the chat is no longer on the screen.
func (s *session) leave() {
	if s.chat != "" {
		s.e.Play.LeaveChat(s.chat)
	}
}

// view returns the open chat with its newest messages.
func (s *session) view(last int) (chats.View, error) { return s.e.Play.View(s.chat, last) }

// name returns the user's name in the open chat.
func (s *session) name() string {
	v, err := s.view(1)
	if err != nil || v.Persona.Name == "" {
		return "You"
	}
	return v.Persona.Name
}

// ask prints a question and waits for the line with the answer. ok is false if there is none: the
// input has ended, or ctrl+c was pressed. Events are noted while it waits. On a terminal they are
// printed after the line is complete, because nothing must be printed into the user's typing.
func (s *session) ask(prompt string) (text string, ok bool) {
	if held := s.o.In.held; held != nil {
		s.o.In.held = nil
		s.out.line(prompt + " " + *held)
		return strings.TrimSpace(*held), true
	}
	s.o.In.want()
	if s.o.In.Terminal {
		s.out.open(prompt)
	}
	for {
		select {
		case text, ok = <-s.o.In.lines:
			s.out.closed()
			if ok && !s.o.In.Terminal && text != "" {
				s.out.line(prompt + " " + text)
			}
			return strings.TrimSpace(text), ok
		case <-s.o.Interrupts:
			s.out.line("")
			return "", false
		case ev := <-s.events:
			if started, is := ev.(play.ReplyStarted); is && started.Chat == s.chat {
				s.out.line("")
				s.listen(ev)
				if s.o.In.Terminal {
					s.out.open(prompt)
				}
				continue
			}
			s.note(ev)
			if !s.o.In.Terminal {
				s.sayNews()
			}
		}
	}
}

// obey handles a line: a command, or a line of the play.
func (s *session) obey(ctx context.Context, text string) {
	switch {
	case text == "":
		if s.o.In.Terminal && len(s.news) == 0 {
			s.out.line("Nothing new. Write a message, or /help.")
		}
	case strings.HasPrefix(text, "//"): // a line that begins with a slash
		s.turn(func() error { _, err := s.e.Play.Send(s.chat, text[1:]); return err })
	case strings.HasPrefix(text, "/"):
		name, rest, _ := strings.Cut(text[1:], " ")
		s.command(ctx, strings.ToLower(name), strings.TrimSpace(rest))
	default:
		s.turn(func() error { _, err := s.e.Play.Send(s.chat, text); return err })
	}
}

// fail prints an error.
func (s *session) fail(err error) {
	if err != nil {
		s.out.line("Failed: " + failure.Text(err))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
