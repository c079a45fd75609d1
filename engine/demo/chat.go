package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// job is a request for text.
type job struct {
	entry    entry
	name     string // the model as the request named it
	messages []storage.Node
	opts     api.Options
	format   json.RawMessage
	tools    api.Tools
	think    *bool
	keep     *api.Duration
	stream   bool
	truncate bool // drop old messages that do not fit, instead of refusing
	shift    bool // go on past the context's end, instead of stopping there
}

// Time that reading takes next to writing, and the longest wait for it.
const (
	readRatio = 40
	maxRead   = 5 * time.Second
)

func (o *ollama) chat(ctx context.Context, w http.ResponseWriter, body []byte, f Fault) {
	var req api.ChatRequest
	if !decode(w, body, &req) {
		return
	}
	e, ok := o.find(w, req.Model)
	if !ok {
		return
	}
	j := job{
		entry: e, name: req.Model, messages: nodes(req.Messages), format: req.Format, tools: req.Tools,
		keep:   req.KeepAlive,
		stream: isTrue(req.Stream), truncate: isTrue(req.Truncate), shift: isTrue(req.Shift),
	}
	if !j.thinkValue(w, req.Think) {
		return
	}
	if len(j.tools) > 0 && !e.calls {
		fail(w, http.StatusBadRequest, fmt.Sprintf("registry.ollama.ai/library/%s does not support tools", e.name))
		return
	}
	o.answer(ctx, w, j, req.Options, f)
}

// isTrue reads a switch that is on unless the request says otherwise.
func isTrue(b *bool) bool { return b == nil || *b }

