package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"
)

// ComfyFault is one thing that goes wrong with one answer, or at one step.
type ComfyFault string

// The faults of an answer. Those in the first group replace the request's effect and answer:
// nothing happens on the server. Those in the second spoil the answer to something that did happen.
const (
	// ComfyDrop closes the connection without an answer. A client of net/http asks
	// once more by itself when the request is a GET and the connection was not new.
	ComfyDrop ComfyFault = "drop"
	// ComfyPage answers with a web page, as a proxy's front door does.
	ComfyPage ComfyFault = "page"
	// ComfyError answers 500 and a line of text.
	ComfyError ComfyFault = "error"
	// ComfyGateway answers 502 and a web page.
	ComfyGateway ComfyFault = "gateway"
	// ComfyMissing answers 404.
	ComfyMissing ComfyFault = "missing"

	// ComfyBreak sends half of the answer and closes the connection.
	ComfyBreak ComfyFault = "break"
	// ComfyTruncate sends half of the answer as if it were the whole.
	ComfyTruncate ComfyFault = "truncate"
	// ComfySlow sends the answer in pieces with pauses of a few milliseconds.
	ComfySlow ComfyFault = "slow"
	// ComfyGarbage sends bytes that mean nothing.
	ComfyGarbage ComfyFault = "garbage"
	// ComfyEmpty sends nothing, with status 200.
	ComfyEmpty ComfyFault = "empty"
	// ComfyTypes sends JSON whose values have other types than they should; other
	// answers than JSON are as ComfyGarbage.
	ComfyTypes ComfyFault = "types"
	// ComfyOther sends a picture in another format than its name says; other
	// answers than pictures stay as they are.
	ComfyOther ComfyFault = "other"
	// ComfyEndless sends without end, until the other side has enough.
	ComfyEndless ComfyFault = "endless"
)

// The faults of the server itself. At a route they happen before the answer; at "step" in the
// middle of a sampler.
const (
	// ComfyRestart forgets every job, cuts all sockets, and drops the connection.
	ComfyRestart ComfyFault = "restart"
	// ComfyDelete deletes the job that runs, or else the first that waits: it never
	// enters the history.
	ComfyDelete ComfyFault = "delete"
	// ComfyCut closes all sockets.
	ComfyCut ComfyFault = "cut"
	// ComfyInterrupt interrupts the job that runs, as somebody else might.
	ComfyInterrupt ComfyFault = "interrupt"
	// ComfyNoise sends nonsense over the sockets: numbers that are none, messages
	// of wrong types, broken pictures.
	ComfyNoise ComfyFault = "noise"
	// ComfyNoMemory makes the sampler run out of memory. Only at "step".
	ComfyNoMemory ComfyFault = "memory"
	// ComfyNodeFails fails the sampler with a message. Only at "step".
	ComfyNodeFails ComfyFault = "node"
	// ComfyHostile gives the files that are saved names that lead elsewhere. Only
	// at "save".
	ComfyHostile ComfyFault = "hostile"
	// ComfyNoFile names a file that was never made. Only at "save".
	ComfyNoFile ComfyFault = "no file"
)

// scripted calls the script for a place.
func (c *Comfy) scripted(place string) ComfyFault {
	c.scriptMu.Lock()
	defer c.scriptMu.Unlock()
	c.seen[place]++
	c.mu.Lock()
	script := c.faults.Script
	c.mu.Unlock()
	if script == nil {
		return ""
	}
	return script(place, c.seen[place])
}

// Answered returns the number of events at a place since the faults were last set. Places are those
// of ComfyFaults.Script.
func (c *Comfy) Answered(place string) int {
	c.scriptMu.Lock()
	defer c.scriptMu.Unlock()
	return c.seen[place]
}

// comfyRoute returns the place of a request: its method and the first part of its
// path.
func comfyRoute(r *http.Request) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return r.Method + " /" + first
}

