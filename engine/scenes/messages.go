package scenes

import (
	"context"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// RecapMessage queues a recap of a single message.
func (svc *Service) RecapMessage(chat storage.ChatID, node storage.NodeID,
	r RecapRequest) (id storage.OperationID, err error) {
	if err := checkStyle(r.Style); err != nil {
		return "", failure.Wrap("recap", err)
	}
	err = svc.ChangeScenes(chat, "recap", func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(chat, node)
		if err != nil {
			return err
		}
		if !p.InStory() {
			return failure.Refusef("this message has no text")
		}
		id, err = svc.core.Queue.AddOperation(tx, opMessage,
			chats.Params{Chat: chat, Node: node, Force: r.Force, Style: r.Style}, nil)
		return err
	})
	return id, err
}

// runMessage makes a recap of a single message. If the message is too long, only its beginning and
// end are shown.
func (svc *Service) runMessage(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
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
		before, err = saidBefore(tx, p.Chat, p.Node, scenePast)
		have = messageRecaps(tx, p.Chat, p.Node)
		return err
	})
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.models.Job(ctx, models.JobMessage, c)
	if err != nil {
		return queue.Effect{}, err
	}
	prompt := scene.MessagePrompt(svc.core.Prompts(), before, m, p.Style, user, char)
	key := scene.HashRequest(j.Server+" "+j.Model, prompt, "")
	if same := sameInputs(have, key); same != "" && !p.Force {
		return queue.Effect{Result: recapResult{Recap: same, Reused: true}}, nil
	}
	cut := 0
	for degree := 1; j.Fits(prompt) != nil && degree <= scene.MaxShortening(); degree++ {
		var shown []scene.Message
		shown, cut = scene.Shortened([]scene.Message{m}, degree)
		prompt = scene.MessagePrompt(svc.core.Prompts(), before, shown[0], p.Style, user, char)
	}
	var a scene.MessageAnswer
	if err := svc.models.AskJob(ctx, j, prompt, models.AnswerForm{Schema: scene.MessageSchema(), Into: &a,
		Check: a.Check, Show: scene.Partial}, report); err != nil {
		return queue.Effect{}, err
	}
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: p.Node, Kind: storage.MessageRecap,
		Origin: storage.Generated, Text: a.Text(), Shortened: cut,
		InputsHash: scene.HashMessages([]scene.Message{m}), RequestHash: key, Model: j.Model, Style: p.Style,
		CreatedAt: svc.core.Config.Now()}
	return queue.Effect{Result: recapResult{Recap: r.ID}, Apply: func(tx *storage.Tx) error {
		if n, err := tx.Node(p.Chat, p.Node); err != nil || n.Deleted {
			return queue.ErrDiscard
		}
		return storage.Recaps.Put(tx, p.Chat, r)
	}}, nil
}

// messageRecaps returns the versions of a single message's recap, oldest first.
func messageRecaps(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) []storage.Recap {
	var out []storage.Recap
	for _, r := range storage.Recaps.All(tx, chat) {
		if r.Kind == storage.MessageRecap && r.Node == node {
			out = append(out, r)
		}
	}
	return out
}
