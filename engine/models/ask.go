package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SameAsChat reports whether a job asks the chat's model in the same way, so that
// the server has the chat's prompt in its cache.
func (svc *Service) SameAsChat(j Job, c storage.Chat) bool {
	want := svc.ModelOf(c)
	return j.Server == "" && (j.Model == want || want == "") && j.Options.NumCtx == svc.ContextOf(c, j.Known)
}

// UsesOtherModel reports whether a profile uses another model of the chats' own server for a kind
// of work than the chat uses: the server may have to unload the chat's model for it.
func (svc *Service) UsesOtherModel(tx *storage.Tx, kind JobKind, c storage.Chat) bool {
	p, ok, err := profileFor(tx, kind)
	if err != nil || !ok || p.Model == "" || p.Model == svc.ModelOf(c) {
		return false
	}
	_, server, err := svc.ClientFor(p.Server)
	return err == nil && server == ""
}

// Lane returns the function that finds the queue's lane of a kind of work: that of the
// chats' server, or one of its own for a profile with another server.
func (svc *Service) Lane(kind JobKind) func(tx *storage.Tx) string {
	return func(tx *storage.Tx) string {
		p, ok, err := profileFor(tx, kind)
		if err != nil || !ok {
			return queue.LaneOllama
		}
		if _, server, err := svc.ClientFor(p.Server); err == nil && server != "" {
			return queue.LaneOllama + " " + server
		}
		return queue.LaneOllama
	}
}

// Job holds the model, the server and the options of one kind of background work.
type Job struct {
	Kind    JobKind
	Client  *ollama.Client
	Server  string // "" for the chat's own
	Model   string
	Known   *KnownModel
	Options ollama.Options
	Think   ollama.Think
	Prefill string
	// Profiled reports that the values come from a profile; then no default of the kind of work
	// applies.
	Profiled bool
}

// jobReply is the limit of an answer of background work, in tokens, if no profile sets one.
const jobReply = 2048

// Job returns the model and the options for work on a chat: those of a profile, or else those of
// the chat itself.
func (svc *Service) Job(ctx context.Context, kind JobKind, c storage.Chat) (j Job, err error) {
	var p storage.Profile
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		p, _, err = profileFor(tx, kind)
		return err
	}); err != nil {
		return j, err
	}
	j = Job{Kind: kind, Model: p.Model, Think: ollama.Think(p.Think), Prefill: p.Prefill}
	if j.Client, j.Server, err = svc.ClientFor(p.Server); err != nil {
		return j, err
	}
	if j.Model == "" {
		if j.Model, err = svc.ChooseModel(ctx, c); err != nil {
			return j, err
		}
	}
	if j.Known, err = svc.modelAt(ctx, j.Client, j.Server, j.Model); err != nil {
		return j, profileError(p, err)
	}
	j.Profiled = p.Name != ""
	context := svc.ContextOf(c, j.Known)
	if p.NumCtx > 0 {
		context = p.NumCtx
		if j.Known.context > 0 {
			context = min(context, j.Known.context)
		}
	}
	reply := p.NumPredict
	if !j.Profiled || reply <= 0 {
		reply = jobReply
	}
	j.Options = ollama.Options{NumCtx: context, NumPredict: max(1, min(reply, context/3)), Temperature: p.Temperature,
		TopP: p.TopP,
		TopK: p.TopK, MinP: p.MinP, RepeatPenalty: p.RepeatPen, TypicalP: p.TypicalP, RepeatLastN: p.RepeatLastN,
		PresencePenalty: p.PresencePen, FrequencyPenalty: p.FrequencyPen, Seed: p.Seed, Stop: p.Stop}
	if j.Options.Temperature == nil {
		t := 0.3 // facts, not fancy
		j.Options.Temperature = &t
	}
	return j, nil
}

