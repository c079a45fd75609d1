package comfy

import (
	"bytes"
	"encoding/json"
	"time"
)

// handle handles one event of the socket. Its error ends the job.
func (r *run) handle(e event) error {
	switch e.kind {
	case eventUp:
		r.connected = true
		if !r.socketSinceSubmit {
			r.pollSoon(0) // messages may have been missed
		}
	case eventDown:
		r.connected, r.socketSinceSubmit = false, false
		r.pollSoon(r.c.intervals.poll)
	case eventBinary:
		r.lastMessage = time.Now()
		r.picture(e.data)
	case eventText:
		return r.message(r.c.withoutKey(e.data))
	}
	return nil
}

// picture handles a preview. One without a job ID only counts while this job runs.
func (r *run) picture(data []byte) {
	f, ok := readFrame(data)
	if !ok || (f.prompt != "" && f.prompt != r.id) || (f.prompt == "" && r.progress.Node == "") {
		return
	}
	node := f.node
	if node == "" {
		node = r.progress.Node
	}
	if f.png && r.nodes.at(node).class == "SaveImageWebsocket" {
		r.socketPNG = f.image
	}
	if format := imageType(f.image); len(f.image) <= maxPreview && isComplete(format, f.image) {
		r.preview = f.image
		r.emit(bytes.Clone(f.image))
	}
}

// wireMessage has the fields of all text messages of the socket.
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
			r.pollSoon(min(200*time.Millisecond, r.c.intervals.queued))
		}
		return nil
	}
	if m.Data.Prompt != r.id {
		return nil
	}
	r.socketReported, r.lastMessage = true, time.Now()
	switch m.Type {
	case "execution_start":
		r.start()
	case "execution_cached":
		var cached []json.RawMessage
		_ = json.Unmarshal(m.Data.Nodes, &cached) // unreported ones count when they are done
		for _, id := range cached {
			name := looseString(id)
			if _, ours := r.nodes[name]; ours { // a server may report any number
				r.nodeDone(name)
				r.cached[name] = true
			}
		}
	case "executing":
		node := firstOf(looseString(m.Data.Display), looseString(m.Data.Node))
		if len(m.Data.Node) == 0 || string(m.Data.Node) == "null" {
			r.ended = true
			r.pollSoon(0)
			return nil
		}
		if node == "" {
			return nil
		}
		if id := looseString(m.Data.Node); id != r.node {
			r.nodeDone(r.node)
			r.node = id
		}
		r.nodeStarted(node, 0, 0)
	case "progress":
		r.nodeStarted(firstOf(looseString(m.Data.Node), r.progress.Node), m.Data.Value, m.Data.Max)
	case "progress_state":
		r.states(m.Data.Nodes)
	case "executed":
		var out nodeOutput
		id := looseString(m.Data.Node)
		if r.outputBytes += len(m.Data.Output); id != "" && r.outputBytes <= maxLarge && len(r.executed) < 1000 &&
			json.Unmarshal(m.Data.Output, &out) == nil {
			r.executed[id] = out
		}
		r.nodeDone(id)
	case "execution_success":
		// The end follows immediately; otherwise polling finds it.
		r.pollSoon(r.c.intervals.poll)
		r.allDone()
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

// states handles a progress_state message: the state of every node.
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
		if s.State == "finished" {
			r.nodeDone(id)
		}
		if s.State != "running" {
			continue
		}
		if best == "" || id == r.progress.Node || (best != r.progress.Node && compareIDs(id, best) < 0) {
			best = id
		}
	}
	if best == "" {
		return
	}
	s := all[best]
	if s.Max <= 1 { // a node that does not count reports 0 of 1
		s.Value, s.Max = 0, 0
	}
	r.nodeStarted(firstOf(s.Display, best), s.Value, s.Max)
}

// nodeDone counts a finished node of the graph. It is reported with the next progress.
func (r *run) nodeDone(id string) {
	if _, ours := r.nodes[id]; ours && !r.done[id] {
		r.done[id] = true
		r.progress.Done = len(r.done)
	}
}

// allDone reports once that the job has completed.
func (r *run) allDone() {
	for id := range r.nodes {
		r.nodeDone(id)
	}
	if r.progress.Done != r.reportedDone {
		r.emit(nil)
	}
}

// nodeStarted updates the progress and reports changes.
func (r *run) nodeStarted(node string, value, of float64) {
	r.started = true
	p := r.progress
	p.Queue, p.Node = 0, clip(node, 100)
	n := r.nodes.at(node)
	p.NodeTitle = firstOf(n.title, n.class)
	p.Step, p.Of = wholeNumber(value), wholeNumber(of)
	p.Step = min(p.Step, p.Of)
	if p.Node == r.progress.Node && p.Of == 0 && r.progress.Of > 0 {
		return // executing after progress_state says less, not more
	}
	if p.Queue == r.progress.Queue && p.Node == r.progress.Node && p.Step == r.progress.Step && p.Of == r.progress.Of {
		return
	}
	r.progress = p
	r.emit(nil)
}

func wholeNumber(f float64) int {
	if !(f > 0) {
		return 0
	}
	return int(min(f, 1e6))
}
