package pictures

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The operations of the queue.
const (
	OpCapturePrompt = "capture_prompt"
	OpCaptureSend   = "capture_send"
)

// CaptureParams are the parameters of both operations.
type CaptureParams struct {
	Capture storage.CaptureID `json:"capture"`
	Chat    storage.ChatID    `json:"chat"`
	Camera  string            `json:"camera,omitempty"`
	Auto    bool              `json:"auto,omitempty"` // to be sent as soon as its prompt is written
	// Moment is a batch whose captures show the same moment: the model writes one prompt for all
	// of them.
	Moment storage.BatchID `json:"moment,omitempty"`
	// EditedPrompt is the user's version of the prompt that is to be replaced. It is only replaced
	// if it is still the same.
	EditedPrompt string `json:"over,omitempty"`
}

func paramsOf(op storage.Operation) (p CaptureParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record has no capture
	return p
}

// Capture asks for the prompt of a picture of a moment of the chat, the newest one if r names
// none. A scene is only captured if the character's immersion allows it.
func (svc *Service) Capture(chat storage.ChatID, r CaptureRequest) (storage.Capture, error) {
	var c storage.Capture
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		ch, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if err := svc.CheckRequest(tx, ch, &r); err != nil {
			return err
		}
		at := r.At
		if at == "" {
			at = ch.Head
		} else if !chats.ShownOn(tx, ch, at) {
			return failure.Refusef("this message is not on the current branch: go to it first")
		}
		if err := chats.CheckHasMessages(tx, chat, at); err != nil {
			return err
		}
		c, err = svc.newCapture(tx, ch, at, r, false)
		return err
	})
	if err != nil {
		return storage.Capture{}, failure.Wrap("capture", err)
	}
	svc.core.Queue.Wake()
	svc.emitCapture(c)
	return c, nil
}

// MaxCameraWords and MaxRequested limit, in runes, what the user adds about the camera and asks to
// see.
const (
	MaxCameraWords = 1000
	MaxRequested   = 4000
)

// CheckRequest validates and normalises a request.
func (svc *Service) CheckRequest(tx *storage.Tx, c storage.Chat, r *CaptureRequest) (err error) {
	if r.Kind == "" {
		r.Kind = string(capture.Image)
	}
	if k := capture.Kind(r.Kind); k != capture.Image && k != capture.Video {
		return failure.Refusef("it must be an image or a video, not %q", failure.FirstRunes(r.Kind, 40))
	}
	if r.Camera, err = capture.CheckCamera(r.Camera); err != nil {
		return failure.Refusef("%s", err.Error())
	}
	if r.Words = strings.TrimSpace(r.Words); len([]rune(r.Words)) > MaxCameraWords {
		return failure.Refusef("the camera text has %d characters; the limit is %d", len([]rune(r.Words)),
			MaxCameraWords)
	}
	if r.Focus, err = svc.focusNames(tx, c, r.Focus); err != nil {
		return err
	}
	if r.Requested = strings.TrimSpace(r.Requested); len([]rune(r.Requested)) > MaxRequested {
		return failure.Refusef("the request has %d characters, the limit is %d: shorten it", len([]rune(r.Requested)),
			MaxRequested)
	}
	if r.Requested == "" {
		who, _ := svc.chats.Cast(tx, c)
		return capture.Allowed(who.Immersion)
	}
	return nil
}

// subjectOf returns the character whose appearance, style and workflow a capture uses: the chat's
// character, or in a group chat, for a requested picture, the one that the request names, else the
// one who replied.
func (svc *Service) subjectOf(tx *storage.Tx, chat storage.Chat, c storage.Capture) storage.Character {
	who, _ := svc.chats.Cast(tx, chat)
	if c.Requested == "" || len(chat.Play.Cast) == 0 {
		return who
	}
	cast := []storage.Character{who}
	for _, id := range chats.CastOf(chat) {
		if other, err := storage.Characters.Get(tx, id); err == nil {
			cast = append(cast, other)
		}
	}
	var named []storage.Character
	for _, other := range cast {
		if capture.Calls(c.Requested, other.Card.CharName()) {
			named = append(named, other)
		}
	}
	if len(named) == 1 {
		return named[0]
	}
	said, err := chats.MessagesUpTo(tx, chat.ID, c.At, 1)
	if err != nil || len(said) == 0 {
		return who
	}
	if i := slices.IndexFunc(cast, func(o storage.Character) bool {
		return o.ID == chats.SpeakerOf(chat, &said[0])
	}); i >= 0 {
		return cast[i]
	}
	return who
}

