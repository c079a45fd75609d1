package pictures

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// opIntent judges whether a message asks for a picture.
const opIntent = "picture_intent"

// intentReply is the room for the answer whether a picture is asked for.
const intentReply = 200

// ConfirmAsked has a picture painted that was asked for in the talk, as it
// stands. It is SendCapture without a change.
func (svc *Service) ConfirmAsked(id storage.CaptureID) (storage.Capture, error) {
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, failure.Fail("picture", err)
	}
	if !c.Asked {
		return c, failure.Fail("picture", failure.Refuse("you did not ask for this in the chat: look at it and send it"))
	}
	return svc.sendCapture(id, asItStands)
}

// LookForPicture queues the question whether a message that the user has just
// sent asks for a picture, where its words make that possible. It is asked after
// the reply, and once: swiping that does not ask again.
func (svc *Service) LookForPicture(tx *storage.Tx, said chats.Said) error {
	c, n := said.Chat, said.Node
	if n.Role != storage.User || svc.picturesOff(tx, c) || len(capture.Gate(n.Content)) == 0 {
		return nil
	}
	_, err := svc.house.AddWork(tx, opIntent, chats.Params{Chat: c.ID, Node: n.ID}, nil)
	return err
}

// picturesOff tells whether nobody looks for requests in a chat.
func (svc *Service) picturesOff(tx *storage.Tx, c storage.Chat) bool {
	if svc.core.Settings().Images.Off {
		return true
	}
	who, _ := svc.chats.Cast(tx, c)
	return who.Imagery.Off
}

// askedPicture is a message that may ask for a picture, with what its judgement needs.
type askedPicture struct {
	chat   storage.Chat
	node   storage.Node
	reply  storage.Node // the newest one, at which the chat's prompt ends; zero for none since
	asking capture.Asking
}

// intentResult is what the operation leaves. By is what has judged: meaning, or
// the question.
type intentResult struct {
	Wants   capture.Intent `json:"wants"`
	By      string         `json:"by,omitempty"`
	Subject string         `json:"subject,omitempty"`
	Fault   string         `json:"fault,omitempty"`
}

// runIntent judges whether a message asks for a picture: by what its sentences
// mean, and where that is not plain by a question. The prompt of the picture is
// queued together with the answer.
func (svc *Service) runIntent(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p := chats.ParamsOf(op)
	if !svc.core.Settings().Jobs.ChatWaits { // the reply has the server first
		if err := svc.Replies.WaitReply(ctx, p.Chat); err != nil {
			return queue.Effect{}, err
		}
	}
	a, err := svc.readAsked(p)
	if err != nil {
		return queue.Effect{}, err
	}
	r := intentResult{By: "meaning"}
	w, plain := svc.judgeMeaning(ctx, a.asking.Sentences)
	if !plain {
		r.By = "question"
		if w, err = svc.askIntent(ctx, a); err != nil && !failure.IsAnswerFault(err) {
			return queue.Effect{}, err
		}
		if err != nil {
			w, r.Fault = capture.Wish{Wants: capture.WantsNeither}, failure.Words(err) // in doubt none
		}
	}
	r.Wants, r.Subject = w.Wants, w.Subject
	if w.Wants == capture.WantsNeither {
		return queue.Effect{Result: r}, nil
	}
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error { return svc.keepAsked(tx, a, w) }}, nil
}

// readAsked reads a message as it is now. Nothing is asked of one that is no
// longer part of the story, or no longer asks.
func (svc *Service) readAsked(p chats.Params) (a askedPicture, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if a.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		c := a.chat
		if svc.picturesOff(tx, c) || !chats.ShownOn(tx, c, p.Node) {
			return queue.ErrDiscard
		}
		if a.node, err = tx.Node(c.ID, p.Node); err != nil {
			return err
		}
		if a.asking.Sentences = capture.Gate(a.node.Content); len(a.asking.Sentences) == 0 {
			return queue.ErrDiscard
		}
		a.asking.Char, a.asking.User = svc.chats.Names(tx, c)
		if reply := director.LastReply(tx, c); reply != "" && reply != p.Node && chats.OnPath(tx, c.ID, reply, p.Node) {
			if a.reply, err = tx.Node(c.ID, reply); err != nil {
				return err
			}
		}
		a.asking.Messages, err = chats.SaidUntil(tx, c.ID, answerTo(tx, c, p.Node), capture.RequestedWindow)
		return err
	})
	return a, err
}

