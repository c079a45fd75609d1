package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// The operations on scenes.
const (
	opDetect    = "detect_scene_break"
	opDetectAll = "detect_scenes"
	opRecap     = "generate_scene_recap"
	opRunning   = "combine_running_recap"
	opMessage   = "recap_message"
	opJoin      = "join_scene_recaps"
	opExam      = "examine_recap"
)

// recapPriority lets recaps go before what waits for nobody.
const recapPriority = 20

// ridingPriority lets what rides on the chat's prompt go first of all: a recap
// before it would cost the server's cache of that prompt.
const ridingPriority = 30

// sceneParams are the params of the operations on scenes. Node is the break or
// message that it is about.
type sceneParams struct {
	Chat        storage.ChatID   `json:"chat"`
	Node        storage.NodeID   `json:"node,omitempty"`
	Nodes       []storage.NodeID `json:"nodes,omitempty"` // several, oldest first
	Base        storage.RecapID  `json:"base,omitempty"`
	Force       bool             `json:"force,omitempty"`
	Asked       bool             `json:"asked,omitempty"` // by the user
	Style       string           `json:"style,omitempty"`
	Instruction string           `json:"instruction,omitempty"`
	Min         int              `json:"min,omitempty"`
	Done        int              `json:"done,omitempty"`
	Total       int              `json:"total,omitempty"`
	Batch       string           `json:"batch,omitempty"` // of detected breaks
}

func sceneParamsOf(op storage.Operation) (p sceneParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record is about no chat
	return p
}

// recapResult is what the operations that make recaps leave.
type recapResult struct {
	Recap   storage.RecapID `json:"recap,omitempty"`
	Version int             `json:"version,omitempty"`
	Reused  bool            `json:"reused,omitempty"` // the inputs were those of a version there is
}

// unfinished goes through a chat's operations that wait or run.
func unfinished(tx *storage.Tx, chat storage.ChatID) iter.Seq[storage.Operation] {
	return func(yield func(storage.Operation) bool) {
		for _, op := range storage.Operations.All(tx) {
			if op.Status != storage.Pending && op.Status != storage.InProgress {
				continue
			}
			if sceneParamsOf(op).Chat == chat && !yield(op) {
				return
			}
		}
	}
}

// laneFor is the lane of a kind of work: that of the chat's server, or one of
// its own for a profile with another server.
func (e *Engine) laneFor(tx *storage.Tx, kind JobKind) string {
	p, ok, err := profileFor(tx, kind)
	if err != nil || !ok {
		return laneOllama
	}
	if _, server, err := e.clientFor(p.Server); err == nil && server != "" {
		return laneOllama + " " + server
	}
	return laneOllama
}

// job is how one kind of work speaks to a model.
type job struct {
	kind    JobKind
	client  *ollama.Client
	server  string // "" for the chat's own
	model   string
	known   *knownModel
	options ollama.Options
	think   *bool
	prefill string
	// profiled: a profile says how, and no default of a kind of work counts.
	profiled bool
}

// jobReply is the room for the answer of background work where no profile says
// otherwise.
const jobReply = 2048

// job finds out how to speak to a model about a chat: as a profile says, or as
// the chat itself does.
func (e *Engine) job(ctx context.Context, kind JobKind, c storage.Chat) (j job, err error) {
	var p storage.Profile
	if err := e.store.View(func(tx *storage.Tx) error { p, _, err = profileFor(tx, kind); return err }); err != nil {
		return j, err
	}
	j = job{kind: kind, model: p.Model, think: p.Think, prefill: p.Prefill}
	if j.client, j.server, err = e.clientFor(p.Server); err != nil {
		return j, err
	}
	if j.model == "" {
		if j.model, err = e.chooseModel(ctx, c); err != nil {
			return j, err
		}
	}
	if j.known, err = e.knowAt(ctx, j.client, j.server, j.model); err != nil {
		return j, inProfile(p, err)
	}
	j.profiled = p.Name != ""
	context := e.contextOf(j.known)
	if p.NumCtx > 0 {
		context = p.NumCtx
		if j.known.context > 0 {
			context = min(context, j.known.context)
		}
	}
	reply := p.NumPredict
	if !j.profiled || reply <= 0 {
		reply = jobReply
	}
	j.options = ollama.Options{NumCtx: context, NumPredict: max(1, min(reply, context/3)), Temperature: p.Temperature, TopP: p.TopP,
		TopK: p.TopK, MinP: p.MinP, RepeatPenalty: p.RepeatPen, Seed: p.Seed, Stop: p.Stop}
	if j.options.Temperature == nil {
		t := 0.3 // facts, not fancy
		j.options.Temperature = &t
	}
	return j, nil
}

