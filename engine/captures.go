package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/capture"
	"ghostlight/engine/comfy"
	"ghostlight/engine/ollama"
	"ghostlight/engine/queue"
	"ghostlight/engine/scene"
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
}

func (e *Engine) newQueue() *queue.Queue {
	q := queue.New(e.store, queue.Options{
		OnChange: e.operationChanged,
		OnProgress: func(id storage.OperationID, p queue.Progress) {
			e.emit(e.progressOf(id, p))
		},
		Now: e.cfg.Now, Words: Words, Log: e.log,
		Passing: func(err error) bool {
			return ollama.Passing(err) || errors.Is(err, comfy.ErrVanished) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errLoreMoved)
		},
		Timeout: e.jobTimeout,
	})
	for typ, job := range map[string]queue.Job{
		opCapturePrompt: e.runCapturePrompt, opCaptureSend: e.runCaptureSend,
		opAfterTurn: e.runAfterTurn, opDetect: e.runDetect, opDetectAll: e.runDetectAll, opRecap: e.runRecap, opRunning: e.runRunning,
		opMessage: e.runMessage, opJoin: e.runJoin, opExam: e.runExam,
		opLoreLookup: e.runLookup, opLoreResolve: e.runResolve, opLoreMerge: e.runMerge, opLoreCompact: e.runCompact,
	} {
		q.Register(typ, job)
	}
	return q
}

func (e *Engine) progressOf(id storage.OperationID, p queue.Progress) OperationProgress {
	ev := OperationProgress{ID: id, Progress: p}
	var op storage.Operation
	if err := e.store.View(func(tx *storage.Tx) (err error) { op, err = storage.Operations.Get(tx, id); return err }); err == nil {
		p := sceneParamsOf(op)
		ev.Type, ev.Capture, ev.Chat, ev.Node = op.Type, paramsOf(op).Capture, p.Chat, p.Node
	}
	return ev
}

func paramsOf(op storage.Operation) (p captureParams) {
	_ = json.Unmarshal(op.Params, &p) // a damaged record has no capture
	return p
}

// Capture asks for the prompt of a picture of the chat's present moment. The
// scene is captured only for characters that are immersed enough.
func (e *Engine) Capture(chat storage.ChatID, r CaptureRequest) (storage.Capture, error) {
	if r.Kind == "" {
		r.Kind = string(capture.Image)
	}
	if k := capture.Kind(r.Kind); k != capture.Image && k != capture.Video {
		return storage.Capture{}, fail("capture", refuse("it is an image or a video, not %q", r.Kind))
	}
	var c storage.Capture
	err := e.store.Update(func(tx *storage.Tx) error {
		ch, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		who, _ := e.cast(tx, ch)
		if r.Requested == "" {
			if err := capture.Allowed(who.Immersion); err != nil {
				return err
			}
		}
		at := r.At
		if at == "" {
			at = ch.Head
		}
		path, err := tx.Path(chat, at, 40)
		if err != nil {
			return err
		}
		if len(capture.Conversation(capture.Input{Kind: capture.Kind(r.Kind), Requested: r.Requested, Messages: path})) == 0 {
			return refuse("nobody has said anything yet")
		}
		c, err = e.newCapture(tx, ch, at, r, false)
		return err
	})
	if err != nil {
		return storage.Capture{}, fail("capture", err)
	}
	e.queue.Wake()
	e.emit(CaptureChanged{c})
	return c, nil
}

func (e *Engine) addOperation(tx *storage.Tx, typ, lane string, p captureParams) error {
	params, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if typ == opCapturePrompt {
		lane = e.laneFor(tx, JobCapture)
	}
	return e.queue.Add(tx, &storage.Operation{Type: typ, Lane: lane, Params: params})
}

// ErrCaptureBusy: a capture is in the queue and cannot be changed meanwhile.
var ErrCaptureBusy = errors.New("this capture is still being worked on")

// RedoCapturePrompt asks for another prompt for a capture that was not sent.
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
		c.Status, c.ImagePrompt = storage.CapturePrompting, ""
		if err := storage.Captures.Put(tx, id, c); err != nil {
			return err
		}
		return e.addOperation(tx, opCapturePrompt, laneOllama, captureParams{Capture: c.ID, Chat: c.Chat})
	})
	if err != nil {
		return fail("new capture prompt", err)
	}
	e.queue.Wake()
	return nil
}

