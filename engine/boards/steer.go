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
	// mostRounds is how often a model may call tools for one line before that is
	// the end of it.
	mostRounds = 4
	// longestReply bounds what is kept of a model's words, in runes.
	longestReply = 2000
)

// Steer queues a steering line.
func (svc *Service) Steer(chat storage.ChatID, node storage.NodeID, line string) (id storage.OperationID, err error) {
	if line = strings.TrimSpace(line); line == "" {
		return "", failure.Fail("steer storyboard", failure.Refuse("enter what should change"))
	}
	if err := tellable("a steering line", line); err != nil {
		return "", failure.Fail("steer storyboard", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if _, _, err := svc.boardAt(tx, chat, node); err != nil {
			return err
		}
		id, err = svc.askBoard(tx, OpBoardSteer, boardParams{Chat: chat, Node: node, Wish: line})
		return err
	})
	if err != nil {
		return "", failure.Fail("steer storyboard", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat, node})
	return id, nil
}

// attempt is what a model makes of a line: calls that were tried on a copy of the
// plan, and what was wrong with others.
type attempt struct {
	plan     storage.Plan
	check    func(storage.ToolCall) error // what else a call has to keep to, nil for nothing
	calls    []storage.ToolCall
	did      []string // in words, one for each call
	faults   []string
	reply    string
	question bool
}

// empty reports whether nothing can be made of a model's answer.
func (t *attempt) empty() bool { return len(t.calls) == 0 && t.reply == "" }

// try carries a call out on the copy and says in words what came of it.
func (t *attempt) try(c storage.ToolCall) string {
	after, out, err := t.plan, storyboard.Outcome{}, error(nil)
	tool, _ := storyboard.Find(c.Tool)
	switch {
	case !tool.Steering:
		err = failure.Refuse("there is no tool %q that may be called here", failure.ShortRef(c.Tool))
	case len(t.calls) == mostInTurn:
		err = failure.Refuse("%d calls for one line are enough", mostInTurn)
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
	t.plan, t.calls, t.did = after, append(t.calls, c), append(t.did, out.Words)
	return "Done: " + out.Words
}

// runBoardSteer has the model carry out a line of the user's: by calling tools
// where it can, else by an answer that names them.
func (svc *Service) runBoardSteer(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	a, err := svc.readBoard(op)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.models.Job(ctx, models.JobBoard, a.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	a.in.Room = roomFor(j)
	j.Options.NumPredict = min(j.Options.NumPredict, j.Options.NumCtx/4) // a line needs less of a small context
	t := &attempt{plan: a.in.Plan, check: a.in.CheckDialogue}
	if j.Known.Tools {
		err = svc.steerByTools(ctx, j, &a, t, report)
	}
	if err == nil && t.empty() {
		t, err = svc.steerByForm(ctx, j, &a, report)
	}
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: steering}, Apply: func(tx *storage.Tx) error { return svc.keepSteered(tx, a, t) }}, nil
}

// steerByTools offers the tools to the model, and tells it of each call what came
// of it, until it calls no more. Where it says something and has carried out
// nothing, it is told so, once.
func (svc *Service) steerByTools(ctx context.Context, j models.Job, a *boardAsk, t *attempt, report func(queue.Progress)) error {
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Steer(svc.core.Prompts(), in, true) }
	tools, room := offered(svc.core.Prompts())
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
	for range mostRounds {
		res, err := j.Client.Chat(ctx, req, models.ReportAnswer(report, nil))
		svc.models.NoteJob(j, prompt, err)
		if errors.Is(err, ollama.ErrRefused) || errors.Is(err, ollama.ErrTooLong) {
			svc.core.Log.Info("the model was not asked with tools", "model", j.Model, "err", err)
			return nil // with what has come so far; else by an answer that names them
		}
		if err := answered(ctx, res, err); err != nil {
			return err
		}
		if words := plainWords(res.Content); words != "" {
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
				words = t.try(a.in.Pinned(shown, storage.ToolCall{Tool: c.Name, Params: c.Arguments}))
			}
			req.Messages = append(req.Messages, ollama.Message{Role: "tool", Tool: c.Name, Content: words})
		}
		if fresh && res.Ending == ollama.EndComplete {
			continue
		}
		if told || !t.claims() || res.Ending != ollama.EndComplete {
			break
		}
		told = true
		req.Messages = append(req.Messages, ollama.Message{Role: "user", Content: storyboard.Unchanged(svc.core.Prompts())})
	}
	t.question = len(t.calls) == 0 && asks(t.reply)
	return nil
}

// claims reports whether the model has said something and changed nothing: in
// whatever language, it may say that it has.
func (t *attempt) claims() bool { return len(t.calls) == 0 && t.reply != "" && !asks(t.reply) }

