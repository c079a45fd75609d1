package comfy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Run submits a job, follows it to its end and fetches its file. It blocks; onProgress, which may
// be nil, is called from the same goroutine and must return quickly. If ctx ends or the job makes
// no progress for too long, the job is removed from the server's queue, or interrupted if it runs,
// and Run waits a little until it is gone; otherwise the error wraps ErrStillOnServer. No other
// job is touched. If ctx was cancelled with the cause ErrJobLeft, the job continues on the server.
func (c *Client) Run(ctx context.Context, job Job, onProgress func(Progress)) (Output, error) {
	if err := ctx.Err(); err != nil {
		return Output{}, fmt.Errorf("comfy run: %w", err)
	}
	if err := checkJob(&job); err != nil {
		return Output{}, fmt.Errorf("comfy run: %w", err)
	}
	if onProgress == nil {
		onProgress = func(Progress) {}
	}
	day, cancel := context.WithTimeoutCause(ctx, maxJobTime, ErrTimeout)
	defer cancel()
	inner, stop := context.WithCancelCause(day)
	defer stop(nil)
	r := &run{c: c, job: job, id: job.PromptID, nodes: names(job.Graph), report: onProgress,
		watchdog: newWatchdog(job.timeout(), func() { stop(ErrTimeout) }),
		executed: map[string]nodeOutput{}, done: map[string]bool{}, cached: map[string]bool{}}
	defer r.watchdog.timer.Stop()
	r.progress.Total = len(r.nodes)
	out, err := r.execute(inner)
	if err == nil {
		return out, nil
	}
	if inner.Err() != nil {
		err = context.Cause(inner)
		if !errors.Is(context.Cause(ctx), ErrJobLeft) && !r.withdraw(context.WithoutCancel(ctx)) {
			err = fmt.Errorf("%w: %w", err, ErrStillOnServer)
		}
	}
	return Output{}, fmt.Errorf("comfy run: %w", err)
}

func checkJob(job *Job) error {
	if len(job.Graph) > maxGraph {
		return fmt.Errorf("the workflow is larger than %d MB", maxGraph>>20)
	}
	w, err := ReadWorkflow("workflow", job.Graph)
	if err != nil {
		return err
	}
	if job.Graph, err = encodeTree(w.graph); err != nil { // without its wrapper
		return err
	}
	if job.PromptID == "" {
		job.PromptID = uuid.NewString()
	}
	id, err := uuid.Parse(job.PromptID)
	if err != nil || id.String() != job.PromptID {
		return fmt.Errorf("job id %q is not a lower-case UUID", clip(job.PromptID, 60))
	}
	return nil
}

// run is a running job. Only the goroutine of Run uses it.
type run struct {
	c        *Client
	job      Job
	id       string
	nodes    nodes
	report   func(Progress)
	watchdog *watchdog

	connected         bool
	socketSinceSubmit bool // the socket has been open since before the submission
	started           bool
	ended             bool   // the server has reported the end of the job
	maybeSubmitted    bool   // the job may be on the server
	submitUnconfirmed bool   // it was sent without a response: it may still arrive
	socketReported    bool   // the socket has reported this job
	witness           string // an earlier job in the server's history
	away              bool   // the server was offline since the job was last seen
	progress          Progress
	node              string          // the running node, as the server names it
	done              map[string]bool // finished nodes of the graph
	reportedDone      int             // the last reported number of them
	preview           []byte          // the last one
	executed          map[string]nodeOutput
	// outputBytes is the size of the reported outputs.
	outputBytes int
	cached      map[string]bool // nodes that the server reported as cached
	changed     bool            // the graph was changed to force a new file
	socketPNG   []byte          // a finished picture that came over the socket
	warnings    []string

	nextPoll     time.Time
	missedPolls  int           // consecutive polls that did not find the job
	offlineSince time.Time     // zero while the server answers
	pollTimeout  time.Duration // timeout of a poll, after which the server counts as offline
	lastSeen     time.Time     // time of the last poll that found it
	lastMessage  time.Time     // time of the last socket message
	badResponses int           // consecutive polls with an unexpected response
	entry        *historyEntry
}

func (r *run) execute(ctx context.Context) (Output, error) {
	// The socket uses the job's ID, so that a resumed job is followed too.
	sock := r.c.listen(ctx, r.id, r.nodes.largestMessage())
	defer sock.close()
	r.socketSinceSubmit = sock.ready(ctx, 5*time.Second)
	r.witness = r.c.newest(ctx)
	client := r.id
	for {
		if err := r.begin(ctx, client); err != nil {
			return Output{}, err
		}
		if err := r.follow(ctx, sock.events); err != nil {
			return Output{}, err
		}
		r.watchdog.reset() // its file is fetched
		r.allDone()        // the history may be ahead of the socket
		out, err := r.collect(ctx)
		if err == nil || !errors.Is(err, errGone) || !r.forceNewOutput() {
			return out, err
		}
	}
}