// runCapturePrompt writes a capture's prompt. An answer that is sound but breaks
// a rule is asked again once; what is still wrong then becomes a warning.
func (e *Engine) runCapturePrompt(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := paramsOf(op)
	in, c, chat, err := e.captureInput(p)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := e.job(ctx, JobCapture, chat)
	if err != nil {
		return queue.Effect{}, err
	}
	a, err := e.askCapture(ctx, in, j, report)
	if j.server == "" {
		e.noteServer(err)
	}
	if err != nil {
		return queue.Effect{}, err
	}
	if p.Camera != "" {
		a.Prompt = strings.TrimSpace(a.Prompt + " " + p.Camera)
	}
	var warnings []string
	for _, f := range capture.Check(in, a) {
		warnings = append(warnings, f.Words)
	}
	return queue.Effect{Result: a, Apply: func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, c.ID)
		if err != nil || c.Status == storage.CaptureGenerating || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		c.Prompt, c.NegativePrompt, c.Reasoning, c.Warnings = a.Prompt, a.NegativePrompt, a.Reasoning, warnings
		c.Status, c.Error, c.UpdatedAt = storage.CaptureDraft, "", e.cfg.Now()
		if p.Auto {
			c.Status, c.ImagePrompt = storage.CaptureGenerating, a.Prompt
			if err := e.addOperation(tx, opCaptureSend, laneComfy, captureParams{Capture: c.ID, Chat: c.Chat}); err != nil {
				return err
			}
		}
		return storage.Captures.Put(tx, c.ID, c)
	}}, nil
}

// captureReply is the room for the answer about a picture where no profile says
// otherwise.
const captureReply = 1200

func (e *Engine) captureRequest(in capture.Input, j job) ollama.Request {
	var prompt []scene.Prompt
	for _, m := range capture.Messages(in, e.set()) {
		prompt = append(prompt, scene.Prompt{Role: m.Role, Content: m.Content})
	}
	if !j.profiled {
		temp := capture.Temperature(in)
		j.options.Temperature, j.options.NumPredict = &temp, min(captureReply, j.options.NumPredict)
	}
	return j.request(prompt)
}

func (e *Engine) askCapture(ctx context.Context, in capture.Input, j job, report func(queue.Progress)) (capture.Answer, error) {
	var raw capture.Answer
	var tokens int
	check := func() error {
		if faults := capture.Check(in, capture.Tidy(in, raw)); len(faults) > 0 {
			return errors.New(capture.Reask(faults))
		}
		return nil
	}
	_, err := j.client.Structured(ctx, e.captureRequest(in, j), capture.Schema(in.Kind), &raw, check, func(ollama.Delta) {
		tokens++
		report(queue.Progress{Tokens: tokens})
	})
	var answer *ollama.AnswerError
	if errors.As(err, &answer) && strings.TrimSpace(raw.Prompt) != "" && check() != nil {
		err = nil // sound, but against a rule: the user decides
	}
	return capture.Tidy(in, raw), err
}

// captureInput reads the moment of a capture.
func (e *Engine) captureInput(p captureParams) (in capture.Input, c storage.Capture, chat storage.Chat, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, p.Capture); err != nil {
			return queue.ErrDiscard
		}
		if chat, err = storage.Chats.Get(tx, c.Chat); err != nil {
			return queue.ErrDiscard
		}
		who, persona := e.cast(tx, chat)
		path, err := tx.Path(c.Chat, c.At, 60)
		if err != nil {
			return err
		}
		env := envOf(who.Card, persona)
		env.Now, env.Seed = c.CreatedAt, string(c.Chat)
		expand := func(s string) string { s, _ = prompts.Expand(s, env); return s }
		in = capture.Input{Kind: capture.Kind(c.Kind), Requested: c.Requested, Messages: path, Character: who, Persona: persona,
			Description: expand(who.Card.Description), PersonaText: expand(persona.Description), Scenario: expand(who.Card.Scenario),
			DefaultStyle: e.cfg.Style, DefaultNegative: e.cfg.Negative}
		return nil
	})
	return in, c, chat, err
}

// Captures lists a chat's captures, newest first; "" lists those of all chats.
func (e *Engine) Captures(chat storage.ChatID) ([]storage.Capture, error) {
	list, err := all(e, "captures", storage.Captures)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(c storage.Capture) bool { return chat != "" && c.Chat != chat })
	slices.Reverse(list)
	return list, nil
}

