package director

import (
	"errors"
	"iter"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lastEvaluated returns the newest record with an evaluation on the path that ends at leaf.
func lastEvaluated(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (storage.TurnRecord, bool) {
	for b := range recordsBefore(tx, chat, leaf, maxRecordAge) {
		if b.Seen != nil {
			return b, true
		}
	}
	return storage.TurnRecord{}, false
}

// maxRecordAge is the number of messages that a search for a record goes back: older records say
// nothing about the scene.
const maxRecordAge = 60

// recordsBefore yields the records among the last look messages of a path, newest first. Deleted
// messages and unreadable records are skipped.
func recordsBefore(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, look int) iter.Seq[storage.TurnRecord] {
	return func(yield func(storage.TurnRecord) bool) {
		if !storage.TurnRecords.Any(tx, chat) {
			return
		}
		looked := 0
		for p := range tx.PathInfos(chat, leaf) {
			if looked++; looked > look {
				return
			}
			if p.Deleted || !storage.TurnRecords.Has(tx, chat, p.ID) {
				continue
			}
			if b, err := storage.TurnRecords.Get(tx, chat, p.ID); err == nil && !yield(b) {
				return
			}
		}
	}
}

// RecordTurn counts a finished exchange and does what needs no model: the rhythm of pictures, and the end
// of a turn budget.
func (svc *Service) RecordTurn(tx *storage.Tx, n chats.FinishedReply) error {
	if n.Role != storage.Assistant || storage.TurnRecords.Has(tx, n.Chat, n.ID) {
		return nil
	}
	c, err := storage.Chats.Get(tx, n.Chat)
	if err != nil {
		return err
	}
	b := storage.TurnRecord{Node: n.ID, Turn: chats.TurnAt(tx, n.Chat, n.Parent) + chats.Exchange(tx, n.Node),
		At: svc.core.Config.Now()}
	if err := svc.updateSession(tx, c, n.ID); err != nil {
		return err
	}
	ep, ok := episodeOf(tx, c)
	if ok && !c.Play.Paused {
		turn := playTurn(c, b.Turn)
		if rules.Rhythm(ep.Mode(), ep.Interval(), turn) {
			if err := svc.autoPicture(tx, &c, &b, ep.Cost(), "every N turns"); err != nil {
				return err
			}
		}
		if by, ends := rules.IsComplete(nil, turn, ep.TurnBudget); ends {
			svc.completePlay(tx, &c, n.ID, by)
		}
	}
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return err
	}
	svc.records.Add(n.Chat, n.ID)
	return storage.TurnRecords.Put(tx, n.Chat, b)
}

// playTurn returns the turn of the episode for a turn of its chat.
func playTurn(c storage.Chat, turn int) int { return max(0, turn-c.Play.From) }

// episodeOf returns the episode that a chat plays.
func episodeOf(tx *storage.Tx, c storage.Chat) (storage.Episode, bool) {
	if c.Play.Episode == "" {
		return storage.Episode{}, false
	}
	ep, err := storage.Episodes.Get(tx, c.Play.Episode)
	return ep, err == nil
}

// completePlay marks a play as complete at a message unless it is complete on the path already.
func (svc *Service) completePlay(tx *storage.Tx, c *storage.Chat, at storage.NodeID, by storage.EndedBy) {
	if !endedAt(tx, *c, at) && svc.endPlay(tx, c, at, by) {
		svc.ends.Add(c.ID, at)
	}
}

// autoPicture requests an automatic picture of a record's turn if allowed; the first time, the user
// is asked. It changes the chat and the record, which the caller stores.
func (svc *Service) autoPicture(tx *storage.Tx, c *storage.Chat, b *storage.TurnRecord, cost int, why string) error {
	if b.Capture != "" {
		return nil
	}
	who, _ := svc.chats.Cast(tx, *c)
	allowance := svc.allowance(*c)
	afford, _ := rules.Afford(allowance, c.Play.Spent, cost)
	switch {
	case allowance == 0:
		b.Why = "no picture: automatic pictures are off in this chat"
		return nil
	case capture.Allowed(who.Immersion) != nil:
		b.Why = "no picture: the character's immersion must be full or unbounded"
		return nil
	case !afford:
		b.Why = "no picture: no sparks are left"
		return nil
	case c.Play.Asked == storage.SparksRefused:
		b.Why = "no picture: you have declined automatic pictures"
		return nil
	case c.Play.Asked != storage.SparksAllowed:
		b.Why = "a picture is waiting for your approval"
		if c.Play.Asked == storage.SparksUnasked {
			c.Play.Asked = storage.SparksAsked
			svc.asks.Add(c.ID, b.Node)
		}
		c.Play.Wanted = b.Node
		return nil
	}
	hint, visual := "", ""
	if b.Seen != nil {
		hint, visual = b.Seen.VisualHint, b.Seen.VisualType
	}
	id, err := svc.painter.QueueAutomatic(tx, *c, b.Node, hint, visual)
	if err != nil {
		return err
	}
	b.Capture, b.Why = id, why
	c.Play.Spent += cost
	return nil
}

// PictureFailed refunds the sparks of an automatic picture that failed, once per picture. It
// handles pictures.Service.Failed.
func (svc *Service) PictureFailed(tx *storage.Tx, failed storage.Capture) error {
	b, err := storage.TurnRecords.Get(tx, failed.Chat, failed.At)
	if err != nil || b.Capture != failed.ID {
		return failure.IgnoreMissing(err)
	}
	c, err := storage.Chats.Get(tx, failed.Chat)
	if err != nil {
		return failure.IgnoreMissing(err)
	}
	ep, _ := episodeOf(tx, c)
	b.Capture, b.Why = "", "the picture failed: its sparks were refunded"
	c.Play.Spent = max(0, c.Play.Spent-ep.Cost())
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return err
	}
	return storage.TurnRecords.Put(tx, c.ID, b)
}

