package boards

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// maxRounds limits how often a model may call tools for one line.
	maxRounds = 4
	// maxReply limits a stored reply, in runes.
	maxReply = 2000
)

// Steer queues a steering line.
func (svc *Service) Steer(chat storage.ChatID, node storage.NodeID, line string) (id storage.OperationID, err error) {
	if line = strings.TrimSpace(line); line == "" {
		return "", failure.Wrap("steer storyboard", failure.Refusef("enter what should change"))
	}
	if err := checkLength("an instruction", line); err != nil {
		return "", failure.Wrap("steer storyboard", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if _, _, err := svc.boardAt(tx, chat, node); err != nil {
			return err
		}
		id, err = svc.queueUnlessCovered(tx, OpBoardSteer, boardParams{Chat: chat, Node: node, Instruction: line})
		return err
	})
	if err != nil {
		return "", failure.Wrap("steer storyboard", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat, node})
	return id, nil
}

// steerAttempt is the model's work on a line: calls that were tried on a copy of the plan, and the
// errors of others.
type steerAttempt struct {
	plan     storage.Plan
	check    func(storage.ToolCall) error // what else a call has to keep to, nil for nothing
	calls    []storage.ToolCall
	done     []string // in words, one for each call
	faults   []string
	reply    string
	question bool
}

// isEmpty reports whether the answer is unusable.
func (t *steerAttempt) isEmpty() bool { return len(t.calls) == 0 && t.reply == "" }

// try carries out a call on the copy and describes the result.
func (t *steerAttempt) try(c storage.ToolCall) string {
	after, out, err := t.plan, storyboard.Outcome{}, error(nil)
	tool, _ := storyboard.Find(c.Tool)
	switch {
	case !tool.Steering:
		err = failure.Refusef("there is no tool %q that may be called here", failure.ShortRef(c.Tool))
	case len(t.calls) == maxCallsPerTurn:
		err = failure.Refusef("%d calls for one line are enough", maxCallsPerTurn)
	default:
		if t.check != nil {
			err = t.check(c)
		}
		if err == nil {
			after, out, err = storyboard.Apply(t.plan, c)
		}
	}
	if err != nil {
		t.faults = append(t.faults, err.Error())
		return "Not done: " + err.Error()
	}
	t.plan, t.calls, t.done = after, append(t.calls, c), append(t.done, out.Message)
	return "Done: " + out.Message
}

// runBoardSteer lets the model carry out a steering line: by tool calls if it supports them, else
// by an answer that names tools.
func (svc *Service) runBoardSteer(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	a, err := svc.readBoard(op)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.models.Job(ctx, models.JobBoard, a.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	a.in.SceneBytes = sceneBytes(j)
	j.Options.NumPredict = min(j.Options.NumPredict, j.Options.NumCtx/4) // a line needs less of a small context
	t := &steerAttempt{plan: a.in.Plan, check: a.in.CheckDialogue}
	if j.Known.Tools {
		err = svc.steerByTools(ctx, j, &a, t, report)
	}
	if err == nil && t.isEmpty() {
		t, err = svc.steerByForm(ctx, j, &a, report)
	}
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: steering},
		Apply: func(tx *storage.Tx) error { return svc.storeSteered(tx, a, t) }}, nil
}

// steerByTools offers the tools to the model and returns the result of each call to it, until it
// makes no more calls. If it replies without a call, it is reminded once.
func (svc *Service) steerByTools(ctx context.Context, j models.Job, a *boardRequest, t *steerAttempt,
	report func(queue.Progress)) error {
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Steer(svc.core.Prompts(), in, true) }
	tools, room := offeredTools(svc.core.Prompts())
	in, fits := a.fit(j, ask, room)
	if !fits {
		return nil // an answer that names them takes less
	}
	a.in = in
	prompt := ask(in)
	j.Prefill = "" // the beginning of an answer in words would keep it from calling
	req := j.Request(prompt)
	req.Tools = tools
	if req.Think == "" && j.Known.Thinks {
		req.Think = ollama.ThinkOff
	}
	seen, told := map[string]bool{}, false
	for range maxRounds {
		res, err := j.Client.Chat(ctx, req, models.ReportAnswer(report, nil))
		svc.models.NoteJob(j, prompt, err)
		if errors.Is(err, ollama.ErrRefused) || errors.Is(err, ollama.ErrTooLong) {
			svc.core.Log.Info("the model was not asked with tools", "model", j.Model, "err", err)
			return nil // with what has come so far; else by an answer that names them
		}
		if err := resultError(ctx, res, err); err != nil {
			return err
		}
		if words := replyWithoutCalls(res.Content); words != "" {
			t.reply = words
		}
		shown := t.plan
		t.faults = nil
		req.Messages = append(req.Messages, ollama.Message{Role: "assistant", Content: res.Content, Calls: res.Calls})
		fresh := false
		for _, c := range res.Calls {
			words := "This was called before."
			if key := c.Name + string(c.Arguments); !seen[key] {
				seen[key], fresh = true, true
				words = t.try(a.in.Normalize(shown, storage.ToolCall{Tool: c.Name, Params: c.Arguments}))
			}
			req.Messages = append(req.Messages, ollama.Message{Role: "tool", Tool: c.Name, Content: words})
		}
		if fresh && res.Ending == ollama.EndComplete {
			continue
		}
		if told || !t.changedNothing() || res.Ending != ollama.EndComplete {
			break
		}
		told = true
		req.Messages = append(req.Messages,
			ollama.Message{Role: "user", Content: storyboard.UnchangedReply(svc.core.Prompts())})
	}
	t.question = len(t.calls) == 0 && isQuestion(t.reply)
	return nil
}

