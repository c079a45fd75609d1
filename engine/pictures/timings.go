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

// settingTimings keeps how long pictures took.
const settingTimings = "timings"

// Bounds of what is kept of earlier pictures.
const (
	timingKeys = 60 // kinds of pictures, those painted last
	timingRuns = 5  // of each kind, the newest
)

// timing is how long one picture took on its server, waiting not counted.
type timing struct {
	Total time.Duration `json:"total"`
}

// timedKind is what is kept of one kind of pictures, the newest run last.
type timedKind struct {
	At   time.Time `json:"at"`
	Runs []timing  `json:"runs"`
}

// median is the median of what pictures of a kind took, 0 for none.
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

// timings are the kinds by their keys. What cannot be read is learned anew.
func timings(tx *storage.Tx) map[string]timedKind {
	kept := map[string]timedKind{}
	if _, err := tx.Setting(settingTimings, &kept); err != nil || kept == nil {
		return map[string]timedKind{}
	}
	return kept
}

// key names a kind of pictures that take about as long as each other, by the name of their
// workflow, "" where none was named.
func (p *painting) key(workflow string) string {
	w, h := p.size()
	return fmt.Sprintf("%s|%s|%d×%d", workflow, p.C.Kind, w, h)
}

// learnTiming keeps how long a picture took: for its workflow, and where another name
// or none was asked for also for that.
func (p *painting) learnTiming(tx *storage.Tx, took time.Duration) error {
	now := p.svc.core.Config.Now()
	kept := addRun(timings(tx), p.key(p.flow.Name), took, now)
	if p.requestedWorkflow != p.flow.Name {
		kept = addRun(kept, p.key(p.requestedWorkflow), took, now)
	}
	return tx.PutSetting(settingTimings, kept)
}

// addRun is what is kept with one run more.
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

// expected is how long the painting of a capture will take by what earlier ones
// took, 0 while that is not known.
func (svc *Service) expected(tx *storage.Tx, kept map[string]timedKind, c storage.Capture) time.Duration {
	chat, err := storage.Chats.Get(tx, c.Chat)
	if err != nil {
		return 0
	}
	p := &painting{C: c, who: svc.subjectOf(tx, chat, c).Imagery}
	return kept[p.key(p.workflowName())].median()
}

// clock measures a picture while it is painted, and says how long it will still take.
type clock struct {
	expected time.Duration // of its kind, 0 for unknown
	start    time.Time     // of the clock itself
	began    time.Time     // on the server; zero while it waits there
	node     string        // at work
	since    time.Time     // that node began
}

func (svc *Service) startClock(key string) clock {
	c := clock{start: svc.core.Config.Now()}
	err := svc.core.Store.View(func(tx *storage.Tx) error { c.expected = timings(tx)[key].median(); return nil })
	if err != nil {
		svc.core.Log.Warn("how long pictures took cannot be read", "err", err)
	}
	return c
}

// remaining takes in where a job stands and says how long it will still take: as long as
// earlier ones did, and no less than the node at work by its own pace. It is 0 where
// neither is known.
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
	if at.Step >= 2 && at.Of > at.Step { // the first step may hold the loading of a model
		left = max(left, time.Duration(float64(now.Sub(c.since))*float64(at.Of-at.Step)/float64(at.Step)))
	}
	return left
}

// elapsed is how long it all took.
func (c *clock) elapsed(now time.Time) time.Duration {
	from := c.began
	if from.IsZero() {
		from = c.start // the server told nothing of it
	}
	return max(0, now.Sub(from))
}
