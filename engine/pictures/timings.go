package pictures

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// settingTimings has how long pictures took.
const settingTimings = "timings"

// Limits of stored timings.
const (
	timingKeys = 60 // kinds of pictures, the latest
	timingRuns = 5  // of each kind, the newest
)

// timing is the time that one picture took on its server, without waiting.
type timing struct {
	Total time.Duration `json:"total"`
}

// timedKind is the timings of one kind of pictures, the newest run last.
type timedKind struct {
	At   time.Time `json:"at"`
	Runs []timing  `json:"runs"`
}

// median returns the median time of a kind, 0 for none.
func (k timedKind) median() time.Duration {
	if len(k.Runs) == 0 {
		return 0
	}
	totals := make([]time.Duration, 0, len(k.Runs))
	for _, r := range k.Runs {
		totals = append(totals, max(0, r.Total))
	}
	slices.Sort(totals)
	return totals[len(totals)/2]
}

// timings returns the kinds by key. Unreadable ones are dropped.
func timings(tx *storage.Tx) map[string]timedKind {
	kept := map[string]timedKind{}
	if _, err := tx.Setting(settingTimings, &kept); err != nil || kept == nil {
		return map[string]timedKind{}
	}
	return kept
}

// key identifies a kind of pictures that take about the same time, by workflow, "" for the default
// one.
func (p *painting) key(workflow string) string {
	w, h := p.size()
	return fmt.Sprintf("%s|%s|%d×%d", workflow, p.C.Kind, w, h)
}

// learnTiming stores how long a picture took: for its workflow, and for the requested name if that
// differs.
func (p *painting) learnTiming(tx *storage.Tx, took time.Duration) error {
	now := p.svc.core.Config.Now()
	kept := addRun(timings(tx), p.key(p.flow.Name), took, now)
	if p.requestedWorkflow != p.flow.Name {
		kept = addRun(kept, p.key(p.requestedWorkflow), took, now)
	}
	return tx.PutSetting(settingTimings, kept)
}

// addRun adds a run to the timings.
func addRun(kept map[string]timedKind, key string, took time.Duration, now time.Time) map[string]timedKind {
	if took <= 0 {
		return kept
	}
	runs := append(slices.Clone(kept[key].Runs), timing{took})
	kept[key] = timedKind{At: now, Runs: runs[max(0, len(runs)-timingRuns):]}
	if len(kept) > timingKeys {
		delete(kept, slices.MinFunc(slices.Collect(maps.Keys(kept)), func(a, b string) int {
			return cmp.Or(kept[a].At.Compare(kept[b].At), cmp.Compare(a, b))
		}))
	}
	return kept
}

// expected returns how long the painting of a capture will take, 0 if unknown.
func (svc *Service) expected(tx *storage.Tx, kept map[string]timedKind, c storage.Capture) time.Duration {
	chat, err := storage.Chats.Get(tx, c.Chat)
	if err != nil {
		return 0
	}
	p := &painting{C: c, who: svc.subjectOf(tx, chat, c).Imagery}
	return kept[p.key(p.workflowName())].median()
}

// clock measures a picture while it is painted, and estimates the remaining time.
type clock struct {
	expected time.Duration // of its kind, 0 for unknown
	start    time.Time     // of the clock itself
	began    time.Time     // on the server; zero while it waits there
	node     string        // the running node
	since    time.Time     // start of that node
}

func (svc *Service) startClock(key string) clock {
	c := clock{start: svc.core.Config.Now()}
	err := svc.core.Store.View(func(tx *storage.Tx) error { c.expected = timings(tx)[key].median(); return nil })
	if err != nil {
		svc.core.Log.Warn("how long pictures took cannot be read", "err", err)
	}
	return c
}

// remaining updates the state of the job and returns the remaining time: by earlier runs, and at
// least what the running node needs. It is 0 if neither is known.
func (c *clock) remaining(now time.Time, at comfy.Progress) time.Duration {
	if at.Queue > 0 {
		return c.expected * time.Duration(min(at.Queue, 1000)+1)
	}
	if at.Node == "" {
		return c.expected
	}
	if c.began.IsZero() {
		c.began = now
	}
	if at.Node != c.node {
		c.node, c.since = at.Node, now
	}
	left := max(0, c.expected-now.Sub(c.began))
	if at.Step >= 2 && at.Of > at.Step { // the first step may include loading a model
		left = max(left, time.Duration(float64(now.Sub(c.since))*float64(at.Of-at.Step)/float64(at.Step)))
	}
	return left
}

// elapsed returns the total time.
func (c *clock) elapsed(now time.Time) time.Duration {
	from := c.began
	if from.IsZero() {
		from = c.start // the server reported nothing
	}
	return max(0, now.Sub(from))
}
