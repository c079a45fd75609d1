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

// boardPriority is higher than that of background work.
const boardPriority = scenes.RecapPriority

// MaxTalk is the number of steering lines and replies that are kept, the newest.
const MaxTalk = 40

// Plan queues a planning step, unless the same step is queued.
func (svc *Service) Plan(chat storage.ChatID, node storage.NodeID, r PlanRequest) (id storage.OperationID, err error) {
	r.Instruction = strings.TrimSpace(r.Instruction)
	if err := checkLength("an instruction", r.Instruction); err != nil {
		return "", failure.Wrap("plan storyboard", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		b, _, err := svc.boardAt(tx, chat, node)
		if err != nil {
			return err
		}
		p := boardParams{Chat: chat, Node: node, Tool: r.Tool, Beat: r.Beat, Instruction: r.Instruction, All: r.All}
		if p.Tool == "" {
			p.Tool = nextStep(b.Plan)
		}
		if err := checkStep(b.Plan, p); err != nil {
			return err
		}
		if id, err = svc.queueUnlessCovered(tx, OpBoardPlan, p); err != nil {
			return err
		}
		return svc.taste.QueueMissing(tx, chat)
	})
	if err != nil {
		return "", failure.Wrap("plan storyboard", err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat, node})
	return id, nil
}

// checkLength returns an error for a text that is too long for the model.
func checkLength(what, text string) error {
	if n := utf8.RuneCountInString(text); n > models.MaxTextLen {
		return failure.Refusef("%s may have at most %d characters; this one has %d: shorten it", what,
			models.MaxTextLen, n)
	}
	return nil
}

// queueUnlessCovered queues an operation on a storyboard, unless an unfinished one covers it.
func (svc *Service) queueUnlessCovered(tx *storage.Tx, typ string, p boardParams) (storage.OperationID, error) {
	for _, op := range boardOperations(tx, p.Chat, p.Node) {
		if op.Type == typ && boardParamsOf(op).covers(p) {
			return op.ID, nil
		}
	}
	return svc.queueBoard(tx, typ, p)
}

// covers reports whether an unfinished request, also one that a crash has left, includes another
// one: otherwise a step and its successors would run twice.
func (p boardParams) covers(asked boardParams) bool {
	p.All, p.Read = p.All && asked.All, ""
	if asked.Instruction == "" {
		p.Instruction = ""
	}
	return p == asked
}

// queueBoard queues an operation on a storyboard, unless the same one is queued.
func (svc *Service) queueBoard(tx *storage.Tx, typ string, p boardParams) (storage.OperationID, error) {
	for _, op := range boardOperations(tx, p.Chat, p.Node) {
		have := boardParamsOf(op)
		if have.Read = ""; op.Type == typ && op.Status == storage.Pending && have == p {
			return op.ID, nil
		}
	}
	return svc.core.Queue.AddOperation(tx, typ, p, nil)
}

// nextStep returns the tool of the next planning step, "" if there are shots.
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
	case firstWithoutPackage(p) != "":
		return storyboard.GeneratePackage
	}
	return storyboard.GenerateShots
}

