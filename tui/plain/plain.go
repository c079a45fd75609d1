// Package plain is the program without a screen: a front end that asks and answers line
// by line, for screen readers, Braille displays, pipes, and terminals that can do no
// more. It writes text and line ends and nothing else: no colours, no cursor, no
// sequences. What has another front end as a pane is a numbered list here.
//
// It calls the same use cases as the screen. Lists and acts that the program has as
// commands are those commands, run on the engine that is open.
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

// Options say how the program is to go about it.
type Options struct {
	In         *Input
	Out        io.Writer
	Interrupts <-chan os.Signal // each a ctrl+c; may be nil
	Chat       storage.ChatID   // that is opened; "" is the last one
	Rehearse   bool             // stand-ins answer
	Introduced bool             // who the user is has been asked already
	Tips       bool             // words at the right moment are said, where somebody types
	// Program runs a command of the program on the open engine and writes to out what it
	// prints.
	Program func(args []string, out io.Writer) error
	// Work says what the operations of a type do; "" is nothing worth telling.
	Work func(operation string) string
}

// Outcome is why the front end was left.
type Outcome struct {
	Rehearse bool // the user wants to go on with the rehearsal servers
}

// session is one run.
type session struct {
	o         Options
	e         *engine.Engine
	out       *printer
	chat      storage.ChatID
	news      []string // that have yet to be said
	listed    []string // ids, by their numbers in the last list
	suggested string   // a line for the user
	tips      *tip.Scheduler
	events    chan event.Event
	hangUp    func()
	outcome   Outcome
	over      bool
}

// Run converses with the user until they leave, or there is nothing more to read.
func Run(ctx context.Context, e *engine.Engine, o Options) (Outcome, error) {
	s := &session{o: o, e: e, out: &printer{w: o.Out}, tips: tip.New(tips(e), e.Settings.Screen().Tips)}
	s.follow(ctx)
	defer func() { s.hangUp() }()
	if o.Rehearse {
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
	if !s.outcome.Rehearse {
		s.out.line("Goodbye. Everything is saved.")
	}
	return s.outcome, s.out.err
}

// follow begins to hear what happens, anew where it did already: what a command of the
// program has told itself is not told again.
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

// open makes a chat the one that is played, and says where it stands.
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

// leave tells the engine that the chat is not looked at any more.
func (s *session) leave() {
	if s.chat != "" {
		s.e.Play.LeaveChat(s.chat)
	}
}

// view returns the open chat with its newest messages.
func (s *session) view(last int) (chats.View, error) { return s.e.Play.View(s.chat, last) }

// name returns who the user is in the open chat.
func (s *session) name() string {
	v, err := s.view(1)
	if err != nil || v.Persona.Name == "" {
		return "You"
	}
	return v.Persona.Name
}

// ask puts a question and waits for the line that answers it. ok is false when there is
// none: the input has ended, or ctrl+c was pressed. While it waits, what happens is
// noted; on a terminal it is said once the line is whole, as nothing may be said amid
// what is being typed.
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

// obey does what a line says: a command, or a line of the play.
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

// fail says what went wrong.
func (s *session) fail(err error) {
	if err != nil {
		s.out.line("Failed: " + failure.Words(err))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