// inProfile names the profile in which a model is named that is not there.
func inProfile(p storage.Profile, err error) error {
	if p.Name == "" || !errors.Is(err, ollama.ErrNoModel) {
		return err
	}
	where := "the server"
	if p.Server != "" {
		where = p.Server
	}
	return fmt.Errorf("the profile %q names the model %q, which %s does not have: choose another in the profile, or bring it with ghostlight model pull: %w",
		p.Name, p.Model, where, errProfile)
}

// errProfile says that a profile cannot be used as it is.
var errProfile = errors.New("the profile needs mending")

// request puts a job's prompt into the form that the server takes.
func (j job) request(prompt []scene.Prompt) ollama.Request {
	req := ollama.Request{Model: j.model, Options: j.options, Think: j.think}
	for _, m := range prompt {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	if j.prefill != "" {
		req.Messages = append(req.Messages, ollama.Message{Role: "assistant", Content: j.prefill})
	}
	return req
}

// BigPromptError says that work does not fit the model's context. No call was
// made.
type BigPromptError struct {
	Need    int // tokens of prompt and answer, estimated
	Context int // tokens that the model holds
	Model   string
}

// Error implements error, in words for the user.
func (e *BigPromptError) Error() string {
	return fmt.Sprintf("this needs about %d tokens and %s holds %d: split the scene with another break, leave out earlier recaps and lore, or choose a model or a profile with a larger context",
		e.Need, e.Model, e.Context)
}

// FormError says that a model's answer had the wrong form, and again when it was
// told so.
type FormError struct {
	What string // what was asked for
	Err  *ollama.AnswerError
}

// Error implements error, in words for the user.
func (e *FormError) Error() string {
	return fmt.Sprintf("%s came back in the wrong form (%s); what was stored is kept. Try again, or choose another model for this kind of work",
		e.What, e.Err.Fault)
}

// Unwrap gives the model's failure.
func (e *FormError) Unwrap() error { return e.Err }

// wrongForm names the kind of work whose answer had the wrong form.
func (j job) wrongForm(err error) error {
	var answer *ollama.AnswerError
	if !errors.As(err, &answer) {
		return err
	}
	what, ok := map[JobKind]string{JobDetect: "the answer about the scene break", JobRunning: "the running recap", JobExam: "the memory exam",
		JobLore: "the answer for the lorebook", JobDirector: "the director's answer", JobMemory: "the answer about memories", JobHooks: "the answer about hooks",
		JobCapture: "the answer about a picture", JobBoard: "the answer about the storyboard", JobTaste: "the answer about how you direct"}[j.kind]
	if !ok {
		what = "the recap"
	}
	return &FormError{What: what, Err: answer}
}

// fits refuses a prompt that leaves no room for its answer.
func (j job) fits(prompt []scene.Prompt) error {
	need := j.options.NumPredict
	for _, m := range prompt {
		need += j.known.meter.Count(m.Content) + 6
	}
	if need > j.options.NumCtx {
		return &BigPromptError{Need: need, Context: j.options.NumCtx, Model: j.model}
	}
	return nil
}

// leastRoom is as little as a request is made to tell, in runes.
const leastRoom = 400

// fitted is a request with less and less room for what it tells, until it fits.
func (j job) fitted(room int, ask func(room int) []scene.Prompt) []scene.Prompt {
	prompt := ask(room)
	for room > leastRoom && j.fits(prompt) != nil {
		room /= 2
		prompt = ask(room)
	}
	return prompt
}

// watcher shows an answer that is being written a few times a second.
func watcher(report func(queue.Progress)) func(ollama.Delta) {
	var text strings.Builder
	var told time.Time
	tokens := 0
	return func(d ollama.Delta) {
		tokens++
		text.WriteString(d.Content)
		if text.Len() > 1<<20 || time.Since(told) < showEvery {
			return
		}
		told = time.Now()
		report(queue.Progress{Text: scene.Partial(text.String()), Tokens: tokens})
	}
}

// showEvery is how often a growing recap is shown.
const showEvery = 120 * time.Millisecond

// noteJob keeps what a request has shown of the server, and that the server has
// read something else than the chat's prompt.
func (e *Engine) noteJob(j job, prompt []scene.Prompt, err error) {
	if j.server != "" {
		return
	}
	e.noteServer(err)
	if err == nil {
		e.asked.Run(Asked{j.model, prompt})
	}
}

// Asked is what background work has had a model read, on the chats' own server.
type Asked struct {
	Model  string
	Prompt []scene.Prompt
}

// clientFor is the client of a profile's server and its address in full, which
// is "" where that is the chats' own.
func (e *Engine) clientFor(server string) (c *ollama.Client, address string, err error) {
	if server == "" {
		return e.ollama, "", nil
	}
	if c, err = ollama.New(server); err != nil {
		return nil, "", fail("server of the profile", err)
	}
	if address = c.BaseURL(); address == e.ollama.BaseURL() {
		return e.ollama, "", nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.clients[address]; known != nil {
		return known, address, nil
	}
	e.clients[address] = c
	return c, address, nil
}

// names are what the character and the user are called in a chat.
func (e *Engine) names(tx *storage.Tx, c storage.Chat) (char, user string) {
	who, persona := e.cast(tx, c)
	char, user = who.Card.CharName(), persona.Name
	if user == "" {
		user = nobody
	}
	return char, user
}

// nobody is what a user without a persona is called.
const nobody = "You"

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// answerForm is what an answer has to look like: schema for the server, form for
// what is accepted, and the two judges of what was decoded.
type answerForm struct {
	schema, form []byte
	into         any
	check        func() error
	usable       func() bool
}

// askJob asks a job's model and streams what can be shown of the answer. What
// breaks a rule but can be used is taken after it was asked for again.
func (e *Engine) askJob(ctx context.Context, j job, prompt []scene.Prompt, f answerForm, report func(queue.Progress)) error {
	if err := j.fits(prompt); err != nil {
		return err
	}
	show := watcher(report)
	req := j.request(prompt)
	req.Form = f.form
	_, err := j.client.Structured(ctx, req, f.schema, f.into, f.check, show)
	e.noteJob(j, prompt, err)
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && f.usable != nil && f.usable() {
		return nil
	}
	return j.wrongForm(err)
}

// languageServers are the servers of language models that are known, the chats' own
// first.
func (e *Engine) languageServers() []*ollama.Client {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := []*ollama.Client{e.ollama}
	for _, c := range e.clients {
		list = append(list, c)
	}
	return list
}

// holdModels keeps background work off the language models, once what runs there
// now has ended. The user's own turns take no notice of it.
func (e *Engine) holdModels(ctx context.Context) (free func(), err error) {
	lanes := []string{laneOllama}
	for _, c := range e.languageServers()[1:] {
		lanes = append(lanes, laneOllama+" "+c.BaseURL())
	}
	var held []func()
	free = func() {
		for _, f := range held {
			f()
		}
	}
	for _, lane := range lanes {
		f, err := e.queue.Hold(ctx, lane)
		if err != nil {
			free()
			return nil, err
		}
		held = append(held, f)
	}
	return free, nil
}

// Rider puts questions at the end of a chat's own prompt, which the server has in
// its cache.
type Rider interface {
	// Riding is the chat's own prompt as the reply at leaf found it, with an
	// instruction after that. It fails where that would cost more than a request of its
	// own.
	Riding(ctx context.Context, j job, c storage.Chat, leaf storage.NodeID, speaker storage.CharacterID, instruction string) ([]scene.Prompt, error)
}
