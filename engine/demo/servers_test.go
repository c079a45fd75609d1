package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open starts demo servers for a test and closes it at its end.
func open(t *testing.T, opts Options) *Servers {
	t.Helper()
	h, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

type answer struct {
	status int
	kind   string
	body   string
	err    error // while reading the body
}

func ask(t *testing.T, h *Servers, method, path, body string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, h.OllamaURL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header.Get("Content-Type"), string(data), err}
}

// chunk is any line of an answer.
type chunk struct {
	Message    struct{ Content, Thinking string }
	Done       bool
	DoneReason string `json:"done_reason"`
	Error      string
	Counters
}

type Counters struct {
	PromptEvalCount    int   `json:"prompt_eval_count"`
	PromptEvalDuration int64 `json:"prompt_eval_duration"`
	EvalCount          int   `json:"eval_count"`
	LoadDuration       int64 `json:"load_duration"`
}

// lines parses an answer's lines, skipping what is no JSON, and joins its text.
func lines(t *testing.T, body string) (chunks []chunk, content, thinking string) {
	t.Helper()
	scan := bufio.NewScanner(strings.NewReader(body))
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		var c chunk
		if json.Unmarshal(scan.Bytes(), &c) != nil {
			continue
		}
		chunks = append(chunks, c)
		content += c.Message.Content
		thinking += c.Message.Thinking
	}
	return chunks, content, thinking
}

func request(t *testing.T, fields map[string]any) string {
	t.Helper()
	all := map[string]any{"model": "demo", "messages": []map[string]string{{"role": "user", "content": "Hello there"}}}
	for k, v := range fields {
		all[k] = v
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestChat_FollowsTheScript(t *testing.T) {
	var mu sync.Mutex
	var takes []int
	h := open(t, Options{Script: func(m []storage.Node, take int) string {
		mu.Lock()
		defer mu.Unlock()
		takes = append(takes, take)
		return "*Nods.* \"You said: " + m[len(m)-1].Content + "\""
	}})
	for range 2 {
		got := ask(t, h, "POST", "/api/chat", request(t, nil))
		chunks, content, _ := lines(t, got.body)
		if want := `*Nods.* "You said: Hello there"`; content != want {
			t.Errorf("content %q, want %q", content, want)
		}
		last := chunks[len(chunks)-1]
		if !last.Done || last.DoneReason != "stop" || last.EvalCount != len(chunks)-1 {
			t.Errorf("last chunk %+v of %d", last, len(chunks))
		}
	}
	if len(takes) != 2 || takes[0] != 0 || takes[1] != 1 {
		t.Errorf("takes %v, want 0 and 1", takes)
	}
}

func TestChat_PrefixCache(t *testing.T) {
	var reads []Read
	h := open(t, Options{OnRead: func(r Read) { reads = append(reads, r) }})
	history := []map[string]string{{"role": "system", "content": strings.Repeat("A long and stable instruction. ", 200)}}
	say := func(role, text string) { history = append(history, map[string]string{"role": role, "content": text}) }
	turn := func(options map[string]any) chunk {
		got := ask(t, h, "POST", "/api/chat", request(t, map[string]any{"messages": history, "options": options}))
		chunks, content, _ := lines(t, got.body)
		if len(chunks) == 0 {
			t.Fatalf("no answer: %+v", got)
		}
		say("assistant", content)
		say("user", "And then?")
		return chunks[len(chunks)-1]
	}
	say("user", "Begin.")
	fixed := map[string]any{"num_ctx": 8192}
	cold, warm := turn(fixed), turn(fixed)
	if warm.PromptEvalCount <= cold.PromptEvalCount {
		t.Errorf("the count must include what is cached: %d then %d", cold.PromptEvalCount, warm.PromptEvalCount)
	}
	if warm.PromptEvalDuration*20 > cold.PromptEvalDuration {
		t.Errorf("a turn more re-read too much: cold %d, warm %d", cold.PromptEvalDuration, warm.PromptEvalDuration)
	}
	if warm.LoadDuration >= cold.LoadDuration {
		t.Errorf("load took %d, then %d", cold.LoadDuration, warm.LoadDuration)
	}
	history[0]["content"] = "X" + history[0]["content"]
	if again := turn(fixed); again.PromptEvalDuration < cold.PromptEvalDuration {
		t.Errorf("a changed beginning must be read again: %d, cold %d", again.PromptEvalDuration, cold.PromptEvalDuration)
	}
	if again := turn(map[string]any{"num_ctx": 16384}); again.PromptEvalDuration < cold.PromptEvalDuration || again.LoadDuration < cold.LoadDuration {
		t.Errorf("another num_ctx must load anew: %+v", again)
	}
	if again := turn(map[string]any{"num_ctx": 16384, "temperature": 0.1, "seed": 5}); again.PromptEvalDuration*20 > cold.PromptEvalDuration {
		t.Errorf("sampling options must keep the cache: %+v", again)
	}
	if len(reads) != 5 || reads[0].Fresh != reads[0].Prompt || reads[1].Fresh*20 > reads[1].Prompt || reads[1].Prompt != warm.PromptEvalCount || reads[1].Structured {
		t.Errorf("%+v", reads)
	}
}

// Left in the middle of a prompt the servers reads on to its end, as the real server does:
// whoever comes next is not read before.
func TestChat_ReadsOnWhenItIsLeft(t *testing.T) {
	type begun struct {
		fresh int
		at    time.Time
	}
	reads := make(chan begun, 4)
	const delay = time.Millisecond
	h := open(t, Options{TokenDelay: delay, OnRead: func(r Read) { reads <- begun{r.Fresh, time.Now()} }})
	ctx, leave := context.WithCancel(t.Context())
	long := request(t, map[string]any{"options": map[string]any{"num_ctx": 16384}, "messages": []map[string]string{{"role": "user", "content": strings.Repeat("lamp ", 8000)}}})
	left := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "POST", h.OllamaURL+"/api/chat", strings.NewReader(long))
		if err == nil {
			var res *http.Response
			if res, err = http.DefaultClient.Do(req); err == nil {
				err = res.Body.Close()
			}
		}
		left <- err
	}()
	first := <-reads
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("it was answered before it was left: %v", err)
	}
	ask(t, h, "POST", "/api/chat", request(t, nil))
	second := <-reads
	if whole := time.Duration(first.fresh) * delay / readRatio; first.fresh < 8000 || second.at.Sub(first.at) < whole {
		t.Errorf("%d tokens take %v to read; the next prompt was begun after %v", first.fresh, whole, second.at.Sub(first.at))
	}
}