// SaveCapture keeps what the user made of a capture, unsent.
func (e *Engine) SaveCapture(id storage.CaptureID, edit CaptureEdit) error {
	_, err := e.editCapture(id, edit, nil)
	return err
}

// SendCapture queues a capture for ComfyUI as the user has edited it.
func (e *Engine) SendCapture(id storage.CaptureID, edit CaptureEdit) (storage.Capture, error) {
	if strings.TrimSpace(edit.ImagePrompt) == "" {
		return storage.Capture{}, fail("send capture", refuse("there is no prompt"))
	}
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("send capture", err)
	}
	if _, err := e.workflow(edit.Workflow, c.Kind); err != nil {
		return storage.Capture{}, err
	}
	c, err := e.editCapture(id, edit, func(tx *storage.Tx, c *storage.Capture) error {
		if c.Status == storage.CaptureCompleted {
			again := *c // a picture stays what it is; another one is another capture
			again.ID, again.CreatedAt = storage.CaptureID(storage.NewID()), e.cfg.Now()
			again.Node, again.ImageID, again.ImagePath, again.ThumbnailPath, again.GenerationTime = "", "", "", "", 0
			*c = again
		}
		c.Status, c.Error = storage.CaptureGenerating, ""
		return e.addOperation(tx, opCaptureSend, laneComfy, captureParams{Capture: c.ID, Chat: c.Chat})
	})
	if err == nil {
		e.queue.Wake()
	}
	return c, err
}

func (e *Engine) editCapture(id storage.CaptureID, edit CaptureEdit, then func(*storage.Tx, *storage.Capture) error) (c storage.Capture, err error) {
	err = e.store.Update(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if busy(c) {
			return ErrCaptureBusy
		}
		if c.Status != storage.CaptureCompleted || then != nil {
			c.ImagePrompt, c.NegativePrompt, c.Seed = edit.ImagePrompt, edit.NegativePrompt, edit.Seed
			c.Workflow, c.Width, c.Height, c.UpdatedAt = edit.Workflow, edit.Width, edit.Height, e.cfg.Now()
		}
		if then != nil {
			if err := then(tx, &c); err != nil {
				return err
			}
		}
		return storage.Captures.Put(tx, c.ID, c)
	})
	if err != nil {
		return c, fail("capture", err)
	}
	e.emit(CaptureChanged{c})
	return c, nil
}

// ResendCapture makes the same picture again with a new seed, as a new capture.
func (e *Engine) ResendCapture(id storage.CaptureID) (storage.Capture, error) {
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return c, fail("send again", err)
	}
	text := c.ImagePrompt
	if text == "" {
		text = c.Prompt
	}
	return e.SendCapture(id, CaptureEdit{ImagePrompt: text, NegativePrompt: c.NegativePrompt, Workflow: c.Workflow, Width: c.Width, Height: c.Height})
}

// CancelCapture stops the work on a capture; its prompt stays as a draft.
func (e *Engine) CancelCapture(id storage.CaptureID) error {
	defer e.steered()
	return e.cancelWork(id)
}

func (e *Engine) cancelWork(id storage.CaptureID) error {
	ops, err := e.queue.List()
	if err != nil {
		return fail("cancel capture", err)
	}
	for _, op := range ops {
		if paramsOf(op).Capture == id && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			return e.queue.Cancel(op.ID)
		}
	}
	return fail("cancel capture", ErrNothing)
}

// DeleteCapture removes a capture, its message and its files.
func (e *Engine) DeleteCapture(id storage.CaptureID) error {
	_ = e.cancelWork(id) // mostly nothing runs
	var c storage.Capture
	err := e.store.Update(func(tx *storage.Tx) (err error) {
		if c, err = storage.Captures.Get(tx, id); err != nil {
			return err
		}
		if c.Node != "" {
			n, err := tx.Node(c.Chat, c.Node)
			if err != nil {
				return err
			}
			n.Deleted = true
			if err := tx.PutNode(n); err != nil {
				return err
			}
		}
		return storage.Captures.Delete(tx, id)
	})
	if err != nil {
		return fail("delete capture", err)
	}
	e.removeFiles(c.ID)
	e.emit(CaptureChanged{c})
	e.emit(ChatChanged{c.Chat})
	return nil
}
