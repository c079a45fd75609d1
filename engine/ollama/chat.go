package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Message is one message of a prompt. Role is system, user, assistant or tool.
type Message struct {
	Role, Content string
	Thinking      string     // of an assistant's message that is carried on
	Calls         []ToolCall // of an assistant's message, in order
	Tool          string     // the tool whose result the message holds
}

// Options are the settings of the model for a request. NumCtx and NumPredict must be positive:
// without NumCtx the server reloads the model, without NumPredict it never stops. A nil value is
// left to the model.
type Options struct {
	NumCtx, NumPredict                     int
	Temperature, TopP, MinP, RepeatPenalty *float64
	TypicalP                               *float64
	PresencePenalty, FrequencyPenalty      *float64
	TopK, Seed, RepeatLastN                *int
	Stop                                   []string
}

func (o Options) values() map[string]any {
	m := map[string]any{"num_ctx": o.NumCtx, "num_predict": o.NumPredict}
	for name, v := range map[string]*float64{"temperature": o.Temperature, "top_p": o.TopP,
		"min_p": o.MinP, "repeat_penalty": o.RepeatPenalty,
		"typical_p": o.TypicalP, "presence_penalty": o.PresencePenalty, "frequency_penalty": o.FrequencyPenalty} {
		if v != nil {
			m[name] = *v
		}
	}
	for name, v := range map[string]*int{"top_k": o.TopK, "seed": o.Seed, "repeat_last_n": o.RepeatLastN} {
		if v != nil {
			m[name] = *v
		}
	}
	if len(o.Stop) > 0 {
		m["stop"] = o.Stop
	}
	return m
}

// Request asks for one reply. KeepAlive is the time that the model stays loaded: nil leaves it to
// the server, a negative one means for ever. Format is a JSON schema, or empty.
type Request struct {
	Model     string
	Messages  []Message
	Options   Options
	Think     Think
	Format    json.RawMessage
	KeepAlive *time.Duration
	// Form is the schema of answers that Structured accepts, if it is wider than the schema that is
	// sent; nil accepts only the latter.
	Form json.RawMessage
	// Yields means that the request gives way to others: the part of its prompt that the server has
	// not read yet is sent first, as growing beginnings of about a second each. ctx can end the
	// request between them.
	Yields bool
	// With CutEnds, Structured does not ask again after an answer that was cut off at NumPredict.
	CutEnds bool
	// Tools are offered to a model with the capability "tools"; other models refuse the request.
	Tools []Tool
}

// wire returns the request as the server gets it. It never lets the server shorten the prompt or
// forget its beginning. The error describes a fault of the tools.
func (r Request) wire() (*api.ChatRequest, error) {
	stream, never := true, false
	w := &api.ChatRequest{
		Model: r.Model, Format: r.Format, Options: r.Options.values(),
		Stream: &stream, Truncate: &never, Shift: &never,
		Messages: make([]api.Message, len(r.Messages)),
	}
	for i, m := range r.Messages {
		var err error
		if w.Messages[i], err = m.wire(); err != nil {
			return nil, err
		}
	}
	for _, t := range r.Tools {
		tool, err := t.wire()
		if err != nil {
			return nil, err
		}
		w.Tools = append(w.Tools, tool)
	}
	w.Think = r.Think.wire()
	if r.KeepAlive != nil {
		w.KeepAlive = &api.Duration{Duration: *r.KeepAlive}
	}
	return w, nil
}

// fault returns what makes a request impossible, before it is sent.
func (r Request) fault() string {
	switch {
	case strings.TrimSpace(r.Model) == "":
		return "no model is chosen"
	case len(r.Messages) == 0:
		return "there is nothing to send"
	case r.Options.NumCtx <= 0:
		return fmt.Sprintf("the context size must be positive, not %d", r.Options.NumCtx)
	case r.Options.NumPredict <= 0:
		return fmt.Sprintf("the length of a reply must be positive, not %d", r.Options.NumPredict)
	case len(r.Format) > 0 && !json.Valid(r.Format):
		return "the schema for the answer is not JSON"
	}
	return ""
}

// Delta is newly written text. Rethought means that all content of earlier ones was thought: it
// belongs before this Thinking.
type Delta struct {
	Content, Thinking string
	Rethought         bool
}

// Result is the complete result of a request. Content is as the model wrote it, byte for byte,
// except that invalid UTF-8 is replaced. The counters and times are the server's, and zero unless
// it declared the reply done. PromptTokens includes cached tokens; PromptEval includes the separate
// parts of the request.
type Result struct {
	Content, Thinking             string
	Calls                         []ToolCall // in the order of their arrival
	Ending                        Ending
	DoneReason                    string
	PromptTokens, ReplyTokens     int
	Load, PromptEval, Eval, Total time.Duration
	// Fault describes for the user a fault of the reply, "" if there is none.
	Fault string
	// Cause is the error behind the endings died, error, repeat and
	// unfinished: for IsTransient, and for logs.
	Cause error
}

// Chat asks for one reply and calls onDelta, which may be nil, on the calling goroutine with every
// new piece of it. The Result always holds the text so far. The error is nil if a reply began,
// however it ended, and also if ctx ended before that (Ending is EndStopped). Otherwise it is the
// reason why no reply began.
func (c *Client) Chat(ctx context.Context, req Request, onDelta func(Delta)) (Result, error) {
	if req.KeepAlive == nil {
		req.KeepAlive = c.keep
	}
	wire, err := req.wire()
	why := req.fault()
	if why == "" && err != nil {
		why = err.Error()
	}
	if why != "" {
		err := c.refuse("chat", req.Model, why)
		return Result{Ending: EndError, Fault: ErrorText(err), Cause: err}, err
	}
	begun := c.readPrefixes(ctx, req)
	wait, suspect := c.firstWait(req)
	res, err := c.send(ctx, req, wire, onDelta, wait)
	if suspect && errors.Is(err, ErrStalled) {
		c.freeSlot(ctx, req)
		begun += c.readPrefixes(ctx, req)
		res, err = c.send(ctx, req, wire, onDelta, c.giveUp-wait)
	}
	if res.PromptEval > 0 {
		res.PromptEval += begun
	}
	return res, err
}

// send is Chat for one attempt, which ends with ErrStalled if no line comes within wait.
func (c *Client) send(ctx context.Context, req Request, wire *api.ChatRequest, onDelta func(Delta),
	wait time.Duration) (Result, error) {
	k := c.begin(ctx, c.giveUp)
	defer k.end()
	patience := &k.w.patience
	patience.progressLeft = wait
	r := &reply{onDelta: onDelta, patience: patience, limit: req.Options.NumPredict, think: req.Think,
		mustThink: c.mustThink.has(req.Model)}
	first := true
	err := k.chat(wire, func(line api.ChatResponse) error {
		if first {
			first = false
			patience.progressLeft = patience.progress
			c.cache.setStopped(req.Model, false)
		}
		return r.add(line)
	})
	res, err := r.result(c, ctx, req, k, err)
	c.cache.note(req, res)
	if r.seen > 0 {
		c.cache.setStopped(req.Model, k.w.end != io.EOF)
	}
	return res, err
}
