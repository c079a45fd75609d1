package pictures

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/core"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/ollama"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes"
	"ghostlight/engine/scenes/scene"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// The operations of the queue.
const (
	OpCapturePrompt = "capture_prompt"
	OpCaptureSend   = "capture_send"
)

// CaptureParams are the params of both.
type CaptureParams struct {
	Capture storage.CaptureID `json:"capture"`
	Chat    storage.ChatID    `json:"chat"`
	Camera  string            `json:"camera,omitempty"`
	Auto    bool              `json:"auto,omitempty"` // to be sent as soon as its prompt is there
	// Moment names a batch whose captures show the same moment: the model writes one
	// prompt for all of them.
	Moment storage.BatchID `json:"moment,omitempty"`
	// Over is what the user made of the prompt that is to be replaced. What has been
	// written since is not.
	Over string `json:"over,omitempty"`
}

func paramsOf(op storage.Operation) (p CaptureParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record has no capture
	return p
}

// Capture asks for the prompt of a picture of a moment of the chat, its present
// one where r names none. The scene is captured only for characters that are
// immersed enough.
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
			return failure.Refuse("this message is not on the current branch: go to it first")
		}
		if err := chats.SomethingSaid(tx, chat, at); err != nil {
			return err
		}
		c, err = svc.newCapture(tx, ch, at, r, false)
		return err
	})
	if err != nil {
		return storage.Capture{}, failure.Fail("capture", err)
	}
	svc.core.Queue.Wake()
	svc.tellCapture(c)
	return c, nil
}

// MostCameraWords is how many runes the user may add about the camera, and
// MostRequested how many say what to show.
const (
	MostCameraWords = 1000
	MostRequested   = 4000
)

// CheckRequest says what is wrong with a request, and brings it into form.
func (svc *Service) CheckRequest(tx *storage.Tx, c storage.Chat, r *CaptureRequest) (err error) {
	if r.Kind == "" {
		r.Kind = string(capture.Image)
	}
	if k := capture.Kind(r.Kind); k != capture.Image && k != capture.Video {
		return failure.Refuse("it must be an image or a video, not %q", failure.FirstRunes(r.Kind, 40))
	}
	if r.Camera, err = capture.CheckCamera(r.Camera); err != nil {
		return failure.Refuse("%s", err.Error())
	}
	if r.Words = strings.TrimSpace(r.Words); len([]rune(r.Words)) > MostCameraWords {
		return failure.Refuse("the words about the camera have %d characters, and %d are the limit", len([]rune(r.Words)), MostCameraWords)
	}
	if r.Focus, err = svc.focusNames(tx, c, r.Focus); err != nil {
		return err
	}
	if r.Requested = strings.TrimSpace(r.Requested); len([]rune(r.Requested)) > MostRequested {
		return failure.Refuse("what is asked for has %d characters, and %d are the limit: shorten it", len([]rune(r.Requested)), MostRequested)
	}
	if r.Requested == "" {
		who, _ := svc.chats.Cast(tx, c)
		return capture.Allowed(who.Immersion)
	}
	return nil
}

// portrayed is the character whose looks, style and workflow a capture has: the
// chat's own, except in a picture that was asked for where several play. That is
// of the one whom the request names, else of the one who answered.
func (svc *Service) portrayed(tx *storage.Tx, chat storage.Chat, c storage.Capture) storage.Character {
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
	said, err := chats.SaidUntil(tx, chat.ID, c.At, 1)
	if err != nil || len(said) == 0 {
		return who
	}
	if i := slices.IndexFunc(cast, func(o storage.Character) bool { return o.ID == chats.SpeakerOf(chat, &said[0]) }); i >= 0 {
		return cast[i]
	}
	return who
}

