package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/ollama"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// opIntent judges whether a message asks for a picture.
const opIntent = "picture_intent"

// intentReply is the room for the answer whether a picture is asked for.
const intentReply = 200

// Requested tells whether a message shows a picture that somebody asked for.
// Such a picture is shown as the character's own message; it is stored as
// pictures are, so that no language model is told of it.
func (m Message) Requested() bool { return m.Picture != nil && m.Picture.Requested != "" }

// ConfirmAsked has a picture painted that was asked for in the talk, as it
// stands. It is SendCapture without a change.
func (e *Engine) ConfirmAsked(id storage.CaptureID) (storage.Capture, error) {
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("picture", err)
	}
	if !c.Asked {
		return c, fail("picture", refuse("this was not asked for in the talk: look at it and send it"))
	}
	return e.sendCapture(id, asItStands)
}

// lookForPicture queues the question whether a message that the user has just
// sent asks for a picture, where its words make that possible. It is asked after
// the reply, and once: swiping that does not ask again.
func (e *Engine) lookForPicture(tx *storage.Tx, n *storage.Node) error {
	c, err := storage.Chats.Get(tx, n.Chat)
	if err != nil {
		return err
	}
	if n.Role != storage.User || e.picturesOff(tx, c) || len(capture.Gate(n.Content)) == 0 {
		return nil
	}
	_, err = e.addWork(tx, opIntent, sceneParams{Chat: c.ID, Node: n.ID}, nil)
	return err
}

