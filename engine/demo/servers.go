// Package demo replaces both servers without anything installed: an in-process Ollama and
// ComfyUI on loopback ports that speak the real servers' wire format and play from a script. It is
// for trying out the program, and for tests, which can produce every fault of a real server.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Names of the two models that the fake server always has. The first one calls tools, the second
// one thinks.
const (
	Model      = "demo:latest"
	ThinkModel = "demo-think:latest"
)

// DefaultTokenDelay is a pace that reads like a local model's.
const DefaultTokenDelay = 18 * time.Millisecond

// Script returns the next reply. messages are the messages of the request, oldest first, with only
// Role and Content set; take is the number of earlier requests with the same messages. It must be
// safe for concurrent use.
type Script func(messages []storage.Node, take int) string

// Scripted returns a script's answer to a request of a job, as JSON that the server cuts to the
// requested schema; ok is false if the script has none. messages are the messages of the request.
// It must be safe for concurrent use.
type Scripted func(job Job, messages []storage.Node) (answer json.RawMessage, ok bool)

// InOrder answers the requests of each job with its answers one after the other, the
// last one again and again. An answer is a value that encodes to JSON, or JSON text.
func InOrder(answers map[Job][]any) Scripted {
	var mu sync.Mutex
	asked := map[Job]int{}
	return func(j Job, _ []storage.Node) (json.RawMessage, bool) {
		mu.Lock()
		defer mu.Unlock()
		list := answers[j]
		if len(list) == 0 {
			return nil, false
		}
		v := list[min(asked[j], len(list)-1)]
		asked[j]++
		if text, ok := v.(string); ok {
			return json.RawMessage(text), true
		}
		data, err := json.Marshal(v)
		return data, err == nil
	}
}

// Answer is a model of the caller's own. It answers a request for text: free text if format is
// empty, otherwise JSON in that schema. If ok is false, the server answers as usual. It must be
// safe for concurrent use.
type Answer func(format json.RawMessage, messages []storage.Node) (content string, ok bool)

// Options are the options of the fake servers. The zero value plays a short generic script at full
// speed and without faults.
type Options struct {
	TokenDelay time.Duration    // between two tokens; 0 is flat out
	TokenChars float64          // average of a token; 0 is the usual number for the language
	Script     Script           // nil means a few generic lines
	Scripted   Scripted         // nil means that no job is scripted
	Answer     Answer           // asked before Script and Scripted; nil means nobody
	Fault      func(Call) Fault // asked on every request of the Ollama half; nil means none
	Record     bool             // keep the newest calls for Calls
	Restarts   Restarts         // whether models go on from the beginning of a reply
	OnRead     func(Read)       // called with every prompt when it is read; may be nil
	// ReadingTime is the reported time of reading one token; 0 is a fraction of the time of writing
	// one.
	ReadingTime time.Duration
}

// Restarts is the way in which models treat an assistant's message at the end of a request.
type Restarts int

// With NeverRestarts they continue it. Otherwise they begin a new reply: with RestartsByTemplate their template
// shows that, with RestartsSilently it does not.
const (
	NeverRestarts Restarts = iota
	RestartsByTemplate
	RestartsSilently
)

// Read is the cost of a prompt. Prompt is its number of tokens. Fresh is how many of these were not
// in the cache, which holds what the model read and wrote last. Last is the number of tokens in the
// last message.
type Read struct {
	Job                 Job
	Structured          bool // the answer had to keep to a schema
	Prompt, Fresh, Last int
}

// Call is one request to the Ollama half.
type Call struct {
	N        int    // counts all requests, from 1
	Nth      int    // counts those to the same path, from 1
	Path     string // "/api/chat"
	Model    string
	Messages []storage.Node  // Role and Content only
	Format   json.RawMessage // the schema asked for, if any
	Body     json.RawMessage // the whole request
}

// Servers are the fake servers of a running demo. They are safe for concurrent use.
type Servers struct {
	OllamaURL string // base URL, without a slash at its end
	ComfyURL  string
	Comfy     *Comfy // the ComfyUI half, for its faults; closed by Servers

	ollama  *ollama
	cancel  context.CancelFunc
	servers []*http.Server
	closing sync.Mutex
	serving sync.WaitGroup // listeners and handlers
	close   func() error
}

// Start opens both servers on free ports of the loopback interface. The caller
// closes the servers.
func Start(opts Options) (*Servers, error) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Servers{cancel: cancel, ollama: newOllama(ctx, opts), Comfy: newComfy(opts)}
	h.close = sync.OnceValue(h.shut)
	var err error
	if h.OllamaURL, err = h.serve(ctx, "demo ollama", h.ollama); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	if h.ComfyURL, err = h.serve(ctx, "demo comfyui", h.Comfy); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// serve serves handler on a new port until ctx is cancelled by shut. Every request's context ends
// with ctx, even for a hijacked connection.
func (h *Servers) serve(ctx context.Context, name string, handler http.Handler) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("demo: %w", err)
	}
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h.enter(ctx) {
				defer h.serving.Done()
				handler.ServeHTTP(w, r)
			}
		}),
	}
	h.servers = append(h.servers, server)
	h.serving.Add(1)
	crash.Go(name, func() {
		defer h.serving.Done()
		_ = server.Serve(listener) // ends with ErrServerClosed; no other error can be handled
	})
	return "http://" + listener.Addr().String(), nil
}

// enter counts a running handler, unless Servers is closing: then Close is waiting, and nothing may
// be added to the handlers that it waits for.
func (h *Servers) enter(ctx context.Context) bool {
	h.closing.Lock()
	defer h.closing.Unlock()
	if ctx.Err() != nil {
		return false
	}
	h.serving.Add(1)
	return true
}

// Close ends both servers, answers under way included, and waits until their
// goroutines are done. Closing twice is fine.
func (h *Servers) Close() error { return h.close() }

func (h *Servers) shut() error {
	h.closing.Lock()
	h.cancel()
	h.closing.Unlock()
	var errs []error
	for _, s := range h.servers {
		errs = append(errs, s.Close())
	}
	errs = append(errs, h.Comfy.Close())
	h.serving.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("demo: close: %w", err)
	}
	return nil
}

// Calls returns the newest requests to the Ollama half, oldest first, if Options.Record is set. The
// caller must not modify them.
func (h *Servers) Calls() []Call { return h.ollama.recorded() }