// answerTo is the last reply to a message before the user spoke again: the moment
// that a picture shows which the message asks for. It is the message itself while
// there is no reply.
func answerTo(tx *storage.Tx, c storage.Chat, node storage.NodeID) storage.NodeID {
	at := node
	for p := range tx.Spine(c.ID, c.Head) {
		if p.ID == node {
			return at
		}
		if !p.Said() {
			continue
		}
		n, err := tx.Node(c.ID, p.ID)
		switch {
		case err != nil || n.Role == storage.User:
			at = node
		case at == node:
			at = p.ID
		}
	}
	return node
}

// judgeMeaning compares sentences with the prototypes of each intent, where an
// embedding model is set. It is plain when one of them clearly asks for a picture,
// or clearly none does. It must not be called inside a transaction.
func (svc *Service) judgeMeaning(ctx context.Context, sentences []string) (w capture.Wish, plain bool) {
	model := svc.core.Settings().Stage.EmbedModel
	if model == "" {
		return w, false
	}
	if svc.memory.EmbedRests() {
		return w, false
	}
	svc.mu.Lock()
	known := svc.intents[model]
	svc.mu.Unlock()
	prototypes := capture.Prototypes()
	texts := slices.Clone(sentences)
	if known == nil {
		for _, p := range prototypes {
			texts = append(texts, p.Text)
		}
	}
	wait, cancel := context.WithTimeout(ctx, memory.EmbedWait)
	defer cancel()
	made, err := svc.memory.Embed(wait, model, texts, nil)
	if err != nil {
		if ctx.Err() == nil {
			svc.core.Log.Info("a request for a picture is not judged by its meaning", "model", model, "err", err)
		}
		return w, false
	}
	if known == nil {
		known = made[len(sentences):]
		svc.mu.Lock()
		if svc.intents == nil {
			svc.intents = map[string][][]float32{}
		}
		svc.intents[model] = known
		svc.mu.Unlock()
	}
	w, plain = capture.Wish{Wants: capture.WantsNeither}, true
	for i, s := range sentences {
		intent, ambiguous := capture.Judge(similarity(made[i], prototypes, known))
		if !ambiguous && intent != capture.WantsNeither {
			return capture.Wish{Wants: intent, Subject: s}, true
		}
		plain = plain && !ambiguous
	}
	return w, plain
}

// similarity is how near a vector comes to the prototypes of each intent.
func similarity(v []float32, prototypes []capture.Prototype, known [][]float32) capture.Sims {
	s := capture.Sims{Image: -1, Video: -1, Neither: -1}
	for i, p := range prototypes {
		near, ok := memory.Cosine(v, known[i])
		if !ok {
			continue
		}
		of := map[capture.Intent]*float64{capture.WantsImage: &s.Image, capture.WantsVideo: &s.Video, capture.WantsNeither: &s.Neither}[p.Intent]
		*of = max(*of, near)
	}
	return s
}

// askIntent asks the model what is wanted: at the end of the chat's own prompt,
// which the server has in its cache, or by a request of its own.
func (svc *Service) askIntent(ctx context.Context, a askedPicture) (w capture.Wish, err error) {
	j, err := svc.house.Job(ctx, house.JobCapture, a.chat)
	if err != nil {
		return w, err
	}
	off := false
	j.Options.NumPredict, j.Think = min(j.Options.NumPredict, intentReply), &off
	prompt, fits := svc.appendedIntent(ctx, j, a)
	if !fits {
		for _, m := range capture.IntentMessages(svc.core.Set(), a.asking) {
			prompt = append(prompt, prompts.Message(m))
		}
		if err := j.Fits(prompt); err != nil {
			return w, err
		}
	}
	check := func() error { _, err := w.Clean(); return err }
	_, err = j.Client.Structured(ctx, j.Request(prompt), capture.WishSchema(), &w, check, nil)
	switch {
	case fits:
		svc.house.NoteServer(err)
	default:
		svc.house.NoteJob(j, prompt, err)
	}
	if fits && errors.Is(err, ollama.ErrTooLong) {
		a.reply = storage.Node{}
		return svc.askIntent(ctx, a)
	}
	if err != nil {
		return w, j.WrongForm(err)
	}
	w, err = w.Clean()
	if w.Wants != capture.WantsNeither && w.Subject == "" {
		w.Subject = a.asking.Sentences[len(a.asking.Sentences)-1]
	}
	return w, err
}