// changedNothing reports whether the model replied without changing anything.
func (t *steerAttempt) changedNothing() bool {
	return len(t.calls) == 0 && t.reply != "" && !isQuestion(t.reply)
}

// isQuestion reports whether a reply asks something.
func isQuestion(reply string) bool {
	return strings.HasSuffix(reply, "?") || strings.HasSuffix(reply, "？") || strings.HasSuffix(reply, "؟")
}

// offeredTools returns the tools for the model, and a message of the same size to reserve their
// room.
func offeredTools(set *prompts.Set) (tools []ollama.Tool, room prompts.Message) {
	for _, t := range storyboard.Tools() {
		if t.Steering {
			words, params := storyboard.Description(set, t.Name), t.CompactParams()
			tools = append(tools, ollama.Tool{Name: t.Name, Description: words, Parameters: params})
			room.Content += t.Name + words + string(params)
		}
	}
	return tools, room
}

// resultError returns the error of an incomplete answer.
func resultError(ctx context.Context, res ollama.Result, err error) error {
	switch {
	case err != nil:
		return err
	case res.Ending == ollama.EndStopped:
		return context.Cause(ctx)
	case res.Ending == ollama.EndDied, res.Ending == ollama.EndError, res.Ending == ollama.EndUnfinished:
		return res.Cause
	}
	return nil
}

// replyWithoutCalls returns the text beside the calls, "" if it is a misplaced call.
func replyWithoutCalls(said string) string {
	said = strings.TrimSpace(said)
	if strings.IndexAny(said, "{[<`") == 0 {
		return ""
	}
	return failure.FirstRunes(said, maxReply)
}

// steerByForm asks for an answer that names tools.
func (svc *Service) steerByForm(ctx context.Context, j models.Job, a *boardRequest,
	report func(queue.Progress)) (*steerAttempt, error) {
	var answer json.RawMessage
	t, claim := &steerAttempt{}, ""
	check := func() error {
		*t = steerAttempt{plan: a.in.Plan, check: a.in.CheckDialogue}
		s, err := storyboard.ReadSteerAnswer(a.in, answer)
		if err != nil {
			return err
		}
		t.reply, t.question = failure.FirstRunes(strings.TrimSpace(s.Reply), maxReply), s.Question
		for _, c := range s.Calls {
			t.try(c)
		}
		switch {
		case len(t.faults) > 0:
			return errors.New(strings.Join(t.faults, "; "))
		case t.isEmpty():
			return errors.New("it holds neither a call of a tool nor a reply")
		// An answer may be checked more than once.
		case len(t.calls) == 0 && !t.question && (claim == "" || claim == string(answer)):
			claim = string(answer)
			return errors.New(storyboard.UnchangedReply(svc.core.Prompts()))
		}
		return nil
	}
	form := models.AnswerForm{Schema: storyboard.SteerSchema(a.in), Form: storyboard.Form(), Into: &answer,
		Check: check, Usable: func() bool { return !t.isEmpty() }}
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Steer(svc.core.Prompts(), in, false) }
	a.in, _ = a.fit(j, ask)
	err := svc.models.AskJob(ctx, j, ask(a.in), form, report)
	return t, err
}

// storeSteered carries out the calls for a line in one turn, and stores the reply. If the user has
// changed the storyboard meanwhile, calls that no longer fit are left out.
func (svc *Service) storeSteered(tx *storage.Tx, a boardRequest, t *steerAttempt) error {
	b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
	if scenes.IsGone(err) || err == nil && a.begun && !begun {
		return queue.ErrDiscard
	}
	if err != nil {
		return err
	}
	was, plan, calls, did, left := b.Plan, t.plan, t.calls, t.done, t.faults
	if !reflect.DeepEqual(a.in.Plan, b.Plan) {
		kept := &steerAttempt{plan: b.Plan, faults: left}
		for _, c := range calls {
			if id := storyboard.NewerShot(b.Plan, c, a.in.Plan.LastShot); id != "" {
				kept.faults = append(kept.faults, fmt.Sprintf("%s named %s, which is another shot now", c.Tool, id))
				continue
			}
			kept.try(c)
		}
		plan, calls, did, left = kept.plan, kept.calls, kept.done, kept.faults
	}
	if reflect.DeepEqual(plan, b.Plan) {
		calls = nil // all of it was like that already
	}
	if len(calls) > 0 {
		if err := svc.record(tx, a.Chat, &b,
			storage.BoardCall{By: storage.BySteer, Text: a.Instruction, Used: a.tasteUsed()}, calls); err != nil {
			return err
		}
	}
	b.Talk = append(b.Talk, storage.BoardTalk{Line: a.Instruction, Reply: t.replyText(left),
		Did: failure.FirstRunes(strings.Join(did, " "), maxReply), Question: t.question, Calls: len(calls),
		At: svc.core.Config.Now()})
	b.Talk = b.Talk[max(0, len(b.Talk)-MaxTalk):]
	return svc.putBoard(tx, a.Chat, b, was)
}

// replyText returns the model's reply, or what was done if there is none, and what was left out.
func (t *steerAttempt) replyText(left []string) string {
	words := t.reply
	if words == "" {
		words = strings.Join(t.done, "\n")
	}
	if len(left) > 0 {
		words = strings.TrimSpace(words + "\n\nLeft out: " + strings.Join(left, "; "))
	}
	return failure.FirstRunes(words, 2*maxReply)
}