// thinkValue checks the request's wish for thinking.
func (j *job) thinkValue(w http.ResponseWriter, t *api.ThinkValue) bool {
	if t == nil || t.Value == nil {
		return true
	}
	wanted := t.Bool()
	switch {
	case wanted && !j.entry.thinks:
		fail(w, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", j.name))
	case t.IsString():
		fail(w, http.StatusBadRequest, fmt.Sprintf("think value %q is not supported for this model", t.String()))
	default:
		j.think = &wanted
		return true
	}
	return false
}

func (j job) thinks() bool { return j.entry.thinks && (j.think == nil || *j.think) }

// answer does the job, one at a time.
func (o *ollama) answer(ctx context.Context, w http.ResponseWriter, j job, options map[string]any, f Fault) {
	leave := j.keep != nil && j.keep.Duration == 0
	if len(j.messages) == 0 && leave {
		o.unload(j.entry.name)
		o.nothing(w, j, "unload")
		return
	}
	if err := j.options(options); err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	select {
	case o.slot <- struct{}{}:
		defer func() { <-o.slot }()
	case <-ctx.Done():
		return
	}
	r, took := o.load(j.entry, j.opts.Runner, j.keep)
	if leave {
		defer o.unload(j.entry.name)
	}
	if len(j.messages) == 0 {
		o.nothing(w, j, "load")
		return
	}
	o.play(ctx, w, j, f, r, took)
}

// nothing answers a request that only loads or unloads.
func (o *ollama) nothing(w http.ResponseWriter, j job, reason string) {
	s := &stream{w: w, model: j.name, quiet: true}
	s.finish(reason, api.Metrics{})
}

func (j *job) options(given map[string]any) error {
	j.opts = api.DefaultOptions()
	j.opts.NumCtx = defaultContext
	if err := j.opts.FromMap(given); err != nil {
		return err
	}
	j.opts.NumCtx = min(max(j.opts.NumCtx, 4), trainedContext)
	return nil
}

// play reads the prompt and writes the answer.
func (o *ollama) play(ctx context.Context, w http.ResponseWriter, j job, f Fault, r *runner, loadTook time.Duration) {
	prompt, err := j.prompt(o.cuts(), r.context)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	answer, err := o.compose(j, f)
	if err != nil {
		if errors.Is(err, errGrammar) {
			o.unload(j.entry.name)
		}
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	perToken := o.delay
	if perToken == 0 {
		perToken = DefaultTokenDelay
	}
	fresh := len(prompt) - shared(r.cache, prompt)
	if o.OnRead != nil {
		o.OnRead(Read{Job: JobOf(j.format), Structured: len(j.format) > 0, Prompt: len(prompt), Fresh: fresh,
			Last: len(o.cuts().tokens(nil, j.messages[len(j.messages)-1].Content))})
	}
	reading := time.Duration(max(fresh, 1)) * cmp.Or(o.ReadingTime, perToken/readRatio)
	r.cache = prompt
	// A server that is left in the middle of a prompt reads on to its end, and whoever
	// comes next waits for that (Ollama 0.17.4 does).
	if o.delay > 0 && !pause(o.closing, min(reading, maxRead)) || ctx.Err() != nil {
		return
	}
	s := &stream{w: w, model: j.name, quiet: !j.stream, delay: o.delay}
	defer func() { r.cache = append(r.cache, s.read...) }()
	reason := j.write(ctx, s, f, answer, len(prompt), r.context)
	if reason == "" {
		return
	}
	eval := time.Duration(s.written) * perToken
	s.finish(reason, api.Metrics{
		TotalDuration: loadTook + reading + eval, LoadDuration: loadTook,
		PromptEvalCount: len(prompt), PromptEvalDuration: reading,
		EvalCount: s.written, EvalDuration: eval,
	})
}

// write streams an answer until it, the limits or the client end it. It returns
// the reason for the end, "" when the answer is over already.
func (j job) write(ctx context.Context, s *stream, f Fault, answer []part, read, room int) string {
	for _, p := range answer {
		if f.Kind != NoFault && s.written >= f.After && f.strike(ctx, s) {
			return ""
		}
		if f.Kind == Cut && s.written >= f.After {
			return "length"
		}
		full := read+s.written >= room && !j.shift && s.written > 0
		if full || j.opts.NumPredict > 0 && s.written >= j.opts.NumPredict {
			return "length"
		}
		if !s.part(ctx, p) {
			return ""
		}
	}
	if f.Kind != NoFault && f.strike(ctx, s) {
		return ""
	}
	return "stop"
}

var errTooLong = errors.New("the input length exceeds the context length")

// prompt returns the tokens that the model reads. If the messages do not fit and truncation is not
// allowed, it returns an error; otherwise old messages are dropped, and at last the beginning of
// the rest.
func (j job) prompt(cuts tokenizer, room int) ([]uint64, error) {
	var tools []uint64 // their definitions precede all messages
	if len(j.tools) > 0 {
		tools = cuts.tokens(nil, j.tools.String())
	}
	render := func(messages []storage.Node) []uint64 {
		return append(slices.Clone(tools), cuts.render(messages, j.entry.thinks && !j.thinks())...)
	}
	list := render(j.messages)
	if len(list) <= room {
		return list, nil
	}
	if !j.truncate {
		return nil, errTooLong
	}
	kept := slices.Clone(j.messages)
	for len(list) > room {
		i := slices.IndexFunc(kept, func(m storage.Node) bool { return m.Role != storage.System })
		if i < 0 || i == len(kept)-1 {
			return list[len(list)-room:], nil
		}
		kept = slices.Delete(kept, i, i+1)
		list = render(kept)
	}
	return list, nil
}

// compose decides on the whole answer before a word of it is written.
func (o *ollama) compose(j job, f Fault) ([]part, error) {
	thinking := ""
	if j.thinks() || f.Kind == ThinkOnly {
		thinking = "The scene is small and quiet. What was said last asks for an answer, but not for the whole truth " +
			"yet. Keep it short and leave a door open."
	}
	calls, content, err := o.call(j, f)
	if err != nil {
		return nil, err
	}
	switch f.Kind {
	case Escapes:
		content = hostile
	case ThinkOnly:
		calls, content = nil, ""
	case Wrapped:
		content = wrapped(content)
	case Lacks:
		content = without(content, f.Text)
	case Mistyped:
		content = mistyped(content)
	}
	for _, stop := range j.opts.Stop {
		if stop != "" {
			content, _, _ = strings.Cut(content, stop)
		}
	}
	list, err := wireCalls(calls)
	return o.cuts().parts(thinking, content, list), err
}

func (o *ollama) content(j job) (string, error) {
	if n := len(j.messages); o.Restarts != NeverRestarts && n > 1 && j.messages[n-1].Role == storage.Assistant {
		j.messages = j.messages[:n-1]
	}
	if o.Answer != nil {
		if content, ok := o.Answer(j.format, j.messages); ok {
			return content, nil
		}
	}
	switch format := strings.TrimSpace(string(j.format)); {
	case format == "" || format == "null" || format == `""`:
		if j.opts.NumPredict == 1 {
			return "…", nil // its prompt is only read: the script does not go on
		}
		take := o.take(j.messages)
		if reply, ok := unruly(j.messages, take); ok {
			return reply, nil
		}
		script := o.Script
		if script == nil {
			script = generic
		}
		return script(j.messages, take), nil
	case format == `"json"`:
		return `{"reply": "The lamp is still burning."}`, nil
	case strings.HasPrefix(format, "{"):
		return structured(j.format, j.messages, o.Scripted)
	default:
		return "", fmt.Errorf("invalid format: %q; expected \"json\" or a valid JSON Schema object", format)
	}
}

// generic returns the script of servers that were given none.
func generic(messages []storage.Node, take int) string {
	lines := []string{
		"*A pause, the length of a breath.* \"Go on,\" comes the answer. \"I am listening, and the night is long.\"",
		"*The floorboards creak as somebody shifts their weight.* \"That is not how I remember it. But tell it your " +
			"way first.\"",
		"\"You always do that,\" *with half a smile that does not quite hold.* \"You ask the one thing I had hoped " +
			"to keep.\"",
		"*Rain against the window; the candle leans and rights itself.* \"All right. One honest answer. Choose your " +
			"question well.\"",
	}
	return lines[(len(messages)/2+take)%len(lines)]
}
