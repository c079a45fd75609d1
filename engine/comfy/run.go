package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Run submits a job, follows it to its end and fetches what it made. It blocks;
// onProgress, which may be nil, is called from the same goroutine and should be
// quick. When ctx ends or the time is up, the job is taken off the server's
// queue, or interrupted if it runs, and no other job is touched.
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
	inner, cancel := context.WithTimeoutCause(ctx, job.timeout(), ErrTimeout)
	defer cancel()
	r := &run{c: c, job: job, id: job.PromptID, nodes: names(job.Graph), report: onProgress, executed: map[string]nodeOutput{}}
	out, err := r.play(inner)
	if err == nil {
		return out, nil
	}
	if inner.Err() != nil {
		r.withdraw(context.WithoutCancel(ctx))
		err = context.Cause(inner)
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

// run is one job on its way. Only the goroutine inside Run touches it.
type run struct {
	c      *Client
	job    Job
	id     string
	nodes  nodes
	report func(Progress)

	connected bool
	whole     bool // the socket has been open since before the job was submitted
	started   bool
	ended     bool // the server said that it is through with the job
	sent      bool // the job may be on the server
	now       Progress
	executed  map[string]nodeOutput
	socketPNG []byte // a finished picture that came over the socket instead of as a file
	warnings  []string

	nextLook time.Time
	absent   int       // looks in a row that did not find the job
	failing  time.Time // since when the server has been away
	nonsense int       // looks in a row that got an answer of no sense
	entry    *historyEntry
}

func (r *run) play(ctx context.Context) (Output, error) {
	clientID := uuid.NewString()
	sock := r.c.listen(ctx, clientID)
	defer sock.close()
	r.whole = sock.ready(ctx, 5*time.Second)
	if err := r.begin(ctx, clientID); err != nil {
		return Output{}, err
	}
	if err := r.follow(ctx, sock.events); err != nil {
		return Output{}, err
	}
	return r.collect(ctx)
}

// begin puts the job on the server, unless it is there and may be resumed.
func (r *run) begin(ctx context.Context, clientID string) error {
	r.sent = r.job.Resume
	if r.job.Resume {
		w, err := r.c.find(ctx, r.id)
		if err != nil || w.place != placeAbsent {
			r.whole = false // its messages go to whoever sent it
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.sent = true
	id, warnings, err := r.c.submit(ctx, r.job, clientID)
	switch {
	case err == nil:
		r.id, r.warnings = id, warnings
		r.lookIn(r.c.pace.queued)
		return nil
	case errors.Is(err, ErrUnreachable) && ctx.Err() == nil:
		// The answer may have been lost on its way back, the job not.
		if w, again := r.c.find(ctx, r.id); again == nil && w.place != placeAbsent {
			return nil
		}
	case ctx.Err() == nil:
		r.sent = false
	}
	return err
}

// follow returns nil when the job has ended well.
func (r *run) follow(ctx context.Context, events <-chan event) error {
	timer := time.NewTimer(time.Until(r.nextLook))
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
			done, err = r.look(ctx)
		}
		if err != nil || done {
			return err
		}
		timer.Reset(max(0, time.Until(r.nextLook)))
	}
}

func (r *run) lookIn(d time.Duration) { r.nextLook = time.Now().Add(d) }

// lookSoon moves the next look forward, never back.
func (r *run) lookSoon(d time.Duration) {
	if at := time.Now().Add(d); at.Before(r.nextLook) {
		r.nextLook = at
	}
}

func (r *run) pause() time.Duration {
	switch {
	case r.ended || !r.connected || r.entry != nil:
		return r.c.pace.poll
	case !r.started:
		return r.c.pace.queued
	}
	return r.c.pace.calm
}

// look asks the server where the job is. Servers go away for a while, when they
// restart or are too busy to answer; that is borne for a time. Answers that no
// ComfyUI gives are borne three times, as a proxy may give some while it starts.
func (r *run) look(ctx context.Context) (bool, error) {
	w, err := r.c.find(ctx, r.id)
	if err != nil {
		if r.failing.IsZero() {
			r.failing = time.Now()
		}
		if r.nonsense++; errors.Is(err, ErrUnreachable) {
			r.nonsense = 0
		}
		if ctx.Err() != nil || r.nonsense >= 3 || time.Since(r.failing) >= r.c.pace.lost {
			return false, err
		}
		r.lookIn(r.c.pace.poll)
		return false, nil
	}
	r.failing, r.nonsense = time.Time{}, 0
	if w.place != placeAbsent {
		r.absent = 0
	}
	switch w.place {
	case placeFinished:
		// The history may be ahead of the socket, which may still bring a picture.
		seen := r.entry != nil
		r.entry = w.entry
		if err := w.entry.fault(r.nodes); err != nil || r.ended || seen || !r.connected || !r.whole {
			return true, err
		}
	case placePending:
		if w.ahead != r.now.Queue {
			r.now.Queue = w.ahead
			r.tell(nil)
		}
	case placeRunning:
		r.start()
	case placeAbsent:
		if r.entry != nil {
			return true, nil // cleared from the history since it was read
		}
		// Twice, because a proxy may answer from what it remembers.
		if r.absent++; r.absent >= 2 {
			if r.ended && (len(r.executed) > 0 || r.socketPNG != nil) {
				return true, nil
			}
			return false, ErrVanished
		}
		r.lookIn(min(r.c.pace.poll, time.Second))
		return false, nil
	}
	r.lookIn(r.pause())
	return false, nil
}

func (r *run) start() {
	if !r.started {
		r.started = true
		r.now.Queue = 0
		r.tell(nil)
	}
}

func (r *run) tell(preview []byte) {
	p := r.now
	p.Preview = preview
	r.report(p)
}

// handle takes in one event of the socket. Its error is the job's end.
func (r *run) handle(e event) error {
	switch e.kind {
	case eventUp:
		r.connected = true
		if !r.whole {
			r.lookSoon(0) // whatever was missed while there was no socket
		}
	case eventDown:
		r.connected, r.whole = false, false
		r.lookSoon(r.c.pace.poll)
	case eventBinary:
		r.picture(e.data)
	case eventText:
		return r.message(e.data)
	}
	return nil
}

// picture takes in a preview. One that names no job counts only while this job
// is the one that runs.
func (r *run) picture(data []byte) {
	f, ok := readFrame(data)
	if !ok || (f.prompt != "" && f.prompt != r.id) || (f.prompt == "" && r.now.Node == "") {
		return
	}
	node := f.node
	if node == "" {
		node = r.now.Node
	}
	if f.png && r.nodes.at(node).class == "SaveImageWebsocket" {
		r.socketPNG = f.image
	}
	if len(f.image) <= maxPreview {
		r.tell(bytes.Clone(f.image))
	}
}

// wireMessage is every text message of the socket at once.
type wireMessage struct {
	Type string `json:"type"`
	Data struct {
		Prompt  string          `json:"prompt_id"`
		Node    json.RawMessage `json:"node"`
		Display json.RawMessage `json:"display_node"`
		Value   float64         `json:"value"`
		Max     float64         `json:"max"`
		Output  json.RawMessage `json:"output"`
		Nodes   json.RawMessage `json:"nodes"`
	} `json:"data"`
}

func (r *run) message(data []byte) error {
	var m wireMessage
	if json.Unmarshal(data, &m) != nil {
		return nil // extensions send what they like
	}
	if m.Type == "status" {
		if !r.started {
			r.lookSoon(min(200*time.Millisecond, r.c.pace.queued))
		}
		return nil
	}
	if m.Data.Prompt != r.id {
		return nil
	}
	switch m.Type {
	case "execution_start":
		r.start()
	case "executing":
		node := firstOf(looseString(m.Data.Display), looseString(m.Data.Node))
		if len(m.Data.Node) == 0 || string(m.Data.Node) == "null" {
			r.ended = true
			r.lookSoon(0)
			return nil
		}
		r.at(node, 0, 0)
	case "progress":
		r.at(firstOf(looseString(m.Data.Node), r.now.Node), m.Data.Value, m.Data.Max)
	case "progress_state":
		r.states(m.Data.Nodes)
	case "executed":
		var out nodeOutput
		if json.Unmarshal(m.Data.Output, &out) == nil && len(r.executed) < 1000 {
			r.executed[looseString(m.Data.Node)] = out
		}
	case "execution_success":
		// The end follows at once; servers that forget it are looked up.
		r.lookSoon(r.c.pace.poll)
	case "execution_interrupted":
		return ErrInterrupted
	case "execution_error":
		var raw struct {
			Data json.RawMessage `json:"data"`
		}
		_ = json.Unmarshal(data, &raw) // decoded once already
		return runError(raw.Data, r.nodes)
	}
	return nil
}

// states takes in a progress_state message: where every node stands.
func (r *run) states(data json.RawMessage) {
	var all map[string]struct {
		Value   float64 `json:"value"`
		Max     float64 `json:"max"`
		State   string  `json:"state"`
		Display string  `json:"display_node_id"`
	}
	if json.Unmarshal(data, &all) != nil {
		return
	}
	best := ""
	for id, s := range all {
		if s.State != "running" {
			continue
		}
		if best == "" || id == r.now.Node || (best != r.now.Node && compareIDs(id, best) < 0) {
			best = id
		}
	}
	if best == "" {
		return
	}
	s := all[best]
	if s.Max <= 1 { // a node that does not count says 0 of 1
		s.Value, s.Max = 0, 0
	}
	r.at(firstOf(s.Display, best), s.Value, s.Max)
}

// at moves the progress and tells when something changed.
func (r *run) at(node string, value, of float64) {
	r.started = true
	p := r.now
	p.Queue, p.Node = 0, clip(node, 100)
	n := r.nodes.at(node)
	p.NodeTitle = firstOf(n.title, n.class)
	p.Step, p.Of = whole(value), whole(of)
	p.Step = min(p.Step, p.Of)
	if p.Node == r.now.Node && p.Of == 0 && r.now.Of > 0 {
		return // executing after progress_state says less, not more
	}
	if p.Queue == r.now.Queue && p.Node == r.now.Node && p.Step == r.now.Step && p.Of == r.now.Of {
		return
	}
	r.now = p
	r.tell(nil)
}

func whole(f float64) int {
	if !(f > 0) {
		return 0
	}
	return int(min(f, 1e6))
}

// withdraw takes the job off the server: out of the queue while it waits, by an
// interrupt while it runs. Old servers interrupt whatever runs, whatever job is
// named, so it is made sure first that this one does.
func (r *run) withdraw(ctx context.Context) {
	if !r.sent || r.entry != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for range 2 {
		if r.c.post(ctx, "/queue", map[string][]string{"delete": {r.id}}) != nil {
			return
		}
		w, err := r.c.find(ctx, r.id)
		if err != nil {
			return
		}
		if w.place == placeRunning {
			_ = r.c.post(ctx, "/interrupt", map[string]string{"prompt_id": r.id}) // nothing more can be done
		}
		if w.place != placePending {
			return
		}
	}
}
