package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/beats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beatsReply is the room for an answer with proposals.
const beatsReply = 400

// Beats asks for proposals of what may happen in the next reply of a chat, with a request at the
// end of the chat's own prompt. It returns up to beats.Wanted proposals, which are not stored. It
// is a turn: Stop ends it, and no reply is written meanwhile. It returns ErrStopped if it was
// stopped.
func (svc *Service) Beats(ctx context.Context, chat storage.ChatID, about string, not []string) ([]string, error) {
	const doing = "propose beats"
	if about = strings.TrimSpace(about); len(about) > maxNudge {
		return nil, failure.Wrap(doing, failure.Refusef("the topic may have at most %d bytes", maxNudge))
	}
	t, err := svc.reserve(chat)
	if err != nil {
		return nil, failure.Wrap(doing, err)
	}
	defer context.AfterFunc(ctx, t.cancel)()
	list, err := svc.askForBeats(t.ctx, chat, beats.Ask{About: about, Not: not})
	if err != nil && t.ctx.Err() != nil {
		err = failure.ErrStopped
	}
	svc.abandon(chat, t, err)
	if err != nil {
		return nil, failure.Wrap(doing, err)
	}
	return list, nil
}

func (svc *Service) askForBeats(ctx context.Context, chat storage.ChatID, ask beats.Ask) ([]string, error) {
	free, err := svc.acquireLane(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	r, story, err := svc.beatsRequest(chat, &ask)
	if err != nil {
		return nil, err
	}
	p, err := svc.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	req := p.request
	req.Form, req.Think, req.Options.Stop = beats.Form, "", nil // JSON may contain a text that ends replies
	var got beats.Answer
	var best []string
	who := svc.speakersAt(p.moment.Chat, p.moment)
	names := voice.Names(cmp.Or(who.user, "User"), who.speaker)
	check := func() error {
		mine, found := beats.For(names, beats.Clean(got.Proposals, ask.Not))
		if len(found) >= len(best) {
			best = found
		}
		if err := beats.Check(found, story); err != nil || len(mine) == 0 {
			return err
		}
		return fmt.Errorf("it is not said beforehand what %s does, and “%s” says it; in its place say what somebody "+
			"else does or what happens", names[0], mine[0])
	}
	_, err = svc.models.Ollama.Structured(ctx, req, beats.Schema, &got, check, nil)
	svc.recordUnanswered(p, err)
	var answer *ollama.AnswerError
	if errors.As(err, &answer) {
		if len(best) == 0 {
			lines := slices.DeleteFunc(beats.Lines(answer.Answer, ask.Not), ollama.Instruction(req.Messages).Has)
			_, best = beats.For(names, lines)
		}
		if err = nil; len(best) == 0 {
			err = failure.Refusef("the model made no usable suggestion: try again, or write your own")
		}
	}
	return best, err
}

// beatsRequest returns a request at the end of the prompt that the server has read, or will read
// for the reply that is due. story is the end of the play.
func (svc *Service) beatsRequest(chat storage.ChatID, ask *beats.Ask) (r request, story string, err error) {
	const look = 12 // messages
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		path, err := tx.Path(chat, c.Head, look)
		if err != nil {
			return err
		}
		r = request{chat: chat, parent: c.Head, beats: ask, appended: true, speaker: lastSpeaker(tx, c)}
		var b strings.Builder
		for _, n := range path {
			if n.Role == storage.User || n.Role == storage.Assistant {
				b.WriteString(n.Content + "\n")
				ask.Open = n.Role == storage.Assistant
			}
		}
		story = b.String()
		return nil
	})
	if !ask.Open {
		r.appended, r.speaker = false, "" // the next turn's own prompt, of whoever answers
		r.steer = &storage.Steer{}
	}
	return r, story, err
}

// askBeats appends the request for proposals to a prompt, and returns the most tokens of its
// answer.
func askBeats(s *prompt.Snapshot, ask beats.Ask) int {
	set := s.Set
	if set == nil {
		set = prompts.BuiltIn()
	}
	user := s.Persona.Name
	if user == "" {
		user = "User"
	}
	s.Appended = ask.Request(set, s.Card.CharName(), user)
	answer := min(beatsReply, max(1, s.Limits.Context/3))
	s.Limits.Pass = answer - s.Limits.Reply
	return answer
}

// recordUnanswered records that the server has read a prompt that no reply follows.
func (svc *Service) recordUnanswered(p preparedRequest, err error) {
	read := make([]prompts.Message, 0, len(p.prompt.Messages))
	for _, m := range p.prompt.Messages {
		read = append(read, prompts.Message{Role: m.Role, Content: m.Content})
	}
	svc.models.NoteJob(models.Job{Model: p.request.Model}, read, err)
}
