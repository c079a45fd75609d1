package ollama

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// slowServer answers with one word and says that it reads a byte in so long. It notes how
// many bytes of each prompt it had to read, and what it was told of keeping the model.
type slowServer struct {
	perByte time.Duration
	last    []Message
	read    []int
	keep    []any
	heard   func() // after each prompt
}

func (s *slowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages  []Message `json:"messages"`
		KeepAlive any       `json:"keep_alive"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	n := Size(body.Messages) - sharedSize(s.last, body.Messages)
	s.last, s.read, s.keep = body.Messages, append(s.read, n), append(s.keep, body.KeepAlive)
	took := max(time.Duration(n)*s.perByte, 1)
	_, _ = fmt.Fprintf(w, `{"model":"tiny","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"Yes."},"done":true,`+
		`"done_reason":"stop","total_duration":%d,"load_duration":1,"prompt_eval_count":%d,"prompt_eval_duration":%d,"eval_count":1,"eval_duration":1}`+"\n",
		took, Size(body.Messages)/4+1, took)
	if s.heard != nil {
		s.heard()
	}
}

func long(n int) []Message {
	return []Message{{Role: "system", Content: strings.Repeat("rule ", n/5)}, {Role: "user", Content: "Läuft es?"}}
}

func TestChat_YieldsInBeginnings(t *testing.T) {
	s := &slowServer{perByte: 500 * time.Microsecond} // 1,400 bytes in the time of one beginning
	c := serve(t, s.ServeHTTP)
	req := request()
	req.Messages, req.Yields = long(20_000), true
	ask := func() (read []int) {
		t.Helper()
		s.read = nil
		if _, err := c.Chat(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		return s.read
	}
	first := ask()
	if len(first) < 12 || slices.Max(first) > 2200 || first[0] > firstBeginning {
		t.Errorf("at an unknown speed it read %v", first)
	}
	if again := ask(); len(again) != 1 {
		t.Errorf("the same prompt was read as %v", again)
	}
	req.Messages = append(slices.Clip(req.Messages), Message{Role: "assistant", Content: "Yes."}, Message{Role: "user", Content: strings.Repeat("and ", 1200)})
	if more := ask(); len(more) < 3 || slices.Max(more) > 2200 || more[0] < 1000 {
		t.Errorf("4,800 bytes more were read as %v", more)
	}
	s.perByte *= 10 // the machine has much else to do
	s.last, req.Messages = nil, long(30_000)
	c.cache.models = map[string]cachedPrompt{"tiny": {speed: 2000}}
	slow := ask()
	if tail := slow[1 : len(slow)-1]; slices.Max(tail) > 500 || len(slow) > maxBeginnings+1 {
		t.Errorf("a server that became slow read %v", slow)
	}
	req.Yields = false
	s.last, req.Messages = nil, long(25_000)
	if whole := ask(); len(whole) != 1 {
		t.Errorf("a request that does not yield was read as %v", whole)
	}
}

// Who leaves between two beginnings leaves an idle server.
func TestChat_YieldsToWhoCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &slowServer{perByte: time.Millisecond}
	s.heard = func() {
		if len(s.read) == 2 {
			cancel()
		}
	}
	c := serve(t, s.ServeHTTP)
	req := request()
	req.Messages, req.Yields = long(20_000), true
	if res, err := c.Chat(ctx, req, nil); err != nil || res.Ending != EndStopped || len(s.read) != 2 {
		t.Errorf("%v, %v after %v", res.Ending, err, s.read)
	}
}

// A model that the user wants unloaded at once stays while beginnings are read.
func TestChat_BeginningsKeepTheModel(t *testing.T) {
	for keep, want := range map[time.Duration][]any{0: {"1m0s", "0s"}, -1: {-1.0, -1.0}, time.Hour: {"1h0m0s", "1h0m0s"}} {
		s := &slowServer{perByte: time.Millisecond}
		c := serve(t, s.ServeHTTP, WithKeepAlive(keep))
		req := request()
		req.Messages, req.Yields = long(900), true
		if _, err := c.Chat(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, s.keep); d != "" {
			t.Errorf("%s: %s", keep, d)
		}
	}
}

func TestBeginning(t *testing.T) {
	messages := []Message{{Role: "system", Content: "One two three."}, {Role: "user", Content: "Vier fünf sechs."}}
	for size, want := range map[int]string{1: "O", 12: "One two", 14: "One two three.", 30: "One two three.|Vier fünf", 99: "One two three.|Vier fünf sechs."} {
		var got []string
		for _, m := range Prefix(messages, size) {
			got = append(got, m.Content)
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%d bytes: %q, not %q", size, text, want)
		}
	}
	if messages[0].Content != "One two three." {
		t.Error("the prompt itself was cut")
	}
}
