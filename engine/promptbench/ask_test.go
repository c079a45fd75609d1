package promptbench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// job is one kind of question that the program asks a model.
type job struct {
	name  string
	files []string // prompt files with the instruction
	ask   func(set *prompts.Set, s *story) *request
}

// request is a question about a story as the program puts it. Either schema or prose is set.
type request struct {
	prompt []prompts.Message
	reply  int     // num_predict
	heat   float64 // temperature

	schema, form json.RawMessage
	into         any
	check        func() error
	usable       func() bool // reports whether the program takes an answer that check refuses

	prose func(answer string) error // what is wrong with an answer that is no JSON

	shown    map[string]span // fields that cite numbers, and those that were shown
	cites    bool            // some text has to cite
	some     bool            // some text has to be there
	once     bool            // the program takes a text once that is there twice
	after    func() error    // what else makes an answer that the program takes of no use
	required []string        // fields whose texts must not be empty

	instruction string // the prompt files, with the names put in
}

// request makes the question about a story.
func (j job) request(set *prompts.Set, s *story) *request {
	c := j.ask(set, s)
	names := strings.NewReplacer("{{user}}", s.User, "{{char}}", s.Char)
	for _, file := range j.files {
		c.instruction += names.Replace(set.Text(file)) + "\n"
	}
	return c
}

// attempt is one request and what the server answered.
type attempt struct {
	messages []ollama.Message
	answer   string
	ending   string // done_reason; "" where the answer never came to its end
	prompt   int    // tokens
	reply    int    // tokens
	took     time.Duration
	fault    string // of an error that the server reported
}

func (a *attempt) whole() bool { return a.ending == "stop" }

// outcome is what became of a question.
type outcome int

const (
	atOnce     outcome = iota // usable
	afterRetry                // usable
	takenUnfit                // not usable, and yet the program takes it
	refused
)

// result is what came of a question. Its sizes are in tokens.
type result struct {
	attempts []attempt
	outcome  outcome
	why      string // it is not usable
	error    error  // that the program got
	panicked string

	instruction, material, answer int
}

// asker asks a server as the program does, and keeps what passes.
type asker struct {
	client *ollama.Client
	model  string
	mu     sync.Mutex
	seen   []*exchange
	once   bool // an answer that was cut is not asked for again
}

// errCut: what -cut has cut would be cut once more.
var errCut = errors.New("cut by -cut")

// exchange is a request on the wire and its growing answer.
type exchange struct {
	began time.Time
	ended time.Time
	sent  []byte
	got   bytes.Buffer
}

func newAsker(t *testing.T, url, model string) *asker {
	t.Helper()
	a := &asker{model: model}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := ollama.New(url, ollama.WithHTTPClient(&http.Client{Transport: a.recording(transport)}))
	if err != nil {
		t.Fatal(err)
	}
	a.client = client
	return a
}

// roundTripper is a function that is an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// recording is a transport that keeps requests for answers and what comes of them.
func (a *asker) recording(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/api/chat" || r.Body == nil {
			return next.RoundTrip(r)
		}
		if a.cut() {
			return nil, errCut
		}
		x := &exchange{began: time.Now()}
		var err error
		if x.sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(x.sent))
		a.mu.Lock()
		a.seen = append(a.seen, x)
		a.mu.Unlock()
		res, err := next.RoundTrip(r)
		if err == nil {
			res.Body = &tee{res.Body, x}
		}
		return res, err
	})
}

// cut reports whether the answer before was cut, where that is enough.
func (a *asker) cut() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.seen); a.once && n > 0 {
		at := a.seen[n-1].attempt(time.Now())
		return at.ending == "length"
	}
	return false
}

// tee keeps what is read of an answer.
type tee struct {
	io.ReadCloser
	x *exchange
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.x.got.Write(p[:n])
	t.x.ended = time.Now()
	return n, err
}

// take returns the exchanges since the last time.
func (a *asker) take(t time.Time) (out []attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.seen {
		out = append(out, x.attempt(t))
	}
	a.seen = nil
	return out
}

// attempt reads what has passed. now is when an answer ended that has no end.
func (x *exchange) attempt(now time.Time) attempt {
	var sent struct{ Messages []ollama.Message }
	_ = json.Unmarshal(x.sent, &sent) // the client's own
	at := attempt{messages: sent.Messages, took: now.Sub(x.began)}
	if !x.ended.IsZero() {
		at.took = x.ended.Sub(x.began)
	}
	for line := range bytes.Lines(x.got.Bytes()) {
		var l struct {
			Message         struct{ Content string }
			Done            bool
			DoneReason      string `json:"done_reason"`
			PromptEvalCount int    `json:"prompt_eval_count"`
			EvalCount       int    `json:"eval_count"`
			Error           string
		}
		if json.Unmarshal(line, &l) != nil {
			continue // broke off
		}
		at.answer += l.Message.Content
		if l.Error != "" {
			at.fault = l.Error
		}
		if l.Done {
			at.ending, at.prompt, at.reply = l.DoneReason, l.PromptEvalCount, l.EvalCount
		}
	}
	return at
}

