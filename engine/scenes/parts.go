package scenes

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// reading is what is done of work on a text that no model can be asked about at once.
// It stands in the params of the operation, which goes on with each part that is done:
// a part is asked for again only where what it was made of has changed.
type reading struct {
	// Degree is how much of long messages is shown, see scene.Shortened.
	Degree int        `json:"degree,omitempty"`
	Parts  []readPart `json:"parts,omitempty"`
	// Merged are parts of the putting together of two records, whose texts had the hash
	// Inputs.
	Merged []storage.Recap `json:"merged_recaps,omitempty"` // earlier builds kept another form as "merged"
	Inputs string          `json:"inputs,omitempty"`
}

// readPart is a part that was read: the messages up to To, whose hash is Inputs.
type readPart struct {
	To     scene.Spot    `json:"to"`
	Inputs string        `json:"inputs"`
	Made   storage.Recap `json:"made,omitzero"`
}

// mostParts bounds the requests about one text. Of longer ones the messages are
// shortened.
const mostParts = 64

func readingOf(p chats.Params) (r reading) {
	_ = json.Unmarshal(p.Read, &r) // what cannot be read is read again
	return r
}

// goOn leaves an operation with another part done.
func goOn(p chats.Params, r reading) (queue.Effect, error) {
	data, err := json.Marshal(r)
	p.Read = data
	return queue.Effect{Next: p}, err
}

// upTo is of a reading what is still good: the parts whose messages are as they were,
// and where the next one begins.
func (r *reading) upTo(messages []scene.Message) (at scene.Spot) {
	r.Parts, at = scene.StillRead(r.Parts, messages, func(p readPart) (scene.Spot, string) { return p.To, p.Inputs })
	return at
}

// next is the part that begins at a spot, where so many tokens have room: what is left
// is cut into equal parts. Of is how many parts there are.
func next(messages []scene.Message, at scene.Spot, done, room int, count func(string) int) (p scene.Part, to scene.Spot) {
	left := scene.Size(messages, at, count)
	n := max(1, (left+room-1)/room)
	to = scene.Portion(messages, at, min(room, left/n+room/8), count)
	p = scene.Part{Messages: scene.Between(messages, at, to), Number: done + 1, Of: done + n, Last: to.Number >= len(messages)}
	if p.Last {
		p.Of = p.Number
	}
	return p, to
}

// leastPart is the least room for messages that a part is worth asking for, in tokens.
const leastPart = 150

// shorten finds the degree in which a text has no more parts than are allowed.
func (r *reading) shorten(messages []scene.Message, room int, count func(string) int) (ok bool) {
	if room < leastPart {
		return false
	}
	if len(r.Parts) > 0 {
		return true // it has begun
	}
	for r.Degree = 0; r.Degree <= scene.Shortenings(); r.Degree++ {
		short, _ := scene.Shortened(messages, r.Degree)
		if scene.Size(short, scene.Spot{}, count) <= room*(mostParts-4) {
			return true
		}
	}
	return false
}

// tooLong refuses what cannot be told even in parts.
func tooLong(j models.Job, prompt []scene.Prompt) error {
	if err := j.Fits(prompt); err != nil {
		return err
	}
	return failure.Refuse("the context is too small to recap this in parts")
}