// profileError adds the name of the profile to an error about a missing model.
func profileError(p storage.Profile, err error) error {
	if p.Name == "" || !errors.Is(err, ollama.ErrNoModel) {
		return err
	}
	where := "the server"
	if p.Server != "" {
		where = p.Server
	}
	return fmt.Errorf("the profile %q names the model %q, which %s does not have: choose another in the profile, or "+
		"download it with ghostlight model pull: %w",
		p.Name, p.Model, where, failure.ErrProfile)
}

// Request converts a job's prompt to a request for the server. On the chats' own server the request
// yields to others, because the user's own turn may come meanwhile.
func (j Job) Request(prompt []prompts.Message) ollama.Request {
	req := ollama.Request{Model: j.Model, Options: j.Options, Think: j.Think}
	for _, m := range prompt {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	if j.Prefill != "" {
		req.Messages = append(req.Messages, ollama.Message{Role: "assistant", Content: j.Prefill})
	}
	req.Yields = j.Server == ""
	return req
}

// WrongForm names the kind of work whose answer had the wrong form.
func (j Job) WrongForm(err error) error {
	var answer *ollama.AnswerError
	if !errors.As(err, &answer) {
		return err
	}
	what := "the recap"
	if i := slices.IndexFunc(jobWords, func(info JobInfo) bool { return info.Kind == j.Kind }); i >= 0 {
		what = cmp.Or(jobWords[i].answer, what)
	}
	return &failure.FormError{What: what, Err: answer}
}

// Fits refuses a prompt that leaves no room for its answer.
func (j Job) Fits(prompt []prompts.Message) error {
	need := j.Options.NumPredict
	for _, m := range prompt {
		need += j.Known.Meter.Count(m.Content) + 6
	}
	if need > j.Options.NumCtx {
		return &failure.BigPromptError{Need: need, Context: j.Options.NumCtx, Model: j.Model}
	}
	return nil
}

// minRoom is the least room for the material of a request, in runes.
const minRoom = 400

// Shorten halves the room for the material of a request, in runes, until the request fits or the
// room is at most minRoom, and returns that request. It may still be too long.
func (j Job) Shorten(room int, ask func(room int) []prompts.Message) []prompts.Message {
	prompt := ask(room)
	for room > minRoom && j.Fits(prompt) != nil {
		room /= 2
		prompt = ask(room)
	}
	return prompt
}

// ReportAnswer returns a callback that reports the progress of an answer a few times a second. show
// returns the part of the answer that can be displayed so far; nil shows nothing.
func ReportAnswer(report func(queue.Progress), show func(answer string) string) func(ollama.Delta) {
	var text strings.Builder
	var told time.Time
	tokens := 0
	return func(d ollama.Delta) {
		if tokens++; d.Rethought {
			text.Reset()
		}
		text.WriteString(d.Content)
		if text.Len() > 1<<20 || time.Since(told) < showEvery {
			return
		}
		told = time.Now()
		p := queue.Progress{Tokens: tokens}
		if show != nil {
			p.Text = show(text.String())
		}
		report(p)
	}
}

// showEvery is the interval at which a growing answer is shown.
const showEvery = 120 * time.Millisecond

// NoteJob records what a request has shown about the server, and that the server has read another
// prompt than the chat's.
func (svc *Service) NoteJob(j Job, prompt []prompts.Message, err error) {
	if j.Server != "" {
		return
	}
	svc.NoteServer(err)
	var answer *ollama.AnswerError
	svc.PromptSent.Run(BackgroundPrompt{j.Model, prompt, err != nil && !errors.As(err, &answer)})
}

// BackgroundPrompt is a prompt that the chats' own server has read for background work. Broken
// means that it is unknown how much of it was read.
type BackgroundPrompt struct {
	Model  string
	Prompt []prompts.Message
	Broken bool
}

// ClientFor returns the client of a profile's server and its full address, which is "" for the
// chats' own server.
func (svc *Service) ClientFor(server string) (c *ollama.Client, address string, err error) {
	if server == "" {
		return svc.Ollama, "", nil
	}
	if c, err = ollama.New(server, svc.options(server, false)...); err != nil {
		return nil, "", failure.Wrap("server of the profile", err)
	}
	if address = c.BaseURL(); address == svc.Ollama.BaseURL() {
		return svc.Ollama, "", nil
	}
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if known := svc.clients[address]; known != nil {
		return known, address, nil
	}
	svc.clients[address] = c
	return c, address, nil
}

// AnswerForm describes a valid answer: Schema is sent to the server, Form is the wider schema of
// accepted answers. Check and Usable judge the decoded answer.
type AnswerForm struct {
	Schema, Form []byte
	Into         any
	Check        func() error
	Usable       func() bool
	// CutEnds means that an answer that is cut off is not requested again in a shorter form; the
	// caller has another way.
	CutEnds bool
	// Show returns the part of an unfinished answer that can be displayed; nil shows nothing.
	Show func(answer string) string
}

// AskJob sends a prompt to a job's model, streams the displayable part of the answer, and decodes
// the answer into f.Into. An answer that breaks a rule but is usable is accepted after the model
// was asked once more.
func (svc *Service) AskJob(ctx context.Context, j Job, prompt []prompts.Message, f AnswerForm,
	report func(queue.Progress)) error {
	if err := j.Fits(prompt); err != nil {
		return err
	}
	show := ReportAnswer(report, f.Show)
	req := j.Request(prompt)
	req.Form, req.CutEnds = f.Form, f.CutEnds
	_, err := j.Client.Structured(ctx, req, f.Schema, f.Into, f.Check, show)
	svc.NoteJob(j, prompt, err)
	if errors.Is(err, ollama.ErrTooLong) && svc.LearnRefused(j.Model, j.Known.Meter,
		TokensOf(req.Messages, j.Known.Meter.Count), ollama.CountedIn(err), j.Options.NumCtx) {
		if fits := j.Fits(prompt); fits != nil {
			return fits // the caller can ask for less
		}
	}
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && !f.CutEnds && f.Usable != nil && f.Usable() {
		return nil
	}
	return j.WrongForm(err)
}

// TokensOf returns the estimated number of tokens in the texts of messages.
func TokensOf(messages []ollama.Message, count func(string) int) (total int) {
	for _, m := range messages {
		total += max(count(m.Content), 1)
	}
	return total
}

// LanguageServers returns the servers of language models that are known, the chats' own
// first.
func (svc *Service) LanguageServers() []*ollama.Client {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	list := []*ollama.Client{svc.Ollama}
	for _, c := range svc.clients {
		list = append(list, c)
	}
	return list
}

// HoldModels keeps background work off the language models until free is called. It returns when
// the work that is running there has ended. The user's own turns are not affected.
func (svc *Service) HoldModels(ctx context.Context) (free func(), err error) {
	lanes := []string{queue.LaneOllama}
	for _, c := range svc.LanguageServers()[1:] {
		lanes = append(lanes, queue.LaneOllama+" "+c.BaseURL())
	}
	var held []func()
	free = func() {
		for _, f := range held {
			f()
		}
	}
	for _, lane := range lanes {
		f, err := svc.core.Queue.Hold(ctx, lane)
		if err != nil {
			free()
			return nil, err
		}
		held = append(held, f)
	}
	return free, nil
}

// ErrFolds means that no question can be asked at the end of a chat's prompt now: older messages
// have to leave it first, and the server would read the whole prompt again. The chat's next turn
// does that.
var ErrFolds = errors.New("older messages have to leave the context first")

// PromptAppender puts questions at the end of a chat's own prompt, which the server has in
// its cache.
type PromptAppender interface {
	// AppendedPrompt returns the chat's own prompt up to and including the reply at leaf, as the
	// server has it in its cache, followed by the first of the instructions that fits, and the
	// index of that instruction. Older messages may leave the prompt for the last instruction only.
	// It fails if that would cost more than a separate request, with ErrFolds if it will not after
	// the next turn.
	AppendedPrompt(ctx context.Context, j Job, c storage.Chat, leaf storage.NodeID, speaker storage.CharacterID,
		instructions ...string) (prompt []prompts.Message, used int, err error)
}
