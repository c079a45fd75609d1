package pictures

import (
	"cmp"
	"context"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// opIntent is an operation that an earlier version queued to judge whether a message asks for a
// picture. The pass after the turn does that now.
const opIntent = "picture_intent"

// discard completes an operation that has nothing to do.
func discard(context.Context, storage.Operation, func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, queue.ErrDiscard
}

// ConfirmRequested sends a picture that the user asked for in the chat, without changes.
func (svc *Service) ConfirmRequested(id storage.CaptureID) (storage.Capture, error) {
	var c storage.Capture
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Captures.Get(tx, id)
		return err
	}); err != nil {
		return c, failure.Wrap("picture", err)
	}
	if !c.Asked {
		return c, failure.Wrap("picture", failure.Refusef("not requested in the chat: check and send it"))
	}
	return svc.sendCapture(id, unchangedEdit)
}

// RequestsOff implements director.PictureMaker.
func (svc *Service) RequestsOff(tx *storage.Tx, c storage.Chat) bool {
	if svc.core.Settings().Images.Off {
		return true
	}
	who, _ := svc.chats.Cast(tx, c)
	return who.Imagery.Off
}

// QueueRequested implements director.PictureMaker. A regenerated reply does not create the picture again.
func (svc *Service) QueueRequested(tx *storage.Tx, c storage.Chat, message storage.NodeID, kind, subject string) error {
	if svc.RequestsOff(tx, c) || !chats.ShownOn(tx, c, message) {
		return nil
	}
	n, err := tx.Node(c.ID, message)
	if err != nil {
		return err
	}
	for _, made := range storage.Captures.All(tx) {
		if made.Chat == c.ID && made.Asked && requestMessage(tx, made) == message {
			return nil
		}
	}
	at := replyTo(tx, c, message)
	subject = cmp.Or(strings.TrimSpace(subject), text.Shorten(n.Content, maxSubject))
	made, err := svc.newCapture(tx, c, at, CaptureRequest{Kind: kind, Requested: subject, At: at},
		svc.core.Settings().Images.Unasked)
	if err != nil {
		return err
	}
	made.Asked = true
	svc.unannounced.Add(c.ID, storage.NodeID(made.ID))
	return storage.Captures.Put(tx, made.ID, made)
}

// maxSubject limits the bytes of a message that are used as the subject, if the model names none.
const maxSubject = 600

// replyTo returns the last reply to a message before the user's next one: the moment that a
// picture requested in the message shows. Without a reply it returns the message itself.
func replyTo(tx *storage.Tx, c storage.Chat, node storage.NodeID) storage.NodeID {
	at := node
	for p := range tx.PathInfos(c.ID, c.Head) {
		if p.ID == node {
			return at
		}
		if !p.InStory() {
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

// isStillRequested reports whether the message that requests the picture is on the path. It is
// true for pictures that were not requested in the chat.
func (svc *Service) isStillRequested(tx *storage.Tx, c storage.Capture) bool {
	if !c.Asked {
		return true
	}
	chat, err := storage.Chats.Get(tx, c.Chat)
	asked := requestMessage(tx, c)
	return err == nil && asked != "" && chats.ShownOn(tx, chat, asked)
}

// requestMessage returns the user's newest message at the moment of the capture, "" for none.
func requestMessage(tx *storage.Tx, c storage.Capture) storage.NodeID {
	for p := range tx.PathInfos(c.Chat, c.At) {
		n, err := tx.Node(c.Chat, p.ID)
		if err != nil {
			return ""
		}
		if n.Role == storage.User {
			return n.ID
		}
	}
	return ""
}

// notifyRequested emits that a picture was requested in the chat, and later that its prompt is
// ready.
func (svc *Service) notifyRequested(op storage.Operation) {
	if op.Status != storage.Completed {
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
			wanted = c.Asked && c.Status == storage.CaptureDraft && c.Prompt != "" && svc.isStillRequested(tx, c) &&
				isFirstPrompt(tx, op, id)
		}
		return err
	})
	if err == nil && wanted {
		svc.core.Emit(PictureRequested{c})
	}
}

// isFirstPrompt reports whether an operation wrote the first prompt of a capture, and not one that
// the user asked for again.
func isFirstPrompt(tx *storage.Tx, op storage.Operation, id storage.CaptureID) bool {
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

// QueueAutomatic implements director.PictureMaker: it queues a picture of the moment at a message, which is
// sent as soon as its prompt is written.
func (svc *Service) QueueAutomatic(tx *storage.Tx, c storage.Chat, at storage.NodeID,
	hint, visual string) (storage.CaptureID, error) {
	p, err := svc.newCapture(tx, c, at, CaptureRequest{Kind: string(capture.Image), Hint: hint, Visual: visual}, true)
	if err != nil {
		return "", err
	}
	svc.unannounced.Add(c.ID, storage.NodeID(p.ID))
	return p.ID, nil
}

// EmitQueued implements director.PictureMaker: it emits automatic pictures and ended appearance
// facts.
func (svc *Service) EmitQueued() {
	for _, at := range svc.unannounced.Take() {
		if at.Node == "" {
			svc.Continuity.emitChanged(at.Chat)
			continue
		}
		var c storage.Capture
		if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
			c, err = storage.Captures.Get(tx, storage.CaptureID(at.Node))
			return err
		}); err == nil {
			svc.core.Emit(CaptureChanged{c})
		}
	}
}