// firstWithoutPackage returns the first beat without a package, "" for none.
func firstWithoutPackage(p storage.Plan) storage.BeatID {
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

// checkStep returns why a planning step is not possible.
func checkStep(plan storage.Plan, p boardParams) error {
	if p.Tool == "" {
		return failure.Refusef("there are already shots: change them, or name the planning step to run again")
	}
	tool, known := storyboard.Find(p.Tool)
	beat := func(b storage.BoardBeat) bool { return b.ID == p.Beat }
	switch {
	case !known:
		return failure.Refusef("unknown planning tool %q: use one of %s", failure.ShortRef(p.Tool),
			strings.Join(taste.PlanningTools(), ", "))
	case !tool.Planning:
		return failure.Refusef("%s does not use the model; it runs at once", p.Tool)
	case p.Beat != "" && p.Tool != storyboard.GeneratePackage:
		return failure.Refusef("only %s can be limited to one beat, not %s", storyboard.GeneratePackage, p.Tool)
	case p.Tool == storyboard.RecommendBeats:
	case p.Tool == storyboard.ProposeEdit:
		if p.Instruction == "" {
			return failure.Refusef("enter what should change")
		}
		if len(plan.Shots) == 0 {
			return failure.Refusef("there are no shots to change yet")
		}
	case len(plan.Beats) == 0:
		return failure.Refusef("there are no key beats yet: %s chooses them", storyboard.RecommendBeats)
	case p.Tool == storyboard.GeneratePackage && p.Beat == "" && firstWithoutPackage(plan) == "":
		return failure.Refusef("the shots of all beats are written: name the beat to write again")
	case p.Beat != "" && !slices.ContainsFunc(plan.Beats, beat):
		return failure.Refusef("there is no beat %q; the beats are %s", failure.ShortRef(string(p.Beat)), beatIDs(plan))
	case p.Tool == storyboard.GenerateShots && len(plan.Packages) == 0:
		return failure.Refusef("no beat has shots yet: %s writes them", storyboard.GeneratePackage)
	}
	return nil
}

// boardRequest is the data of a request about a storyboard.
type boardRequest struct {
	boardParams
	chat     storage.Chat
	begun    bool
	inputs   string
	messages []scene.Message
	in       storyboard.Input
	used     *storage.TasteUse
}

// readBoard reads a storyboard and its scene.
func (svc *Service) readBoard(op storage.Operation) (a boardRequest, err error) {
	a.boardParams = boardParamsOf(op)
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
		if scenes.IsGone(err) {
			return queue.ErrDiscard
		}
		if err != nil {
			return err
		}
		if a.chat, err = storage.Chats.Get(tx, a.Chat); err != nil {
			return err
		}
		a.begun = begun
		a.in = storyboard.Input{Plan: b.Plan, Talk: b.Talk, Instruction: a.Instruction, Beat: a.Beat}
		if a.in.Directions, err = taste.DirectionsOf(tx, a.Chat, b); err != nil {
			return err
		}
		return svc.readScene(tx, &a)
	})
	if err != nil {
		return a, err
	}
	if a.in.Beat == "" && a.Tool == storyboard.GeneratePackage {
		a.in.Beat = firstWithoutPackage(a.in.Plan)
	}
	if used := svc.taste.TasteFor(a.Chat, cmp.Or(a.Tool, steering)); used.Block != "" {
		a.used, a.in.Taste = &used, used.Block
	}
	return a, nil
}

// readScene reads the messages of a scene.
func (svc *Service) readScene(tx *storage.Tx, a *boardRequest) error {
	brk, err := scenes.VisibleBreak(tx, a.Chat, a.Node)
	if err != nil {
		return err
	}
	msgs, inputs, err := boardScene(tx, a.Chat, a.Node)
	if err != nil {
		return err
	}
	if len(msgs) == 0 {
		return failure.Refusef("this scene has nothing that shots could show")
	}
	a.inputs, a.messages, a.in.Scene = inputs, msgs, brk.Name
	a.in.Char, a.in.User = svc.chats.Names(tx, a.chat)
	for _, m := range msgs {
		name := cmp.Or(m.Name, a.in.Char)
		if m.Role == storage.User {
			name = cmp.Or(m.Name, a.in.User)
		}
		a.in.Messages = append(a.in.Messages,
			storyboard.Message{ID: m.ID, Name: name, Text: m.Text, Mark: scene.Whispered(m)})
	}
	if r, err := storage.Recaps.Get(tx, a.Chat, brk.Recap()); err == nil {
		a.in.Recap = r.Text
	}
	return nil
}

// boardResult is the result of the operations. The calls themselves are in the storyboard's
// record.
type boardResult struct {
	Tool string         `json:"tool"` // or steer
	Beat storage.BeatID `json:"beat,omitempty"`
}

// runBoardPlan asks the model for the parameters of a planning tool and calls it.
func (svc *Service) runBoardPlan(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
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
	a.in.SceneBytes = sceneBytes(j)
	if !a.in.FitsWhole() && a.Tool == storyboard.RecommendBeats {
		return svc.beatsInParts(ctx, j, a, report)
	}
	if !a.in.FitsWhole() && a.Tool == storyboard.GeneratePackage {
		a.showBeatMessages(j, ask)
	}
	a.in, _ = a.fit(j, ask)
	var answer json.RawMessage
	var call storage.ToolCall
	form := models.AnswerForm{Schema: storyboard.Schema(a.Tool, a.in), Form: storyboard.Form(), Into: &answer,
		Check:  func() (err error) { call, err = storyboard.ReadAnswer(a.Tool, a.in, answer); return err },
		Usable: func() bool { return call.Tool != "" }}
	if err := svc.models.AskJob(ctx, j, ask(a.in), form, a.withBeatNumber(report)); err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: a.Tool, Beat: a.in.Beat},
		Apply: func(tx *storage.Tx) error { return svc.storeStep(tx, a, call) }}, nil
}