// focusNames finds out who is meant among those who play.
func (svc *Service) focusNames(tx *storage.Tx, c storage.Chat, asked []string) ([]string, error) {
	cast := svc.chats.CastNames(tx, c)
	var out []string
	for _, name := range asked {
		i := slices.IndexFunc(cast, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
		if i < 0 {
			i = slices.IndexFunc(cast, func(n string) bool { return capture.SameName(n, name) })
		}
		if i < 0 {
			return nil, failure.Refuse("nobody here is called %q: there are %s", failure.FirstRunes(name, 60), strings.Join(cast, ", "))
		}
		if !slices.Contains(out, cast[i]) {
			out = append(out, cast[i])
		}
	}
	return out, nil
}

// newCapture stores a capture of the moment at a message and queues the writing
// of its prompt. With auto it is sent as soon as that is there.
func (svc *Service) newCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest, auto bool) (storage.Capture, error) {
	c, err := svc.StoreCapture(tx, chat, at, r, "")
	if err != nil {
		return c, err
	}
	return c, svc.AddCapture(tx, OpCapturePrompt, CaptureParams{Capture: c.ID, Chat: chat.ID, Camera: r.Words, Auto: auto})
}

// StoreCapture stores a capture that still lacks its prompt.
func (svc *Service) StoreCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest, batch storage.BatchID) (storage.Capture, error) {
	now := svc.core.Config.Now()
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: chat.ID, At: at, Kind: r.Kind, Requested: r.Requested, Camera: r.Camera, Words: r.Words, Focus: r.Focus,
		Batch: batch, Status: storage.CapturePrompting, CreatedAt: now, UpdatedAt: now}
	who := svc.portrayed(tx, chat, c)
	if c.Workflow = who.Imagery.Workflow; r.Kind == string(capture.Video) {
		c.Workflow = who.Imagery.VideoWorkflow
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// AddCapture queues an operation on a capture; those of a batch go before others.
func (svc *Service) AddCapture(tx *storage.Tx, typ string, p CaptureParams) error {
	_, err := svc.house.AddWork(tx, typ, p, func(op *storage.Operation) {
		if c, err := storage.Captures.Get(tx, p.Capture); err == nil && c.Batch != "" {
			op.Priority = batchPriority
		}
	})
	return err
}

// ErrCaptureBusy: a capture is in the queue and cannot be changed meanwhile.
var ErrCaptureBusy = errors.New("this capture is still being worked on")

// RedoCapturePrompt asks for another prompt for a capture that was not sent. What
// the user made of the one before stays until the new one is there.
func (svc *Service) RedoCapturePrompt(id storage.CaptureID) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		if err != nil {
			return err
		}
		switch {
		case busy(c):
			return ErrCaptureBusy
		case c.Status == storage.CaptureCompleted:
			return failure.Refuse("this already has a picture")
		}
		c.Status = storage.CapturePrompting
		if err := storage.Captures.Put(tx, id, c); err != nil {
			return err
		}
		return svc.AddCapture(tx, OpCapturePrompt, CaptureParams{Capture: c.ID, Chat: c.Chat, Camera: c.Words, Over: c.ImagePrompt})
	})
	if err != nil {
		return failure.Fail("new capture prompt", err)
	}
	svc.core.Queue.Wake()
	return nil
}

// runCapturePrompt writes a capture's prompt. An answer that is sound but breaks
// a rule is asked again once; what is still wrong then becomes a warning, as does
// what disagrees with the continuity sheet.
func (svc *Service) runCapturePrompt(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := paramsOf(op)
	m, err := svc.captureInput(p)
	if err != nil {
		return queue.Effect{}, err
	}
	base, known := svc.momentPrompt(p.Moment)
	if !known {
		j, err := svc.house.Job(ctx, house.JobCapture, m.chat)
		if err != nil {
			return queue.Effect{}, err
		}
		if m.In, j, err = svc.fitted(j, m); err != nil {
			return queue.Effect{}, err
		}
		if base, err = svc.askCapture(ctx, m.In, j, report); err != nil {
			return queue.Effect{}, err
		}
	}
	var warnings []string
	if m.In.Ended() {
		warnings = append(warnings, "the newest message is too long for the model's context: only its end was shown")
	}
	for _, f := range capture.Check(m.In, base) {
		warnings = append(warnings, f.Words)
	}
	prompt := Directed(base.Prompt, m.c.Camera, p.Camera)
	warnings = append(warnings, m.Sheet.Contradictions(prompt)...)
	return queue.Effect{Result: base, Apply: func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, m.c.ID)
		if err != nil || c.Status == storage.CaptureGenerating || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		_, err = svc.KeepPrompt(tx, c, p, base, prompt, warnings)
		return err
	}}, nil
}