// forceNewOutput repeats a job whose cached file was deleted from the server: the saving node gets
// another file name prefix, which makes it save again. It reports whether that is possible.
func (r *run) forceNewOutput() bool {
	node, graph := r.savedOutput(), r.graph()
	in := inputsOf(graph[node])
	prefix, literal := in["filename_prefix"].(string)
	if r.changed || !r.cached[node] || !literal && !isLink(in["filename_prefix"]) {
		return false
	}
	in["filename_prefix"] = firstOf(prefix, "picture") + "_" + uuid.NewString()[:4]
	data, err := encodeTree(graph)
	if err != nil {
		return false
	}
	id, err := uuid.Parse(r.id)
	if err != nil {
		return false
	}
	id[len(id)-1]++
	again := run{c: r.c, job: r.job, id: id.String(), nodes: r.nodes, report: r.report, watchdog: r.watchdog,
		connected: r.connected, socketSinceSubmit: r.connected, witness: r.witness,
		changed: true, executed: map[string]nodeOutput{}, done: map[string]bool{}, cached: map[string]bool{}}
	again.job.Graph, again.job.PromptID, again.job.Resume = data, again.id, false
	again.progress.Total = r.progress.Total
	*r = again
	return true
}

// graph returns a copy of the job's graph.
func (r *run) graph() map[string]any {
	tree, err := decodeTree("workflow", r.job.Graph)
	graph, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	return graph
}

// savedOutput returns the node whose file is the job's.
func (r *run) savedOutput() string {
	files, _ := listFiles(r.outputs())
	if len(files) == 0 {
		return ""
	}
	best, _ := chooseOutput(files, r.job.Video)
	return best.node
}

// begin submits the job, unless it is on the server and may be resumed.
func (r *run) begin(ctx context.Context, clientID string) error {
	r.maybeSubmitted = r.job.Resume
	if r.job.Resume {
		w, err := r.c.find(ctx, r.id)
		if err != nil || w.place != placeAbsent {
			r.socketSinceSubmit = false // its messages go to the client that sent it
			return err
		}
	}
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.maybeSubmitted, r.submitUnconfirmed = true, true
		id, warnings, err := r.c.submit(ctx, r.job, clientID)
		if err == nil {
			r.submitUnconfirmed, r.id, r.warnings = false, id, warnings
			r.submitted()
			r.pollAfter(r.c.intervals.queued)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		var refused *RejectedError
		if r.submitUnconfirmed = false; errors.As(err, &refused) {
			r.maybeSubmitted = false
			return err
		}
		// The response may have been lost, and the job not.
		w, again := r.c.find(ctx, r.id)
		if again == nil && w.place != placeAbsent {
			r.submitted()
			return nil
		}
		if r.maybeSubmitted = again != nil; again != nil || !isInterrupted(err) || try == submitTries {
			return err
		}
	}
}

// submitTries limits how often a job is sent if the connection fails before the server has got it.
const submitTries = 3

func (r *run) submitted() {
	if r.job.Submitted != nil {
		r.job.Submitted(r.id)
	}
}

// follow returns nil when the job has ended well.
func (r *run) follow(ctx context.Context, events <-chan event) error {
	timer := time.NewTimer(time.Until(r.nextPoll))
	defer timer.Stop()
	for {
		var done bool
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-events:
			err = r.handle(e)
		case <-timer.C:
			if r.watchdog.silentFor() >= r.c.intervals.stalled {
				r.emit(nil)
			}
			if r.socketCovers() {
				r.pollAfter(r.c.intervals.pingAfter)
				break
			}
			done, err = r.poll(ctx)
		}
		if err != nil || done {
			return err
		}
		timer.Reset(max(0, time.Until(r.nextPoll)))
	}
}

// socketCovers reports whether the socket's messages make polling unnecessary.
func (r *run) socketCovers() bool {
	return r.connected && r.started && !r.ended && r.entry == nil && r.offlineSince.IsZero() &&
		time.Since(r.lastMessage) < r.c.intervals.pingAfter && time.Since(r.lastSeen) < r.c.intervals.connected
}

func (r *run) pollAfter(d time.Duration) { r.nextPoll = time.Now().Add(d) }

// pollSoon moves the next poll forward, never back.
func (r *run) pollSoon(d time.Duration) {
	if at := time.Now().Add(d); at.Before(r.nextPoll) {
		r.nextPoll = at
	}
}

func (r *run) pause() time.Duration {
	switch {
	case r.ended || !r.connected || r.entry != nil:
		return r.c.intervals.poll
	case !r.started, !r.socketReported:
		return r.c.intervals.queued
	}
	return r.c.intervals.pingAfter
}

// jobLost returns why the job is gone, as far as is known: a restarted server has forgotten the
// earlier jobs too.
func (r *run) jobLost(ctx context.Context) error {
	if r.away {
		return ErrRestarted
	}
	if r.witness != "" {
		if e, err := r.c.history(ctx, r.witness); err == nil && e == nil {
			return ErrRestarted
		}
	}
	return ErrJobGone
}