// focusNames resolves names to characters of the chat.
func (svc *Service) focusNames(tx *storage.Tx, c storage.Chat, asked []string) ([]string, error) {
	cast := svc.chats.CastNames(tx, c)
	var out []string
	for _, name := range asked {
		i := slices.IndexFunc(cast, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
		if i < 0 {
			i = slices.IndexFunc(cast, func(n string) bool { return capture.SameName(n, name) })
		}
		if i < 0 {
			return nil, failure.Refusef("no character here is called %q; use one of %s", failure.FirstRunes(name, 60),
				strings.Join(cast, ", "))
		}
		if !slices.Contains(out, cast[i]) {
			out = append(out, cast[i])
		}
	}
	return out, nil
}

// newCapture stores a capture of the moment at a message and queues the writing of its prompt.
// With auto it is sent as soon as the prompt is written.
func (svc *Service) newCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest,
	auto bool) (storage.Capture, error) {
	c, err := svc.StoreCapture(tx, chat, at, r, "")
	if err != nil {
		return c, err
	}
	return c, svc.QueueCapture(tx, OpCapturePrompt, CaptureParams{Capture: c.ID, Chat: chat.ID, Camera: r.Words,
		Auto: auto})
}

// StoreCapture stores a capture without a prompt.
func (svc *Service) StoreCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest,
	batch storage.BatchID) (storage.Capture, error) {
	if err := dropEmpty(tx, chat.ID); err != nil {
		return storage.Capture{}, err
	}
	now := svc.core.Config.Now()
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: chat.ID, At: at, Kind: r.Kind,
		Requested: r.Requested, Camera: r.Camera, Words: r.Words, Focus: r.Focus,
		Order: r.Order, Hint: r.Hint, Visual: r.Visual, Batch: batch, Status: storage.CapturePrompting, CreatedAt: now,
		UpdatedAt: now}
	who := svc.subjectOf(tx, chat, c)
	if c.Workflow = who.Imagery.Workflow; r.Kind == string(capture.Video) {
		c.Workflow = who.Imagery.VideoWorkflow
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// dropEmpty deletes the captures of a chat that failed before they had a prompt.
func dropEmpty(tx *storage.Tx, chat storage.ChatID) error {
	var empty []storage.CaptureID
	for id, c := range storage.Captures.All(tx) {
		if c.Chat == chat && c.Status == storage.CaptureFailed && c.Prompt == "" && c.ImagePrompt == "" &&
			c.ImagePath == "" && c.Batch == "" && c.Board == "" {
			empty = append(empty, id)
		}
	}
	for _, id := range empty {
		if err := storage.Captures.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// QueueCapture queues an operation on a capture; those of a batch have a lower priority.
func (svc *Service) QueueCapture(tx *storage.Tx, typ string, p CaptureParams) error {
	_, err := svc.core.Queue.AddOperation(tx, typ, p, func(op *storage.Operation) {
		if c, err := storage.Captures.Get(tx, p.Capture); err == nil && c.Batch != "" {
			op.Priority = batchPriority
		}
	})
	return err
}

// ErrCaptureBusy is returned for a capture that is in the queue and cannot be changed.
var ErrCaptureBusy = errors.New("this capture is still in progress")

// RedoCapturePrompt asks for another prompt for an unsent capture. The user's version stays until
// the new one is written.
func (svc *Service) RedoCapturePrompt(id storage.CaptureID) error { return svc.redoPrompt(id, nil) }

// RedoForCamera is RedoCapturePrompt for another camera.
func (svc *Service) RedoForCamera(id storage.CaptureID, camera storage.Camera) error {
	camera, err := capture.CheckCamera(camera)
	if err != nil {
		return failure.Wrap("new capture prompt", failure.Refusef("%s", err.Error()))
	}
	return svc.redoPrompt(id, &camera)
}

func (svc *Service) redoPrompt(id storage.CaptureID, camera *storage.Camera) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		if err != nil {
			return err
		}
		switch {
		case isBusy(c):
			return ErrCaptureBusy
		case c.Status == storage.CaptureCompleted:
			return failure.Refusef("this already has a picture")
		}
		if camera != nil {
			c.Camera = *camera
		}
		c = nextState(c, jobEvent{kind: jobAsk})
		if err := storage.Captures.Put(tx, id, c); err != nil {
			return err
		}
		return svc.QueueCapture(tx, OpCapturePrompt,
			CaptureParams{Capture: c.ID, Chat: c.Chat, Camera: c.Words, EditedPrompt: c.ImagePrompt})
	})
	if err != nil {
		return failure.Wrap("new capture prompt", err)
	}
	svc.core.Queue.Wake()
	return nil
}