// Directed is a prompt with what a camera and words about it add.
func Directed(prompt string, camera storage.Camera, words string) string {
	return strings.TrimSpace(capture.Direct(prompt, camera) + " " + words)
}

// KeepPrompt stores the prompt that was made for a capture, and sends it where it
// was asked for so.
func (svc *Service) KeepPrompt(tx *storage.Tx, c storage.Capture, p CaptureParams, base capture.Answer, prompt string, warnings []string) (storage.Capture, error) {
	if c.Wrote == nil && c.NegativePrompt == "" || c.Wrote != nil && c.NegativePrompt == c.Wrote.NegativePrompt {
		c.NegativePrompt = base.NegativePrompt // else it is the user's own
	}
	if c.ImagePrompt == p.Over {
		c.ImagePrompt = ""
	}
	c.Prompt, c.Reasoning, c.Warnings = prompt, base.Reasoning, warnings
	c.Wrote = &storage.Written{NegativePrompt: base.NegativePrompt, Workflow: c.Workflow, Width: c.Width, Height: c.Height, Camera: c.Camera, Shows: shownIn(base)}
	c.Status, c.Error, c.UpdatedAt = storage.CaptureDraft, "", svc.core.Config.Now()
	if p.Auto && svc.stillAsked(tx, c) {
		c.Status, c.ImagePrompt = storage.CaptureGenerating, cmp.Or(c.ImagePrompt, prompt)
		if err := svc.AddCapture(tx, OpCaptureSend, CaptureParams{Capture: c.ID, Chat: c.Chat}); err != nil {
			return c, err
		}
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// momentPrompt is the prompt that was written for another capture of the same
// moment.
func (svc *Service) momentPrompt(moment storage.BatchID) (a capture.Answer, ok bool) {
	if moment == "" {
		return a, false
	}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.Backward(tx) {
			if op.Type == OpCapturePrompt && op.Status == storage.Completed && paramsOf(op).Moment == moment &&
				json.Unmarshal(op.Result, &a) == nil && a.Prompt != "" {
				ok = true
				break
			}
		}
		return nil
	})
	return a, ok && err == nil
}

// captureReply is the room for the answer about a picture where no profile says
// otherwise.
const captureReply = 1600

func (svc *Service) capturePrompt(in capture.Input) (prompt []prompts.Message) {
	for _, m := range capture.Messages(in, svc.core.Set()) {
		prompt = append(prompt, prompts.Message{Role: m.Role, Content: m.Content})
	}
	return prompt
}

// fitted leaves out of a moment what has no room: what is farthest from the present
// first. The recaps say in short what it was.
func (svc *Service) fitted(j house.Job, m captureMoment) (capture.Input, house.Job, error) {
	in := m.In
	if !j.Profiled {
		temp := capture.Temperature(in)
		j.Options.Temperature, j.Options.NumPredict = &temp, min(captureReply, j.Options.NumPredict)
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
		if in.Tight() {
			room /= 2
		}
		if in.Before = scene.Gist(before, nil, room, j.Known.Meter.Count); j.Fits(svc.capturePrompt(in)) == nil {
			return in, j, nil
		}
	}
	in.Before, in.Degree = "", capture.Degrees()
	if j.Fits(svc.capturePrompt(in)) == nil {
		return in, j, nil
	}
	return in, j, first
}

