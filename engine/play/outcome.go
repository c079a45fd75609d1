package play

import (
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// emptyTurnEvent returns the event of a turn that has added nothing. A reply that was continued is
// restored.
func (svc *Service) emptyTurnEvent(t *liveTurn, why error) event.Event {
	if t.continued != nil {
		t.mu.Lock()
		t.msg.Node = *t.continued // as it was
		wrote := t.everSaved
		t.mu.Unlock()
		if wrote {
			svc.storeFinal(t) // and as it is stored again
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = why
	return ReplyEnded{Chat: t.chat, Message: t.msg, Turn: t.turn, Err: t.err}
}

// proposalEvent returns the event that ends a turn whose text is not stored.
func (svc *Service) proposalEvent(t *liveTurn, res ollama.Result, err error) event.Event {
	t.turn.Content = res.Content
	if t.passage != nil {
		t.turn.Content = t.passage.Clean(res.Content)
	}
	switch {
	case res.Content == "":
		t.err = emptyReplyError(res, err)
	case t.turn.Content == "":
		t.err = errors.New("the model's answer was not usable")
	case t.turn.Fault != "" && t.passage == nil:
		svc.core.Emit(event.Notice{Level: event.Warning, Text: t.turn.Fault})
	}
	if t.passage != nil {
		return PassageWritten{Chat: t.chat, At: len(res.Content), Finished: true, Rejected: t.msg.Rejected,
			Passage: t.turn.Content, State: t.turn.State, Fault: t.turn.Fault, Err: t.err}
	}
	return LineSuggested{Chat: t.chat, At: len(res.Content), Firm: len(res.Content), Finished: true,
		Rejected: t.msg.Rejected, Err: t.err}
}

// emptyReplyError returns the reason why no text came.
func emptyReplyError(res ollama.Result, err error) error {
	switch {
	case err != nil:
		return err
	case res.Ending == ollama.EndStopped:
		return failure.ErrStopped
	case res.Fault != "":
		return errors.New(res.Fault)
	}
	return errors.New("the model answered with nothing")
}

// stateOf returns the message state for an ending, with a description of anything unusual.
func stateOf(res ollama.Result, err error) (storage.State, string) {
	if err != nil {
		return storage.Broken, failure.Text(err)
	}
	switch res.Ending {
	case ollama.EndComplete:
		if res.Fault != "" {
			return storage.Broken, res.Fault
		}
		return storage.Complete, ""
	case ollama.EndStopped:
		return storage.Stopped, ""
	case ollama.EndLength:
		return storage.Cut, res.Fault
	}
	return storage.Broken, res.Fault
}
