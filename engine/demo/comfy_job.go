package demo

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

// comfyJob is one graph on its way through the queue.
type comfyJob struct {
	id, client string
	number     float64
	graph      comfyGraph
	sinks      []string
	extra      map[string]any
	stop       chan struct{}
	once       sync.Once
	node       string // at work; guarded by the lock of the Comfy
	gone       bool   // it is forgotten; guarded by the same lock
}

func (j *comfyJob) interrupt() { j.once.Do(func() { close(j.stop) }) }

func (j *comfyJob) wire() []any {
	extra := map[string]any{"client_id": j.client}
	maps.Copy(extra, j.extra)
	return []any{j.number, j.id, j.graph, extra, j.sinks}
}

// comfyEntry is the record of a job in the history.
type comfyEntry struct {
	Prompt  []any                     `json:"prompt"`
	Outputs map[string]map[string]any `json:"outputs"`
	Status  map[string]any            `json:"status"`
	Meta    map[string]any            `json:"meta"`
}

func (c *Comfy) enqueue(j *comfyJob, number *float64, front bool) float64 {
	c.mu.Lock()
	j.number = c.number
	if number != nil {
		j.number = *number
	} else if front {
		j.number = -c.number
	}
	c.number++
	at := len(c.pending)
	for i, other := range c.pending {
		if other.number > j.number {
			at = i
			break
		}
	}
	c.pending = slices.Insert(c.pending, at, j)
	start := !c.working && c.ctx.Err() == nil
	if start {
		c.working = true
		c.wait.Add(1)
	}
	c.mu.Unlock()
	c.tellStatus()
	if start {
		crash.Go("demo comfyui", c.work)
	}
	return j.number
}

// work plays one job after the other until none is left.
func (c *Comfy) work() {
	defer c.wait.Done()
	for {
		c.mu.Lock()
		if len(c.pending) == 0 || c.ctx.Err() != nil {
			c.working = false
			c.mu.Unlock()
			return
		}
		j := c.pending[0]
		c.pending = c.pending[1:]
		c.running = j
		c.mu.Unlock()
		c.tellStatus()
		c.play(j)
	}
}

var (
	errComfyInterrupted = errors.New("interrupted")
	errComfyRestarted   = errors.New("restarted")
)

// comfyFailure is an exception in a node.
type comfyFailure struct{ kind, message string }

func (f comfyFailure) Error() string { return f.message }

// comfyPlay is a job while it runs.
type comfyPlay struct {
	c        *Comfy
	j        *comfyJob
	messages []any
	states   map[string]any
	outputs  map[string]map[string]any
	meta     map[string]any
	sigs     map[string]string
	done     []string
}

func (c *Comfy) play(j *comfyJob) {
	p := &comfyPlay{c: c, j: j, states: map[string]any{}, outputs: map[string]map[string]any{}, meta: map[string]any{},
		sigs: map[string]string{}}
	err := p.run()
	status := map[string]any{"status_str": "success", "completed": true, "messages": comfyList(p.messages)}
	if err != nil {
		status["status_str"], status["completed"] = "error", false
	}
	c.mu.Lock()
	if c.running == j {
		c.running = nil
	}
	if j.gone || errors.Is(err, errComfyRestarted) {
		c.mu.Unlock()
		return
	}
	c.history[j.id] = &comfyEntry{Prompt: j.wire(), Outputs: p.outputs, Status: status, Meta: p.meta}
	c.order = append(c.order, j.id)
	if len(c.order) > comfyMaxHistory {
		delete(c.history, c.order[0])
		c.order = c.order[1:]
	}
	for _, id := range p.done { // including those before a failed one
		sig := p.sigs[id]
		if _, known := c.cache[sig]; !known {
			c.cached = append(c.cached, sig)
		}
		c.cache[sig] = p.outputs[id]
	}
	for len(c.cached) > comfyMaxCache {
		delete(c.cache, c.cached[0])
		c.cached = c.cached[1:]
	}
	c.mu.Unlock()
	c.tellStatus()
	c.tell(j.client, "executing", map[string]any{"node": nil, "prompt_id": j.id})
}

// note sends a message and keeps it for history.
func (p *comfyPlay) note(kind string, data map[string]any) {
	data["prompt_id"], data["timestamp"] = p.j.id, time.Now().UnixMilli()
	p.messages = append(p.messages, []any{kind, data})
	p.c.tell(p.j.client, kind, data)
}

func (p *comfyPlay) run() error {
	p.note("execution_start", map[string]any{})
	var order, cached []string
	seen := map[string]bool{}
	for _, sink := range p.j.sinks {
		p.plan(sink, seen, &order)
	}
	p.c.mu.Lock()
	known := p.c.cache
	p.c.mu.Unlock()
	for _, id := range order {
		if _, ok := known[p.sign(id)]; ok {
			cached = append(cached, id)
		}
	}
	p.note("execution_cached", map[string]any{"nodes": comfyList(cached)})
	for _, id := range order {
		if ui, ok := known[p.sign(id)]; ok {
			if ui != nil {
				p.shown(id, ui)
				p.state(id, 1, 1, "finished")
			}
			continue
		}
		if err := p.node(id); err != nil {
			p.fail(id, err)
			return err
		}
		p.done = append(p.done, id)
	}
	p.note("execution_success", map[string]any{})
	return nil
}