// runCapturePrompt writes a capture's prompt. A valid answer that breaks a rule, shows the wrong
// people or has another camera is asked for again once; remaining faults become warnings.
func (svc *Service) runCapturePrompt(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := paramsOf(op)
	m, err := svc.captureInput(p)
	if err != nil {
		return queue.Effect{}, err
	}
	m.In.Form = svc.Workflows.Form(ctx, m.c.Workflow, m.c.Kind)
	base, known := svc.momentPrompt(p.Moment)
	if view, ok := base.Views[m.c.ID]; known && ok {
		base.Prompt = view
		base.Shot, base.Angle, base.Light = "", "", "" // they were compared when it was written
		base.Warnings, base.Notes = capture.Remaining(m.In, capture.Answer{}, base.Answer)
	} else {
		j, err := svc.models.Job(ctx, models.JobCapture, m.chat)
		if err != nil {
			return queue.Effect{}, err
		}
		if m.In, j, err = svc.fitPrompt(j, m); err != nil {
			return queue.Effect{}, err
		}
		base = momentAnswer{}
		if base.PromptResult, err = svc.askCapture(ctx, m.In, j, report); err != nil {
			return queue.Effect{}, err
		}
		if p.Moment != "" && !known {
			base.Views = svc.askViews(ctx, j, m, p.Moment, base.Prompt)
		}
	}
	prompt := capture.FinalPrompt(m.In, base.Answer)
	if m.In.NewestTruncated() {
		base.Warnings = append(base.Warnings,
			"the newest message is too long for the model's context: only its end was shown")
	}
	return queue.Effect{Result: base, Apply: func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, m.c.ID)
		if err != nil || c.Status == storage.CaptureGenerating || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		ended, err := svc.Continuity.endFacts(tx, c, m.In.Facts, base.Ended)
		if err != nil {
			return err
		}
		base.Notes = append(base.Notes, ended...)
		_, err = svc.StorePrompt(tx, c, p, base.PromptResult, prompt)
		return err
	}}, nil
}

