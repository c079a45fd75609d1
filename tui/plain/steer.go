package plain

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beats requests suggestions for the next reply, and takes one of them or a line of the user's own.
func beats(s *session, ctx context.Context, about string) {
	list, err := s.propose(ctx, about)
	switch {
	case errors.Is(err, failure.ErrStopped):
		s.out.line("Stopped.")
		return
	case err != nil:
		s.fail(err)
		return
	}
	s.list("Suggestions for the next reply:", nil, list)
	beat, _ := s.ask("Enter a number, or your own text. Enter skips.")
	if n, err := strconv.Atoi(beat); err == nil {
		if n < 1 || n > len(list) {
			s.out.line("No such suggestion; no instructions for the next reply.")
			return
		}
		beat = list[n-1]
	}
	if beat == "" {
		s.out.line("No instructions for the next reply.")
		return
	}
	s.want(func(was storage.Steer) (storage.Steer, error) {
		want, err := s.e.Play.Steering(beat)
		want.Acts = was.Acts
		return want, err
	})
}

// propose requests suggestions; ctrl+c cancels.
func (s *session) propose(ctx context.Context, about string) (list []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	crash.Go("suggestions for the next reply", func() {
		defer close(done)
		list, err = s.e.Play.Beats(ctx, s.chat, about, nil)
	})
	for {
		select {
		case <-done:
			return list, err
		case <-s.o.Interrupts:
			cancel()
		}
	}
}

// act sets the acts of the next reply, or lists them.
func act(s *session, _ context.Context, text string) {
	v, err := s.view(1)
	if err != nil {
		s.fail(err)
		return
	}
	if text == "" {
		var lines []string
		for _, a := range s.e.Play.Acts() {
			line := a.Name + ": " + a.Description
			if slices.Contains(v.Chat.Steer.Acts, a.Name) {
				line += " (wanted)"
			}
			lines = append(lines, line)
		}
		s.list("Quick acts; /act NAME sets one for the next reply, /act none clears them:", nil, lines)
		return
	}
	s.want(func(was storage.Steer) (storage.Steer, error) {
		if strings.EqualFold(text, "none") {
			return storage.Steer{}, nil
		}
		names := strings.FieldsFunc(strings.ReplaceAll(text, ", ", ","), func(r rune) bool { return r == ',' })
		return s.e.Play.Steering(was.Beat, slices.Concat(was.Acts, names)...)
	})
}

// want stores the instructions for the next reply. If the last message is the user's, the reply is
// requested immediately.
func (s *session) want(what func(storage.Steer) (storage.Steer, error)) {
	v, err := s.view(1)
	if err != nil {
		s.fail(err)
		return
	}
	steer, err := what(v.Chat.Steer)
	if err != nil {
		s.fail(err)
		return
	}
	if n := len(v.Messages); n > 0 && v.Messages[n-1].Role == storage.User && !steer.IsZero() {
		s.turn(func() error { return s.e.Play.Steer(s.chat, steer) })
		return
	}
	if err := s.e.Play.SetSteer(s.chat, steer); err != nil {
		s.fail(err)
		return
	}
	s.out.line(steered(steer))
}

// steered returns the instructions for the next reply, in words.
func steered(steer storage.Steer) string {
	if steer.IsZero() {
		return "No instructions for the next reply."
	}
	words := "The next reply"
	if steer.Beat != "" {
		words += " tells: " + steer.Beat
		if !strings.ContainsAny(words[len(words)-1:], ".!?") {
			words += "."
		}
		if len(steer.Acts) > 0 {
			words += " It"
		}
	}
	if len(steer.Acts) > 0 {
		words += " is " + strings.Join(steer.Acts, ", ") + "."
	}
	return words
}
