package voicebench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// timedRequest is a request for a reply as a server saw it.
type timedRequest struct {
	body           []byte
	arrived, first time.Time // when it came, and when the first word of the answer did
}

// isContinuation reports whether it has the model go on from a text.
func (c *timedRequest) isContinuation() bool {
	var req struct{ Messages []struct{ Role string } }
	n := 0
	if json.Unmarshal(c.body, &req) == nil {
		n = len(req.Messages)
	}
	return n > 0 && req.Messages[n-1].Role == "assistant"
}

// timingProxy stands before a server and notes when requests for replies come, and when their
// first words do.
type timingProxy struct {
	to   *url.URL
	mu   sync.Mutex
	seen []*timedRequest
}

func (c *timingProxy) handler() http.Handler {
	pass := httputil.NewSingleHostReverseProxy(c.to)
	pass.FlushInterval = -1
	pass.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // of requests that are ended
	pass.ModifyResponse = func(r *http.Response) error {
		if one, ok := r.Request.Context().Value(c).(*timedRequest); ok {
			r.Body = &firstByteReader{r.Body, c, one}
		}
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			one := &timedRequest{body: body, arrived: time.Now()}
			c.mu.Lock()
			c.seen = append(c.seen, one)
			c.mu.Unlock()
			r = r.WithContext(context.WithValue(r.Context(), c, one))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		pass.ServeHTTP(w, r)
	})
}

// firstByteReader notes when the first word of an answer passes.
type firstByteReader struct {
	io.ReadCloser
	c   *timingProxy
	one *timedRequest
}

func (l *firstByteReader) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if bytes.Contains(p[:n], []byte(`"content":"`)) {
		l.c.mu.Lock()
		if l.one.first.IsZero() {
			l.one.first = time.Now()
		}
		l.c.mu.Unlock()
	}
	return n, err
}

// take returns the requests that came since the last time.
func (c *timingProxy) take() []*timedRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen = nil
	return seen
}

// directRequest asks a server by itself, and ends the request after so many pieces, 0 for all. It
// tells how long the first took.
func directRequest(t *testing.T, to string, body []byte, pieces int) (first time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to+"/api/chat", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for n := 0; lines.Scan(); {
		var line struct {
			Message struct{ Content string }
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Message.Content != "" {
			if n++; n == 1 {
				first = time.Since(began)
			}
			if n == pieces {
				break
			}
		}
	}
	return first
}

// shortRequest returns a request that asks for a few tokens alone.
func shortRequest(t *testing.T, body []byte) []byte {
	t.Helper()
	var req map[string]any
	if err := json.Unmarshal(body, &req); err != nil {
		t.Fatal(err)
	}
	req["options"].(map[string]any)["num_predict"] = 2
	out, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readings returns what the server has read so far, nothing where it keeps no log of that.
func readings(t *testing.T) []ollamatest.Reading {
	if os.Getenv("GHOSTLIGHT_TEST_OLLAMA_LOG") == "" {
		return nil
	}
	return ollamatest.Readings(t)
}

// What a cut costs at a real server, told from what going on costs there anyway: the same
// requests are made again by hand, with nothing of the program between.
func TestVoiceBench_Real(t *testing.T) {
	const rounds, enough = 5, 20
	to, model := ollamatest.Real(t)
	at, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	c := &timingProxy{to: at}
	door := httptest.NewServer(c.handler())
	t.Cleanup(door.Close)
	seed := 11
	s := enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Model, o.Cfg.Sampling.NumPredict, o.Cfg.Sampling.Seed = model, 60, &seed
	})
	s.Cfg.Ollama = door.URL
	ask := func(banned ...string) (storage.Node, time.Duration) {
		return enginetest.Once(s, config.Voice{Backtrack: true, Phrases: append(banned, "of which the model says nothing")})
	}
	ask() // which loads the model, and has it read the prompt
	free, _ := ask()
	for seed < 60 && len(strings.Fields(free.Content)) < enough { // random weights end where they like
		seed++
		free, _ = ask()
	}
	words := strings.Fields(free.Content)
	if len(words) < enough {
		t.Skipf("the model of random weights says too little: %q", free.Content)
	}
	var ours, above, alone, idle, over, whole []time.Duration
	var anew []int
	cut := 0
	for i := range rounds {
		phrase := strings.Join(words[4+2*i:6+2*i], " ")
		again, freely := ask() // beside it, since the machine may do more at one time than at another
		perToken := freely / time.Duration(max(1, again.Usage.ReplyTokens))
		c.take()
		before := readings(t)
		n, took := ask(phrase)
		if strings.Contains(strings.Join(strings.Fields(n.Content), " "), phrase) {
			t.Errorf("%q was cut %d times, and stands there", phrase, n.Usage.Backtracks)
		}
		seen := c.take()
		if n.Usage.Backtracks != 1 || len(seen) != 2 || !seen[1].isContinuation() || seen[1].first.IsZero() {
			continue // what went on was not wanted either, or nothing came
		}
		cut++
		if list := readings(t); len(list) >= len(before)+2 {
			anew = append(anew, list[len(before)+1].Read)
		}
		waited, server := time.Duration(n.Usage.BacktrackMS)*time.Millisecond, seen[1].first.Sub(seen[1].arrived)
		ours, above = append(ours, waited), append(above, max(0, waited-server))
		whole = append(whole, freely)
		over = append(over, took-perToken*time.Duration(n.Usage.ReplyTokens+n.Usage.RejectedTokens))
		// The same by hand: the reply as far as it came, then from there.
		directRequest(t, to, seen[0].body, len(strings.Fields(phrase))+4+2*i)
		alone = append(alone, directRequest(t, to, seen[1].body, 1))
		directRequest(t, to, shortRequest(t, seen[1].body), 0)
		idle = append(idle, directRequest(t, to, shortRequest(t, seen[1].body), 0))
	}
	if cut == 0 {
		t.Skip("no reply was cut exactly once")
	}
	middle := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)/2].Round(100 * time.Microsecond)
	}
	extra, usual := middle(over), middle(whole)
	t.Logf("\n%s", table([][2]string{
		{"real Ollama: replies cut once, of " + fmt.Sprint(rounds), fmt.Sprint(cut)},
		{"a reply without a cut", fmt.Sprintf("%d tokens in %v", free.Usage.ReplyTokens, usual)},
		{"what a cut takes of that reply's time, median", fmt.Sprintf("%v, %.1f %%", extra, 100*extra.Seconds()/usual.Seconds())},
		{"from the cut to the next word, median", middle(ours).String()},
		{"of that the program's own, median", middle(above).String()},
		{"the same two requests by hand, median", middle(alone).String()},
		{"the second alone, at a server that does nothing else", middle(idle).String()},
		{"tokens that the server read anew at a cut, each", fmt.Sprint(anew)},
	}))
	if own := middle(above); own > 60*time.Millisecond {
		t.Errorf("the program itself takes %v at a cut", own)
	}
	if len(anew) > 0 && slices.Max(anew) > 4 {
		t.Errorf("the server reads %v tokens anew at cuts: what is sent does not begin as what it has read", anew)
	}
}
