package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/kaptinlin/jsonrepair"
)

const (
	// maxRepair bounds what is handed to the repair of broken JSON, and
	// maxDepth its nesting.
	maxRepair = 256 << 10
	maxDepth  = 100
	// maxQuoted bounds how much of a bad answer goes back to the model.
	maxQuoted = 8 << 10
)

// AnswerError is a model's failure to give an answer of the wanted form, twice.
type AnswerError struct {
	Fault  string // what is wrong with the last answer, in a few words
	Answer string // the last answer, as it came
	Ending Ending // how the last answer ended
}

// Error implements error.
func (e *AnswerError) Error() string { return "ollama answer: " + clip(e.Fault) }

// Structured asks for an answer that follows schema (or req.Form), decodes it into the
// variable that into points to and lets check, which may be nil, judge it. Of a
// bad answer the model is told the fault, once; then the error is an
// *AnswerError. An error of check is such a fault: its text goes to the model.
//
// into is set to zero before each decoding, so that nothing of the first answer
// stays in the second; with an error its value means nothing. onDelta, which may
// be nil, is given the pieces of both. Unless req says otherwise the model is
// asked not to think. The Result is that of the last answer. An answer that the caller stopped gives the
// context's error; one that broke off gives ErrLost, ErrStalled or ErrServer,
// which are worth a retry, and is not asked again.
func (c *Client) Structured(ctx context.Context, req Request, schema json.RawMessage, into any, check func() error, onDelta func(Delta)) (Result, error) {
	accepted := schema
	if req.Form != nil {
		accepted = req.Form
	}
	form, err := resolve(accepted)
	if err != nil {
		err = c.refuse("answer", req.Model, err.Error())
		return Result{Ending: EndError, Fault: Words(err), Cause: err}, err
	}
	if v := reflect.ValueOf(into); v.Kind() != reflect.Pointer || v.IsNil() {
		err = c.refuse("answer", req.Model, "there is no place for the answer")
		return Result{Ending: EndError, Fault: Words(err), Cause: err}, err
	}
	req.Format = schema
	res, err := c.unthinking(ctx, &req, onDelta)
	if err = whole(ctx, res, err); err != nil {
		return res, err
	}
	fault := accept(res, form, into, check)
	if fault == nil {
		return res, nil
	}
	again := req
	again.Messages = correction(req.Messages, res, fault)
	second, err := c.Chat(ctx, again, onDelta)
	if errors.Is(err, ErrTooLong) { // no room to say what was wrong
		return res, &AnswerError{Fault: fault.Error(), Answer: res.Content, Ending: res.Ending}
	}
	if err = whole(ctx, second, err); err != nil {
		return second, err
	}
	if fault = accept(second, form, into, check); fault != nil {
		return second, &AnswerError{Fault: fault.Error(), Answer: second.Content, Ending: second.Ending}
	}
	return second, nil
}

func resolve(schema json.RawMessage) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("schema of the answer: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema of the answer: %w", err)
	}
	return r, nil
}

// unthinking asks without thinking unless req decides otherwise. Some models
// and servers refuse even to be told not to think: they are asked once more
// without a word about it, and req keeps that.
func (c *Client) unthinking(ctx context.Context, req *Request, onDelta func(Delta)) (Result, error) {
	if req.Think != nil {
		return c.Chat(ctx, *req, onDelta)
	}
	no := false
	req.Think = &no
	res, err := c.Chat(ctx, *req, onDelta)
	var e *Error
	if errors.As(err, &e) && e.Kind == ErrRefused && strings.Contains(strings.ToLower(e.Text), "think") {
		req.Think = nil
		return c.Chat(ctx, *req, onDelta)
	}
	return res, err
}

// whole gives the error of an answer that never had a chance to be right.
func whole(ctx context.Context, res Result, err error) error {
	switch {
	case err != nil:
		return err
	case res.Ending == EndStopped:
		return fmt.Errorf("ollama answer: %w", ctx.Err())
	case res.Ending == EndDied, res.Ending == EndError, res.Ending == EndUnfinished:
		return res.Cause
	}
	return nil
}

// accept tries to make sense of an answer. The error names its fault.
func accept(res Result, form *jsonschema.Resolved, into any, check func() error) error {
	switch res.Ending {
	case EndLength:
		return errors.New("it was cut off at the length limit before the JSON was complete")
	case EndRepeat:
		return errors.New("it repeated the same text until it was cut off")
	case EndThinkingOnly:
		return errors.New("it held only thoughts and no JSON")
	}
	text := strings.TrimSpace(res.Content)
	if text == "" {
		return errors.New("it was empty")
	}
	if json.Valid([]byte(text)) {
		return decode(text, form, into, check)
	}
	fixed, ok := repair(text)
	if !ok {
		return errors.New("it is not valid JSON")
	}
	return decode(fixed, form, into, check)
}

// repair mends what models do to JSON: fences, comments, missing quotes.
func repair(text string) (string, bool) {
	if len(text) > maxRepair || depth(text) > maxDepth {
		return "", false
	}
	fixed, err := jsonrepair.Repair(text)
	if err != nil || !json.Valid([]byte(fixed)) {
		return "", false
	}
	return fixed, true
}

// depth is the deepest nesting that the brackets in text could mean.
func depth(text string) int {
	open, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[', '(':
			open++
			deepest = max(deepest, open)
		case '}', ']', ')':
			open = max(open-1, 0)
		}
	}
	return deepest
}

func decode(text string, form *jsonschema.Resolved, into any, check func() error) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("it is not valid JSON: %w", err)
	}
	if err := form.Validate(v); err != nil {
		return errors.New("it does not follow the schema: " + clip(err.Error()))
	}
	reflect.ValueOf(into).Elem().SetZero()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return errors.New("a value has the wrong type: " + clip(err.Error()))
	}
	if check == nil {
		return nil
	}
	return check()
}

// correction is the prompt with the bad answer and its fault appended, so that
// the server re-reads nothing of the prompt.
func correction(messages []Message, res Result, fault error) []Message {
	out := append(make([]Message, 0, len(messages)+2), messages...)
	if answer := res.Content; strings.TrimSpace(answer) != "" {
		if len(answer) > maxQuoted {
			answer = strings.ToValidUTF8(answer[:maxQuoted], "") + "…"
		}
		out = append(out, Message{Role: "assistant", Content: answer})
	}
	ask := "This answer cannot be used: " + clip(fault.Error()) + ". Give the whole answer once more, corrected, as JSON and nothing else."
	if res.Ending == EndLength || res.Ending == EndRepeat {
		ask += " Keep every text in it much shorter."
	}
	return append(out, Message{Role: "user", Content: ask})
}
