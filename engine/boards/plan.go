package boards

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// boardPriority lets what the user waits for at a storyboard go before work that
// nobody waits for.
const boardPriority = scenes.RecapPriority

// MostTalk is how much of what was said about a storyboard is kept, the newest.
const MostTalk = 40

// Plan queues a step of the planning, unless the very same waits already.
func (svc *Service) Plan(chat storage.ChatID, node storage.NodeID, r PlanRequest) (id storage.OperationID, err error) {
	r.Wish = strings.TrimSpace(r.Wish)
	if err := tellable("a wish", r.Wish); err != nil {
		return "", failure.Fail("plan storyboard", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		b, _, err := svc.boardAt(tx, chat, node)
		if err != nil {
			return err
		}
		p := boardParams{Chat: chat, Node: node, Tool: r.Tool, Beat: r.Beat, Wish: r.Wish, All: r.All}
		if p.Tool == "" {
			p.Tool = nextStep(b.Plan)
		}
		if err := checkStep(b.Plan, p); err != nil {
			return err
		}
		if id, err = svc.askBoard(tx, OpBoardPlan, p); err != nil {
			return err
		}
		return svc.taste.LearnMissing(tx, chat)
	})
	if err != nil {
		return "", failure.Fail("plan storyboard", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat, node})
	return id, nil
}

// tellable refuses words to the model that are too long to be told to it whole.
func tellable(what, text string) error {
	if n := utf8.RuneCountInString(text); n > models.MaxTextLen {
		return failure.Refuse("%s has at most %d characters, and this one has %d: shorten it", what, models.MaxTextLen, n)
	}
	return nil
}

// askBoard queues an operation on a storyboard, unless what waits or runs brings it.
func (svc *Service) askBoard(tx *storage.Tx, typ string, p boardParams) (storage.OperationID, error) {
	for _, op := range boardWork(tx, p.Chat, p.Node) {
		if op.Type == typ && boardParamsOf(op).covers(p) {
			return op.ID, nil
		}
	}
	return svc.queueBoard(tx, typ, p)
}

// covers reports whether a request that waits or runs, also one that a crash has left
// behind, brings all that another one asks for: asked twice, a step would be taken
// twice, and so would all that follow it.
func (p boardParams) covers(asked boardParams) bool {
	p.All, p.Read = p.All && asked.All, ""
	if asked.Wish == "" {
		p.Wish = ""
	}
	return p == asked
}

// queueBoard queues an operation on a storyboard, unless the same waits already.
func (svc *Service) queueBoard(tx *storage.Tx, typ string, p boardParams) (storage.OperationID, error) {
	for _, op := range boardWork(tx, p.Chat, p.Node) {
		have := boardParamsOf(op)
		if have.Read = ""; op.Type == typ && op.Status == storage.Pending && have == p {
			return op.ID, nil
		}
	}
	return svc.core.Queue.AddKind(tx, typ, p, nil)
}

// nextStep is the tool that a plan wants next, "" once there are shots.
func nextStep(p storage.Plan) string {
	switch {
	case len(p.Shots) > 0:
		return ""
	case len(p.Beats) == 0:
		return storyboard.RecommendBeats
	case p.Filler == nil:
		return storyboard.RecommendFiller
	case len(p.Budget) == 0:
		return storyboard.BudgetPackages
	case unwritten(p) != "":
		return storyboard.GeneratePackage
	}
	return storyboard.GenerateShots
}

// unwritten is the first beat that has no package, "" for none.
func unwritten(p storage.Plan) storage.BeatID {
	for _, b := range p.Beats {
		if !slices.ContainsFunc(p.Packages, func(k storage.BeatPackage) bool { return k.Beat == b.ID }) {
			return b.ID
		}
	}
	return ""
}

func beatIDs(p storage.Plan) string {
	ids := make([]string, len(p.Beats))
	for i, b := range p.Beats {
		ids[i] = string(b.ID)
	}
	return strings.Join(ids, ", ")
}

// checkStep says why a step of the planning cannot be asked for.
func checkStep(plan storage.Plan, p boardParams) error {
	if p.Tool == "" {
		return failure.Refuse("there are shots already: change them, or name the planning step to do again")
	}
	tool, known := storyboard.Find(p.Tool)
	beat := func(b storage.BoardBeat) bool { return b.ID == p.Beat }
	switch {
	case !known:
		return failure.Refuse("unknown planning tool %q: use one of %s", failure.ShortRef(p.Tool), strings.Join(taste.PlanningTools(), ", "))
	case !tool.Planning:
		return failure.Refuse("%s asks no model: it is carried out at once", p.Tool)
	case p.Beat != "" && p.Tool != storyboard.GeneratePackage:
		return failure.Refuse("only %s is for one beat, and this is %s", storyboard.GeneratePackage, p.Tool)
	case p.Tool == storyboard.RecommendBeats:
	case p.Tool == storyboard.ProposeEdit:
		if p.Wish == "" {
			return failure.Refuse("enter what should change")
		}
		if len(plan.Shots) == 0 {
			return failure.Refuse("there are no shots to change yet")
		}
	case len(plan.Beats) == 0:
		return failure.Refuse("there are no key beats yet: %s chooses them", storyboard.RecommendBeats)
	case p.Tool == storyboard.GeneratePackage && p.Beat == "" && unwritten(plan) == "":
		return failure.Refuse("each beat has its package: name the beat whose package is to be written again")
	case p.Beat != "" && !slices.ContainsFunc(plan.Beats, beat):
		return failure.Refuse("there is no beat %q: it is one of %s", failure.ShortRef(string(p.Beat)), beatIDs(plan))
	case p.Tool == storyboard.GenerateShots && len(plan.Packages) == 0:
		return failure.Refuse("there are no packages yet to make shots from: %s writes them", storyboard.GeneratePackage)
	}
	return nil
}

