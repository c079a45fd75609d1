package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/ollama"
	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// The operations of the queue.
const (
	opCapturePrompt = "capture_prompt"
	opCaptureSend   = "capture_send"
)

// The lanes of the queue. They do not name an address: operations may outlive a
// change of it.
const (
	laneOllama = "ollama"
	laneComfy  = "comfy"
)

// captureParams are the params of both.
type captureParams struct {
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

func paramsOf(op storage.Operation) (p captureParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record has no capture
	return p
}

// Capture asks for the prompt of a picture of a moment of the chat, its present
// one where r names none. The scene is captured only for characters that are
// immersed enough.
func (e *Engine) Capture(chat storage.ChatID, r CaptureRequest) (storage.Capture, error) {
	var c storage.Capture
	err := e.store.Update(func(tx *storage.Tx) error {
		ch, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if err := e.checkRequest(tx, ch, &r); err != nil {
			return err
		}
		at := r.At
		if at == "" {
			at = ch.Head
		} else if !shownOn(tx, ch, at) {
			return refuse("this message is not part of the story as it stands: go to it first")
		}
		if err := somethingSaid(tx, chat, at); err != nil {
			return err
		}
		c, err = e.newCapture(tx, ch, at, r, false)
		return err
	})
	if err != nil {
		return storage.Capture{}, fail("capture", err)
	}
	e.queue.Wake()
	e.tellCapture(c)
	return c, nil
}

// mostCameraWords is how many runes the user may add about the camera, and
// mostRequested how many say what to show.
const (
	mostCameraWords = 1000
	mostRequested   = 4000
)

// checkRequest says what is wrong with a request, and brings it into form.
func (e *Engine) checkRequest(tx *storage.Tx, c storage.Chat, r *CaptureRequest) (err error) {
	if r.Kind == "" {
		r.Kind = string(capture.Image)
	}
	if k := capture.Kind(r.Kind); k != capture.Image && k != capture.Video {
		return refuse("it is an image or a video, not %q", firstRunes(r.Kind, 40))
	}
	if r.Camera, err = capture.CheckCamera(r.Camera); err != nil {
		return refuse("%s", err.Error())
	}
	if r.Words = strings.TrimSpace(r.Words); len([]rune(r.Words)) > mostCameraWords {
		return refuse("the words about the camera have %d characters, and %d are the limit", len([]rune(r.Words)), mostCameraWords)
	}
	if r.Focus, err = e.focusNames(tx, c, r.Focus); err != nil {
		return err
	}
	if r.Requested = strings.TrimSpace(r.Requested); len([]rune(r.Requested)) > mostRequested {
		return refuse("what is asked for has %d characters, and %d are the limit: shorten it", len([]rune(r.Requested)), mostRequested)
	}
	if r.Requested == "" {
		who, _ := e.cast(tx, c)
		return capture.Allowed(who.Immersion)
	}
	return nil
}

// somethingSaid refuses a moment before anybody has said anything.
func somethingSaid(tx *storage.Tx, chat storage.ChatID, at storage.NodeID) error {
	said, err := saidUntil(tx, chat, at, 1)
	if err == nil && len(said) == 0 {
		err = refuse("nobody has said anything yet")
	}
	return err
}

// saidUntil reads the newest n messages that somebody spoke on the way to one,
// oldest first. However many pictures hang between them, none of these is read.
func saidUntil(tx *storage.Tx, chat storage.ChatID, at storage.NodeID, n int) ([]storage.Node, error) {
	if _, err := tx.Place(chat, at); at != "" && err != nil {
		return nil, err
	}
	var out []storage.Node
	for p := range tx.Spine(chat, at) {
		if !p.Said() {
			continue
		}
		m, err := tx.Node(chat, p.ID)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(m.Content) == "" {
			continue
		}
		if out = append(out, m); len(out) == n {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// castNames are all who play in a chat, by the names that the story calls them,
// the user's persona last.
func (e *Engine) castNames(tx *storage.Tx, c storage.Chat) []string {
	who, persona := e.cast(tx, c)
	names := []string{who.Card.CharName()}
	for _, id := range castOf(c) {
		if other, err := storage.Characters.Get(tx, id); err == nil {
			names = append(names, other.Card.CharName())
		}
	}
	if persona.Name != "" {
		names = append(names, persona.Name)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.TrimSpace(n) == "" })
}

// portrayed is the character whose looks, style and workflow a capture has: the
// chat's own, except in a picture that was asked for where several play. That is
// of the one whom the request names, else of the one who answered.
func (e *Engine) portrayed(tx *storage.Tx, chat storage.Chat, c storage.Capture) storage.Character {
	who, _ := e.cast(tx, chat)
	if c.Requested == "" || len(chat.Play.Cast) == 0 {
		return who
	}
	cast := []storage.Character{who}
	for _, id := range castOf(chat) {
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
	said, err := saidUntil(tx, chat.ID, c.At, 1)
	if err != nil || len(said) == 0 {
		return who
	}
	if i := slices.IndexFunc(cast, func(o storage.Character) bool { return o.ID == speakerOf(chat, &said[0]) }); i >= 0 {
		return cast[i]
	}
	return who
}

// focusNames finds out who is meant among those who play.
func (e *Engine) focusNames(tx *storage.Tx, c storage.Chat, asked []string) ([]string, error) {
	cast := e.castNames(tx, c)
	var out []string
	for _, name := range asked {
		i := slices.IndexFunc(cast, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(name)) })
		if i < 0 {
			i = slices.IndexFunc(cast, func(n string) bool { return capture.SameName(n, name) })
		}
		if i < 0 {
			return nil, refuse("nobody called %q plays here: there are %s", firstRunes(name, 60), strings.Join(cast, ", "))
		}
		if !slices.Contains(out, cast[i]) {
			out = append(out, cast[i])
		}
	}
	return out, nil
}

// newCapture stores a capture of the moment at a message and queues the writing
// of its prompt. With auto it is sent as soon as that is there.
func (e *Engine) newCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest, auto bool) (storage.Capture, error) {
	c, err := e.storeCapture(tx, chat, at, r, "")
	if err != nil {
		return c, err
	}
	return c, e.addCapture(tx, opCapturePrompt, captureParams{Capture: c.ID, Chat: chat.ID, Camera: r.Words, Auto: auto})
}

// storeCapture stores a capture that still lacks its prompt.
func (e *Engine) storeCapture(tx *storage.Tx, chat storage.Chat, at storage.NodeID, r CaptureRequest, batch storage.BatchID) (storage.Capture, error) {
	now := e.cfg.Now()
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: chat.ID, At: at, Kind: r.Kind, Requested: r.Requested, Camera: r.Camera, Words: r.Words, Focus: r.Focus,
		Batch: batch, Status: storage.CapturePrompting, CreatedAt: now, UpdatedAt: now}
	who := e.portrayed(tx, chat, c)
	if c.Workflow = who.Imagery.Workflow; r.Kind == string(capture.Video) {
		c.Workflow = who.Imagery.VideoWorkflow
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// addCapture queues an operation on a capture; those of a batch go before others.
func (e *Engine) addCapture(tx *storage.Tx, typ string, p captureParams) error {
	_, err := e.addWork(tx, typ, p, func(op *storage.Operation) {
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
func (e *Engine) RedoCapturePrompt(id storage.CaptureID) error {
	err := e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		if err != nil {
			return err
		}
		switch {
		case busy(c):
			return ErrCaptureBusy
		case c.Status == storage.CaptureCompleted:
			return refuse("this is a picture already")
		}
		c.Status = storage.CapturePrompting
		if err := storage.Captures.Put(tx, id, c); err != nil {
			return err
		}
		return e.addCapture(tx, opCapturePrompt, captureParams{Capture: c.ID, Chat: c.Chat, Camera: c.Words, Over: c.ImagePrompt})
	})
	if err != nil {
		return fail("new capture prompt", err)
	}
	e.queue.Wake()
	return nil
}

// runCapturePrompt writes a capture's prompt. An answer that is sound but breaks
// a rule is asked again once; what is still wrong then becomes a warning, as does
// what disagrees with the continuity sheet.
func (e *Engine) runCapturePrompt(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := paramsOf(op)
	m, err := e.captureInput(p)
	if err != nil {
		return queue.Effect{}, err
	}
	base, known := e.momentPrompt(p.Moment)
	if !known {
		j, err := e.job(ctx, JobCapture, m.chat)
		if err != nil {
			return queue.Effect{}, err
		}
		if base, err = e.askCapture(ctx, m.in, j, report); err != nil {
			return queue.Effect{}, err
		}
	}
	var warnings []string
	for _, f := range capture.Check(m.in, base) {
		warnings = append(warnings, f.Words)
	}
	prompt := directed(base.Prompt, m.c.Camera, p.Camera)
	warnings = append(warnings, m.sheet.Contradictions(prompt)...)
	return queue.Effect{Result: base, Apply: func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, m.c.ID)
		if err != nil || c.Status == storage.CaptureGenerating || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		_, err = e.keepPrompt(tx, c, p, base, prompt, warnings)
		return err
	}}, nil
}

// directed is a prompt with what a camera and words about it add.
func directed(prompt string, camera storage.Camera, words string) string {
	return strings.TrimSpace(capture.Direct(prompt, camera) + " " + words)
}

// keepPrompt stores the prompt that was made for a capture, and sends it where it
// was asked for so.
func (e *Engine) keepPrompt(tx *storage.Tx, c storage.Capture, p captureParams, base capture.Answer, prompt string, warnings []string) (storage.Capture, error) {
	if c.Wrote == nil && c.NegativePrompt == "" || c.Wrote != nil && c.NegativePrompt == c.Wrote.NegativePrompt {
		c.NegativePrompt = base.NegativePrompt // else it is the user's own
	}
	if c.ImagePrompt == p.Over {
		c.ImagePrompt = ""
	}
	c.Prompt, c.Reasoning, c.Warnings = prompt, base.Reasoning, warnings
	c.Wrote = &storage.Written{NegativePrompt: base.NegativePrompt, Workflow: c.Workflow, Width: c.Width, Height: c.Height, Camera: c.Camera, Shows: shownIn(base)}
	c.Status, c.Error, c.UpdatedAt = storage.CaptureDraft, "", e.cfg.Now()
	if p.Auto && e.stillAsked(tx, c) {
		c.Status, c.ImagePrompt = storage.CaptureGenerating, cmp.Or(c.ImagePrompt, prompt)
		if err := e.addCapture(tx, opCaptureSend, captureParams{Capture: c.ID, Chat: c.Chat}); err != nil {
			return c, err
		}
	}
	return c, storage.Captures.Put(tx, c.ID, c)
}

// momentPrompt is the prompt that was written for another capture of the same
// moment.
func (e *Engine) momentPrompt(moment storage.BatchID) (a capture.Answer, ok bool) {
	if moment == "" {
		return a, false
	}
	err := e.store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.Backward(tx) {
			if op.Type == opCapturePrompt && op.Status == storage.Completed && paramsOf(op).Moment == moment &&
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

func (e *Engine) capturePrompt(in capture.Input) (prompt []scene.Prompt) {
	for _, m := range capture.Messages(in, e.set()) {
		prompt = append(prompt, scene.Prompt{Role: m.Role, Content: m.Content})
	}
	return prompt
}

func (e *Engine) askCapture(ctx context.Context, in capture.Input, j job, report func(queue.Progress)) (capture.Answer, error) {
	var raw, sound capture.Answer
	var tokens int
	if !j.profiled {
		temp := capture.Temperature(in)
		j.options.Temperature, j.options.NumPredict = &temp, min(captureReply, j.options.NumPredict)
	}
	prompt := e.capturePrompt(in)
	check := func() error {
		sound = raw
		if faults := capture.Check(in, capture.Tidy(in, raw)); len(faults) > 0 {
			return errors.New(capture.Reask(faults))
		}
		return nil
	}
	_, err := j.client.Structured(ctx, j.request(prompt), capture.Schema(in.Kind), &raw, check, func(ollama.Delta) {
		tokens++
		report(queue.Progress{Tokens: tokens})
	})
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && strings.TrimSpace(sound.Prompt) != "" {
		err = nil // sound, but against a rule: the user decides
	}
	e.noteJob(j, prompt, err)
	return capture.Tidy(in, sound), err
}

// captureMoment is all that a capture's prompt is made of.
type captureMoment struct {
	in    capture.Input
	c     storage.Capture
	chat  storage.Chat
	sheet *capture.Sheet
}

// captureInput reads the moment of a capture.
func (e *Engine) captureInput(p captureParams) (m captureMoment, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, p.Capture)
		if err != nil {
			return queue.ErrDiscard
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		m, err = e.captureMoment(tx, chat, c)
		return err
	})
	return m, err
}

func (e *Engine) captureMoment(tx *storage.Tx, chat storage.Chat, c storage.Capture) (m captureMoment, err error) {
	_, persona := e.cast(tx, chat)
	who := e.portrayed(tx, chat, c)
	path, err := saidUntil(tx, c.Chat, c.At, capture.SceneWindow)
	if err != nil {
		return m, err
	}
	facts, err := e.factsAt(tx, chat, c.At)
	if err != nil {
		return m, err
	}
	env := envOf(who.Card, persona)
	env.Now, env.Seed = c.CreatedAt, string(c.Chat)
	expand := func(s string) string { s, _ = prompts.Expand(s, env); return s }
	m = captureMoment{c: c, chat: chat, sheet: capture.NewSheet(facts, e.castNames(tx, chat))}
	m.in = capture.Input{Kind: capture.Kind(c.Kind), Requested: c.Requested, Messages: path, Character: who, Persona: persona,
		Description: expand(who.Card.Description), PersonaText: expand(persona.Description), Scenario: expand(who.Card.Scenario),
		DefaultStyle: e.cfg.Style, DefaultNegative: e.cfg.Negative, Focus: c.Focus, Continuity: capture.Offer(facts)}
	return m, nil
}

// captureWork are the kinds of work on pictures.
func (e *Engine) captureWork() []Work {
	return []Work{
		{Name: opCapturePrompt, Job: JobCapture, Run: e.runCapturePrompt, Changed: e.captureChanged},
		{Name: opCaptureSend, Job: JobCapture, Lane: e.comfyLane, Endless: true, Run: e.runCaptureSend, Changed: e.captureChanged},
		{Name: opIntent, Job: JobCapture, Priority: ridingPriority, Run: e.runIntent, Changed: e.askedOperation},
	}
}
