package comfy

import "time"

// maxJobTime is the time limit of a job, whatever its progress.
const maxJobTime = 24 * time.Hour

// maxReached limits the nodes that are remembered; a server may report any number.
const maxReached = 10_000

// watchdog ends a job without progress. Progress means going further than ever before: a server
// that repeats the same steps makes none.
type watchdog struct {
	limit   time.Duration
	timer   *time.Timer // ends the job
	since   time.Time   // time of the last progress
	queue   int         // the lowest number of jobs ahead, -1 if unknown
	nodes   int         // the highest number of finished nodes
	reached map[string]int
}

// newWatchdog returns a watchdog that calls end once a job has made no progress for limit.
func newWatchdog(limit time.Duration, end func()) *watchdog {
	return &watchdog{limit: limit, timer: time.AfterFunc(limit, end), since: time.Now(), queue: -1,
		reached: map[string]int{}}
}

// observe updates the watchdog with a job's progress.
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

// reset records progress.
func (a *watchdog) reset() {
	a.since = time.Now()
	a.timer.Reset(a.limit)
}

// silentFor returns the time since the last progress.
func (a *watchdog) silentFor() time.Duration { return time.Since(a.since) }
