package demo

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// judging is a request that wants a judgement whether a scene ends.
func judging(t *testing.T, stream bool) string {
	return request(t, map[string]any{"stream": stream, "format": json.RawMessage(detectSchema), "messages": []map[string]string{
		{"role": "user", "content": "[1] Tove: *The next morning the rain has stopped.*"},
	}})
}

// TestFaults_Forms spoils the form of an answer that is bound to a schema.
func TestFaults_Forms(t *testing.T) {
	const right = `{"status": false, "rationale": "Tove: The next morning the rain has stopped."}`
	var fault Fault
	h := open(t, Options{Fault: func(Call) Fault { return fault }})
	for _, test := range []struct {
		name    string
		fault   Fault
		content string
		reason  string
	}{
		{"none", Fault{}, right, "stop"},
		{"not JSON", Fault{Kind: Say, Text: "Yes, it does."}, "Yes, it does.", "stop"},
		{"wrapped", Fault{Kind: Wrapped}, wrapped(right), "stop"},
		{"lacks the last", Fault{Kind: Lacks}, `{"status": false}`, "stop"},
		{"lacks one by name", Fault{Kind: Lacks, Text: "status"}, `{"rationale": "Tove: The next morning the rain has stopped."}`, "stop"},
		{"lacks nothing", Fault{Kind: Lacks, Text: "other"}, right, "stop"},
		{"cut", Fault{Kind: Cut, After: 4}, strings.Join(tokenizer(0).pieces(right)[:4], ""), "length"},
		{"cut at once", Fault{Kind: Cut}, "", "length"},
		{"cut too late", Fault{Kind: Cut, After: 1000}, right, "stop"},
		{"of the wrong type", Fault{Kind: Mistyped}, `{"rationale":7,"status":"as it should be"}`, "stop"},
		{"empty", Fault{Kind: Say}, "", "stop"},
		{"slow", Fault{Kind: Slow, Pace: time.Nanosecond}, right, "stop"},
		{"nothing to wait for", Fault{Kind: Wait, Until: over()}, right, "stop"},
	} {
		for _, stream := range []bool{true, false} {
			fault = test.fault
			got := ask(t, h, "POST", "/api/chat", judging(t, stream))
			chunks, content, _ := lines(t, got.body)
			if content != test.content || len(chunks) == 0 || chunks[len(chunks)-1].DoneReason != test.reason {
				t.Errorf("%s, streamed %v: %s", test.name, stream, got.body)
			}
		}
	}
	fault = Fault{Kind: Missing}
	if got := ask(t, h, "POST", "/api/chat", judging(t, true)); got.status != 404 || got.body != `{"error":"model 'demo' not found"}` {
		t.Errorf("missing: %+v", got)
	}
}

// over is a channel that is closed already.
func over() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

func TestWithout_LeavesAlone(t *testing.T) {
	for _, text := range []string{"", "No.", "[1]", "{", `{"a"`, `{"a": `, `{"a": 1, 2}`} {
		if got := without(text, ""); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := without(`{}`, ""); got != "{}" {
		t.Errorf("nothing to leave out: %s", got)
	}
}

func TestTimes(t *testing.T) {
	h := open(t, Options{Fault: Times(2, Fault{Kind: Unavailable}, func(c Call) bool { return c.Job() == DetectJob })})
	for i, want := range []int{503, 503, 200, 200} {
		if got := ask(t, h, "POST", "/api/chat", request(t, nil)); got.status != 200 {
			t.Errorf("a request that is not aimed at: %+v", got)
		}
		if got := ask(t, h, "POST", "/api/chat", judging(t, true)); got.status != want {
			t.Errorf("request %d: status %d, want %d", i+1, got.status, want)
		}
	}
	if all := Times(1, Fault{Kind: HTML}, nil); all(Call{}).Kind != HTML || all(Call{}).Kind != NoFault {
		t.Error("without an aim the first request goes wrong, and no other")
	}
}

// TestWait holds an answer, does something meanwhile, and lets it go on.
func TestWait(t *testing.T) {
	gate := make(chan struct{})
	h := open(t, Options{Fault: Times(1, Fault{Kind: Wait, After: 2, Until: gate}, nil)})
	res, err := http.Post(h.OllamaURL+"/api/chat", "application/json", strings.NewReader(judging(t, true)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	first := make([]byte, 1)
	if _, err := io.ReadFull(res.Body, first); err != nil {
		t.Fatal(err)
	}
	ask(t, h, "GET", "/api/version", "")
	close(gate)
	rest, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	chunks, content, _ := lines(t, string(first)+string(rest))
	if err := validate(detectSchema, content); err != nil || !chunks[len(chunks)-1].Done {
		t.Errorf("after the wait: %v, %s", err, content)
	}
}

func TestWait_EndsWithTheClient(t *testing.T) {
	h := open(t, Options{Fault: Times(1, Fault{Kind: Wait, After: 1}, nil)})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.OllamaURL+"/api/chat", strings.NewReader(judging(t, true)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = res.Body.Close()
	if got := ask(t, h, "POST", "/api/chat", judging(t, true)); got.status != 200 {
		t.Errorf("the next answer: %+v", got)
	}
}
