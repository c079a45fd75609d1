package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// DefaultStepDelay is the duration of one sampling step of the ComfyUI half.
const DefaultStepDelay = 40 * time.Millisecond

// ComfyOptions are the options of the ComfyUI half. The zero value has one checkpoint and paints at
// a pace that can be watched.
type ComfyOptions struct {
	// StepDelay is the duration of one sampling step. 0 means DefaultStepDelay, a negative value
	// means no delay.
	StepDelay time.Duration
	// These are the models that the server offers, by their kind; nil means a few
	// invented ones, empty means none.
	Checkpoints, TextEncoders, DiffusionModels, VAEs, Loras []string
	// Old makes it answer as versions up to 0.10 do: they take any job id, and have no error types
	// of their own for missing nodes, for cycles, and for faults further up in the graph.
	Old bool
	// Token, when there is one, has to come with every request, as hosted servers want it:
	// "Authorization: Bearer TOKEN".
	Token string
	// Largest is the maximum length of a side of a painted picture, in pixels: larger requests are
	// scaled down. 0 is no limit.
	Largest int
	// Faults are the initial faults.
	Faults ComfyFaults
}

// ComfyFaults are the ways in which a ComfyUI server can fail.
type ComfyFaults struct {
	// OutOfMemory makes every sampler fail because memory runs out.
	OutOfMemory bool
	// NodeError makes every sampler fail with this message.
	NodeError string
	// CutSocketAt closes all sockets at this step of a sampler; 0 is never.
	CutSocketAt int
	// NoSocket refuses new sockets.
	NoSocket bool
	// Restart forgets everything at this step, as a restarted server does; 0 is
	// never.
	RestartAt int
	// Hang makes samplers wait at their first step until they are interrupted.
	Hang bool
	// Silent answers no request and sends nothing over the sockets, as a machine without power.
	Silent bool
	// HTML answers every request with a web page.
	HTML bool
	// Script, if it is set, is called for each event at a place and returns the fault to apply
	// there, "" for none. A place is a request's method and the first part of its path ("POST
	// /prompt", "GET /queue", "GET /history", "GET /view", "GET /ws", "POST /interrupt" …), "step"
	// for a step of a sampler and "save" for an output node. n counts from 1 for each place, since
	// the faults were set. It is called by one goroutine at a time and must not call the Comfy.
	Script func(place string, n int) ComfyFault
}

// Comfy is a ComfyUI server that paints a sample picture for every graph. It is an http.Handler,
// safe for concurrent use, and must be closed.
type Comfy struct {
	opts  ComfyOptions
	nodes map[string]*comfyNode
	mux   *http.ServeMux

	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu       sync.Mutex
	faults   ComfyFaults
	clients  map[string]*comfyClient
	pending  []*comfyJob
	running  *comfyJob
	working  bool
	number   float64
	history  map[string]*comfyEntry
	order    []string // of history, oldest first
	files    map[string][]byte
	fileKeys []string
	inputs   comfyInputs // pictures that were uploaded
	counts   map[string]int
	hostile  int // hostile names given so far
	// cache holds the outputs of nodes, by the inputs that they were made from; cached has the
	// keys, oldest first. It outlives the job, even a failed one.
	cache  map[string]map[string]any
	cached []string

	scriptMu sync.Mutex // taken before mu
	seen     map[string]int
}

const (
	comfyMaxBody    = 16 << 20
	comfyMaxHistory = 200
	comfyMaxFiles   = 64
	comfyMaxCache   = 256
)

