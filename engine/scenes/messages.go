package scenes

import (
	"context"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RecapMessage queues a recap of a single message.
func (svc *Service) RecapMessage(chat storage.ChatID, node storage.NodeID, r RecapRequest) (id storage.OperationID, err error) {
	if err := checkStyle(r.Style); err != nil {
		return "", failure.Fail("recap", err)
	}
	err = svc.Reshape(chat, "recap", func(tx *storage.Tx) error {
		p, err := tx.Place(chat, node)
		if err != nil {
			return err
		}
		if !p.Said() {
			return failure.Refuse("there are no words in this message")
		}
		id, err = svc.house.AddWork(tx, opMessage, chats.Params{Chat: chat, Node: node, Force: r.Force, Style: r.Style}, nil)
		return err
	})
	return id, err
}

// runMessage makes a recap of a single message.
func (svc *Service) runMessage(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := chats.ParamsOf(op)
	var c storage.Chat
	var m scene.Message
	var before []scene.Message
	var have []storage.Recap
	var char, user string
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		n, err := tx.Node(p.Chat, p.Node)
		if err != nil || n.Deleted {
			return queue.ErrDiscard
		}
		if c, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		m = messagesOf(tx, []storage.Node{n})[0]
		char, user = svc.chats.Names(tx, c)
		before, err = SaidBefore(tx, p.Chat, p.Node, ScenePast)
		have = messageRecaps(tx, p.Chat, p.Node)
		return err
	})
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.house.Job(ctx, house.JobMessage, c)
	if err != nil {
		return queue.Effect{}, err
	}
	prompt := scene.MessagePrompt(svc.core.Set(), before, m, p.Style, user, char)
	key := scene.Key(j.Server+" "+j.Model, prompt, "")
	if same := sameInputs(have, key); same != "" && !p.Force {
		return queue.Effect{Result: recapResult{Recap: same, Reused: true}}, nil
	}
	done := readingOf(p)
	shown := told{m, before, p.Style, user, char}
	if over, err := svc.readMessage(ctx, j, &done, shown, report); err != nil {
		return queue.Effect{}, err
	} else if !over {
		return goOn(p, done)
	}
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: p.Node, Kind: storage.MessageRecap, Origin: storage.Generated, Text: linesOf(done.Parts), Parts: len(done.Parts),
		Inputs: scene.Inputs([]scene.Message{m}), Key: key, Model: j.Model, Style: p.Style, CreatedAt: svc.core.Config.Now()}
	if r.Parts == 1 {
		r.Parts = 0
	}
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error {
		if n, err := tx.Node(p.Chat, p.Node); err != nil || n.Deleted {
			return queue.ErrDiscard
		}
		return storage.Recaps.Put(tx, p.Chat, r)
	}}, nil
}

// readMessage reads a message, or the next part of one that is too long to be read at
// once. over is false until all of it is read.
func (svc *Service) readMessage(ctx context.Context, j house.Job, r *reading, t told, report func(queue.Progress)) (over bool, err error) {
	count := j.Known.Meter.Count
	ask := func(m scene.Message, before []scene.Message) []scene.Prompt {
		return scene.MessagePrompt(svc.core.Set(), before, m, t.style, t.user, t.char)
	}
	room := j.Options.NumCtx - j.Options.NumPredict - requestFrame - messageState
	for _, p := range ask(scene.Message{}, t.before) {
		room -= count(p.Content) + 6
	}
	list := []scene.Message{t.message}
	part, to, number := t.message, scene.Spot{Number: 1}, 1
	of := 1
	if j.Fits(ask(t.message, t.before)) != nil {
		if !r.shorten(list, room, count) {
			return false, tooLong(j, ask(t.message, t.before))
		}
		list, _ = scene.Shortened(list, r.Degree)
		at := r.upTo(list)
		var p scene.Part
		p, to = next(list, at, len(r.Parts), room, count)
		part, number, of = p.Messages[0], p.Number, p.Of
		if said := linesOf(r.Parts); said != "" {
			t.before = append(slices.Clone(t.before[max(0, len(t.before)-1):]), scene.Message{Role: part.Role, Name: part.Name, Heard: part.Heard, Text: "(this message, in short, up to here)\n" + said})
		}
	}
	if of == 1 {
		r.Parts = nil
	} else {
		report = steps(report, number, of)
	}
	var a scene.MessageAnswer
	if err := svc.house.AskJob(ctx, j, ask(part, t.before), house.AnswerForm{Schema: scene.MessageSchema(), Into: &a, Check: a.Check, Show: scene.Partial}, report); err != nil {
		return false, err
	}
	r.Parts = append(r.Parts, readPart{To: to, Inputs: scene.Inputs(scene.Between(list, spotOf(r.Parts), to)), Made: storage.Recap{Text: a.Text()}})
	return to.Number == 1, nil
}

// messageState is the room for what the parts of a message before one have brought, in
// tokens. MessagePrompt bounds it.
const messageState = 300

// spotOf is where the next part begins.
func spotOf(parts []readPart) scene.Spot {
	if len(parts) == 0 {
		return scene.Spot{}
	}
	return parts[len(parts)-1].To
}

// linesOf are the lines that the parts of a message have brought, each once.
func linesOf(parts []readPart) string {
	var out []string
	for _, p := range parts {
		for _, l := range strings.Split(p.Made.Text, "\n") {
			if !slices.Contains(out, l) {
				out = append(out, l)
			}
		}
	}
	return strings.Join(out, "\n")
}

// told is a message that is recapped, and what a model is shown beside it.
type told struct {
	message           scene.Message
	before            []scene.Message
	style, user, char string
}

// messageRecaps are the versions of a single message's recap, oldest first.
func messageRecaps(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) []storage.Recap {
	var out []storage.Recap
	for _, r := range storage.Recaps.All(tx, chat) {
		if r.Kind == storage.MessageRecap && r.Node == node {
			out = append(out, r)
		}
	}
	return out
}
