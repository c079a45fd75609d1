package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	version  = "0.17.4" // the release whose wire format this is
	maxBody  = 64 << 20
	maxCalls = 256
	maxTakes = 4096
)

// ollama is the Ollama half of the servers.
type ollama struct {
	Options
	delay   time.Duration
	closing context.Context // ends with the servers
	routes  map[string]map[string]handler
	slot    chan struct{} // one answer at a time, as with the real server's default

	mu        sync.Mutex
	installed map[string]entry
	loaded    map[string]*runner
	takes     map[uint64]int
	served    map[string]int
	total     int
	calls     []Call
}

type handler func(ctx context.Context, w http.ResponseWriter, body []byte, f Fault)

func newOllama(ctx context.Context, opts Options) *ollama {
	now := time.Now()
	o := &ollama{
		Options: opts,
		delay:   opts.TokenDelay,
		closing: ctx,
		slot:    make(chan struct{}, 1),
		installed: map[string]entry{
			Model:      {name: Model, calls: true, modified: now},
			ThinkModel: {name: ThinkModel, thinks: true, modified: now},
		},
		loaded: map[string]*runner{},
		takes:  map[uint64]int{},
		served: map[string]int{},
	}
	get := func(h handler) map[string]handler { return map[string]handler{http.MethodGet: h, http.MethodHead: h} }
	post := func(h handler) map[string]handler { return map[string]handler{http.MethodPost: h} }
	o.routes = map[string]map[string]handler{
		"/":            get(root),
		"/api/version": get(showVersion),
		"/api/tags":    get(o.tags),
		"/api/ps":      get(o.ps),
		"/api/show":    post(o.show),
		"/api/chat":    post(o.chat),
		"/api/embed":   post(o.embed),
		"/api/pull":    post(o.pull),
		"/api/delete":  {http.MethodDelete: o.remove},
	}
	return o
}

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	methods, ok := o.routes[r.URL.Path]
	if !ok {
		plain(w, http.StatusNotFound, "404 page not found")
		return
	}
	h, ok := methods[r.Method]
	if !ok {
		for method := range methods {
			if method != http.MethodHead {
				w.Header().Set("Allow", method)
			}
		}
		plain(w, http.StatusMethodNotAllowed, "405 method not allowed")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return // the client went away
	}
	if len(body) > maxBody {
		fail(w, http.StatusRequestEntityTooLarge, "http: request body too large")
		return
	}
	var fault Fault
	call := o.note(r.URL.Path, body)
	if o.Fault != nil {
		fault = o.Fault(call)
	}
	if fault.early(r.Context(), w, call.Model) {
		return
	}
	h(r.Context(), w, body, fault)
}

// note counts and keeps a request.
func (o *ollama) note(path string, body []byte) Call {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.total++
	o.served[path]++
	call := Call{N: o.total, Nth: o.served[path], Path: path}
	if o.Fault == nil && !o.Record {
		return call
	}
	var req struct {
		Model    string          `json:"model"`
		Messages []api.Message   `json:"messages"`
		Format   json.RawMessage `json:"format"`
	}
	if json.Unmarshal(body, &req) == nil {
		call.Model, call.Messages, call.Format, call.Body = req.Model, nodes(req.Messages), req.Format, body
	}
	if o.Record {
		o.calls = append(o.calls, call)
		if len(o.calls) > maxCalls {
			o.calls = slices.Delete(o.calls, 0, len(o.calls)-maxCalls)
		}
	}
	return call
}

func (o *ollama) recorded() []Call {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

func nodes(messages []api.Message) []storage.Node {
	out := make([]storage.Node, len(messages))
	for i, m := range messages {
		out[i] = storage.Node{Role: storage.Role(m.Role), Content: m.Content}
	}
	return out
}

func (o *ollama) cuts() tokenizer { return tokenizer(o.TokenChars) }

func root(_ context.Context, w http.ResponseWriter, _ []byte, _ Fault) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Ollama is running")
}

func showVersion(_ context.Context, w http.ResponseWriter, _ []byte, _ Fault) {
	reply(w, map[string]string{"version": version})
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// reply writes one JSON document. Like the real server's it has no line end.
func reply(w http.ResponseWriter, v any) { document(w, http.StatusOK, v) }

// fail answers with an error before anything else was written.
func fail(w http.ResponseWriter, status int, text string) {
	document(w, status, map[string]string{"error": text})
}

func document(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"demo: cannot encode"}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.ReplaceAll(data, []byte(rawMark), []byte(rawBytes))) // the client may be gone
}

// decode reads a request and answers a broken one as the server does.
func decode(w http.ResponseWriter, body []byte, into any) bool {
	err := json.NewDecoder(bytes.NewReader(body)).Decode(into)
	switch {
	case err == nil:
		return true
	case errors.Is(err, io.EOF):
		fail(w, http.StatusBadRequest, "missing request body")
	default:
		fail(w, http.StatusBadRequest, err.Error())
	}
	return false
}

// take returns how often the same messages were requested before, and counts this request.
func (o *ollama) take(messages []storage.Node) int {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(string(m.Role) + "\x00" + m.Content + "\x01")
	}
	key := hash(b.String())
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.takes) >= maxTakes {
		clear(o.takes)
	}
	n := o.takes[key]
	o.takes[key] = n + 1
	return n
}