// requestTokens is the number of tokens of a request without the scene and the storyboard.
const requestTokens = 2500

// sceneBytes returns how many bytes a scene may take in a request, the same in all requests: half
// of the context, at four bytes per token.
func sceneBytes(j models.Job) int {
	return max(1, 2*(j.Options.NumCtx-j.Options.NumPredict-requestTokens))
}

// fit shortens a request until it fits the context: first the storyboard, then the taste. fits is
// false if that is not enough. beside are the other messages of the request.
func (a boardRequest) fit(j models.Job, ask func(storyboard.Input) []prompts.Message,
	beside ...prompts.Message) (in storyboard.Input, fits bool) {
	in = a.in
	for _, in.Taste = range slices.Compact([]string{a.in.Taste, ""}) {
		for _, in.BoardBytes = range []int{0, 4000, 2500, 1500, 800, 400} {
			if j.Fits(append(ask(in), beside...)) == nil {
				return in, true
			}
		}
	}
	return in, false
}

// tasteUsed returns the user's taste in the request, nil for none.
func (a boardRequest) tasteUsed() *storage.TasteUse {
	if a.in.Taste == "" {
		return nil
	}
	return a.used
}

// withBeatNumber adds the number of the current beat to the progress.
func (a boardRequest) withBeatNumber(report func(queue.Progress)) func(queue.Progress) {
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

// storeStep carries out the call of a planning tool and queues the next one.
func (svc *Service) storeStep(tx *storage.Tx, a boardRequest, call storage.ToolCall) error {
	b, begun, err := svc.boardAt(tx, a.Chat, a.Node)
	if scenes.IsGone(err) || err == nil && a.begun && !begun {
		return queue.ErrDiscard
	}
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(a.replacedPart(a.in.Plan), a.replacedPart(b.Plan)) {
		return svc.noLongerFits(a, errors.New("the part to replace has changed"))
	}
	was := b.Plan
	made := storage.BoardCall{By: storage.ByModel, Text: a.Instruction, Used: a.tasteUsed()}
	err = svc.record(tx, a.Chat, &b, made, []storage.ToolCall{call})
	if errors.Is(err, storyboard.ErrCall) {
		return svc.noLongerFits(a, err)
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
	return svc.queueNext(tx, a, b.Plan)
}

// replacedPart returns the part of a plan that a step replaces, with what it depends on.
func (a boardRequest) replacedPart(p storage.Plan) any {
	switch a.Tool {
	case storyboard.RecommendFiller:
		return p.Filler
	case storyboard.BudgetPackages:
		return p.Budget
	case storyboard.GeneratePackage:
		return slices.DeleteFunc(slices.Clone(p.Packages),
			func(k storage.BeatPackage) bool { return k.Beat != a.in.Beat })
	case storyboard.GenerateShots:
		return [2]any{p.Packages, p.Shots}
	case storyboard.ProposeEdit:
		return p.Shots
	}
	return p.Beats
}

// noLongerFits returns the error for an answer that does not fit the storyboard after the user's
// changes.
func (svc *Service) noLongerFits(a boardRequest, why error) error {
	svc.core.Emit(event.Notice{Level: event.Warning,
		Text: fmt.Sprintf("the storyboard was changed while the model was working (%s), so its answer was discarded; "+
			"try again if needed", a.Tool)})
	return fmt.Errorf("%w: %w", queue.ErrDiscard, why)
}

// queueNext queues the next step: of the whole plan, or of the remaining packages.
func (svc *Service) queueNext(tx *storage.Tx, a boardRequest, now storage.Plan) error {
	next := nextStep(now)
	if a.Tool == storyboard.GeneratePackage && a.Beat == "" && firstWithoutPackage(now) != "" {
		next = a.Tool
	} else if !a.All {
		return nil
	}
	same := next == a.Tool && (next != storyboard.GeneratePackage || firstWithoutPackage(now) == a.in.Beat)
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
		{Type: OpBoardPlan, Lane: lane(models.JobBoard), Priority: boardPriority, Run: svc.runBoardPlan,
			Changed: changed},
		{Type: OpBoardSteer, Lane: lane(models.JobBoard), Priority: boardPriority, Run: svc.runBoardSteer,
			Changed: changed},
	}
}