func TestChat_Limits(t *testing.T) {
	h := open(t, Options{Script: func([]storage.Node, int) string { return "one two three pause five six seven" }})
	long := []map[string]string{{"role": "system", "content": "Be brief."}, {"role": "user", "content": strings.Repeat("word ", 2000)}, {"role": "user", "content": "hi"}}
	refused := ask(t, h, "POST", "/api/chat", request(t, map[string]any{"messages": long, "truncate": false, "options": map[string]any{"num_ctx": 512}}))
	if refused.status != 400 || refused.body != `{"error":"the input length exceeds the context length"}` {
		t.Errorf("overflow with truncate false: %+v", refused)
	}
	dropped := ask(t, h, "POST", "/api/chat", request(t, map[string]any{"messages": long, "options": map[string]any{"num_ctx": 512}}))
	chunks, _, _ := lines(t, dropped.body)
	if last := chunks[len(chunks)-1]; dropped.status != 200 || last.PromptEvalCount > 512 || !last.Done {
		t.Errorf("overflow by default must drop messages without a sign: %d %+v", dropped.status, last)
	}
	for _, test := range []struct {
		name   string
		fields map[string]any
		tokens int
		reason string
	}{
		{"cap", map[string]any{"options": map[string]any{"num_predict": 5}}, 5, "length"},
		{"cap of zero does not limit", map[string]any{"options": map[string]any{"num_predict": 0}}, -1, "stop"},
		{"context full", map[string]any{"shift": false, "options": map[string]any{"num_ctx": 14}}, 4, "length"},
		{"stop sequence", map[string]any{"options": map[string]any{"stop": []string{" pause"}}}, 3, "stop"},
	} {
		chunks, content, _ := lines(t, ask(t, h, "POST", "/api/chat", request(t, test.fields)).body)
		last := chunks[len(chunks)-1]
		if last.DoneReason != test.reason || test.tokens >= 0 && last.EvalCount != test.tokens {
			t.Errorf("%s: %d tokens, %q: %q", test.name, last.EvalCount, last.DoneReason, content)
		}
	}
}