// beforeShare is which part of the context may tell a capture what was before it.
const beforeShare = 12

func (svc *Service) askCapture(ctx context.Context, in capture.Input, j house.Job, report func(queue.Progress)) (capture.Answer, error) {
	var raw, sound capture.Answer
	var tokens int
	prompt := svc.capturePrompt(in)
	check := func() error {
		sound = raw
		if faults := capture.Check(in, capture.Tidy(in, raw)); len(faults) > 0 {
			return errors.New(capture.Reask(faults))
		}
		return nil
	}
	_, err := j.Client.Structured(ctx, j.Request(prompt), capture.Schema(in.Kind), &raw, check, func(ollama.Delta) {
		tokens++
		report(queue.Progress{Tokens: tokens})
	})
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && strings.TrimSpace(sound.Prompt) != "" {
		err = nil // sound, but against a rule: the user decides
	}
	svc.house.NoteJob(j, prompt, err)
	return capture.Tidy(in, sound), err
}

// captureMoment is all that a capture's prompt is made of.
type captureMoment struct {
	In    capture.Input
	c     storage.Capture
	chat  storage.Chat
	Sheet *capture.Sheet
}

// captureInput reads the moment of a capture.
func (svc *Service) captureInput(p CaptureParams) (m captureMoment, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.Capture)
		if err != nil {
			return queue.ErrDiscard
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		m, err = svc.CaptureMoment(tx, chat, c)
		return err
	})
	return m, err
}

// CaptureMoment reads the moment that a capture shows, with what a prompt for it needs.
func (svc *Service) CaptureMoment(tx *storage.Tx, chat storage.Chat, c storage.Capture) (m captureMoment, err error) {
	_, persona := svc.chats.Cast(tx, chat)
	who := svc.portrayed(tx, chat, c)
	path, err := chats.SaidUntil(tx, c.Chat, c.At, capture.SceneWindow)
	if err != nil {
		return m, err
	}
	facts, err := svc.Continuity.factsAt(tx, chat, c.At)
	if err != nil {
		return m, err
	}
	env := chats.EnvOf(who.Card, persona)
	env.Now, env.Seed = c.CreatedAt, string(c.Chat)
	expand := func(s string) string { s, _ = prompts.Expand(s, env); return s }
	m = captureMoment{c: c, chat: chat, Sheet: capture.NewSheet(facts, svc.chats.CastNames(tx, chat))}
	m.In = capture.Input{Kind: capture.Kind(c.Kind), Requested: c.Requested, Messages: path, Character: who, Persona: persona,
		Description: expand(who.Card.Description), PersonaText: expand(persona.Description), Scenario: expand(who.Card.Scenario),
		DefaultStyle: svc.core.Config.Style, DefaultNegative: svc.core.Config.Negative, Focus: c.Focus, Continuity: capture.Offer(facts), Marks: scenes.WhisperMarks(tx, path)}
	return m, nil
}

// Work are the kinds of work on pictures.
func (svc *Service) Work() []house.Work {
	return []house.Work{
		{Name: OpCapturePrompt, Job: house.JobCapture, Run: svc.runCapturePrompt, Changed: svc.captureChanged},
		{Name: OpCaptureSend, Job: house.JobCapture, Lane: svc.comfyLane, Endless: true, Run: svc.runCaptureSend, Changed: svc.captureChanged},
		{Name: opIntent, Job: house.JobCapture, Priority: scenes.AppendedPriority, Run: svc.runIntent, Changed: svc.askedOperation},
	}
}

// FindCapture finds a capture by its id or a unique prefix of it.
func (svc *Service) FindCapture(ref string) (storage.Capture, error) {
	return core.Find(svc.core, "capture", ref, storage.Captures, func(c storage.Capture) (string, string) { return string(c.ID), "" })
}