// AllowScenes stores whether automatic pictures are allowed in a chat, and makes the one that
// waited for the answer.
func (svc *Service) AllowScenes(chat storage.ChatID, yes bool) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		wanted := c.Play.Wanted
		c.Play.Wanted, c.Play.Asked = "", storage.SparksRefused
		if yes {
			c.Play.Asked = storage.SparksAllowed
		}
		if err := svc.pictureWanted(tx, &c, wanted); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
	if err != nil {
		return failure.Wrap("allow pictures", err)
	}
	svc.core.Queue.Wake()
	svc.EmitDirected()
	svc.core.Emit(chats.ChatChanged{Chat: chat})
	svc.core.Emit(Changed{chat})
	return nil
}

// pictureWanted makes the picture that has waited for the user's answer, if its moment is still on
// the path.
func (svc *Service) pictureWanted(tx *storage.Tx, c *storage.Chat, wanted storage.NodeID) error {
	b, err := storage.TurnRecords.Get(tx, c.ID, wanted)
	if errors.Is(err, storage.ErrNotFound) || err == nil && !chats.ShownOn(tx, *c, wanted) {
		return nil
	}
	if err != nil {
		return err
	}
	ep, _ := episodeOf(tx, *c)
	if err := svc.autoPicture(tx, c, &b, ep.Cost(), "allowed by you"); err != nil {
		return err
	}
	return storage.TurnRecords.Put(tx, c.ID, b)
}

// EmitDirected emits what follows from records that were stored since the last call.
func (svc *Service) EmitDirected() {
	svc.painter.EmitQueued()
	for _, at := range svc.records.Take() {
		svc.core.Emit(Changed{at.Chat})
	}
	for _, at := range svc.asks.Take() {
		var c storage.Chat
		cost := 0
		err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
			if c, err = storage.Chats.Get(tx, at.Chat); err == nil {
				ep, _ := episodeOf(tx, c)
				cost = ep.Cost()
			}
			return err
		})
		if err == nil && c.Play.Asked == storage.SparksAsked {
			svc.core.Emit(SparksWanted{Chat: at.Chat, Node: at.Node, Cost: cost,
				Left: max(0, svc.allowance(c)-c.Play.Spent)})
		}
	}
	for _, at := range svc.ends.Take() {
		svc.emitEnd(at)
	}
}

func (svc *Service) emitEnd(at core.MessageRef) {
	var c storage.Chat
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Chats.Get(tx, at.Chat)
		return err
	}); err != nil {
		return
	}
	for _, end := range c.Play.Ends {
		if end.Node != at.Node {
			continue
		}
		ev := EpisodeEnded{Chat: at.Chat, By: end.By}
		if v, err := svc.View(at.Chat); err == nil {
			ev.Next = v.Next
		}
		svc.core.Emit(chats.ChatChanged{Chat: at.Chat})
		svc.core.Emit(ev)
		return
	}
}

// PictureMaker makes automatic pictures.
type PictureMaker interface {
	// RequestsOff reports whether no pictures are made in a chat because the user asks for them in
	// the talk.
	RequestsOff(tx *storage.Tx, c storage.Chat) bool
	// QueueRequested queues the prompt for a picture that the user asks for in a message: kind is "image"
	// or "video". A message gets one picture once.
	QueueRequested(tx *storage.Tx, c storage.Chat, message storage.NodeID, kind, subject string) error
	// QueueAutomatic queues a picture of the moment at a message. It is sent without asking when its
	// prompt is ready. hint describes what is worth seeing, and visual is the kind of subject; both
	// may be "".
	QueueAutomatic(tx *storage.Tx, c storage.Chat, at storage.NodeID, hint, visual string) (storage.CaptureID, error)
	// AppearanceAt returns the appearance facts that hold at a message, such as clothes, without those
	// of the cards.
	AppearanceAt(tx *storage.Tx, c storage.Chat, at storage.NodeID) []storage.Fact
	// EndAppearanceFact ends such a fact from a message on.
	EndAppearanceFact(tx *storage.Tx, chat storage.ChatID, f storage.Fact, at storage.NodeID) error
	// EmitQueued emits the pictures that were stored since the last call. It must not be called
	// inside a transaction.
	EmitQueued()
}