func TestChat_Thinking(t *testing.T) {
	h := open(t, Options{})
	for _, test := range []struct {
		name   string
		fields map[string]any
		status int
		thinks bool
	}{
		{"by default", map[string]any{"model": "demo-think"}, 200, true},
		{"asked for", map[string]any{"model": "demo-think", "think": true}, 200, true},
		{"not wanted", map[string]any{"model": "demo-think", "think": false}, 200, false},
		{"level", map[string]any{"model": "demo-think", "think": "high"}, 400, false},
		{"cannot", map[string]any{"think": true}, 400, false},
		{"cannot and need not", map[string]any{"think": false}, 200, false},
	} {
		got := ask(t, h, "POST", "/api/chat", request(t, test.fields))
		_, content, thinking := lines(t, got.body)
		if got.status != test.status || (thinking != "") != test.thinks || (content == "") != (test.status != 200) {
			t.Errorf("%s: %d, thinking %q, content %q", test.name, got.status, thinking, content)
		}
	}
	cut := ask(t, h, "POST", "/api/chat", request(t, map[string]any{"model": "demo-think", "options": map[string]any{"num_predict": 4}}))
	if chunks, content, thinking := lines(t, cut.body); content != "" || thinking == "" || chunks[len(chunks)-1].DoneReason != "length" {
		t.Errorf("the cap counts thinking: %q %q", thinking, content)
	}
}

func TestKeepAlive(t *testing.T) {
	h := open(t, Options{})
	loaded := func() string { return ask(t, h, "GET", "/api/ps", "").body }
	if got := loaded(); got != `{"models":[]}` {
		t.Fatalf("at first: %s", got)
	}
	ask(t, h, "POST", "/api/chat", request(t, map[string]any{"options": map[string]any{"num_ctx": 9999999}}))
	if got := loaded(); !strings.Contains(got, `"context_length":32768`) {
		t.Errorf("num_ctx must be clamped and shown: %s", got)
	}
	got := ask(t, h, "POST", "/api/chat", `{"model":"demo","messages":[],"keep_alive":0}`)
	if !strings.Contains(got.body, `"done_reason":"unload"`) || loaded() != `{"models":[]}` {
		t.Errorf("unload: %s, then %s", got.body, loaded())
	}
	ask(t, h, "POST", "/api/chat", request(t, map[string]any{"keep_alive": 0}))
	if got := loaded(); got != `{"models":[]}` {
		t.Errorf("keep_alive 0 with messages must unload afterwards: %s", got)
	}
}

func TestPull(t *testing.T) {
	h := open(t, Options{})
	unknown := ask(t, h, "POST", "/api/pull", `{"model":"nowhere"}`)
	if unknown.status != 200 || !strings.Contains(unknown.body, `{"error":"pull model manifest: file does not exist"}`) {
		t.Errorf("unknown: %+v", unknown)
	}
	got := ask(t, h, "POST", "/api/pull", `{"model":"demo-encore"}`)
	if !strings.HasPrefix(got.body, `{"status":"pulling manifest"}`) || !strings.HasSuffix(got.body, "{\"status\":\"success\"}\n") || strings.Count(got.body, `"completed"`) < 10 {
		t.Errorf("pull: %s", got.body)
	}
	if tags := ask(t, h, "GET", "/api/tags", ""); !strings.Contains(tags.body, PullModel) {
		t.Errorf("a pulled model must be listed: %s", tags.body)
	}
}

