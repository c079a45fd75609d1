package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// maxQuoted limits the part of a bad answer that is sent back to the model, in bytes.
const maxQuoted = 8 << 10

// AnswerError means that a model failed twice to give an answer of the required form.
type AnswerError struct {
	Fault  string // what is wrong with the last answer, in words for model and user
	Answer string // the last answer, as it came
	Ending Ending // how the last answer ended
}

// Error implements error.
func (e *AnswerError) Error() string { return "ollama answer: " + clipTo(e.Fault, maxFault) }

// Structured asks for an answer that follows schema (or req.Form), decodes it into the variable
// that into points to and lets check, which may be nil, judge it. After a bad answer the fault is
// sent to the model, once; if the second answer is bad too, the error is an *AnswerError. An error
// of check counts as a fault: its text goes to the model. Items of lists that are copied from the
// instruction are left out; any other copied text is a fault, and empty in the second answer. A
// model that copies an example is shown no examples any more, also for the second answer.
//
// into is set to zero before each decoding, so that nothing of the first answer remains in the
// second; with an error its value means nothing. onDelta, which may be nil, is called with the
// pieces of both. Unless req sets it, thinking is turned off. The Result is that of the last
// answer, with the reading time of both. If the caller stopped the answer, the error is the
// context's. If the answer broke off, the error is ErrLost, ErrStalled or ErrServer, which are
// worth a retry, and there is no second request.
func (c *Client) Structured(ctx context.Context, req Request, schema json.RawMessage, into any, check func() error,
	onDelta func(Delta)) (Result, error) {
	f, err := newForm(req, schema, into, check)
	if err != nil {
		err = c.refuse("answer", req.Model, err.Error())
		return Result{Ending: EndError, Fault: ErrorText(err), Cause: err}, err
	}
	req.Format = schema
	if c.copying.has(req.Model) {
		req.Messages, _ = withoutExamples(req.Messages)
	}
	res, twice, err := c.chatWithoutThinking(ctx, &req, onDelta)
	if err = interruption(ctx, res, err); err != nil {
		return res, err
	}
	fault := f.read(res)
	if f.copied {
		c.copying.add(req.Model)
	}
	if fault == nil {
		return res, nil
	}
	if req.CutEnds && res.Ending == EndLength || twice && strings.TrimSpace(res.Content) == "" {
		return res, &AnswerError{Fault: fault.Error(), Answer: res.Content, Ending: res.Ending}
	}
	again := req
	again.Messages = correction(req.Messages, res, fault)
	if bare, had := withoutExamples(req.Messages); had && f.copied {
		again.Messages = bare // a fresh start: it would copy its own answer too
	}
	second, err := c.Chat(ctx, again, onDelta)
	second.PromptEval += res.PromptEval
	if errors.Is(err, ErrTooLong) { // no room for the fault
		return res, &AnswerError{Fault: fault.Error(), Answer: res.Content, Ending: res.Ending}
	}
	if err = interruption(ctx, second, err); err != nil {
		return second, err
	}
	f.last = true
	if fault = f.read(second); fault != nil {
		return second, &AnswerError{Fault: fault.Error(), Answer: second.Content, Ending: second.Ending}
	}
	return second, nil
}

// chatWithoutThinking asks without thinking unless req decides otherwise. Some models and servers
// refuse a request that turns thinking off, and others then answer nothing if a form is required.
// They are asked once more without the setting; twice reports that. req keeps the setting that was
// used last. The Client remembers the models that answered nothing.
func (c *Client) chatWithoutThinking(ctx context.Context, req *Request,
	onDelta func(Delta)) (res Result, twice bool, err error) {
	if req.Think == "" {
		req.Think = ThinkOff
	}
	if req.Think == ThinkOff && c.mustThink.has(req.Model) {
		req.Think = ""
	}
	res, err = c.Chat(ctx, *req, onDelta)
	var e *Error
	refused := errors.As(err, &e) && e.Kind == ErrRefused && strings.Contains(strings.ToLower(e.Text), "think")
	empty := err == nil && isEmpty(res)
	if req.Think != ThinkOff || !refused && !empty {
		return res, false, err
	}
	req.Think = ""
	second, err := c.Chat(ctx, *req, onDelta)
	second.PromptEval += res.PromptEval
	if empty && err == nil && !isEmpty(second) {
		c.mustThink.add(req.Model)
	}
	return second, true, err
}

// isEmpty reports whether a model itself ended its answer without writing any.
func isEmpty(res Result) bool {
	ended := res.Ending == EndComplete || res.Ending == EndThinkingOnly && res.DoneReason != "length"
	return ended && res.Cause == nil && strings.TrimSpace(res.Content) == ""
}

// modelSet are names of models. The zero value has none; it is safe for concurrent use.
type modelSet struct{ names sync.Map }

func (m *modelSet) add(name string) { m.names.Store(name, true) }

func (m *modelSet) has(name string) bool {
	_, ok := m.names.Load(name)
	return ok
}

// interruption returns the error of an answer that broke off or was stopped, nil if it can be
// judged.
func interruption(ctx context.Context, res Result, err error) error {
	switch {
	case err != nil:
		return err
	case res.Ending == EndStopped:
		return fmt.Errorf("ollama answer: %w", ctx.Err())
	case res.Ending == EndDied, res.Ending == EndError, res.Ending == EndUnfinished, errors.Is(res.Cause, ErrStalled):
		return res.Cause
	}
	return nil
}

// correction returns the prompt with the bad answer and its fault appended, so that
// the server re-reads nothing of the prompt.
func correction(messages []Message, res Result, fault error) []Message {
	out := append(make([]Message, 0, len(messages)+2), messages...)
	if answer := res.Content; strings.TrimSpace(answer) != "" {
		if len(answer) > maxQuoted {
			answer = text.Truncate(answer, maxQuoted) + "…"
		}
		out = append(out, Message{Role: "assistant", Content: answer})
	}
	ask := "This answer cannot be used: " + faultText(fault.Error()) +
		". Give the whole answer once more, corrected, as JSON and nothing else."
	if res.Ending == EndLength || res.Ending == EndRepeat {
		ask += " Keep every text in it much shorter."
	}
	return append(out, Message{Role: "user", Content: ask})
}
