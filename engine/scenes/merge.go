package scenes

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// merge makes one record of several. If they are too long for one request, they are merged heading
// by heading: each call asks about one heading that r lacks, and over is false until all are done.
// If even that does not fit, or an answer never ends, all facts are kept as they are: a long memory
// is better than none.
func (jobs *Jobs) merge(
	ctx context.Context, j models.Job, c storage.Chat, work scene.Merge, r *partsProgress, report func(queue.Progress),
) (d storage.Recap, over bool, err error) {
	if _, fits := jobs.mergeJob(j, work); fits {
		d, _, err = jobs.mergeSection(ctx, j, c, work, report)
		return d, true, err
	}
	texts := slices.Sorted(maps.Keys(work.Ended))
	for _, record := range work.Records {
		texts = append(texts, record.Text)
	}
	if inputs := TextHash(strings.Join(texts, "\x00")); r.Inputs != inputs {
		r.Inputs, r.Merged = inputs, nil
	}
	sections := work.Split()
	for asked := false; len(r.Merged) < len(sections); {
		if asked {
			return d, false, nil
		}
		if d, asked, err = jobs.mergeSection(ctx, j, c, sections[len(r.Merged)], report); err != nil {
			return d, false, err
		}
		r.Merged = append(r.Merged, d)
	}
	return scene.JoinDrafts(r.Merged), true, nil
}

// mergeSection merges records with one request, or without one if none is needed or fits.
func (jobs *Jobs) mergeSection(
	ctx context.Context, j models.Job, c storage.Chat, work scene.Merge, report func(queue.Progress),
) (d storage.Recap, asked bool, err error) {
	j, fits := jobs.mergeJob(j, work)
	if !fits || work.Trivial() {
		return work.Concatenate(), false, nil
	}
	var a scene.MergeAnswer
	own := work.Prompt(jobs.core.Prompts())
	form := models.AnswerForm{Schema: work.Schema(), Form: scene.MergeForm(), Into: &a, Show: scene.Partial}
	_, _, err = jobs.askAppended(ctx, j, c, recapRequest{appended: own, own: own, least: minMergeAnswer},
		form, report)
	if cutOff(err) {
		jobs.core.Log.Warn("recaps were merged without a model", "err", err)
		return work.Concatenate(), true, nil
	}
	if err != nil {
		return d, true, err
	}
	return work.Draft(&a), true, nil
}

// minMergeAnswer is the minimum room, in tokens, for the answer to a merge, which contains only the
// changes.
const minMergeAnswer = 512

// mergeJob returns a merge job with room for its answer; false if the prompt leaves too little.
func (svc *Service) mergeJob(j models.Job, work scene.Merge) (models.Job, bool) {
	room := j.Options.NumCtx
	for _, p := range work.Prompt(svc.core.Prompts()) {
		room -= j.Known.Meter.Count(p.Content) + 6
	}
	j.Options.NumPredict = min(max(j.Options.NumPredict, minMergeAnswer), room)
	return j, room >= minMergeAnswer
}
