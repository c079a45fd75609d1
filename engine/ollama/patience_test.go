package ollama

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// A server that sends bytes and no words is given up like a silent one, and what it has
// written before is kept.
func TestChat_Crumbs(t *testing.T) {
	crumbs := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, before+`{"model":"m","message":{"role":"assistant","content":"`)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "a"); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
	empty := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":"Rain "}}`+"\n")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""}}`+"\n"); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}
	for _, tt := range []struct {
		name    string
		server  http.HandlerFunc
		content string
	}{
		{"half a line", crumbs(""), ""},
		{"a line, and half of one", crumbs(`{"model":"m","message":{"role":"assistant","content":"Rain "}}` + "\n"), "Rain "},
		{"lines without a word", empty, "Rain "},
	} {
		res, err := serve(t, tt.server, WithGiveUp(20*time.Millisecond)).Chat(t.Context(), request(), nil)
		if !errors.Is(cmp.Or(err, res.Cause), ErrStalled) || res.Content != tt.content || (err == nil) != (tt.content != "") {
			t.Errorf("%s: %v, %+v", tt.name, err, res)
		}
	}
}

// Of what is waited the time alone counts in which nothing comes that could be shown.
func TestPatience(t *testing.T) {
	p := newPatience(10 * time.Minute)
	p.add(9 * time.Minute) // the prompt is read
	if p.remaining() != time.Minute {
		t.Errorf("before the first line: %s", p.remaining())
	}
	p.reset(false)
	if p.remaining() != Silence {
		t.Errorf("after the first thought: %s", p.remaining())
	}
	for range 9 {
		p.add(time.Minute)
		p.reset(false)
	}
	if p.remaining() != time.Minute || p.silent() {
		t.Errorf("after nine minutes of thoughts: %s, silent: %v", p.remaining(), p.silent())
	}
	p.reset(true)
	p.add(Silence)
	if p.remaining() != 0 || !p.silent() {
		t.Errorf("after a word and silence: %s, silent: %v", p.remaining(), p.silent())
	}
	forEver := newPatience(never)
	forEver.reset(true)
	if forEver.add(1000 * time.Hour); forEver.remaining() < 1000*time.Hour {
		t.Errorf("where nothing is given up: %s", forEver.remaining())
	}
}

// An answer that was given up is not asked for again at once.
func TestStructured_GivenUp(t *testing.T) {
	asked := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		_, _ = io.Copy(io.Discard, r.Body)
		for i := 0; r.Context().Err() == nil; i++ {
			if _, err := fmt.Fprintf(w, `{"model":"m","message":{"role":"assistant","thinking":"thought %d "}}`+"\n", i); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	}, WithGiveUp(20*time.Millisecond))
	req := request()
	req.Options.NumPredict = 1 << 20
	var into map[string]any
	_, err := c.Structured(t.Context(), req, json.RawMessage(`{"type":"object"}`), &into, nil, nil)
	if !errors.Is(err, ErrStalled) || !IsTransient(err) || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
}