// appendedIntent is the chat's own prompt with the question at its end.
func (svc *Service) appendedIntent(ctx context.Context, j house.Job, a askedPicture) ([]prompts.Message, bool) {
	if a.reply.ID == "" || svc.core.Settings().Stage.Separate || !svc.house.SameAsChat(j, a.chat) {
		return nil, false
	}
	out, err := svc.house.Appender.AppendedPrompt(ctx, j, a.chat, a.reply.ID, a.reply.Speaker, capture.IntentInstruction(svc.core.Set(), a.asking))
	return out, err == nil
}

// keepAsked has the prompt written of a picture that a message asks for, unless
// that has left the story meanwhile. One that was rewritten is looked at anew.
func (svc *Service) keepAsked(tx *storage.Tx, a askedPicture, w capture.Wish) error {
	c, err := storage.Chats.Get(tx, a.chat.ID)
	if err != nil || !chats.ShownOn(tx, c, a.node.ID) || svc.picturesOff(tx, c) {
		return queue.ErrDiscard
	}
	n, err := tx.Node(c.ID, a.node.ID)
	if err != nil {
		return err
	}
	if n.Content != a.node.Content {
		return svc.LookForPicture(tx, chats.Said{Chat: c, Node: n})
	}
	at := answerTo(tx, c, n.ID)
	made, err := svc.newCapture(tx, c, at, CaptureRequest{Kind: string(w.Wants), Requested: strings.TrimSpace(w.Subject), At: at}, svc.core.Settings().Images.Unasked)
	if err != nil {
		return err
	}
	made.Asked = true
	svc.pictured.Add(c.ID, storage.NodeID(made.ID))
	return storage.Captures.Put(tx, made.ID, made)
}

// stillAsked tells whether the message that asks for a picture is part of the
// story. A picture that nobody asked for in the talk has none to lose.
func (svc *Service) stillAsked(tx *storage.Tx, c storage.Capture) bool {
	if !c.Asked {
		return true
	}
	chat, err := storage.Chats.Get(tx, c.Chat)
	if err != nil {
		return false
	}
	for p := range tx.Spine(c.Chat, c.At) {
		n, err := tx.Node(c.Chat, p.ID)
		if err != nil {
			return false
		}
		if n.Role == storage.User {
			return chats.ShownOn(tx, chat, n.ID)
		}
	}
	return false
}

// askedOperation tells of pictures that were asked for in the talk: that there is
// one, and later that its prompt waits for a look.
func (svc *Service) askedOperation(op storage.Operation) {
	if op.Status != storage.Completed {
		return
	}
	if op.Type == opIntent {
		svc.TellPictured()
		return
	}
	id := paramsOf(op).Capture
	if op.Type != OpCapturePrompt || id == "" || svc.core.Settings().Images.Unasked {
		return
	}
	var c storage.Capture
	wanted := false
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err == nil {
			wanted = c.Asked && c.Status == storage.CaptureDraft && c.Prompt != "" && svc.stillAsked(tx, c) && firstPrompt(tx, op, id)
		}
		return err
	})
	if err == nil && wanted {
		svc.core.Emit(PictureAsked{c})
	}
}

// firstPrompt tells whether an operation wrote the first prompt of a capture: one
// that the user has asked for again is looked at already.
func firstPrompt(tx *storage.Tx, op storage.Operation, id storage.CaptureID) bool {
	for _, other := range storage.Operations.All(tx) {
		if other.ID >= op.ID {
			break
		}
		if other.Type == op.Type && paramsOf(other).Capture == id {
			return false
		}
	}
	return true
}

// CaptureAt implements director.Painter: it queues a picture of the moment at a message,
// which is sent without asking when its prompt is there.
func (svc *Service) CaptureAt(tx *storage.Tx, c storage.Chat, at storage.NodeID, hint, visual string) (storage.CaptureID, error) {
	p, err := svc.newCapture(tx, c, at, CaptureRequest{Kind: string(capture.Image), Hint: hint, Visual: visual}, true)
	if err != nil {
		return "", err
	}
	svc.pictured.Add(c.ID, storage.NodeID(p.ID))
	return p.ID, nil
}

// TellPictured implements director.Painter: it tells of pictures that nobody has asked for by a key.
func (svc *Service) TellPictured() {
	for _, at := range svc.pictured.Take() {
		var c storage.Capture
		if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
			c, err = storage.Captures.Get(tx, storage.CaptureID(at.Node))
			return err
		}); err == nil {
			svc.core.Emit(CaptureChanged{c})
		}
	}
}
