package lore

import (
	"context"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mergeJob merges new facts into an entry. Facts are merged only with new facts that are known to
// at least the same characters, and the model sees no others beside them, so that nothing that only
// a few know gets into a text that more characters see.
type mergeJob struct {
	l     *fillJob
	old   storage.LoreEntry
	next  storage.LoreEntry
	news  map[string]storage.LoreFact // by their texts
	parts []audience                  // of the news
	// Facts of next that are new or merged; without witnesses everybody knows them.
	made map[string]storage.LoreFact
}

// maxAudiences is the maximum number of parts of an entry for which a model is asked, one request
// each. The other parts stay unchanged.
const maxAudiences = 4

func newMergeJob(l *fillJob, old storage.LoreEntry) *mergeJob {
	w := &mergeJob{l: l, old: old, next: old, news: map[string]storage.LoreFact{}, made: map[string]storage.LoreFact{}}
	facts := plist.Facts(l.Candidate.Content)
	for _, f := range facts {
		w.news[f] = l.newFactWithSources(&old, f)
	}
	w.parts = splitByAudience(l.chat, facts, func(f string) []storage.CharacterID { return w.news[f].Witnesses })
	w.next.Cause = l.cause("")
	return w
}

// mergeFacts works the news into the entry; false means that nothing changed.
func (svc *Service) mergeFacts(ctx context.Context, j models.Job, w *mergeJob,
	report func(queue.Progress)) (storage.LoreEntry, bool, error) {
	own := splitByAudience(w.l.chat, plist.Facts(w.old.Content),
		func(f string) []storage.CharacterID { return fill.KnownTo(&w.old, f) })
	out := fill.Outcome{Content: w.old.Content}
	for i, part := range own[:min(len(own), maxAudiences)] {
		of, ok := w.input(part, len(own) == 1)
		if !ok {
			continue
		}
		got, err := svc.askMerge(ctx, j, w.l, of, report)
		if err != nil {
			return w.old, false, err
		}
		w.recordOutcome(svc, of, got)
		out.Content = plist.Rebase(of.Content, got.Content, out.Content)
		if i == 0 && len(own) == 1 && len(w.parts) == 1 && len(of.KeptElsewhere) == 0 {
			out.Renamed, out.Alias = got.Renamed, got.Alias
		}
	}
	for _, part := range w.parts {
		if !slices.ContainsFunc(own[:min(len(own), maxAudiences)],
			func(b audience) bool { return sameAudience(w.l.chat, b.known, part.known) }) {
			w.addFacts(&out.Content, part)
		}
	}
	next, changed := out.Apply(w.old)
	next.Cause = w.next.Cause
	w.finish(&next)
	return next, changed || w.l.addsKnowers(&w.old), nil
}

// input returns a part of the entry with the new facts that all know who know the part; false if
// none of them is new.
func (w *mergeJob) input(part audience, alone bool) (fill.MergeInput, bool) {
	of := fill.NewMergeInput(&w.old, w.l.Candidate)
	var seen []string
	for _, news := range w.parts {
		same := sameAudience(w.l.chat, news.known, part.known)
		if !same && !fill.IncludesAll(news.known, part.known) {
			continue
		}
		seen = append(seen, news.facts...)
		if !same {
			of.KeptElsewhere = append(of.KeptElsewhere, news.facts...)
		}
	}
	if len(seen) == 0 {
		return of, false
	}
	if !alone {
		of.Content = plist.ReplaceFacts(w.old.Content, part.facts)
	}
	if len(seen) < len(w.news) {
		of.NewContent = plist.ReplaceFacts(of.NewContent, seen)
	}
	return of, !fill.HasAllFacts(of.Content, of.NewContent)
}

// recordOutcome stores the sources of an outcome's facts, their knowers (the characters who know
// everything that a fact is based on), and the omitted facts.
func (w *mergeJob) recordOutcome(svc *Service, of fill.MergeInput, out fill.Outcome) {
	facts, own := of.Facts()
	from := func(n int) []storage.NodeID {
		if n > own {
			return w.news[facts[n-1]].Messages
		}
		at := slices.IndexFunc(w.old.Facts, func(f storage.LoreFact) bool {
			return f.Text == facts[n-1] && f.Chat == w.l.Chat
		})
		if at < 0 {
			return nil
		}
		return w.old.Facts[at].Messages
	}
	for _, m := range out.Facts {
		f := storage.LoreFact{Text: m.Text, Chat: w.l.Chat}
		for _, n := range m.Sources {
			if n > own {
				f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, w.news[facts[n-1]].Witnesses)
			} else {
				f.Witnesses = storage.WitnessesOfBoth(f.Witnesses, fill.KnownTo(&w.old, facts[n-1]))
			}
			for _, id := range from(n) {
				if !slices.Contains(f.Messages, id) {
					f.Messages = append(f.Messages, id)
				}
			}
		}
		if before, twice := w.made[m.Text]; twice {
			f.Witnesses = storage.WitnessesOfEither(f.Witnesses, before.Witnesses)
		}
		w.made[m.Text] = f
	}
	svc.recordLeftOut(&w.next.Cause, out, from)
}

// recordLeftOut stores the facts that an outcome omitted, with reasons.
func (svc *Service) recordLeftOut(c *storage.LoreCause, out fill.Outcome, from func(n int) []storage.NodeID) {
	for _, d := range out.Dropped {
		c.Dropped = append(c.Dropped, storage.LoreDropped{Fact: d.Text, Why: d.Why, Messages: from(d.Number)})
	}
}

// addFacts adds new facts that are merged with no part of the entry. If the entry has a fact
// already, its knowers are extended.
func (w *mergeJob) addFacts(content *string, part audience) {
	for _, f := range part.facts {
		for _, have := range plist.Facts(w.old.Content) {
			if plist.SameFact(have, f) {
				known := storage.WitnessesOfEither(fill.KnownTo(&w.old, have), part.known)
				w.made[have] = storage.LoreFact{Text: have, Chat: w.l.Chat, Messages: w.news[f].Messages,
					Witnesses: known}
			}
		}
		joined := plist.Merge(*content, plist.ReplaceFacts(w.l.Candidate.Content, []string{f}))
		if joined == *content {
			continue
		}
		before := plist.Facts(*content)
		*content = joined
		for _, made := range plist.Facts(joined) { // a fact may be several sentences of a free text
			if !slices.Contains(before, made) {
				source := w.news[f]
				w.made[made] = storage.LoreFact{
					Text: made, Chat: w.l.Chat, Messages: source.Messages, Witnesses: source.Witnesses,
				}
			}
		}
	}
}

// finish gives the new state its facts.
func (w *mergeJob) finish(next *storage.LoreEntry) {
	next.Facts = nil
	known := map[string][]storage.CharacterID{}
	for _, text := range plist.Facts(next.Content) {
		made, ok := w.made[text]
		at := slices.IndexFunc(w.old.Facts, func(f storage.LoreFact) bool { return f.Text == text })
		switch {
		case ok:
			known[text] = made.Witnesses
		case at >= 0:
			made, known[text] = w.old.Facts[at], fill.KnownTo(&w.old, text)
		default:
			made, known[text] = storage.LoreFact{Text: text}, fill.KnownTo(&w.old, text)
		}
		if ok && at >= 0 && len(made.Messages) == 0 {
			made = w.old.Facts[at]
		}
		if made.Witnesses, made.Open = nil, false; len(made.Messages) > 0 {
			next.Facts = append(next.Facts, made)
		}
	}
	fill.SetKnowers(next, func(fact string) []storage.CharacterID { return known[fact] })
}