// boardAsk is what a request about a storyboard is made of.
type boardAsk struct {
	boardParams
	chat   storage.Chat
	begun  bool
	inputs string
	said   []scene.Message
	in     storyboard.Input
	used   *storage.TasteUse
}

// readBoard reads a storyboard and its scene as they are now.
func (svc *Service) readBoard(op storage.Operation) (a boardAsk, err error) {
	a.boardParams = boardParamsOf(op)
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
		if scenes.SceneGone(err) {
			return queue.ErrDiscard
		}
		if err != nil {
			return err
		}
		if a.chat, err = storage.Chats.Get(tx, a.Chat); err != nil {
			return err
		}
		a.begun = begun
		a.in = storyboard.Input{Plan: b.Plan, Talk: b.Talk, Wish: a.Wish, Beat: a.Beat}
		if a.in.Said, err = taste.SaidOf(tx, a.Chat, b); err != nil {
			return err
		}
		return svc.readTold(tx, &a)
	})
	if err != nil {
		return a, err
	}
	if a.in.Beat == "" && a.Tool == storyboard.GeneratePackage {
		a.in.Beat = unwritten(a.in.Plan)
	}
	if used := svc.taste.TasteFor(a.Chat, cmp.Or(a.Tool, steering)); used.Block != "" {
		a.used, a.in.Taste = &used, used.Block
	}
	return a, nil
}

// readTold reads what a scene tells.
func (svc *Service) readTold(tx *storage.Tx, a *boardAsk) error {
	brk, err := scenes.TheBreak(tx, a.Chat, a.Node)
	if err != nil {
		return err
	}
	msgs, inputs, err := boardScene(tx, a.Chat, a.Node)
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return failure.Refuse("this scene has nothing to show in shots")
	}
	a.inputs, a.said, a.in.Scene = inputs, msgs, brk.Name
	a.in.Char, a.in.User = svc.chats.Names(tx, a.chat)
	for _, m := range msgs {
		name := cmp.Or(m.Name, a.in.Char)
		if m.Role == storage.User {
			name = cmp.Or(m.Name, a.in.User)
		}
		a.in.Messages = append(a.in.Messages, storyboard.Message{ID: m.ID, Name: name, Text: m.Text, Mark: scene.Whispered(m)})
	}
	if r, err := storage.Recaps.Get(tx, a.Chat, brk.Recap()); err == nil {
		a.in.Recap = r.Text
	}
	return nil
}

// boardResult is what the operations on storyboards leave: the calls that they have
// made stand in the storyboard's own record.
type boardResult struct {
	Tool string         `json:"tool"` // or steer
	Beat storage.BeatID `json:"beat,omitempty"`
}

// runBoardPlan asks the model for the parameters of a planning tool and carries it
// out.
func (svc *Service) runBoardPlan(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	a, err := svc.readBoard(op)
	if err != nil {
		return queue.Effect{}, err
	}
	if err := checkStep(a.in.Plan, a.boardParams); err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.models.Job(ctx, models.JobBoard, a.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Ask(svc.core.Prompts(), a.Tool, in) }
	a.in.Room = roomFor(j)
	if !a.in.Whole() && a.Tool == storyboard.RecommendBeats {
		return svc.beatsInParts(ctx, j, a, report)
	}
	if !a.in.Whole() && a.Tool == storyboard.GeneratePackage {
		a.around(j, ask)
	}
	a.in, _ = a.fit(j, ask)
	var answer json.RawMessage
	var call storage.ToolCall
	form := models.AnswerForm{Schema: storyboard.Schema(a.Tool, a.in), Form: storyboard.Form(), Into: &answer,
		Check:  func() (err error) { call, err = storyboard.Take(a.Tool, a.in, answer); return err },
		Usable: func() bool { return call.Tool != "" }}
	if err := svc.models.AskJob(ctx, j, ask(a.in), form, a.steps(report)); err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: a.Tool, Beat: a.in.Beat}, Apply: func(tx *storage.Tx) error { return svc.keepStep(tx, a, call) }}, nil
}

// boardWords is how many tokens a request about a storyboard takes beside the scene
// and the storyboard, and a few shots of that.
const boardWords = 2500

