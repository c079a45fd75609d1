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

// readBeats is what was found of the key beats of a scene that is read in parts. It stands
// in the params of the operation, which goes on with each part that is done: a part is
// asked for again only where its messages have changed.
type readBeats struct {
	Degree int        `json:"degree,omitempty"` // see scene.Shortened
	Parts  []beatPart `json:"parts"`
}

// beatPart is a part that was read: the messages up to To, whose hash is Inputs.
type beatPart struct {
	To     scene.Spot       `json:"to"`
	Inputs string           `json:"inputs"`
	Beats  []map[string]any `json:"beats"`
}

// Bounds of reading in parts: how many requests one scene may take, and the least room for
// messages that one is worth, in tokens.
const (
	mostParts = 40
	leastPart = 150
	partSpare = 80 // tokens that estimates may be wrong by
)

// upTo is of a reading what is still good, and where the next part begins.
func (r *readBeats) upTo(messages []scene.Message) (at scene.Spot) {
	r.Parts, at = scene.StillRead(r.Parts, messages, func(p beatPart) (scene.Spot, string) { return p.To, p.Inputs })
	return at
}

func (r *readBeats) found() (out []map[string]any) {
	for _, p := range r.Parts {
		out = append(out, p.Beats...)
	}
	return storyboard.OnePlan(out)
}

// before says what the parts have brought so far.
func (r *readBeats) before() string {
	text := ""
	for _, b := range r.found() {
		line, _ := b["text"].(string)
		text += "- " + failure.FirstRunes(line, 160) + "\n"
	}
	return text
}

// emptied is how many tokens a scene's messages may take in a request, with the
// storyboard told as briefly as that needs.
func (a *boardAsk) emptied(j models.Job, part *storyboard.Part, ask func(storyboard.Input) []prompts.Message) (room int) {
	beside := *part
	beside.Messages = nil
	for _, a.in.Taste = range slices.Compact([]string{a.in.Taste, ""}) {
		for _, a.in.Board = range []int{0, 4000, 1500, 400} {
			in := a.in
			in.Part = &beside
			room = j.Options.NumCtx - j.Options.NumPredict - partSpare
			for _, m := range ask(in) {
				room -= j.Known.Meter.Count(m.Content) + 6
			}
			if room >= 2*leastPart {
				return room
			}
		}
	}
	return room
}

// around shows of a scene that is too long the messages that the beat is about.
func (a *boardAsk) around(j models.Job, ask func(storyboard.Input) []prompts.Message) {
	in := a.in
	if room := a.emptied(j, &storyboard.Part{}, ask); room >= leastPart {
		a.in.Part = a.in.Around(a.in.Beat, room, j.Known.Meter.Count)
	}
	if a.in.Part == nil { // the beat names no message: the scene is shown in short
		a.in = in
	}
}

// beatsInParts finds the key beats in the next part of a scene that is too long to be
// shown whole, or, where all parts are read, chooses among what was found.
func (svc *Service) beatsInParts(ctx context.Context, j models.Job, a boardAsk, report func(queue.Progress)) (queue.Effect, error) {
	count := j.Known.Meter.Count
	ask := func(in storyboard.Input) []prompts.Message { return storyboard.Ask(svc.core.Prompts(), a.Tool, in) }
	var r readBeats
	_ = json.Unmarshal([]byte(a.Read), &r) // what cannot be read is read again
	room := a.emptied(j, &storyboard.Part{Number: 1, Of: 2, Before: r.before()}, ask)
	if room < leastPart {
		err := j.Fits(ask(a.in))
		return queue.Effect{}, cmp.Or(err, failure.Refuse("the context is too small to process this scene in parts"))
	}
	for len(r.Parts) == 0 && r.Degree < scene.Shortenings() && a.size(r.Degree, count) > room*(mostParts-4) {
		r.Degree++
	}
	shown, _ := scene.Shortened(a.said, r.Degree)
	at := r.upTo(shown)
	if at.Number < len(shown) {
		left := scene.Size(shown, at, count)
		n := max(1, (left+room-1)/room)
		to := scene.Portion(shown, at, min(room, left/n+room/8), count)
		messages := scene.Between(shown, at, to)
		p := &storyboard.Part{Number: len(r.Parts) + 1, Of: max(2, len(r.Parts)+n), Before: r.before(), Last: to.Number >= len(shown)}
		requests := p.Of + 1 // the last chooses among what was found
		if p.Last && p.Number == 1 {
			p.Of, requests = 1, 1
		}
		for _, m := range messages {
			of := a.in.Messages[m.Number-1]
			of.Text, of.Number, of.Cut = m.Text, m.Number, m.Cut
			p.Messages = append(p.Messages, of)
		}
		a.in.Part = p
		report(queue.Progress{Text: "reading a long scene", Step: p.Number, Of: requests})
		beats, err := svc.askBeats(ctx, j, a.in, ask, func(q queue.Progress) { q.Step, q.Of = p.Number, requests; report(q) })
		if err != nil {
			return queue.Effect{}, err
		}
		r.Parts = append(r.Parts, beatPart{To: to, Inputs: scene.Inputs(messages), Beats: beats})
		data, err := json.Marshal(r)
		next := a.boardParams
		next.Read = string(data)
		return queue.Effect{Next: next}, err
	}
	return svc.chooseBeats(ctx, j, a, r.found(), ask, report)
}

func (a *boardAsk) size(degree int, count func(string) int) int {
	shown, _ := scene.Shortened(a.said, degree)
	return scene.Size(shown, scene.Spot{}, count)
}

// askBeats asks for the key beats of what is shown.
func (svc *Service) askBeats(ctx context.Context, j models.Job, in storyboard.Input, ask func(storyboard.Input) []prompts.Message, report func(queue.Progress)) (beats []map[string]any, err error) {
	var answer json.RawMessage
	form := models.AnswerForm{Schema: storyboard.Schema(storyboard.RecommendBeats, in), Form: storyboard.Form(), Into: &answer,
		Check:  func() (err error) { beats, err = storyboard.Beats(in, answer); return err },
		Usable: func() bool { return len(beats) > 0 }}
	err = svc.models.AskJob(ctx, j, ask(in), form, report)
	return beats, err
}

// chooseBeats keeps what was found in the parts of a scene; where that is too much a model
// chooses among it.
func (svc *Service) chooseBeats(ctx context.Context, j models.Job, a boardAsk, found []map[string]any, ask func(storyboard.Input) []prompts.Message, report func(queue.Progress)) (queue.Effect, error) {
	if len(found) == 0 {
		return queue.Effect{}, failure.Refuse("the model found no key beat in any part of this scene: ask again, or with another model")
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
		found = storyboard.OnePlan(storyboard.Chosen(chosen, found))
	}
	call, err := storyboard.BeatsCall(found)
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: boardResult{Tool: a.Tool}, Apply: func(tx *storage.Tx) error { return svc.keepStep(tx, a, call) }}, nil
}