// spoil answers a request with a fault. done is false when it should be answered
// as usual.
func (c *Comfy) spoil(w http.ResponseWriter, r *http.Request, fault ComfyFault) (done bool) {
	switch fault {
	case "", ComfyNoMemory, ComfyNodeFails, ComfyHostile, ComfyNoFile:
		return false
	case ComfyDelete, ComfyCut, ComfyInterrupt, ComfyNoise:
		c.happens(fault)
		return false
	case ComfyRestart:
		c.restart()
		panic(http.ErrAbortHandler)
	case ComfyDrop:
		panic(http.ErrAbortHandler)
	case ComfyPage, ComfyGateway:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if fault == ComfyGateway {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write([]byte(comfyPage)) // the client may be gone
		return true
	case ComfyError:
		http.Error(w, "500 Internal Server Error\n\nServer got itself in trouble", http.StatusInternalServerError)
		return true
	case ComfyMissing:
		http.Error(w, "404: Not Found", http.StatusNotFound)
		return true
	}
	if r.URL.Path == "/ws" { // nothing of a socket's beginning can be spoilt half
		panic(http.ErrAbortHandler)
	}
	full := &comfyAnswer{header: http.Header{}, status: http.StatusOK}
	c.mux.ServeHTTP(full, r)
	c.send(w, r, full, fault)
	return true
}

const comfyPage = "<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"

// comfyAnswer holds an answer back until it has been spoilt.
type comfyAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *comfyAnswer) Header() http.Header         { return a.header }
func (a *comfyAnswer) WriteHeader(status int)      { a.status = status }
func (a *comfyAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }

// send sends a spoilt answer.
func (c *Comfy) send(w http.ResponseWriter, r *http.Request, a *comfyAnswer, fault ComfyFault) {
	maps.Copy(w.Header(), a.header)
	data := a.body.Bytes()
	switch fault {
	case ComfyTruncate:
		data = data[:len(data)/2]
	case ComfyGarbage:
		data = comfyGarbage(len(data))
	case ComfyEmpty:
		data = nil
	case ComfyTypes:
		data = comfyTwisted(data)
	case ComfyOther:
		if strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
			data = comfyOtherPicture(data)
		}
	case ComfyBreak:
		w.Header().Set("Content-Length", fmt.Sprint(len(data)+1))
		w.WriteHeader(a.status)
		_, _ = w.Write(data[:len(data)/2]) // the client may be gone
		c.flush(w)
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(a.status)
	switch fault {
	case ComfySlow:
		c.trickle(r.Context(), w, data)
	case ComfyEndless:
		block := bytes.Repeat([]byte(" "), 1<<20)
		for r.Context().Err() == nil && c.ctx.Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	default:
		_, _ = w.Write(data) // the client may be gone
	}
}

func (c *Comfy) flush(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush() // on failure the data comes later
}

// trickle sends data in about twenty pieces.
func (c *Comfy) trickle(ctx context.Context, w http.ResponseWriter, data []byte) {
	for size := len(data)/20 + 1; len(data) > 0; {
		n := min(size, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			return
		}
		c.flush(w)
		data = data[n:]
		t := time.NewTimer(2 * time.Millisecond)
		select {
		case <-t.C:
		case <-ctx.Done():
		case <-c.ctx.Done():
		}
		t.Stop()
	}
}

// comfyGarbage returns n bytes, at least a few, that look like nothing.
func comfyGarbage(n int) []byte {
	out := make([]byte, max(16, min(n, 64<<10)))
	noise := uint32(0x1badcafe)
	for i := range out {
		noise ^= noise << 13
		noise ^= noise >> 17
		noise ^= noise << 5
		out[i] = byte(noise>>24) | 0x80 // never the beginning of JSON, HTML or a picture
	}
	return out
}

// comfyTwisted gives every value below the first level another type.
func comfyTwisted(data []byte) []byte {
	var tree any
	if json.Unmarshal(data, &tree) != nil {
		return comfyGarbage(len(data))
	}
	object, ok := tree.(map[string]any)
	if !ok {
		tree = comfyTwist(tree)
	}
	for key, v := range object {
		object[key] = comfyTwist(v)
	}
	out, err := json.Marshal(tree)
	if err != nil {
		return comfyGarbage(len(data))
	}
	return out
}

func comfyTwist(v any) any {
	switch v := v.(type) {
	case map[string]any:
		list := []any{}
		for _, e := range v {
			list = append(list, e)
		}
		return list
	case []any:
		return map[string]any{"0": v}
	case string:
		return len(v)
	case float64:
		return "seven"
	case bool:
		return nil
	}
	return true
}

// happens applies a fault of the server itself.
func (c *Comfy) happens(fault ComfyFault) {
	switch fault {
	case ComfyRestart:
		c.restart()
	case ComfyDelete:
		c.deleteJob()
	case ComfyCut:
		c.hangUp()
	case ComfyInterrupt:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running != nil {
			c.running.interrupt()
		}
	case ComfyNoise:
		c.noise()
	}
}