// plan puts a node behind everything it depends on.
func (p *comfyPlay) plan(id string, seen map[string]bool, order *[]string) {
	if seen[id] {
		return
	}
	seen[id] = true
	in, _ := p.j.graph.inputs(id)
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if up, _, ok := comfyLink(in[name]); ok {
			p.plan(up, seen, order)
		}
	}
	*order = append(*order, id)
}

// sign returns a key of the inputs of a node: its class and its inputs, all the way up. Titles do
// not count.
func (p *comfyPlay) sign(id string) string {
	if s, ok := p.sigs[id]; ok {
		return s
	}
	in, _ := p.j.graph.inputs(id)
	parts := map[string]any{}
	for name, v := range in {
		if up, slot, ok := comfyLink(v); ok {
			v = []any{p.sign(up), slot}
		}
		parts[name] = v
	}
	if name, ok := in["image"].(string); ok { // another file of the same name is another picture
		parts["file"] = fmt.Sprintf("%x", sha256.Sum256(p.c.picture(name)))
	}
	data, err := json.Marshal([]any{p.j.graph.class(id), parts})
	if err != nil {
		return id
	}
	p.sigs[id] = fmt.Sprintf("%x", sha256.Sum256(data))
	return p.sigs[id]
}

// state reports the progress of a node, together with all nodes that have begun.
func (p *comfyPlay) state(id string, value, of int, state string) {
	p.states[id] = map[string]any{
		"value": value, "max": of, "state": state, "node_id": id, "prompt_id": p.j.id,
		"display_node_id": id, "parent_node_id": nil, "real_node_id": id,
	}
	p.c.tell(p.j.client, "progress_state", map[string]any{"prompt_id": p.j.id, "nodes": p.states})
}

// shown stores the output of an output node.
func (p *comfyPlay) shown(id string, ui map[string]any) {
	p.outputs[id] = ui
	p.meta[id] = map[string]any{"node_id": id, "display_node": id, "parent_node": nil, "real_node_id": id}
	p.c.tell(p.j.client, "executed", map[string]any{"node": id, "display_node": id, "output": ui, "prompt_id": p.j.id})
}

func (p *comfyPlay) node(id string) error {
	p.state(id, 0, 1, "running")
	p.c.mu.Lock()
	p.j.node = id
	p.c.mu.Unlock()
	p.c.tell(p.j.client, "executing", map[string]any{"node": id, "display_node": id, "prompt_id": p.j.id})
	if err := p.stopped(0); err != nil {
		return err
	}
	value, of := 1, 1
	class := p.j.graph.class(id)
	if comfySampler(class) {
		steps, err := p.sample(id)
		if err != nil {
			return err
		}
		value, of = steps, steps
	}
	if n := p.c.nodes[class]; n != nil && n.sink {
		ui, err := p.save(id, n)
		if err != nil {
			return err
		}
		p.shown(id, ui)
	}
	p.state(id, value, of, "finished")
	return nil
}

func comfySampler(class string) bool {
	switch class {
	case "KSampler", "KSamplerAdvanced", "SamplerCustom", "SamplerCustomAdvanced":
		return true
	}
	return false
}

// why a job that was stopped ends: by an interrupt, or without a trace.
func (p *comfyPlay) why() error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	if p.j.gone {
		return errComfyRestarted
	}
	return errComfyInterrupted
}

// stopped waits for d, unless the job is interrupted or the server closes.
func (p *comfyPlay) stopped(d time.Duration) error {
	select {
	case <-p.j.stop:
		return p.why()
	case <-p.c.ctx.Done():
		return errComfyRestarted
	default:
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-p.j.stop:
		return p.why()
	case <-p.c.ctx.Done():
		return errComfyRestarted
	}
}

func (p *comfyPlay) fail(id string, err error) {
	data := map[string]any{"node_id": id, "node_type": p.j.graph.class(id), "executed": comfyList(p.done)}
	var failure comfyFailure
	switch {
	case errors.Is(err, errComfyInterrupted):
		p.note("execution_interrupted", data)
	case errors.As(err, &failure):
		data["exception_type"], data["exception_message"] = failure.kind, failure.message
		data["traceback"], data["current_inputs"], data["current_outputs"] = []string{"(demo)"}, map[string]any{},
			comfyList(p.done)
		p.note("execution_error", data)
	case !errors.Is(err, errComfyRestarted):
		data["exception_type"], data["exception_message"] = "RuntimeError", err.Error()
		data["traceback"] = []string{}
		p.note("execution_error", data)
	}
}
