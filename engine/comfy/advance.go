package comfy

import "time"

// mostTime is how long a job may take, whatever progress it makes.
const mostTime = 24 * time.Hour

// mostReached bounds the nodes that are remembered; a server may name any number.
const mostReached = 10_000

// advance watches whether a job gets on: whether it has come further than ever before. A
// server that reports the same steps again and again makes no progress.
type advance struct {
	limit   time.Duration
	timer   *time.Timer // ends the job
	since   time.Time   // of the last progress
	queue   int         // the least number of jobs ahead, -1 while unknown
	nodes   int         // the most that were through
	reached map[string]int
}

// newAdvance has end called once a job makes no progress for limit.
func newAdvance(limit time.Duration, end func()) *advance {
	return &advance{limit: limit, timer: time.AfterFunc(limit, end), since: time.Now(), queue: -1, reached: map[string]int{}}
}

// see takes in where a job stands.
func (a *advance) see(p Progress) {
	further := false
	if p.Queue > 0 && (a.queue < 0 || p.Queue < a.queue) {
		a.queue, further = p.Queue, true
	}
	if p.Done > a.nodes {
		a.nodes, further = p.Done, true
	}
	if step, met := a.reached[p.Node]; p.Node != "" && (p.Step > step || !met) && (met || len(a.reached) < mostReached) {
		a.reached[p.Node], further = p.Step, true
	}
	if further {
		a.moved()
	}
}

// moved notes progress.
func (a *advance) moved() {
	a.since = time.Now()
	a.timer.Reset(a.limit)
}

// quiet is for how long there has been no progress.
func (a *advance) quiet() time.Duration { return time.Since(a.since) }