// roomFor is how many bytes a scene may take in what a model is told, the same in
// all requests: half of what there is beside the words, since a token has some four
// bytes.
func roomFor(j models.Job) int { return max(1, 2*(j.Options.NumCtx-j.Options.NumPredict-boardWords)) }

// fit makes what a model is told small enough for its context: the storyboard is
// told more and more briefly, and at last without what was learnt. Where all is in
// vain fits is false. Beside is what else goes with the request.
func (a boardAsk) fit(j models.Job, ask func(storyboard.Input) []prompts.Message, beside ...prompts.Message) (in storyboard.Input, fits bool) {
	in = a.in
	for _, in.Taste = range slices.Compact([]string{a.in.Taste, ""}) {
		for _, in.Board = range []int{0, 4000, 2500, 1500, 800, 400} {
			if j.Fits(append(ask(in), beside...)) == nil {
				return in, true
			}
		}
	}
	return in, false
}

// told is what a model was told of the user's taste, nil for nothing.
func (a boardAsk) told() *storage.TasteUse {
	if a.in.Taste == "" {
		return nil
	}
	return a.used
}

// steps adds to the progress which of the beats a package is written for.
func (a boardAsk) steps(report func(queue.Progress)) func(queue.Progress) {
	at := slices.IndexFunc(a.in.Plan.Beats, func(b storage.BoardBeat) bool { return b.ID == a.in.Beat })
	if at < 0 {
		return report
	}
	tell := func(p queue.Progress) {
		p.Step, p.Of = at+1, len(a.in.Plan.Beats)
		report(p)
	}
	tell(queue.Progress{})
	return tell
}

// keepStep carries out the call of a planning tool and queues the next one.
func (svc *Service) keepStep(tx *storage.Tx, a boardAsk, call storage.ToolCall) error {
	b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
	if scenes.SceneGone(err) || err == nil && a.begun && !begun {
		return queue.ErrDiscard
	}
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(a.replaced(a.in.Plan), a.replaced(b.Plan)) {
		return svc.misfit(a, errors.New("the part to replace has been changed"))
	}
	was := b.Plan
	made := storage.BoardCall{By: storage.ByModel, Text: a.Wish, Used: a.told()}
	err = svc.record(tx, a.Chat, &b, made, []storage.ToolCall{call})
	if errors.Is(err, storyboard.ErrCall) {
		return svc.misfit(a, err)
	}
	if err != nil {
		return err
	}
	if a.Tool == storyboard.RecommendBeats {
		b.Inputs = a.inputs
	}
	if err := svc.putBoard(tx, a.Chat, b, was); err != nil {
		return err
	}
	return svc.goOn(tx, a, b.Plan)
}

// replaced is the part of a plan that a step is about to replace, with what it is
// made of.
func (a boardAsk) replaced(p storage.Plan) any {
	switch a.Tool {
	case storyboard.RecommendFiller:
		return p.Filler
	case storyboard.BudgetPackages:
		return p.Budget
	case storyboard.GeneratePackage:
		return slices.DeleteFunc(slices.Clone(p.Packages), func(k storage.BeatPackage) bool { return k.Beat != a.in.Beat })
	case storyboard.GenerateShots:
		return [2]any{p.Packages, p.Shots}
	case storyboard.ProposeEdit:
		return p.Shots
	}
	return p.Beats
}

// misfit says that the user has changed a storyboard in such a way that an answer
// does not fit it any more.
func (svc *Service) misfit(a boardAsk, why error) error {
	svc.core.Emit(event.Notice{Level: event.Warning, Text: fmt.Sprintf("the storyboard was changed while the model was working (%s), so its answer was discarded; try again if needed", a.Tool)})
	return fmt.Errorf("%w: %w", queue.ErrDiscard, why)
}

// goOn queues the step after one: the next of all that was asked for, or of the
// beats whose packages are to be written.
func (svc *Service) goOn(tx *storage.Tx, a boardAsk, now storage.Plan) error {
	next := nextStep(now)
	if a.Tool == storyboard.GeneratePackage && a.Beat == "" && unwritten(now) != "" {
		next = a.Tool
	} else if !a.All {
		return nil
	}
	same := next == a.Tool && (next != storyboard.GeneratePackage || unwritten(now) == a.in.Beat)
	if next == "" || same { // it would go round for ever
		return nil
	}
	p := a.boardParams
	p.Tool, p.Beat, p.Read = next, "", ""
	_, err := svc.queueBoard(tx, OpBoardPlan, p)
	return err
}

// Kinds returns the kinds of operations on storyboards.
func (svc *Service) Kinds() []queue.Kind {
	lane := svc.models.Lane
	changed := func(op storage.Operation) {
		p := boardParamsOf(op)
		svc.core.Emit(Changed{p.Chat, p.Node})
	}
	return []queue.Kind{
		{Name: OpBoardPlan, Lane: lane(models.JobBoard), Priority: boardPriority, Run: svc.runBoardPlan, Changed: changed},
		{Name: OpBoardSteer, Lane: lane(models.JobBoard), Priority: boardPriority, Run: svc.runBoardSteer, Changed: changed},
	}
}
