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

// partsProgress is the finished part of the work on a text that is too long for one request. It is
// stored in the params of the operation with each finished part. A part is repeated only if its
// inputs have changed.
type partsProgress struct {
	// Degree is the degree to which long messages are shortened, see scene.Shortened.
	Degree int        `json:"degree,omitempty"`
	Parts  []readPart `json:"parts,omitempty"`
	// Merged are the finished sections of a merge of two records whose texts have the hash Inputs.
	Merged []storage.Recap `json:"merged_recaps,omitempty"` // earlier builds kept another form as "merged"
	Inputs string          `json:"inputs,omitempty"`
}

// readPart is a finished part: the record of the messages up to To, whose hash is Inputs.
type readPart struct {
	To     scene.Position `json:"to"`
	Inputs string         `json:"inputs"`
	Made   storage.Recap  `json:"made,omitzero"`
}

// maxParts bounds the requests about one text. Of longer ones the messages are
// shortened.
const maxParts = 64

func partsProgressOf(p chats.Params) (r partsProgress) {
	_ = json.Unmarshal(p.Read, &r) // unreadable progress starts again
	return r
}

// continueLater leaves an operation with another part done.
func continueLater(p chats.Params, r partsProgress) (queue.Effect, error) {
	data, err := json.Marshal(r)
	p.Read = data
	return queue.Effect{Next: p}, err
}

// validUpTo drops the parts whose messages have changed since, and returns the position at which
// the next part begins.
func (r *partsProgress) validUpTo(messages []scene.Message) (at scene.Position) {
	r.Parts, at = scene.ValidParts(r.Parts, messages,
		func(p readPart) (scene.Position, string) { return p.To, p.Inputs })
	return at
}

// nextPart returns the part that begins at a position. What is left is cut into equal parts of at
// most room tokens. Of is the number of parts.
func nextPart(messages []scene.Message, at scene.Position, done, room int,
	count func(string) int) (p scene.Part, to scene.Position) {
	left := scene.Size(messages, at, count)
	n := max(1, (left+room-1)/room)
	to = scene.PartEnd(messages, at, min(room, left/n+room/8), count)
	p = scene.Part{Messages: scene.Slice(messages, at, to), Number: done + 1, Of: done + n,
		Last: to.Number >= len(messages)}
	if p.Last {
		p.Of = p.Number
	}
	return p, to
}

// leastPart is the least room for messages that a part is worth asking for, in tokens.
const leastPart = 150

// shorten finds the lowest degree of shortening at which the messages fit into the allowed number
// of parts.
func (r *partsProgress) shorten(messages []scene.Message, room int, count func(string) int) (ok bool) {
	if room < leastPart {
		return false
	}
	if len(r.Parts) > 0 {
		return true // it has begun
	}
	for r.Degree = 0; r.Degree <= scene.MaxShortening(); r.Degree++ {
		short, _ := scene.Shortened(messages, r.Degree)
		if scene.Size(short, scene.Position{}, count) <= room*(maxParts-4) {
			return true
		}
	}
	return false
}

// tooLong returns the error for a text that is too long even in parts.
func tooLong(j models.Job, prompt []scene.Prompt) error {
	if err := j.Fits(prompt); err != nil {
		return err
	}
	return failure.Refusef("the context is too small to recap this in parts")
}

// recapInParts reads the next part of a scene that is too long for one request, or merges the
// parts. No fact is lost without a reason.
func (jobs *Jobs) recapInParts(ctx context.Context, j models.Job, t recapInput,
	report func(queue.Progress)) (queue.Effect, error) {
	made, done, err := jobs.readInParts(ctx, j, t, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if made == nil {
		return continueLater(t.Params, done)
	}
	return jobs.keepRecap(t.Params, *made), nil
}

// readInParts does one step of recapInParts: made is nil until the last one.
func (jobs *Jobs) readInParts(
	ctx context.Context, j models.Job, t recapInput, report func(queue.Progress),
) (made *storage.Recap, r partsProgress, err error) {
	count := j.Known.Meter.Count
	r = partsProgressOf(t.Params)
	if !r.shorten(t.in.Messages, t.room.messages-t.room.state, count) {
		return nil, r, tooLong(j, scene.RecapPrompt(jobs.core.Prompts(), t.in))
	}
	if len(r.Parts) == 0 && r.Degree == 0 && t.started != nil {
		r.Parts = []readPart{*t.started}
	}
	shown, cut := scene.Shortened(t.in.Messages, r.Degree)
	at := r.validUpTo(shown)
	if at.Number < len(shown) {
		in := t.in
		in.Messages = shown
		var texts []string
		for _, p := range r.Parts {
			texts = append(texts, p.Made.Text)
		}
		before := scene.Gist(texts, t.room.state, count)
		part, to := nextPart(shown, at, len(r.Parts), t.room.messages-count(before), count)
		part.Before, part.Open = before, t.open
		report(queue.Progress{Text: "reading a long scene", Step: part.Number, Of: part.Of + 1})
		record, err := jobs.askPart(ctx, j, t, in, part, steps(report, part.Number, part.Of+1))
		if err != nil {
			return nil, r, err
		}
		r.Parts = append(r.Parts, readPart{To: to, Inputs: scene.HashMessages(part.Messages), Made: record})
		return nil, r, nil
	}
	var records []storage.Recap
	for _, p := range r.Parts {
		records = append(records, p.Made)
	}
	merged, over, err := jobs.mergeParts(ctx, j, &r, records, t, steps(report, len(records)+1, len(records)+1))
	if err != nil || !over {
		return nil, r, err
	}
	merged = t.complete(j, merged)
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
func (jobs *Jobs) askPart(ctx context.Context, j models.Job, t recapInput, in scene.Input, part scene.Part,
	report func(queue.Progress)) (storage.Recap, error) {
	var a scene.Answer
	in.Memories = scene.MemoriesWithin(in.Memories, part.Messages)
	with := t.appendedInput(j)
	with.Messages, with.Memories = in.Messages, in.Memories
	asked := recapRequest{messages: part.Messages, appended: scene.PartAppendedPrompt(jobs.core.Prompts(), with, part),
		own: scene.PartPrompt(jobs.core.Prompts(), in, part)}
	if err := jobs.askRecap(ctx, j, t, asked, in, &a, report); err != nil {
		return storage.Recap{}, err
	}
	return a.PartDraft(in, part), nil
}

// mergeParts makes one recap from the records of a scene's parts; over is false until that is done.
// In a scene that is still being played, all facts are kept unchanged while they are few: the
// scene's own recap merges them.
func (jobs *Jobs) mergeParts(ctx context.Context, j models.Job, r *partsProgress, records []storage.Recap, t recapInput,
	report func(queue.Progress)) (made storage.Recap, over bool, err error) {
	if len(records) == 1 {
		return records[0], true, nil
	}
	work := scene.Merge{Records: records, Style: t.in.Style, User: t.in.User, Char: t.in.Char, Parts: true}
	if t.open && textsSize(j, records) <= memoryShare(jobs.core.Settings().Memory.Share, j.Options.NumCtx)/2 {
		made, over = work.Concatenate(), true
	} else if made, over, err = jobs.merge(ctx, j, t.chat, work, r, report); err != nil {
		return made, false, err
	}
	made.Lorebooks = scene.MergedLore(records)
	for _, p := range slices.Backward(records) {
		made.Unfinished = made.Unfinished || p.Unfinished
		made.Dropped = append(slices.Clone(p.Dropped), made.Dropped...)
	}
	return made, over, nil
}

// textsSize returns the number of tokens in recaps.
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