// PromptResult is an answer of the model with its warnings and notes.
type PromptResult struct {
	capture.Answer
	Warnings []string `json:"warnings,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// WithCamera returns a prompt with the phrases of a camera and the user's words about it.
func WithCamera(prompt string, camera storage.Camera, words string) string {
	return capture.WithCamera(prompt, camera, words)
}

// StorePrompt stores the prompt of a capture, and sends the capture if that was requested.
func (svc *Service) StorePrompt(tx *storage.Tx, c storage.Capture, p CaptureParams, base PromptResult,
	prompt string) (storage.Capture, error) {
	prompt = withFirstSketch(tx, c, base.Answer, prompt)
	if c.Wrote == nil && c.NegativePrompt == "" || c.Wrote != nil && c.NegativePrompt == c.Wrote.NegativePrompt {
		c.NegativePrompt = base.NegativePrompt // else it is the user's own
	}
	if c.ImagePrompt == p.EditedPrompt {
		c.ImagePrompt = ""
	}
	c.Prompt, c.Reasoning, c.Warnings = prompt, base.Reasoning, base.Warnings
	c.Wrote = &storage.CaptureInputs{NegativePrompt: base.NegativePrompt, Workflow: c.Workflow, Width: c.Width,
		Height: c.Height, Camera: c.Camera,
		Warnings: base.Warnings, Notes: base.Notes, Shows: shownFacts(base.Answer), Says: base.Answer.Shows,
		InView: base.InView}
	c = nextState(c, jobEvent{kind: jobCancel})
	c.UpdatedAt = svc.core.Config.Now()
	if p.Auto && svc.isStillRequested(tx, c) {
		c = nextState(c, jobEvent{kind: jobSend})
		c.ImagePrompt = cmp.Or(c.ImagePrompt, prompt)
		if err := svc.QueueCapture(tx, OpCaptureSend, CaptureParams{Capture: c.ID, Chat: c.Chat}); err != nil {
			return c, err
		}
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// captureReplyTokens is the reply length of a capture prompt, unless a profile sets one.
const captureReplyTokens = 1600

func (svc *Service) capturePrompt(in capture.Input) (prompt []prompts.Message) {
	for _, m := range capture.Messages(in, svc.core.Prompts()) {
		prompt = append(prompt, prompts.Message{Role: m.Role, Content: m.Content})
	}
	return withTaste(prompt, in)
}

// fitPrompt shortens a moment until it fits the context: the oldest messages first, which the
// recaps summarise.
func (svc *Service) fitPrompt(j models.Job, m captureMoment) (capture.Input, models.Job, error) {
	in := m.In
	if !j.Profiled {
		temp := capture.Temperature(in)
		j.Options.Temperature, j.Options.NumPredict = &temp, min(captureReplyTokens, j.Options.NumPredict)
	}
	first := j.Fits(svc.capturePrompt(in))
	if first == nil {
		return in, j, nil
	}
	var before []string
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		before, err = scenes.StateAt(tx, m.chat.ID, m.c.At)
		return err
	})
	if err != nil {
		return in, j, err
	}
	for in.Degree = 1; in.Degree <= capture.Degrees(); in.Degree++ {
		room := j.Options.NumCtx / beforeShare
		if in.IsTight() {
			room /= 2
		}
		if in.Before = scene.Gist(before, room, j.Known.Meter.Count); j.Fits(svc.capturePrompt(in)) == nil {
			return in, j, nil
		}
	}
	in.Before, in.Degree = "", capture.Degrees()
	if j.Fits(svc.capturePrompt(in)) == nil {
		return in, j, nil
	}
	var big *failure.BigPromptError
	if errors.As(first, &big) {
		least := j.Options.NumPredict
		for _, msg := range svc.capturePrompt(in) {
			least += j.Known.Meter.Count(msg.Content)
		}
		first = failure.Refusef("a prompt for a picture needs at least %d tokens, and the context of %s has %d: raise "+
			"num_ctx for this model or for the profile of pictures, lower its num_predict, or choose another model "+
			"for pictures", least, j.Model, j.Options.NumCtx)
	}
	return in, j, first
}

// beforeShare is the inverse of the share of the context that recaps may use in a capture prompt.
const beforeShare = 12

// askCapture asks for a prompt, and a second time if it has faults.
func (svc *Service) askCapture(ctx context.Context, in capture.Input, j models.Job,
	report func(queue.Progress)) (PromptResult, error) {
	var raw, before, sound capture.Answer
	prompt := svc.capturePrompt(in)
	check := func() error {
		before, sound = sound, capture.CleanAnswer(in, raw)
		if faults := capture.Check(in, sound); len(faults) > 0 {
			return errors.New(capture.Corrections(faults))
		}
		return nil
	}
	req := j.Request(prompt)
	req.Form = capture.MinimalSchema(in)
	_, err := j.Client.Structured(ctx, req, capture.Schema(in), &raw, check,
		models.ReportAnswer(report, func(answer string) string {
			if at := strings.LastIndex(answer, `"reasoning"`); at > 0 { // it was asked twice
				answer = answer[at:]
			}
			return capture.Partial(answer)
		}))
	svc.models.NoteJob(j, prompt, err)
	var answer *ollama.AnswerError
	switch {
	case errors.As(err, &answer) && strings.TrimSpace(sound.Prompt) != "":
		err = nil // valid but against a rule: the user decides
	case errors.As(err, &answer):
		err = failure.Refusef("%s", unusableMessage(answer))
	}
	out := PromptResult{Answer: sound}
	out.Warnings, out.Notes = capture.Remaining(in, before, sound)
	return out, err
}

// unusableMessage describes what was wrong with an unusable answer.
func unusableMessage(e *ollama.AnswerError) string {
	what := "was not a description of a picture"
	switch e.Ending {
	case ollama.EndLength:
		what = "ended before the prompt was complete"
	case ollama.EndRepeat:
		what = "repeated itself"
	}
	return "the model's answer " + what + ", twice. Try again, or choose another model for picture prompts"
}

// Kinds returns the kinds of operations on pictures.
func (svc *Service) Kinds() []queue.Kind {
	lane := svc.models.Lane
	return []queue.Kind{
		{Type: OpCapturePrompt, Lane: lane(models.JobCapture), Run: svc.runCapturePrompt, Changed: svc.captureChanged},
		{Type: OpCaptureSend, Lane: svc.comfyLane, NoTimeout: true, Run: svc.runCaptureSend,
			Changed: svc.captureChanged},
		{Type: opIntent, Lane: lane(models.JobCapture), Run: discard},
	}
}

// FindCapture finds a capture by its ID or a unique prefix of it.
func (svc *Service) FindCapture(ref string) (storage.Capture, error) {
	return core.Find(svc.core, "capture", ref, storage.Captures,
		func(c storage.Capture) (string, string) { return string(c.ID), "" })
}
