package plain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// numberOf returns the id for #3, or for the 3rd line of the last list.
func (s *session) numberOf(word string) (id string, ok bool) {
	number, marked := strings.CutPrefix(word, "#")
	n, err := strconv.Atoi(number)
	if !marked || err != nil || n < 1 || n > len(s.listed) {
		return "", false
	}
	return s.listed[n-1], true
}

// message returns the message with a number, as /read prints it; "" is the last.
func (s *session) message(text string) (chats.Message, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
	if text != "" && (err != nil || n < 1) {
		return chats.Message{}, fmt.Errorf("%q is not a message number; /read lists them", text)
	}
	v, err := s.view(1)
	if err != nil {
		return chats.Message{}, err
	}
	if text != "" && n > v.Total {
		return chats.Message{}, fmt.Errorf("there are %s", plural(v.Total, "message", "messages"))
	}
	if text != "" {
		if v, err = s.view(v.Total - n + 1); err != nil {
			return chats.Message{}, err
		}
	}
	if len(v.Messages) == 0 {
		return chats.Message{}, errors.New("there are no messages yet")
	}
	if text == "" {
		return v.Messages[len(v.Messages)-1], nil
	}
	for _, m := range v.Messages {
		if m.Depth+1 == n {
			return m, nil
		}
	}
	return chats.Message{}, fmt.Errorf("message %d no longer exists", n)
}

// lastReply returns the newest message that is not a picture.
func (s *session) lastReply() (m chats.Message, err error) {
	const look = 50 // pictures at the end of a chat
	v, err := s.view(look)
	if err != nil {
		return m, err
	}
	for i := len(v.Messages) - 1; i >= 0; i-- {
		if v.Messages[i].Role != storage.SceneCapture {
			return v.Messages[i], nil
		}
	}
	return m, errors.New("there are no messages yet")
}

func again(s *session, _ context.Context, _ string) {
	m, err := s.lastReply()
	if err != nil {
		s.fail(err)
		return
	}
	s.turn(func() error { return s.e.Play.Regenerate(s.chat, m.ID) })
}

func takes(s *session, _ context.Context, _ string) {
	m, err := s.lastReply()
	if err != nil {
		s.fail(err)
		return
	}
	_, all, err := s.e.Chats.Tree(s.chat)
	if err != nil {
		s.fail(err)
		return
	}
	var ids, lines []string
	for _, t := range all {
		if t.Parent == m.Parent {
			line := beginning(t.Content)
			if t.ID == m.ID {
				line = "(this one) " + line
			}
			ids, lines = append(ids, string(t.ID)), append(lines, line)
		}
	}
	s.list(plural(len(lines), "swipe", "swipes")+":", ids, lines)
}