// NewComfy makes a server. It listens to nothing by itself: give it to an
// http.Server or an httptest.Server.
func NewComfy(opts ComfyOptions) *Comfy {
	switch {
	case opts.StepDelay == 0:
		opts.StepDelay = DefaultStepDelay
	case opts.StepDelay < 0:
		opts.StepDelay = 0
	}
	for into, invented := range map[*[]string][]string{
		&opts.Checkpoints:     {"ghostlight-demo.safetensors", "ltx-demo-video.safetensors"},
		&opts.TextEncoders:    {"clip_l-demo.safetensors", "t5xxl-demo.safetensors"},
		&opts.DiffusionModels: {"flux1-dev-demo.safetensors", "flux1-dev-kontext-demo.safetensors"},
		&opts.VAEs:            {"ae.safetensors"},
		&opts.Loras:           {"ghostlight-demo-face.safetensors"},
	} {
		if *into == nil {
			*into = invented
		}
	}
	c := &Comfy{
		opts: opts, nodes: comfyNodes(opts), faults: opts.Faults,
		clients: map[string]*comfyClient{}, history: map[string]*comfyEntry{}, files: map[string][]byte{},
		counts: map[string]int{}, cache: map[string]map[string]any{}, seen: map[string]int{},
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.mux = c.routes()
	return c
}

// SetFaults replaces the faults. A job that runs sees them at its next step.
func (c *Comfy) SetFaults(f ComfyFaults) {
	c.scriptMu.Lock()
	defer c.scriptMu.Unlock()
	c.seen = map[string]int{}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = f
}

func (c *Comfy) fault() ComfyFaults {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults
}

// Close ends the job that runs and all sockets, and waits for both. The Comfy
// answers no requests afterwards. Closing twice is fine.
func (c *Comfy) Close() error {
	c.mu.Lock()
	c.cancel()
	c.mu.Unlock()
	c.wait.Wait()
	return nil
}

// ServeHTTP answers as ComfyUI does, every route also under /api.
func (c *Comfy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Under the lock, so that Close never waits for a request it did not see.
	c.mu.Lock()
	if c.ctx.Err() != nil {
		c.mu.Unlock()
		http.Error(w, "closed", http.StatusServiceUnavailable)
		return
	}
	c.wait.Add(1)
	html, silent := c.faults.HTML, c.faults.Silent
	c.mu.Unlock()
	defer c.wait.Done()
	if silent {
		select {
		case <-r.Context().Done():
		case <-c.ctx.Done():
		}
		panic(http.ErrAbortHandler)
	}
	if c.opts.Token != "" && r.Header.Get("Authorization") != "Bearer "+c.opts.Token {
		comfyReply(w, http.StatusUnauthorized, map[string]any{"error": "unauthorized"})
		return
	}
	if html {
		c.spoil(w, r, ComfyPage)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.HasSuffix(origin, "//"+r.Host) {
		http.Error(w, "", http.StatusForbidden)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/api/"); ok {
		r = r.Clone(r.Context())
		r.URL.Path = "/" + rest
		r.URL.RawPath = ""
	}
	most := int64(comfyMaxBody)
	if r.URL.Path == "/upload/image" {
		most = comfyMaxUpload
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	if c.spoil(w, r, c.scripted(comfyRoute(r))) {
		return
	}
	c.mux.ServeHTTP(w, r)
}

func (c *Comfy) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /ws", c.serveSocket)
	m.HandleFunc("POST /prompt", c.servePrompt)
	m.HandleFunc("POST /upload/image", c.serveUpload)
	m.HandleFunc("GET /prompt", func(w http.ResponseWriter, _ *http.Request) { comfyReply(w, 200, c.execInfo()) })
	m.HandleFunc("GET /queue", c.serveQueue)
	m.HandleFunc("POST /queue", c.serveQueueEdit)
	m.HandleFunc("POST /interrupt", c.serveInterrupt)
	m.HandleFunc("GET /history", c.serveHistory)
	m.HandleFunc("GET /history/{id}", c.serveHistory)
	m.HandleFunc("GET /view", c.serveView)
	m.HandleFunc("POST /free", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	m.HandleFunc("GET /object_info", func(w http.ResponseWriter, _ *http.Request) {
		all, listed := map[string]any{}, c.uploaded()
		for class, n := range c.nodes {
			all[class] = n.info(listed)
		}
		comfyReply(w, 200, all)
	})
	m.HandleFunc("GET /object_info/{class}", func(w http.ResponseWriter, r *http.Request) {
		one := map[string]any{}
		if n := c.nodes[r.PathValue("class")]; n != nil {
			one[n.class] = n.info(c.uploaded())
		}
		comfyReply(w, 200, one)
	})
	m.HandleFunc("GET /models", func(w http.ResponseWriter, _ *http.Request) {
		comfyReply(w, 200, []string{"checkpoints", "loras", "vae", "text_encoders", "diffusion_models"})
	})
	m.HandleFunc("GET /models/{folder}", c.serveModels)
	m.HandleFunc("GET /features", func(w http.ResponseWriter, _ *http.Request) { comfyReply(w, 200, comfyFeatures()) })
	m.HandleFunc("GET /system_stats", func(w http.ResponseWriter, _ *http.Request) {
		const memory = 16 << 30
		comfyReply(w, 200, map[string]any{
			"system": map[string]any{"os": "linux", "ram_total": memory, "ram_free": memory / 2,
				"comfyui_version": "0.10.0-demo", "python_version": "3.13.5", "argv": []string{"main.py"}},
			"devices": []any{map[string]any{"name": "ghost light", "type": "cpu", "index": nil, "vram_total": memory,
				"vram_free":        memory / 2,
				"torch_vram_total": memory, "torch_vram_free": memory / 2}},
		})
	})
	return m
}

func comfyFeatures() map[string]any {
	return map[string]any{"supports_preview_metadata": true, "max_upload_size": comfyMaxUpload}
}

func comfyReply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func (c *Comfy) serveModels(w http.ResponseWriter, r *http.Request) {
	switch r.PathValue("folder") {
	case "checkpoints":
		comfyReply(w, 200, comfyList(c.opts.Checkpoints))
	case "text_encoders":
		comfyReply(w, 200, comfyList(c.opts.TextEncoders))
	case "loras":
		comfyReply(w, 200, comfyList(c.opts.Loras))
	case "vae":
		comfyReply(w, 200, comfyList(c.opts.VAEs))
	case "diffusion_models":
		comfyReply(w, 200, comfyList(c.opts.DiffusionModels))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// servePrompt validates a graph and queues it.
func (c *Comfy) servePrompt(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Prompt   json.RawMessage `json:"prompt"`
		ClientID string          `json:"client_id"`
		PromptID string          `json:"prompt_id"`
		Number   *float64        `json:"number"`
		Front    bool            `json:"front"`
		Extra    map[string]any  `json:"extra_data"`
	}
	crash := func() {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "500 Internal Server Error\n\nServer got itself in trouble") // the client may be gone
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		crash()
		return
	}
	refuse := func(p comfyProblem, nodes map[string]*comfyNodeProblems) {
		if nodes == nil {
			nodes = map[string]*comfyNodeProblems{}
		}
		comfyReply(w, http.StatusBadRequest, map[string]any{"error": p, "node_errors": nodes})
	}
	if body.Prompt == nil {
		refuse(comfyProblem{Type: "no_prompt", Message: "No prompt provided", Details: "No prompt provided",
			Extra: map[string]any{}}, nil)
		return
	}
	if _, err := uuid.Parse(body.PromptID); !c.opts.Old && body.PromptID != "" &&
		(err != nil || strings.ToLower(body.PromptID) != body.PromptID || len(body.PromptID) != 36) {
		refuse(comfyProblem{Type: "invalid_prompt_id", Message: "Invalid prompt_id",
			Details: "prompt_id must be a UUID in its canonical form", Extra: map[string]any{}}, nil)
		return
	}
	var graph comfyGraph
	dec := json.NewDecoder(strings.NewReader(string(body.Prompt)))
	dec.UseNumber()
	if dec.Decode(&graph) != nil || graph == nil {
		crash()
		return
	}
	verdict := comfyValidate(c.nodes, graph, comfyKeys(body.Prompt),
		func(name string) bool { return c.picture(name) != nil }, !c.opts.Old)
	switch {
	case verdict.crash:
		crash()
		return
	case verdict.problem != nil:
		refuse(*verdict.problem, verdict.nodes)
		return
	}
	job := &comfyJob{id: body.PromptID, client: body.ClientID, graph: graph, sinks: verdict.good, extra: body.Extra,
		stop: make(chan struct{})}
	if job.id == "" {
		job.id = uuid.NewString()
	}
	number := c.enqueue(job, body.Number, body.Front)
	comfyReply(w, 200, map[string]any{"prompt_id": job.id, "number": number, "node_errors": verdict.nodes})
}

func (c *Comfy) serveQueue(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	running, pending := []any{}, []any{}
	if c.running != nil {
		running = append(running, c.running.wire())
	}
	for _, j := range c.pending {
		pending = append(pending, j.wire())
	}
	c.mu.Unlock()
	comfyReply(w, 200, map[string]any{"queue_running": running, "queue_pending": pending})
}

// Tidy removes all files from the output folder, as a user of the server may. The cached results of
// its nodes stay.
func (c *Comfy) Tidy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.files {
		if strings.HasPrefix(key, "output/") {
			delete(c.files, key)
		}
	}
}

func (c *Comfy) serveQueueEdit(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Clear  bool     `json:"clear"`
		Delete []string `json:"delete"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	c.mu.Lock()
	c.pending = slices.DeleteFunc(c.pending, func(j *comfyJob) bool {
		return body.Clear || slices.Contains(body.Delete, j.id)
	})
	c.mu.Unlock()
	c.tellStatus()
}

func (c *Comfy) serveInterrupt(_ http.ResponseWriter, r *http.Request) {
	var body struct {
		PromptID string `json:"prompt_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil && !errors.Is(err, io.EOF) {
		body.PromptID = "" // a broken body interrupts the running job, like an empty one
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil && (body.PromptID == "" || body.PromptID == c.running.id) {
		c.running.interrupt()
	}
}

func (c *Comfy) serveHistory(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	out := map[string]any{}
	order := c.order
	if n, err := strconv.Atoi(r.URL.Query().Get("max_items")); err == nil && n >= 0 && n < len(order) {
		order = order[len(order)-n:]
	}
	for _, id := range order {
		if want := r.PathValue("id"); want == "" || want == id {
			out[id] = c.history[id] // never changed once it is there
		}
	}
	c.mu.Unlock()
	comfyReply(w, 200, out)
}

func (c *Comfy) serveView(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name, sub := q.Get("filename"), q.Get("subfolder")
	kind := q.Get("type")
	if kind == "" {
		kind = "output"
	}
	c.mu.Lock()
	data, ok := c.files[fmt.Sprintf("%s/%s/%s", kind, sub, name)] // includes the hostile names that it made itself
	c.mu.Unlock()
	switch {
	case ok:
	case name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, ".."):
		w.WriteHeader(http.StatusBadRequest)
		return
	case strings.HasPrefix(sub, "/") || strings.Contains(sub, ".."):
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", http.DetectContentType(data))
	_, _ = w.Write(data) // the client may be gone
}