// picturesOff tells whether nobody looks for requests in a chat.
func (e *Engine) picturesOff(tx *storage.Tx, c storage.Chat) bool {
	if e.cfg.Images.Off {
		return true
	}
	who, _ := e.cast(tx, c)
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
func (e *Engine) runIntent(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p := sceneParamsOf(op)
	if !e.cfg.Jobs.ChatWaits { // the reply has the server first
		if err := e.talk.Ended(ctx, p.Chat); err != nil {
			return queue.Effect{}, err
		}
	}
	a, err := e.readAsked(p)
	if err != nil {
		return queue.Effect{}, err
	}
	r := intentResult{By: "meaning"}
	w, plain := e.judgeMeaning(ctx, a.asking.Sentences)
	if !plain {
		r.By = "question"
		if w, err = e.askIntent(ctx, a); err != nil && !isAnswerFault(err) {
			return queue.Effect{}, err
		}
		if err != nil {
			w, r.Fault = capture.Wish{Wants: capture.WantsNeither}, Words(err) // in doubt none
		}
	}
	r.Wants, r.Subject = w.Wants, w.Subject
	if w.Wants == capture.WantsNeither {
		return queue.Effect{Result: r}, nil
	}
	return queue.Effect{Result: r, Apply: func(tx *storage.Tx) error { return e.keepAsked(tx, a, w) }}, nil
}

// readAsked reads a message as it is now. Nothing is asked of one that is no
// longer part of the story, or no longer asks.
func (e *Engine) readAsked(p sceneParams) (a askedPicture, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		if a.chat, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		c := a.chat
		if e.picturesOff(tx, c) || !shownOn(tx, c, p.Node) {
			return queue.ErrDiscard
		}
		if a.node, err = tx.Node(c.ID, p.Node); err != nil {
			return err
		}
		if a.asking.Sentences = capture.Gate(a.node.Content); len(a.asking.Sentences) == 0 {
			return queue.ErrDiscard
		}
		a.asking.Char, a.asking.User = e.names(tx, c)
		if reply := lastReply(tx, c); reply != "" && reply != p.Node && onPath(tx, c.ID, reply, p.Node) {
			if a.reply, err = tx.Node(c.ID, reply); err != nil {
				return err
			}
		}
		a.asking.Messages, err = saidUntil(tx, c.ID, answerTo(tx, c, p.Node), capture.RequestedWindow)
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
func (e *Engine) judgeMeaning(ctx context.Context, sentences []string) (w capture.Wish, plain bool) {
	model := e.cfg.Stage.EmbedModel
	if model == "" {
		return w, false
	}
	if e.embedRests() {
		return w, false
	}
	e.mu.Lock()
	known := e.intents[model]
	e.mu.Unlock()
	prototypes := capture.Prototypes()
	texts := slices.Clone(sentences)
	if known == nil {
		for _, p := range prototypes {
			texts = append(texts, p.Text)
		}
	}
	wait, cancel := context.WithTimeout(ctx, embedWait)
	defer cancel()
	made, err := e.embed(wait, model, texts, nil)
	if err != nil {
		if ctx.Err() == nil {
			e.log.Info("a request for a picture is not judged by its meaning", "model", model, "err", err)
		}
		return w, false
	}
	if known == nil {
		known = made[len(sentences):]
		e.mu.Lock()
		if e.intents == nil {
			e.intents = map[string][][]float32{}
		}
		e.intents[model] = known
		e.mu.Unlock()
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
		near, ok := cosine(v, known[i])
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
func (e *Engine) askIntent(ctx context.Context, a askedPicture) (w capture.Wish, err error) {
	j, err := e.job(ctx, JobCapture, a.chat)
	if err != nil {
		return w, err
	}
	off := false
	j.options.NumPredict, j.think = min(j.options.NumPredict, intentReply), &off
	prompt, rides := e.ridingIntent(ctx, j, a)
	if !rides {
		for _, m := range capture.IntentMessages(e.set(), a.asking) {
			prompt = append(prompt, scene.Prompt(m))
		}
		if err := j.fits(prompt); err != nil {
			return w, err
		}
	}
	check := func() error { _, err := w.Clean(); return err }
	_, err = j.client.Structured(ctx, j.request(prompt), capture.WishSchema(), &w, check, nil)
	switch {
	case rides:
		e.noteServer(err)
	default:
		e.noteJob(j, prompt, err)
	}
	if rides && errors.Is(err, ollama.ErrTooLong) {
		a.reply = storage.Node{}
		return e.askIntent(ctx, a)
	}
	if err != nil {
		return w, j.wrongForm(err)
	}
	w, err = w.Clean()
	if w.Wants != capture.WantsNeither && w.Subject == "" {
		w.Subject = a.asking.Sentences[len(a.asking.Sentences)-1]
	}
	return w, err
}

// ridingIntent is the chat's own prompt with the question at its end.
func (e *Engine) ridingIntent(ctx context.Context, j job, a askedPicture) ([]scene.Prompt, bool) {
	if a.reply.ID == "" || e.cfg.Stage.Separate || !e.sameAsChat(j, a.chat.Model) {
		return nil, false
	}
	out, err := e.rider.Riding(ctx, j, a.chat, a.reply.ID, a.reply.Speaker, capture.IntentInstruction(e.set(), a.asking))
	return out, err == nil
}

// keepAsked has the prompt written of a picture that a message asks for, unless
// that has left the story meanwhile. One that was rewritten is looked at anew.
func (e *Engine) keepAsked(tx *storage.Tx, a askedPicture, w capture.Wish) error {
	c, err := storage.Chats.Get(tx, a.chat.ID)
	if err != nil || !shownOn(tx, c, a.node.ID) || e.picturesOff(tx, c) {
		return queue.ErrDiscard
	}
	n, err := tx.Node(c.ID, a.node.ID)
	if err != nil {
		return err
	}
	if n.Content != a.node.Content {
		return e.lookForPicture(tx, &n)
	}
	at := answerTo(tx, c, n.ID)
	made, err := e.newCapture(tx, c, at, CaptureRequest{Kind: string(w.Wants), Requested: strings.TrimSpace(w.Subject), At: at}, e.cfg.Images.Unasked)
	if err != nil {
		return err
	}
	made.Asked = true
	e.pictured.add(c.ID, storage.NodeID(made.ID))
	return storage.Captures.Put(tx, made.ID, made)
}

// stillAsked tells whether the message that asks for a picture is part of the
// story. A picture that nobody asked for in the talk has none to lose.
func (e *Engine) stillAsked(tx *storage.Tx, c storage.Capture) bool {
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
			return shownOn(tx, chat, n.ID)
		}
	}
	return false
}

// askedOperation tells of pictures that were asked for in the talk: that there is
// one, and later that its prompt waits for a look.
func (e *Engine) askedOperation(op storage.Operation) {
	if op.Status != storage.Completed {
		return
	}
	if op.Type == opIntent {
		e.TellPictured()
		return
	}
	id := paramsOf(op).Capture
	if op.Type != opCapturePrompt || id == "" || e.cfg.Images.Unasked {
		return
	}
	var c storage.Capture
	wanted := false
	err := e.store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err == nil {
			wanted = c.Asked && c.Status == storage.CaptureDraft && c.Prompt != "" && e.stillAsked(tx, c) && firstPrompt(tx, op, id)
		}
		return err
	})
	if err == nil && wanted {
		e.emit(PictureAsked{c})
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

// CaptureAt implements director.Painter: it queues a picture of the moment at a message, which is sent without
// asking when its prompt is there.
func (e *Engine) CaptureAt(tx *storage.Tx, c storage.Chat, at storage.NodeID) (storage.CaptureID, error) {
	p, err := e.newCapture(tx, c, at, CaptureRequest{Kind: string(capture.Image)}, true)
	if err != nil {
		return "", err
	}
	e.pictured.add(c.ID, storage.NodeID(p.ID))
	return p.ID, nil
}

// TellPictured implements director.Painter: it tells of pictures that nobody has asked for by a key.
func (e *Engine) TellPictured() {
	for _, at := range e.pictured.take() {
		var c storage.Capture
		if err := e.store.View(func(tx *storage.Tx) (err error) {
			c, err = storage.Captures.Get(tx, storage.CaptureID(at.Node))
			return err
		}); err == nil {
			e.emit(CaptureChanged{c})
		}
	}
}
