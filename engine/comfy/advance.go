package comfy

import "time"

// maxJobTime is how long a job may take, whatever progress it makes.
const maxJobTime = 24 * time.Hour

// maxReached bounds the nodes that are remembered; a server may name any number.
const maxReached = 10_000

// watchdog watches whether a job gets on: whether it has come further than ever before. A
// server that reports the same steps again and again makes no progress.
type watchdog struct {
	limit   time.Duration
	timer   *time.Timer // ends the job
	since   time.Time   // of the last progress
	queue   int         // the least number of jobs ahead, -1 while unknown
	nodes   int         // the most that were through
	reached map[string]int
}

// newWatchdog has end called once a job makes no progress for limit.
func newWatchdog(limit time.Duration, end func()) *watchdog {
	return &watchdog{limit: limit, timer: time.AfterFunc(limit, end), since: time.Now(), queue: -1, reached: map[string]int{}}
}

// observe takes in where a job stands.
func (a *watchdog) observe(p Progress) {
	further := false
	if p.Queue > 0 && (a.queue < 0 || p.Queue < a.queue) {
		a.queue, further = p.Queue, true
	}
	if p.Done > a.nodes {
		a.nodes, further = p.Done, true
	}
	if step, met := a.reached[p.Node]; p.Node != "" && (p.Step > step || !met) && (met || len(a.reached) < maxReached) {
		a.reached[p.Node], further = p.Step, true
	}
	if further {
		a.reset()
	}
}

// reset notes progress.
func (a *watchdog) reset() {
	a.since = time.Now()
	a.timer.Reset(a.limit)
}

// silentFor is for how long there has been no progress.
func (a *watchdog) silentFor() time.Duration { return time.Since(a.since) }