// poll asks the server for the state of the job. Servers may be offline for a while, when they
// restart or are busy, which is tolerated for some time. Unexpected responses are tolerated three
// times, because a proxy may give some during a start.
func (r *run) poll(ctx context.Context) (bool, error) {
	w, err := r.ask(ctx)
	if err != nil {
		if r.offlineSince.IsZero() {
			r.offlineSince = time.Now()
		}
		if r.away = true; !r.progress.Offline && errors.Is(err, ErrUnreachable) {
			r.progress.Offline = true
			r.emit(nil)
		}
		if r.badResponses++; errors.Is(err, ErrUnreachable) {
			r.badResponses = 0
		}
		if ctx.Err() != nil || r.badResponses >= 3 || time.Since(r.offlineSince) >= r.c.intervals.maxAway {
			return false, err
		}
		r.pollAfter(r.c.intervals.poll)
		return false, nil
	}
	r.offlineSince, r.badResponses = time.Time{}, 0
	if r.progress.Offline {
		r.progress.Offline = false
		r.emit(nil)
	}
	if w.place != placeAbsent {
		r.missedPolls, r.away = 0, false
	}
	switch w.place {
	case placeFinished:
		// The history may be ahead of the socket, which may still send a picture.
		seen := r.entry != nil
		r.entry = w.entry
		if err := w.entry.fault(r.nodes); err != nil || r.ended || seen || !r.connected || !r.socketSinceSubmit {
			return true, err
		}
	case placePending:
		if w.ahead != r.progress.Queue {
			r.progress.Queue = w.ahead
			r.emit(nil)
		}
	case placeRunning:
		r.start()
	case placeAbsent:
		if r.entry != nil {
			return true, nil // cleared from the history since it was read
		}
		// Twice, because a proxy may answer from its cache.
		if r.missedPolls++; r.missedPolls >= 2 {
			if r.ended && (len(r.executed) > 0 || r.socketPNG != nil) {
				return true, nil
			}
			return false, r.jobLost(ctx)
		}
		r.pollAfter(min(r.c.intervals.poll, time.Second))
		return false, nil
	}
	r.pollAfter(r.pause())
	return false, nil
}

// ask is find with a timeout that adapts to the server. The first one is short, so that a dead
// server is noticed soon.
func (r *run) ask(ctx context.Context) (jobPosition, error) {
	r.lastSeen = time.Now()
	r.pollTimeout = max(r.pollTimeout, r.c.intervals.answer)
	inner, cancel := context.WithTimeout(ctx, r.pollTimeout)
	defer cancel()
	w, err := r.c.find(inner, r.id)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: no answer from %s within %s", ErrUnreachable, r.c.base.Host, r.pollTimeout)
		r.pollTimeout = min(2*r.pollTimeout, r.c.intervals.call)
	}
	return w, err
}

func (r *run) start() {
	if !r.started {
		r.started = true
		r.progress.Queue = 0
		r.emit(nil)
	}
}

func (r *run) emit(preview []byte) {
	r.watchdog.observe(r.progress)
	p := r.progress
	if p.Quiet = r.watchdog.silentFor(); p.Quiet < r.c.intervals.stalled {
		p.Quiet = 0
	} else {
		p.Left = max(r.watchdog.limit-p.Quiet, 1)
	}
	r.reportedDone = p.Done
	p.Preview = preview
	r.report(p)
}

// withdraw removes the job from the server: from the queue while it waits, by an interrupt while
// it runs. Old servers interrupt any running job, so that it first checks that this one runs. It
// reports whether the job is gone: the running node finishes before an interrupt takes effect.
func (r *run) withdraw(ctx context.Context) bool {
	if !r.maybeSubmitted || r.entry != nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, r.c.intervals.withdraw)
	defer cancel()
	absent, need := 0, 1
	if r.submitUnconfirmed {
		need = 3
	}
	interrupts := 0
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		deleted := r.c.post(ctx, "/queue", map[string][]string{"delete": {r.id}})
		w, err := r.c.find(ctx, r.id)
		switch {
		case err != nil:
		case w.place == placeFinished:
			return true
		case w.place == placeAbsent && deleted == nil:
			if absent++; absent >= need {
				return true
			}
		case w.place == placeRunning && interrupts < 3: // one between two nodes may be lost
			if r.c.post(ctx, "/interrupt", map[string]string{"prompt_id": r.id}) == nil {
				interrupts++
			}
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return false
		}
	}
}

// Withdraw removes a job from the server that another process has sent: from the queue while it
// waits, by an interrupt while it runs. Nothing else is touched. The error wraps ErrStillOnServer
// if the job was still there after a while, ErrUnreachable if the server cannot be asked.
func (c *Client) Withdraw(ctx context.Context, promptID string) error {
	if id, err := uuid.Parse(promptID); err != nil || id.String() != promptID {
		return fmt.Errorf("comfy withdraw: job id %q is not a lower-case UUID", clip(promptID, 60))
	}
	if _, err := c.find(ctx, promptID); err != nil {
		return fmt.Errorf("comfy withdraw: %w", err)
	}
	r := &run{c: c, id: promptID, maybeSubmitted: true}
	if !r.withdraw(ctx) {
		return fmt.Errorf("comfy withdraw: %w", errors.Join(ctx.Err(), ErrStillOnServer))
	}
	return nil
}
