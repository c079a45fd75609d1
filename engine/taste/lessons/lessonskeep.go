package lessons

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KeepLessons is what of an answer is kept: no broad lessons, none without a
// condition, none from mended mistakes, and every text bounded. What rests on no
// edit has low confidence.
func KeepLessons(s Scene, l Lessons) Lessons {
	out := Lessons{
		SceneContextSummary: firstSentences(l.SceneContextSummary, mostContextSentences, maxContext),
		EditSummary:         firstSentences(l.EditSummary, mostEditSentences, maxEdits),
		SceneLearnings:      []storage.SceneLearning{},
	}
	for _, x := range l.SceneLearnings {
		x = storage.SceneLearning{
			Learning: said(x.Learning, maxLearning), AppliesTo: said(x.AppliesTo, maxApplies), AvoidApplyingTo: said(x.AvoidApplyingTo, maxApplies),
			Evidence: said(x.Evidence, maxEvidence), Confidence: levelOf(x.Confidence),
		}
		again := slices.ContainsFunc(out.SceneLearnings, func(k storage.SceneLearning) bool { return spaced(k.Learning) == spaced(x.Learning) })
		if again || len(words(x.Learning)) == 0 || broadCondition(x.AppliesTo) || broadLearning(x.Learning) || ofMistakes(s.Events, x) {
			continue
		}
		if broadCondition(x.AvoidApplyingTo) {
			x.AvoidApplyingTo = ""
		}
		if most := bounded(s.Events, x); x.Confidence == "" {
			x.Confidence = storage.LowConfidence
		} else if level(x.Confidence) > level(most) {
			x.Confidence = most
		}
		x.Evidence = said(unclaimed(x.Evidence), maxEvidence)
		if out.SceneLearnings = append(out.SceneLearnings, x); len(out.SceneLearnings) == mostLessons {
			break
		}
	}
	return out
}

func firstSentences(text string, n, most int) string {
	list := sentences(said(text, most))
	return strings.Join(list[:min(len(list), n)], " ")
}

// ofMistakes tells whether a lesson comes of nothing but mistakes that were mended:
// it speaks of such, or all the edits that it rests on are such.
func ofMistakes(events []storage.EditEvent, x storage.SceneLearning) bool {
	if speaksOf(spaced(x.Learning+" "+x.Evidence), mistakes) {
		return true
	}
	edits := slices.DeleteFunc(restsOn(events, x), func(e storage.EditEvent) bool { return !isEdit(e) })
	if len(edits) == 0 { // then it can rest on any
		edits = slices.DeleteFunc(slices.Clone(events), func(e storage.EditEvent) bool { return !isEdit(e) })
	}
	return len(edits) > 0 && !slices.ContainsFunc(edits, func(e storage.EditEvent) bool { return !isMended(e) })
}

// restsOn finds the events that a lesson rests on: those that its evidence names by
// number, else by shot, else those that say most nearly the same.
func restsOn(events []storage.EditEvent, x storage.SceneLearning) (out []storage.EditEvent) {
	for _, n := range eventNumbers(x.Evidence) {
		if n >= 1 && n <= len(events) {
			out = append(out, events[n-1])
		}
	}
	if len(out) > 0 {
		return out
	}
	refs := strings.FieldsFunc(x.Evidence, func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' })
	for _, e := range events {
		if isEdit(e) && slices.ContainsFunc(e.ShotRefs, func(id storage.ShotID) bool { return slices.Contains(refs, string(id)) }) {
			out = append(out, e)
		}
	}
	if len(out) > 0 {
		return out
	}
	return nearest(events, x.Learning+" "+x.Evidence)
}

// eventNumber finds the numbers that evidence names events by: E3, events 3 and 5.
var eventNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\be(?:vents?)?[\s#]*\d{1,3}\b(?:\s*(?:,|;|&|and|und|et|y)\s*e?\d{1,3}\b)*`)
})

var digits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,3}`) })

func eventNumbers(text string) (out []int) {
	for _, m := range eventNumber().FindAllString(text, -1) {
		for _, d := range digits().FindAllString(m, -1) {
			n, err := strconv.Atoi(d)
			if err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// nearest finds the events that share most with a text, by words that few events
// have.
func nearest(events []storage.EditEvent, text string) (out []storage.EditEvent) {
	asked := stems(text)
	has := make([]map[string]bool, len(events))
	often := map[string]float64{}
	for i, e := range events {
		has[i] = stems(strings.TrimPrefix(e.Summary, mendedWords) + " " + e.UserText)
		for w := range has[i] {
			often[w]++
		}
	}
	best := 0.0
	for i, e := range events {
		score := 0.0
		for w := range has[i] {
			if asked[w] {
				score += 1 / often[w]
			}
		}
		// Sums of the same parts in another order differ a little.
		if score > best+1e-9 {
			best, out = score, nil
		}
		if score > 0 && score > best-1e-9 {
			out = append(out, e)
		}
	}
	return out
}

// stems are the beginnings of a text's words, without those that every event has.
func stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words(text) {
		if r := []rune(w); len(r) >= 4 && !slices.Contains(eventWords, w) {
			out[string(r[:min(len(r), 5)])] = true
		}
	}
	return out
}

// eventWords are those that events and lessons are written with, whatever they are
// about.
var eventWords = strings.Fields(`
added removed changed moved merged split confirmed became took from into with place part shot shots scene scenes user users prefer prefers wants likes that this when they
them their there than then have more most some only over also each description subject dialogue`)
