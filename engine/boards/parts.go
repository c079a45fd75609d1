package boards

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beatsProgress has the key beats found so far in a scene that is read in parts. It is stored in
// the parameters of the operation, which resumes after each part: a part is only read again if its
// messages have changed.
type beatsProgress struct {
	Degree int        `json:"degree,omitempty"` // see scene.Shortened
	Parts  []beatPart `json:"parts"`
}

// beatPart is a part that was read: the messages up to To, whose hash is Inputs.
type beatPart struct {
	To     scene.Position   `json:"to"`
	Inputs string           `json:"inputs"`
	Beats  []map[string]any `json:"beats"`
}

// Limits of reading in parts: the requests of one scene, and the tokens of messages that a request
// must have room for.
const (
	maxParts       = 40
	minPartTokens  = 150
	estimateMargin = 80 // tokens that estimates may be wrong by
)

// resumeAt drops outdated parts and returns where the next part begins.
func (r *beatsProgress) resumeAt(messages []scene.Message) (at scene.Position) {
	r.Parts, at = scene.ValidParts(r.Parts, messages,
		func(p beatPart) (scene.Position, string) { return p.To, p.Inputs })
	return at
}

func (r *beatsProgress) found() (out []map[string]any) {
	for _, p := range r.Parts {
		out = append(out, p.Beats...)
	}
	return storyboard.JoinBeats(out)
}

// foundText returns the beats found so far.
func (r *beatsProgress) foundText() string {
	text := ""
	for _, b := range r.found() {
		line, _ := b["text"].(string)
		text += "- " + failure.FirstRunes(line, 160) + "\n"
	}
	return text
}

// sceneTokens returns how many tokens the messages of a scene may take, with the shortest useful
// storyboard.
func (a *boardRequest) sceneTokens(j models.Job, part *storyboard.Part,
	ask func(storyboard.Input) []prompts.Message) (room int) {
	beside := *part
	beside.Messages = nil
	for _, a.in.Taste = range slices.Compact([]string{a.in.Taste, ""}) {
		for _, a.in.BoardBytes = range []int{0, 4000, 1500, 400} {
			in := a.in
			in.Part = &beside
			room = j.Options.NumCtx - j.Options.NumPredict - estimateMargin
			for _, m := range ask(in) {
				room -= j.Known.Meter.Count(m.Content) + 6
			}
			if room >= 2*minPartTokens {
				return room
			}
		}
	}
	return room
}

// showBeatMessages selects the messages around the beat in a scene that is too long.
func (a *boardRequest) showBeatMessages(j models.Job, ask func(storyboard.Input) []prompts.Message) {
	in := a.in
	if room := a.sceneTokens(j, &storyboard.Part{}, ask); room >= minPartTokens {
		a.in.Part = a.in.Around(a.in.Beat, room, j.Known.Meter.Count)
	}
	if a.in.Part == nil { // the beat names no message: the scene is shown in short
		a.in = in
	}
}

// beatsInParts finds the key beats in the next part of a scene that is too long, or, if all parts
// are read, chooses among them.
func (svc *Service) beatsInParts(ctx context.Context, j models.Job, a boardRequest,
	report func(queue.Progress)) (queue.Effect, error) {
	count := j.Known.Meter.Count
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Ask(svc.core.Prompts(), a.Tool, in) }
	var r beatsProgress
	_ = json.Unmarshal([]byte(a.Read), &r) // what cannot be read is read again
	room := a.sceneTokens(j, &storyboard.Part{Number: 1, Of: 2, FoundSoFar: r.foundText()}, ask)
	if room < minPartTokens {
		err := j.Fits(ask(a.in))
		return queue.Effect{}, cmp.Or(err, failure.Refusef("the context is too small to process this scene in parts"))
	}
	for len(r.Parts) == 0 && r.Degree < scene.MaxShortening() && a.size(r.Degree, count) > room*(maxParts-4) {
		r.Degree++
	}
	shown, _ := scene.Shortened(a.messages, r.Degree)
	at := r.resumeAt(shown)
	if at.Number < len(shown) {
		left := scene.Size(shown, at, count)
		n := max(1, (left+room-1)/room)
		to := scene.PartEnd(shown, at, min(room, left/n+room/8), count)
		messages := scene.Slice(shown, at, to)
		p := &storyboard.Part{Number: len(r.Parts) + 1, Of: max(2, len(r.Parts)+n), FoundSoFar: r.foundText(),
			Last: to.Number >= len(shown)}
		requests := p.Of + 1 // the last chooses among what was found
		if p.Last && p.Number == 1 {
			p.Of, requests = 1, 1
		}
		for _, m := range messages {
			of := a.in.Messages[m.Number-1]
			of.Text, of.Number, of.Continued = m.Text, m.Number, m.Cut
			p.Messages = append(p.Messages, of)
		}
		a.in.Part = p
		report(queue.Progress{Text: "reading a long scene", Step: p.Number, Of: requests})
		beats, err := svc.askBeats(ctx, j, a.in, ask,
			func(q queue.Progress) { q.Step, q.Of = p.Number, requests; report(q) })
		if err != nil {
			return queue.Effect{}, err
		}
		r.Parts = append(r.Parts, beatPart{To: to, Inputs: scene.HashMessages(messages), Beats: beats})
		data, err := json.Marshal(r)
		next := a.boardParams
		next.Read = string(data)
		return queue.Effect{Next: next}, err
	}
	return svc.chooseBeats(ctx, j, a, r.found(), ask, report)
}

func (a *boardRequest) size(degree int, count func(string) int) int {
	shown, _ := scene.Shortened(a.messages, degree)
	return scene.Size(shown, scene.Position{}, count)
}

// askBeats asks for the key beats of what is shown.
func (svc *Service) askBeats(ctx context.Context, j models.Job, in storyboard.Input,
	ask func(storyboard.Input) []prompts.Message, report func(queue.Progress)) (beats []map[string]any, err error) {
	var answer json.RawMessage
	form := models.AnswerForm{Schema: storyboard.Schema(storyboard.RecommendBeats, in), Form: storyboard.Form(),
		Into:   &answer,
		Check:  func() (err error) { beats, err = storyboard.ReadBeats(in, answer); return err },
		Usable: func() bool { return len(beats) > 0 }}
	err = svc.models.AskJob(ctx, j, ask(in), form, report)
	return beats, err
}

// chooseBeats stores the beats found in the parts of a scene; if there are too many, the model
// chooses.
func (svc *Service) chooseBeats(ctx context.Context, j models.Job, a boardRequest, found []map[string]any,
	ask func(storyboard.Input) []prompts.Message, report func(queue.Progress)) (queue.Effect, error) {
	if len(found) == 0 {
		return queue.Effect{}, failure.Refusef(
			"the model found no key beat in this scene: try again, or use another model")
	}
	if a.in.TooMany(found) {
		for _, most := range []int{300, 160, 80, 40} {
			if a.in.Part = a.in.FoundPart(found, most); j.Fits(ask(a.in)) == nil {
				break
			}
		}
		chosen, err := svc.askBeats(ctx, j, a.in, ask, report)
		if err != nil {
			return queue.Effect{}, err
		}
		found = storyboard.JoinBeats(storyboard.WithAllMessages(chosen, found))
	}
	call, err := storyboard.BeatsCall(found)
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: a.Tool},
		Apply: func(tx *storage.Tx) error { return svc.storeStep(tx, a, call) }}, nil
}