// recapInParts reads a part of a scene that is too long to be told at once, or puts
// together what its parts have brought, so that no fact of them is lost without a word.
func (svc *Jobs) recapInParts(ctx context.Context, j models.Job, t recapInput, report func(queue.Progress)) (queue.Effect, error) {
	made, done, err := svc.readInParts(ctx, j, t, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if made == nil {
		return goOn(t.Params, done)
	}
	return svc.keepRecap(t.Params, *made), nil
}

// readInParts makes a step of recapInParts: made is nil until the last one is done.
func (svc *Jobs) readInParts(
	ctx context.Context, j models.Job, t recapInput, report func(queue.Progress),
) (made *storage.Recap, r reading, err error) {
	count := j.Known.Meter.Count
	r = readingOf(t.Params)
	if !r.shorten(t.in.Messages, t.room.messages-t.room.state, count) {
		return nil, r, tooLong(j, scene.RecapPrompt(svc.core.Prompts(), t.in))
	}
	if len(r.Parts) == 0 && r.Degree == 0 && t.begun != nil {
		r.Parts = []readPart{*t.begun}
	}
	shown, cut := scene.Shortened(t.in.Messages, r.Degree)
	at := r.upTo(shown)
	if at.Number < len(shown) {
		in := t.in
		in.Messages = shown
		var told []string
		for _, p := range r.Parts {
			told = append(told, p.Made.Text)
		}
		before := scene.Gist(told, t.room.state, count)
		part, to := next(shown, at, len(r.Parts), t.room.messages-count(before), count)
		part.Before, part.Open = before, t.open
		report(queue.Progress{Text: "reading a long scene", Step: part.Number, Of: part.Of + 1})
		record, err := svc.askPart(ctx, j, t, in, part, steps(report, part.Number, part.Of+1))
		if err != nil {
			return nil, r, err
		}
		r.Parts = append(r.Parts, readPart{To: to, Inputs: scene.Inputs(part.Messages), Made: record})
		return nil, r, nil
	}
	var records []storage.Recap
	for _, p := range r.Parts {
		records = append(records, p.Made)
	}
	merged, over, err := svc.mergeParts(ctx, j, &r, records, t, steps(report, len(records)+1, len(records)+1))
	if err != nil || !over {
		return nil, r, err
	}
	merged = t.made(j, merged)
	made = &merged
	made.Parts, made.PartEnds, made.Shortened = 0, nil, cut
	for _, p := range r.Parts {
		made.Parts += max(1, p.Made.Parts)
		if len(p.Made.PartEnds) > 0 {
			made.PartEnds = append(made.PartEnds, p.Made.PartEnds...)
		} else if n := p.To.Number; p.To.At > 0 {
			made.PartEnds = append(made.PartEnds, shown[n].ID)
		} else if n > 0 {
			made.PartEnds = append(made.PartEnds, shown[n-1].ID)
		}
	}
	return made, r, nil
}

// askPart asks for the record of a part of a scene.
func (svc *Jobs) askPart(ctx context.Context, j models.Job, t recapInput, in scene.Input, part scene.Part, report func(queue.Progress)) (storage.Recap, error) {
	var a scene.Answer
	in.Memories = scene.Within(in.Memories, part.Messages)
	with := t.appendedInput(j)
	with.Messages, with.Memories = in.Messages, in.Memories
	asked := recordRequest{messages: part.Messages, appended: scene.PartAppendedPrompt(svc.core.Prompts(), with, part), own: scene.PartPrompt(svc.core.Prompts(), in, part)}
	if err := svc.askRecord(ctx, j, t, asked, in, &a, report); err != nil {
		return storage.Recap{}, err
	}
	return a.PartDraft(in, part), nil
}

// mergeParts makes one recap of the records of a scene's parts; over is false until that is done.
// Of a scene that is still being played all facts are taken as they stand while they are few: its
// own recap merges them.
func (svc *Jobs) mergeParts(ctx context.Context, j models.Job, r *reading, records []storage.Recap, t recapInput, report func(queue.Progress)) (made storage.Recap, over bool, err error) {
	if len(records) == 1 {
		return records[0], true, nil
	}
	work := scene.Merge{Records: records, Style: t.in.Style, User: t.in.User, Char: t.in.Char, Parts: true}
	if t.open && textsSize(j, records) <= memoryShare(svc.core.Settings().Memory.Share, j.Options.NumCtx)/2 {
		made, over = work.Whole(), true
		made.Carried = nil // no model has forgotten them
	} else if made, over, err = svc.merge(ctx, j, t.chat, work, r, report); err != nil {
		return made, false, err
	}
	made.Lorebooks = scene.MergedLore(records)
	for _, p := range slices.Backward(records) {
		made.Unfinished = made.Unfinished || p.Unfinished
		made.Dropped = append(slices.Clone(p.Dropped), made.Dropped...)
	}
	return made, over, nil
}

// textsSize is how many tokens recaps take.
func textsSize(j models.Job, records []storage.Recap) (n int) {
	for _, r := range records {
		n += j.Known.Meter.Count(r.Text)
	}
	return n
}

// steps adds to progress which part of several is read.
func steps(report func(queue.Progress), step, of int) func(queue.Progress) {
	return func(p queue.Progress) {
		p.Step, p.Of = step, of
		report(p)
	}
}