// asks reports whether a reply wants an answer.
func asks(reply string) bool {
	return strings.HasSuffix(reply, "?") || strings.HasSuffix(reply, "？") || strings.HasSuffix(reply, "؟")
}

// offered are the tools that a model may choose, and what they take of its
// context.
func offered(set *prompts.Set) (tools []ollama.Tool, room prompts.Message) {
	for _, t := range storyboard.Tools() {
		if t.Steering {
			words, params := storyboard.Description(set, t.Name), t.Offer()
			tools = append(tools, ollama.Tool{Name: t.Name, Description: words, Parameters: params})
			room.Content += t.Name + words + string(params)
		}
	}
	return tools, room
}

// answered gives the error of an answer that never came to its end.
func answered(ctx context.Context, res ollama.Result, err error) error {
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

// plainWords is what a model said beside its calls, "" where that is a call in
// the wrong place.
func plainWords(said string) string {
	said = strings.TrimSpace(said)
	if strings.IndexAny(said, "{[<`") == 0 {
		return ""
	}
	return failure.FirstRunes(said, longestReply)
}

// steerByForm asks for an answer that names tools.
func (svc *Service) steerByForm(ctx context.Context, j models.Job, a *boardAsk, report func(queue.Progress)) (*attempt, error) {
	var answer json.RawMessage
	t, claim := &attempt{}, ""
	check := func() error {
		*t = attempt{plan: a.in.Plan, check: a.in.CheckDialogue}
		s, err := storyboard.TakeSteer(a.in, answer)
		if err != nil {
			return err
		}
		t.reply, t.question = failure.FirstRunes(strings.TrimSpace(s.Reply), longestReply), s.Question
		for _, c := range s.Calls {
			t.try(c)
		}
		switch {
		case len(t.faults) > 0:
			return errors.New(strings.Join(t.faults, "; "))
		case t.empty():
			return errors.New("it holds neither a call of a tool nor a reply")
		case len(t.calls) == 0 && !t.question && (claim == "" || claim == string(answer)): // an answer may be checked more than once
			claim = string(answer)
			return errors.New(storyboard.Unchanged(svc.core.Prompts()))
		}
		return nil
	}
	form := models.AnswerForm{Schema: storyboard.SteerSchema(a.in), Form: storyboard.Form(), Into: &answer, Check: check, Usable: func() bool { return !t.empty() }}
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Steer(svc.core.Prompts(), in, false) }
	a.in, _ = a.fit(j, ask)
	err := svc.models.AskJob(ctx, j, ask(a.in), form, report)
	return t, err
}

// keepSteered carries out what a model made of a line, in one go, and keeps what
// was said. Where the user has changed the storyboard meanwhile, that is what still
// fits.
func (svc *Service) keepSteered(tx *storage.Tx, a boardAsk, t *attempt) error {
	b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
	if scenes.SceneGone(err) || err == nil && a.begun && !begun {
		return queue.ErrDiscard
	}
	if err != nil {
		return err
	}
	was, plan, calls, did, left := b.Plan, t.plan, t.calls, t.did, t.faults
	if !reflect.DeepEqual(a.in.Plan, b.Plan) {
		kept := &attempt{plan: b.Plan, faults: left}
		for _, c := range calls {
			if id := storyboard.Newer(b.Plan, c, a.in.Plan.LastShot); id != "" {
				kept.faults = append(kept.faults, fmt.Sprintf("%s named %s, which is another shot now", c.Tool, id))
				continue
			}
			kept.try(c)
		}
		plan, calls, did, left = kept.plan, kept.calls, kept.did, kept.faults
	}
	if reflect.DeepEqual(plan, b.Plan) {
		calls = nil // all of it was like that already
	}
	if len(calls) > 0 {
		if err := svc.record(tx, a.Chat, &b, storage.BoardCall{By: storage.BySteer, Text: a.Wish, Used: a.told()}, calls); err != nil {
			return err
		}
	}
	b.Talk = append(b.Talk, storage.BoardTalk{Line: a.Wish, Reply: t.words(left), Did: failure.FirstRunes(strings.Join(did, " "), longestReply), Question: t.question, Calls: len(calls), At: svc.core.Config.Now()})
	b.Talk = b.Talk[max(0, len(b.Talk)-MostTalk):]
	return svc.putBoard(tx, a.Chat, b, was)
}

// words are the model's reply, or what was done where it said nothing, and what
// was left out.
func (t *attempt) words(left []string) string {
	words := t.reply
	if words == "" {
		words = strings.Join(t.did, "\n")
	}
	if len(left) > 0 {
		words = strings.TrimSpace(words + "\n\nLeft out: " + strings.Join(left, "; "))
	}
	return failure.FirstRunes(words, 2*longestReply)
}