// restart discards everything that a restarted server loses. The running job ends without a
// message.
func (c *Comfy) restart() {
	c.mu.Lock()
	if c.running != nil {
		c.running.gone = true
		c.running.interrupt()
	}
	c.running, c.pending, c.order, c.number = nil, nil, nil, 0
	c.history, c.cache, c.cached = map[string]*comfyEntry{}, map[string]map[string]any{}, nil
	for key := range c.files {
		if strings.HasPrefix(key, "temp/") {
			delete(c.files, key)
		}
	}
	c.mu.Unlock()
	c.hangUp()
}

func (c *Comfy) deleteJob() {
	c.mu.Lock()
	switch {
	case c.running != nil:
		c.running.gone = true
		c.running.interrupt()
		c.running = nil
	case len(c.pending) > 0:
		c.pending = c.pending[1:]
	}
	c.mu.Unlock()
	c.tellStatus()
}

// noise sends nonsense about the job that runs to every socket.
func (c *Comfy) noise() {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, node := "", "1"
	if c.running != nil {
		id, node = c.running.id, c.running.node
	}
	for _, k := range c.clients {
		for _, text := range []string{
			``, `{`, `null`, `[]`, `"executing"`, `{"type":7}`, `{"type":"executing"}`, `{"type":"progress","data":[]}`,
			`{"type":"progress","data":{"value":NaN,"max":NaN,"prompt_id":"%s","node":"%s"}}`,
			`{"type":"progress","data":{"value":1e400,"max":1,"prompt_id":"%s","node":"%s"}}`,
			`{"type":"progress","data":{"value":-3,"max":-9,"prompt_id":"%s","node":"%s"}}`,
			`{"type":"progress","data":{"value":1e300,"max":2e300,"prompt_id":"%s","node":"%s"}}`,
			`{"type":"progress","data":{"value":"half","max":{},"prompt_id":"%s","node":"%s"}}`,
			`{"type":"progress","data":{"value":99,"max":3,"prompt_id":"%s","node":"no such node %s"}}`,
			`{"type":"progress_state","data":{"prompt_id":"%s","nodes":["%s"]}}`,
			`{"type":"progress_state","data":{"prompt_id":"%s","nodes":{"%s":{"value":-1,"max":1e99,` +
				`"state":"running"}}}}`,
			`{"type":"progress_state","data":{"prompt_id":"%s","nodes":{"%s":null}}}`,
			`{"type":"executing","data":{"prompt_id":"%s","node":{"id":"%s"}}}`,
			`{"type":"executed","data":{"prompt_id":"%s","node":"%s","output":"none"}}`,
			`{"type":"executed","data":{"prompt_id":"%s","node":["%s"],"output":{"images":[{"filename":7}]}}}`,
		} {
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, id, node)
			}
			k.push(comfyFrame{data: []byte(text)})
		}
		for _, data := range []string{
			"", "\x00", "\x00\x00\x00\x01", "\x00\x00\x00\x01\x00\x00\x00\x01",
			"\x00\x00\x00\x01\x00\x00\x00\x01\xff\xd8\xff",
			"\x00\x00\x00\x04\xff\xff\xff\xff{}", "\x00\x00\x00\x04\x00\x00\x00\x02{]\x89PNG\r\n\x1a\n",
			"\x00\x00\x00\x09\x00\x00\x00\x01zzzz",
			"\x00\x00\x00\x01\x00\x00\x00\x02\x89PNG\r\n\x1a\nbroken",
		} {
			k.push(comfyFrame{binary: true, data: []byte(data)})
		}
	}
}

// comfyHostileNames returns names of files that lead elsewhere, or that nothing
// should be called. The last part keeps the ending of the real file.
func comfyHostileNames() [][2]string { // folder, name
	return [][2]string{
		{"", "../../../../tmp/outside"}, {"../../..", "outside"}, {"", "/tmp/outside"}, {"/etc", "outside"},
		{"", `..\..\outside`},
		{"", `C:\outside`}, {"", "a\x00b"}, {"", "\x1b]0;title\a\x1b[2J"}, {"", "line\nbreak\r"},
		{"", strings.Repeat("long", 2000)},
		{strings.Repeat("deep/", 500), "x"}, {"", "\u202egnp"}, {"", "%2e%2e%2foutside"}, {"", "-rf"}, {"", " "},
		{"", "CON"}, {"", "\ufffd\ufffd"},
	}
}