func take(s *session, _ context.Context, text string) {
	m, err := s.lastReply()
	if err != nil {
		s.fail(err)
		return
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > m.Siblings {
		s.out.line(fmt.Sprintf("Enter a number from 1 to %d; /again creates another swipe.", m.Siblings))
		return
	}
	if _, err := s.e.Play.Swipe(s.chat, m.ID, n-1-m.At); err != nil {
		s.fail(err)
		return
	}
	read(s, nil, "1")
}

func goOn(s *session, _ context.Context, _ string) {
	s.turn(func() error { return s.e.Play.Continue(s.chat) })
}

func speak(s *session, _ context.Context, text string) {
	cast, err := s.e.Play.Cast(s.chat)
	if err != nil {
		s.fail(err)
		return
	}
	var names []string
	for _, c := range cast.List {
		if text != "" && strings.Contains(strings.ToLower(c.Name), strings.ToLower(text)) ||
			text == "" && len(cast.List) == 1 {
			s.turn(func() error { return s.e.Play.Speak(s.chat, c.Character) })
			return
		}
		names = append(names, c.Name)
	}
	s.list("Who? Characters in this chat:", nil, names)
}

func nudge(s *session, _ context.Context, text string) {
	if text == "" {
		s.out.line("Enter an instruction, for example: /nudge let the lamp go out")
		return
	}
	s.turn(func() error { return s.e.Play.Nudge(s.chat, text) })
}

func suggest(s *session, _ context.Context, text string) {
	s.turn(func() error { return s.e.Play.Impersonate(s.chat, text) })
}

func say(s *session, _ context.Context, text string) {
	if text == "" {
		text = s.suggested
	}
	if text == "" {
		s.out.line("There is no suggested message; /suggest creates one.")
		return
	}
	s.suggested = ""
	s.turn(func() error { _, err := s.e.Play.Send(s.chat, text); return err })
}

func read(s *session, _ context.Context, text string) {
	n, err := strconv.Atoi(text)
	if text == "" {
		n, err = 2, nil
	}
	if err != nil || n < 1 {
		s.out.line("Enter a number of messages.")
		return
	}
	v, err := s.view(n)
	if err != nil {
		s.fail(err)
		return
	}
	for _, m := range v.Messages[max(0, len(v.Messages)-n):] {
		s.sayMessage(m)
	}
}

func edit(s *session, _ context.Context, text string) {
	number, words, _ := strings.Cut(text, " ")
	m, err := s.message(number)
	if err != nil {
		s.fail(err)
		return
	}
	if words == "" {
		s.sayMessage(m)
		if words, _ = s.ask("New text? Enter cancels."); words == "" {
			s.out.line("Not changed.")
			return
		}
	}
	if err := s.e.Chats.Edit(s.chat, m.ID, words); err != nil {
		s.fail(err)
		return
	}
	s.out.line(fmt.Sprintf("Message %d edited.", m.Depth+1))
}

func remove(s *session, _ context.Context, text string) {
	m, err := s.message(text)
	if err == nil {
		err = s.e.Chats.Delete(s.chat, m.ID, false)
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.out.line(fmt.Sprintf("Message %d deleted; /undo restores it.", m.Depth+1))
}

func undo(s *session, _ context.Context, _ string) {
	back, err := s.e.Chats.StepBack(s.chat)
	if err != nil {
		s.fail(err)
		return
	}
	s.out.line("Undone: " + back.Text() + ".")
}

func listChats(s *session, _ context.Context, _ string) {
	list, err := s.e.Chats.List()
	if err != nil {
		s.fail(err)
		return
	}
	var ids, lines []string
	for _, c := range list {
		line := fmt.Sprintf("%s, %s", c.Title, plural(c.Messages, "message", "messages"))
		if c.ID == s.chat {
			line += ", open"
		}
		ids, lines = append(ids, string(c.ID)), append(lines, line)
	}
	s.list(plural(len(lines), "chat", "chats")+":", ids, lines)
}

func openChat(s *session, _ context.Context, text string) {
	if text == "" {
		listChats(s, nil, "")
		return
	}
	if id, ok := s.numberOf("#" + strings.TrimPrefix(text, "#")); ok {
		text = id
	}
	c, err := s.e.Chats.Find(text)
	if err == nil {
		err = s.open(c.ID)
	}
	s.fail(err)
}

func newChat(s *session, _ context.Context, text string) {
	if text == "" {
		s.fail(s.stage())
		return
	}
	who, err := s.e.Library.FindCharacter(text)
	if err != nil {
		s.fail(err)
		return
	}
	c, err := s.e.Chats.New(who.ID, "")
	if err == nil {
		err = s.open(c.ID)
	}
	s.fail(err)
}

func persona(s *session, _ context.Context, text string) {
	list, err := s.e.Library.Personas()
	if err != nil {
		s.fail(err)
		return
	}
	if text == "" {
		var ids, lines []string
		for _, p := range list {
			ids, lines = append(ids, string(p.ID)), append(lines, p.Name)
		}
		s.list("Personas:", ids, lines)
		return
	}
	if id, ok := s.numberOf("#" + strings.TrimPrefix(text, "#")); ok {
		text = id
	}
	p, err := s.e.Library.FindPersona(text)
	if err == nil {
		err = s.e.Chats.SetPersona(s.chat, p.ID)
	}
	if err != nil {
		s.fail(err)
		return
	}
	s.out.line("You are " + p.Name + ".")
}

func model(s *session, ctx context.Context, text string) {
	if text == "" {
		list, err := s.e.Models.Models(ctx)
		if err != nil {
			s.fail(err)
			return
		}
		var names []string
		for _, m := range list {
			names = append(names, m.Name)
		}
		v, err := s.view(1)
		s.fail(err)
		s.list(v.Model+" answers. Models:", names, names)
		return
	}
	if name, ok := s.numberOf("#" + strings.TrimPrefix(text, "#")); ok {
		text = name
	}
	if err := s.e.Chats.SetModel(s.chat, text); err != nil {
		s.fail(err)
		return
	}
	s.out.line(text + " answers in this chat.")
}

func recap(s *session, ctx context.Context, text string) {
	if text == "" {
		s.program(ctx, []string{"scene", "running", "."})
		return
	}
	s.program(ctx, append([]string{"scene", "recap", "."}, split(text)...))
}

// beginning returns the beginning of a text, on one line.
func beginning(text string) string {
	const most = 100
	words := strings.Join(strings.Fields(text), " ")
	if r := []rune(words); len(r) > most {
		return string(r[:most]) + " …"
	}
	return words
}