// ask puts a question and judges what comes of it.
func (a *asker) ask(ctx context.Context, c *request, seed int) (r result) {
	req := ollama.Request{Model: a.model, Form: c.form, Options: ollama.Options{NumCtx: *contextFlag,
		NumPredict: min(c.reply, *contextFlag/3), Temperature: heatFlag, Seed: &seed}}
	if *heatFlag < 0 {
		req.Options.Temperature = &c.heat
	}
	if a.once = *cutFlag > 0 && *cutFlag < req.Options.NumPredict; a.once {
		req.Options.NumPredict = *cutFlag
	}
	for _, m := range c.prompt {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	func() {
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		if c.prose != nil {
			r.error = a.askProse(ctx, req, c)
			return
		}
		ctx, cancel := limited(ctx, 2)
		defer cancel()
		_, r.error = a.client.Structured(ctx, req, c.schema, c.into, c.check, nil)
	}()
	r.attempts = a.take(time.Now())
	r.judge(c)
	return r
}

func (a *asker) askProse(ctx context.Context, req ollama.Request, c *request) error {
	ctx, cancel := limited(ctx, 1)
	defer cancel()
	res, err := a.client.Chat(ctx, req, nil)
	switch {
	case err != nil:
		return err
	case res.Ending != ollama.EndComplete:
		return errors.New("cut: " + string(res.Ending))
	}
	return c.prose(res.Content)
}

// judge tells what became of the question.
func (r *result) judge(c *request) {
	r.outcome = refused
	var last attempt
	if n := len(r.attempts); n > 0 {
		last = r.attempts[n-1]
		r.answer = last.reply
	}
	var answer *ollama.AnswerError
	taken := r.error == nil
	switch {
	case r.panicked != "":
		r.why = "panic"
	case errors.As(r.error, &answer):
		r.why = answer.Fault
		if last.ending == "length" {
			r.why = "cut"
		}
		taken = c.usable != nil && c.usable()
	case r.error != nil && last.ending == "length":
		r.why = "cut"
	case errors.Is(r.error, context.DeadlineExceeded):
		r.why = "cut by the clock"
	case r.error != nil:
		r.why = r.error.Error()
	default:
		r.why = c.unfit(last)
	}
	switch {
	case r.why == "" && len(r.attempts) == 1:
		r.outcome = atOnce
	case r.why == "":
		r.outcome = afterRetry
	case taken:
		r.outcome = takenUnfit
	}
}

// size finds how much of the prompt is its instruction: the texts of its files.
func (r *result) size(c *request) {
	if len(r.attempts) == 0 {
		return
	}
	all, own := 0, len(c.instruction)
	for _, m := range c.prompt {
		all += len(m.Content)
	}
	tokens := r.attempts[0].prompt
	if tokens == 0 { // cut by the clock
		tokens = all / 4
	}
	r.instruction = tokens * min(own, all) / max(all, 1)
	r.material = tokens - r.instruction
}

// assertNever fails the test where something happens that no answer may bring about.
func assertNever(t *testing.T, s *story, j job, r result) {
	t.Helper()
	if r.panicked != "" {
		t.Errorf("%s of %s: panic: %s", j.name, s.Name, r.panicked)
	}
	whole := false
	for _, a := range r.attempts {
		whole = whole || a.whole()
	}
	if !whole && len(r.attempts) > 0 && r.outcome != refused {
		t.Errorf("%s of %s: an answer is taken that never came to its end", j.name, s.Name)
	}
	var answer *ollama.AnswerError
	if errors.As(r.error, &answer) {
		assertPlain(t, s, j, answer.Fault)
	}
	for i, a := range r.attempts {
		if i > 0 && len(a.messages) > 0 {
			assertPlain(t, s, j, a.messages[len(a.messages)-1].Content)
		}
	}
}

// validatorWords are what only a validator of schemas says.
var validatorWords = []string{"validating", "jsonschema", "additionalproperties", "minlength", "maxlength",
	"minitems", "maxitems", "anyof", "$ref", "#/", "json schema", "the schema", "unmarshal", "go struct", "go value"}

// assertPlain fails the test where a fault is said in the words of a validator.
func assertPlain(t *testing.T, s *story, j job, fault string) {
	t.Helper()
	for _, w := range validatorWords {
		if strings.Contains(strings.ToLower(fault), w) {
			t.Errorf("%s of %s: the model or the user is told %q, a validator's word: %.300s", j.name, s.Name, w,
				fault)
		}
	}
}
