package plain

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// begin opens the chat to continue. The first time there is none: it asks for the user's name, the
// model and the character, each with a default answer on enter. Without a terminal it takes the
// defaults.
func (s *session) begin(ctx context.Context) error {
	if s.o.Chat != "" {
		return s.open(s.o.Chat)
	}
	last, ok, err := s.e.Chats.Last()
	if err != nil {
		return err
	}
	if ok {
		if s.over = !s.model(ctx); s.over {
			return nil
		}
		return s.open(last)
	}
	if !s.o.Introduced {
		if err := s.introduce(); err != nil || s.over {
			return err
		}
	}
	if s.over = !s.model(ctx); s.over {
		return nil
	}
	return s.stage()
}

// answer asks for a line; "" is the default. Without a terminal it does not ask.
func (s *session) answer(question string) string {
	if !s.o.In.Terminal {
		return ""
	}
	text, ok := s.ask(question)
	s.over = s.over || !ok
	return text
}

// introduce asks for the user's name.
func (s *session) introduce() error {
	list, err := s.e.Library.Personas()
	if err != nil || len(list) == 0 {
		return err
	}
	who := list[0] // the default one
	name := s.answer("Your name? Enter: " + who.Name + ".")
	if name == "" || s.over {
		return nil
	}
	who.Name = name
	_, err = s.e.Library.SavePersona(who)
	return err
}

// model sees to it that there is one to ask, and reports whether to go on.
func (s *session) model(ctx context.Context) bool {
	if s.o.Demo || s.e.Models.ModelOf(storage.Chat{}) != "" {
		return true
	}
	list, err := s.e.Models.Models(ctx)
	if err != nil {
		s.out.line("No model: " + failure.Text(err))
	}
	names := make([]string, 0, len(list)+1)
	for _, m := range list {
		names = append(names, m.Name)
	}
	if len(names) == 0 {
		if s.answer("Enter starts the demo (nothing to install); q quits.") == "q" || s.over {
			return false
		}
		s.outcome.Demo = true
		return false
	}
	s.list("Choose a model", nil, append(names, "try the demo, without a model"))
	n := s.choose(len(names)+1, "Number? Enter: 1, "+names[0]+".")
	if n == len(names)+1 {
		s.outcome.Demo = true
		return false
	}
	if n > 0 {
		s.fail(s.e.Models.SetDefaultModel(names[n-1]))
	}
	return !s.over
}

// stage asks for a character, and begins a chat with it.
func (s *session) stage() error {
	list, err := s.e.Library.Characters()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		s.over = true
		s.out.line("There are no characters. ghostlight character import FILE imports one.")
		return nil
	}
	lines := make([]string, len(list))
	for i, c := range list {
		lines[i] = c.Card.Name
	}
	n := 1
	if s.o.In.Terminal {
		s.list("Choose a character", nil, lines)
		n = s.choose(len(list), "Number? Enter: 1, "+lines[0]+".")
	}
	if n == 0 {
		return nil
	}
	c, err := s.e.Chats.New(list[n-1].ID, "")
	if err != nil {
		return err
	}
	return s.open(c.ID)
}

// choose asks for a number up to most until it is valid; 0 leaves.
func (s *session) choose(most int, question string) int {
	for !s.over {
		text := s.answer(question)
		n, err := strconv.Atoi(strings.TrimSuffix(cmp.Or(text, "1"), "."))
		if err == nil && n >= 1 && n <= most && !s.over {
			return n
		}
		if !s.over {
			s.out.line(fmt.Sprintf("Enter a number from 1 to %d.", most))
		}
	}
	return 0
}