func TestFaults(t *testing.T) {
	var fault Fault
	h := open(t, Options{Fault: func(Call) Fault { return fault }})
	for _, test := range []struct {
		name  string
		fault Fault
		ok    func(a answer, chunks []chunk, content string) bool
	}{
		{"503", Fault{Kind: Unavailable}, func(a answer, _ []chunk, _ string) bool {
			return a.status == 503 && strings.Contains(a.body, "server busy, please try again.")
		}},
		{"500", Fault{Kind: ServerError, Text: "out of memory"}, func(a answer, _ []chunk, _ string) bool {
			return a.status == 500 && a.body == `{"error":"out of memory"}`
		}},
		{"html", Fault{Kind: HTML}, func(a answer, _ []chunk, _ string) bool {
			return a.status == 200 && strings.HasPrefix(a.kind, "text/html")
		}},
		{"die", Fault{Kind: Die, After: 3}, func(a answer, c []chunk, _ string) bool {
			return errors.Is(a.err, io.ErrUnexpectedEOF) && len(c) == 3
		}},
		{"die at once", Fault{Kind: Die}, func(a answer, _ []chunk, _ string) bool { return a.err != nil }},
		{"error line", Fault{Kind: ErrorLine, After: 2}, func(a answer, c []chunk, _ string) bool {
			return a.err == nil && len(c) == 3 && c[2].Error == runnerDied
		}},
		{"garbage", Fault{Kind: Garbage, After: 2}, func(a answer, c []chunk, _ string) bool {
			return len(c) == 2 && strings.HasSuffix(a.body, "not JSON\n")
		}},
		{"no done", Fault{Kind: NoDone, After: 4}, func(a answer, c []chunk, _ string) bool {
			return a.err == nil && len(c) == 4 && !c[3].Done
		}},
		{"repeat", Fault{Kind: RepeatAbort, After: 1}, func(a answer, c []chunk, text string) bool {
			return a.err == nil && strings.HasSuffix(text, strings.Repeat(" this", 31)) && !c[len(c)-1].Done
		}},
		{"escapes", Fault{Kind: Escapes}, func(a answer, c []chunk, text string) bool {
			return strings.Contains(text, "\x1b]52;") && strings.Contains(text, "\u202e") && strings.Contains(a.body, rawBytes) && c[len(c)-1].Done
		}},
		{"only thinking", Fault{Kind: ThinkOnly}, func(_ answer, c []chunk, text string) bool {
			return text == "" && c[0].Message.Thinking != "" && c[len(c)-1].DoneReason == "stop"
		}},
		{"say", Fault{Kind: Say, Text: "{}"}, func(_ answer, _ []chunk, text string) bool { return text == "{}" }},
	} {
		fault = test.fault
		got := ask(t, h, "POST", "/api/chat", request(t, nil))
		chunks, content, _ := lines(t, got.body)
		if !test.ok(got, chunks, content) {
			t.Errorf("%s: status %d, error %v, %d chunks:\n%.400q", test.name, got.status, got.err, len(chunks), got.body)
		}
	}
}

// TestClose_WhileStreaming closes the servers under answers that would never end.
func TestClose_WhileStreaming(t *testing.T) {
	for _, kind := range []FaultKind{Endless, Hang} {
		h, err := Start(Options{Fault: func(Call) Fault { return Fault{Kind: kind, After: 1} }})
		if err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for range 3 { // one is answered, two wait for their turn
			begun := make(chan struct{})
			readers.Go(func() {
				close(begun)
				res, err := http.Post(h.OllamaURL+"/api/chat", "application/json", strings.NewReader(`{"model":"demo","messages":[{"role":"user","content":"go"}]}`))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			})
			<-begun
		}
		res, err := http.Get(h.OllamaURL + "/api/version")
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error("second close:", err)
		}
		readers.Wait()
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestEndless_EndsWithTheClient(t *testing.T) {
	h := open(t, Options{Fault: func(c Call) Fault {
		if c.Path == "/api/chat" && c.Nth == 1 {
			return Fault{Kind: Endless}
		}
		return Fault{}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, "POST", h.OllamaURL+"/api/chat", strings.NewReader(request(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines, text := json.NewDecoder(io.LimitReader(res.Body, 100_000)), ""
	for {
		var line struct{ Message struct{ Content string } }
		if err := lines.Decode(&line); err != nil {
			break // in the middle of a line
		}
		text += line.Message.Content
	}
	if len(text) < 1000 {
		t.Fatalf("it wrote %q", text)
	}
	if end := text[len(text)-200:]; strings.Count(text, end) > 1 {
		t.Errorf("it says over and over: %s", end)
	}
	cancel()
	_ = res.Body.Close()
	// The slot must be free again.
	if got := ask(t, h, "POST", "/api/chat", request(t, nil)); got.status != 200 {
		t.Errorf("after an endless answer: %+v", got)
	}
}

func TestCalls(t *testing.T) {
	h := open(t, Options{Record: true})
	ask(t, h, "GET", "/api/tags", "")
	ask(t, h, "POST", "/api/chat", request(t, map[string]any{"options": map[string]any{"num_ctx": 2048}}))
	calls := h.Calls()
	if len(calls) != 2 || calls[1].N != 2 || calls[1].Nth != 1 || calls[1].Path != "/api/chat" || calls[1].Model != "demo" ||
		len(calls[1].Messages) != 1 || calls[1].Messages[0].Content != "Hello there" || !bytes.Contains(calls[1].Body, []byte("2048")) {
		t.Errorf("calls: %+v", calls)
	}
}

func TestComfyHalf(t *testing.T) {
	h := open(t, Options{})
	res, err := http.Get(h.ComfyURL + "/system_stats")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
}
