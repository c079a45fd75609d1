package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ending is a stream and what must be said about it.
type ending struct {
	name   string
	body   []byte
	ending Ending
	fault  string // part of the words, "" when nothing is wrong
	kind   error  // of Cause
	has    string // part of the content
}

func endings(t *testing.T) []ending {
	t.Helper()
	lines := func(s ...string) []byte { return []byte(strings.Join(s, "\n") + "\n") }
	piece := func(c string) string {
		b, _ := json.Marshal(c)
		return `{"model":"m","message":{"role":"assistant","content":` + string(b) + `},"done":false}`
	}
	thought := func(c string) string {
		return `{"model":"m","message":{"role":"assistant","content":"","thinking":"` + c + `"},"done":false}`
	}
	done := func(reason string, n int) string {
		return fmt.Sprintf(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":%q,"eval_count":%d}`, reason, n)
	}
	return []ending{
		{"complete", captured(t, "chat_stream.ndjson"), EndComplete, "", nil, " about thenl this we"},
		{"thinking", captured(t, "think_stream.ndjson"), EndComplete, "", nil, "out door of light my</think>"},
		{"length", captured(t, "chat_length_stream.ndjson"), EndLength, "limit of 5 tokens", nil, " then an."},
		{"context edge", lines(piece("["), done("length", 1)), EndLength, "end of the model's context of 8192", nil, "["},
		{"context edge captured", captured(t, "gen_past_ctx_shift_false.ndjson"), EndLength, "tokens", nil, "["},
		{"repeat", captured(t, "chat_format_repeat_abort_stream.ndjson"), EndRepeat, "repeated itself", ErrLost, " this this this"},
		{"runner killed", captured(t, "chat_stream_runner_killed.ndjson"), EndError, "unexpected EOF", ErrServer, "["},
		{"server stopped", captured(t, "chat_stream_server_sigterm.ndjson"), EndUnfinished, "before it was finished", ErrLost, "["},
		{"thirty equal pieces are fewer than the server allows", lines(append([]string{piece("a")}, strings.Split(strings.Repeat(piece("b")+"\n", repeatLimit-1), "\n")[:repeatLimit-1]...)...), EndUnfinished, "", ErrLost, "ab"},
		{"only thoughts", lines(thought("hm"), done("stop", 3)), EndThinkingOnly, "turn thinking off", nil, ""},
		{"only thoughts, cut", lines(thought("hm"), done("length", 5)), EndThinkingOnly, "still thinking", nil, ""},
		{"only thoughts in tags", lines(piece("<think>"), piece("hm"), done("stop", 3)), EndThinkingOnly, "no setting turns that off", nil, ""},
		{"a reason, and no word that it is done", lines(piece("a"), strings.Replace(done("stop", 3), `"done":true`, `"done":false`, 1)), EndComplete, "", nil, "a"},
		{"a limit, and no word that it is done", lines(piece("a"), strings.Replace(done("length", 5), `"done":true,`, "", 1)), EndLength, "limit of 5 tokens", nil, "a"},
		{"counters alone at the end", lines(piece("a"), `{"model":"m","message":{"content":""},"eval_count":3,"total_duration":7}`), EndComplete, "", nil, "a"},
		{"a reason, then more", lines(piece("a"), `{"message":{"content":"b"},"done_reason":"stop"}`, piece("c"), done("stop", 3)), EndComplete, "", nil, "abc"},
		{"nothing written", lines(done("stop", 1)), EndComplete, "without writing", nil, ""},
		{"white space only", lines(piece(" \n "), piece("\t"), done("stop", 2)), EndComplete, "without writing", nil, " \n \t"},
		{"white space up to the limit", lines(piece(" \n "), done("length", 5)), EndComplete, "without writing", nil, " \n "},
		{"garbage in the middle", lines(piece("a"), "garbage"), EndError, "garbage", ErrServer, "a"},
		{"broken json in the middle", lines(piece("a"), `{"message":`), EndError, "", ErrNotOllama, "a"},
		{"wrong type in the middle", lines(piece("a"), `{"message":7}`), EndError, `cannot be read: a line of its answer has a number for "message". The`, ErrNotOllama, "a"},
		{"endless content", lines(piece(unlike("é", maxContent)), piece("b"), done("stop", 1)), EndLength, "1024 KiB", nil, "é"},
		{"endless thoughts", lines(thought(unlike("x", maxThinking)), thought("y"), done("stop", 1)), EndLength, "thinking exceeded", nil, ""},
		{"a line too long", lines(piece("a"), piece(strings.Repeat("x", 9<<20))), EndError, "too long to read", ErrLost, "a"},
		{"text after the end", lines(piece("a"), done("stop", 1), piece("b")), EndComplete, "", nil, "a"},
	}
}

func TestChat_Endings(t *testing.T) {
	for _, tt := range endings(t) {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, replay(200, tt.body))
			var g gather
			res, err := c.Chat(t.Context(), request(), g.add)
			if err != nil {
				t.Fatalf("Chat: %v", err)
			}
			if res.Ending != tt.ending {
				t.Errorf("ending %q, want %q (fault %q)", res.Ending, tt.ending, res.Fault)
			}
			if tt.fault == "" && tt.kind == nil && res.Fault != "" || !strings.Contains(res.Fault, tt.fault) {
				t.Errorf("fault %q, want %q", res.Fault, tt.fault)
			}
			if !errors.Is(res.Cause, tt.kind) {
				t.Errorf("cause %v, want %v", res.Cause, tt.kind)
			}
			if !strings.Contains(res.Content, tt.has) {
				t.Errorf("content %.80q lacks %q", res.Content, tt.has)
			}
			if g.content != res.Content || g.thinking != res.Thinking {
				t.Errorf("the pieces do not add up to the result: %.80q / %.80q", g.content, res.Content)
			}
			if len(res.Content) > maxContent || len(res.Thinking) > maxThinking {
				t.Errorf("kept %d and %d bytes", len(res.Content), len(res.Thinking))
			}
		})
	}
}

func TestChat_CountersAndThoughts(t *testing.T) {
	c := serve(t, replay(200, captured(t, "think_stream.ndjson")))
	res, err := c.Chat(t.Context(), request(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Content: res.Content, Thinking: "when", Ending: EndComplete, DoneReason: "stop", PromptTokens: 21, ReplyTokens: 69,
		Load: 283364763, PromptEval: 2863571, Eval: 81748481, Total: 375462628,
	}
	if d := cmp.Diff(want, res); d != "" {
		t.Error(d)
	}
}

func TestChat_KeepAliveOfTheClient(t *testing.T) {
	var got []any
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		got = append(got, body["keep_alive"])
		replay(200, captured(t, "chat_stream.ndjson"))(w, r)
	})
	WithKeepAlive(30 * time.Minute)(c)
	own := -time.Second
	for _, keep := range []*time.Duration{nil, &own} {
		req := request()
		req.KeepAlive = keep
		if _, err := c.Chat(t.Context(), req, nil); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]any{"30m0s", -1.0}, got); d != "" {
		t.Error(d)
	}
}

func TestChat_Wire(t *testing.T) {
	var got map[string]any
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		replay(200, captured(t, "chat_stream.ndjson"))(w, r)
	})
	temp, seed, keep := 0.5, 7, -time.Second
	req := request()
	req.Options.Temperature, req.Options.Seed, req.Options.Stop = &temp, &seed, []string{"\n\n"}
	req.Think, req.KeepAlive, req.Format = ThinkOff, &keep, json.RawMessage(`{"type":"object"}`)
	if _, err := c.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"model": "tiny", "stream": true, "truncate": false, "shift": false, "think": false, "keep_alive": -1.0,
		"format":   map[string]any{"type": "object"},
		"messages": []any{map[string]any{"role": "user", "content": "Hello there"}},
		"options":  map[string]any{"num_ctx": 8192.0, "num_predict": 5.0, "temperature": 0.5, "seed": 7.0, "stop": []any{"\n\n"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestChat_RefusedBeforeTheCall(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the server was called") })
	for name, change := range map[string]func(*Request){
		"no model":          func(r *Request) { r.Model = " " },
		"no messages":       func(r *Request) { r.Messages = nil },
		"no context size":   func(r *Request) { r.Options.NumCtx = 0 },
		"endless reply":     func(r *Request) { r.Options.NumPredict = -1 },
		"zero reply":        func(r *Request) { r.Options.NumPredict = 0 },
		"schema is no JSON": func(r *Request) { r.Format = json.RawMessage(`{"type":`) },
	} {
		req := request()
		change(&req)
		_, err := c.Chat(t.Context(), req, nil)
		if !errors.Is(err, ErrRefused) || !strings.HasPrefix(ErrorText(err), "Ollama cannot do what was asked: ") {
			t.Errorf("%s: %v, words %q", name, err, ErrorText(err))
		}
	}
}

func TestChat_NothingBegan(t *testing.T) {
	html := []byte("<!DOCTYPE html><title>Router login</title>")
	tests := []struct {
		name    string
		status  int
		body    []byte
		kind    error
		passing bool
		words   string
	}{
		{"missing model", 404, captured(t, "err_missing_model_chat.json"), ErrNoModel, false, "`ollama pull tiny`"},
		{"busy", 503, captured(t, "err_queue_full.json"), ErrBusy, true, "busy"},
		{"busy proxy", 503, html, ErrBusy, true, "busy"},
		{"gateway to nothing", 502, html, ErrUnreachable, true, "but not Ollama: 502 Bad Gateway. If that is a proxy"},
		{"gateway that waits", 504, nil, ErrUnreachable, true, "but not Ollama: 504 Gateway Timeout"},
		{"wrong type first", 200, []byte(`{"model":5}` + "\n"), ErrNotOllama, false, `but not Ollama: a line of its answer has a number for "model"`},
		{"wrong time first", 200, []byte(`{"model":"m","created_at":5}` + "\n"), ErrNotOllama, false, "a time that cannot be read"},
		{"too long", 400, captured(t, "ctx_overflow_truncate_false.json"), ErrTooLong, false, "`ollama.num_ctx` in config.toml"},
		{"option", 500, captured(t, "err_option_type.json"), ErrRefused, false, `option "temperature" must be`},
		{"schema", 500, captured(t, "err_format_bad_schema.json"), ErrRefused, false, "invalid JSON schema"},
		{"thinking", 400, captured(t, "err_think.json"), ErrRefused, false, "does not support thinking"},
		{"crashed runner", 500, []byte(`{"error":"an error was encountered while running the model: unexpected EOF"}`), ErrServer, true, "unexpected EOF"},
		{"memory", 500, []byte(`{"error":"model requires more system memory (9 GiB) than is available (2 GiB)"}`), ErrServer, true, "not enough memory"},
		{"error line first", 200, []byte(`{"error":"llama runner process has terminated"}` + "\n"), ErrServer, true, "has terminated"},
		{"other path", 404, captured(t, "err_404_path.txt"), ErrNotOllama, false, "not Ollama: 404 404 page not found"},
		{"html", 200, html, ErrNotOllama, false, "not Ollama: 200 <!DOCTYPE"},
		{"redirect", 302, nil, ErrNotOllama, false, "not Ollama: 302"},
		{"other JSON", 200, []byte(`{"choices":[]}`), ErrNotOllama, false, "not Ollama"},
		{"other JSON error", 404, []byte(`{"error":{"code":404,"message":"File Not Found"}}`), ErrNotOllama, false, "not Ollama"},
		{"empty", 200, nil, ErrLost, true, "was lost"},
		{"refused with nothing", 500, nil, ErrServer, true, "Internal Server Error"},
		{"sign-in", 401, []byte(`{"error":"unauthorized"}`), ErrRefused, false, "sign-in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := serve(t, replay(tt.status, tt.body))
			res, err := c.Chat(t.Context(), request(), nil)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("%v, want %v", err, tt.kind)
			}
			if IsTransient(err) != tt.passing {
				t.Errorf("passing %v", !tt.passing)
			}
			if w := ErrorText(err); !strings.Contains(w, tt.words) || len(w) < 20 {
				t.Errorf("words %q, want %q", w, tt.words)
			}
			if res.Ending == EndComplete || res.Ending == "" || res.Fault == "" {
				t.Errorf("result %+v", res)
			}
		})
	}
}

func TestChat_Unreachable(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	c := client(t, s.URL)
	_, err := c.Chat(t.Context(), request(), nil)
	if !errors.Is(err, ErrUnreachable) || !IsTransient(err) {
		t.Fatalf("%v", err)
	}
	if w := ErrorText(err); !strings.Contains(w, "`ollama serve`") || !strings.Contains(w, s.URL) {
		t.Errorf("words %q", w)
	}
}

func TestChat_ConnectionBreaks(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(captured(t, "chat_stream_server_sigterm.ndjson"))
		panic(http.ErrAbortHandler)
	})
	res, err := c.Chat(t.Context(), request(), nil)
	if err != nil || res.Ending != EndDied || !errors.Is(res.Cause, ErrLost) || !strings.HasPrefix(res.Content, "[") {
		t.Fatalf("%v, %+v", err, res)
	}

	c = serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, err = c.Chat(t.Context(), request(), nil); !errors.Is(err, ErrLost) || !IsTransient(err) {
		t.Fatalf("broke before an answer: %v", err)
	}
}

func TestChat_Silence(t *testing.T) {
	hang := func(before []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if before != nil {
				_, _ = w.Write(before)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}
	}
	c := serve(t, hang(nil), WithGiveUp(20*time.Millisecond))
	if _, err := c.Chat(t.Context(), request(), nil); !errors.Is(err, ErrStalled) || !IsTransient(err) {
		t.Errorf("before the first byte: %v", err)
	}
	c = serve(t, hang(captured(t, "chat_stream_server_sigterm.ndjson")), WithGiveUp(20*time.Millisecond))
	res, err := c.Chat(t.Context(), request(), nil)
	if err != nil || res.Ending != EndDied || !errors.Is(res.Cause, ErrStalled) || res.Content == "" || !strings.Contains(res.Fault, "silent") {
		t.Errorf("in the middle: %v, %+v", err, res)
	}
	c = serve(t, hang(captured(t, "chat_stream.ndjson")), WithGiveUp(20*time.Millisecond))
	if res, err = c.Chat(t.Context(), request(), nil); err != nil || res.Ending != EndComplete || res.Fault != "" {
		t.Errorf("after the end: %v, %+v", err, res)
	}
}

func TestChat_Stopped(t *testing.T) {
	released := make(chan struct{})
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(captured(t, "chat_stream_server_sigterm.ndjson"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(released)
	})
	ctx, cancel := context.WithCancel(t.Context())
	var g gather
	res, err := c.Chat(ctx, request(), func(d Delta) { g.add(d); cancel() })
	if err != nil || res.Ending != EndStopped || res.Content == "" || res.Content != g.content || res.Fault != "" {
		t.Fatalf("%v, %+v", err, res)
	}
	<-released // the server learned of it

	res, err = c.Chat(ctx, request(), nil)
	if err != nil || res.Ending != EndStopped || res.Content != "" {
		t.Fatalf("stopped before it began: %v, %+v", err, res)
	}
}

func TestChat_InvalidText(t *testing.T) {
	body := bytes.Join([][]byte{
		[]byte("{\"model\":\"m\",\"message\":{\"content\":\"a\xff\xfeb\\ud800\\u0000\"}}"),
		[]byte(`{"model":"m","done":true,"done_reason":"stop"}`),
	}, []byte("\n"))
	c := serve(t, replay(200, body))
	res, err := c.Chat(t.Context(), request(), nil)
	if err != nil || res.Content != "a\uFFFD\uFFFDb\uFFFD\x00" || res.Ending != EndComplete {
		t.Fatalf("%v, %+v", err, res)
	}
}

// canned is a transport that answers from memory.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Status: "200 OK", Body: io.NopCloser(bytes.NewReader(c)), Header: http.Header{}, Request: r}, nil
}

func FuzzStream(f *testing.F) {
	for _, name := range []string{"chat_length_stream.ndjson", "chat_stream_runner_killed.ndjson", "think_stream.ndjson", "err_404_path.txt"} {
		f.Add(captured(f, name))
	}
	f.Add([]byte("{\"model\":\"m\",\"message\":{\"content\":\"<think>a</thi\"}}\n{\"message\":{\"thinking\":\"b\"}}\n{\"done\":true}"))
	f.Add([]byte("\n\n{}\n[]\nnull\n\"\\ud800\""))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := New("", WithHTTPClient(&http.Client{Transport: canned(body)}))
		if err != nil {
			t.Fatal(err)
		}
		var g gather
		res, err := c.Chat(t.Context(), request(), func(d Delta) {
			if d == (Delta{}) {
				t.Error("an empty piece")
			}
			g.add(d)
		})
		if g.content != res.Content || g.thinking != res.Thinking {
			t.Errorf("the pieces %q %q are not the result %q %q", g.content, g.thinking, res.Content, res.Thinking)
		}
		if strings.ToValidUTF8(res.Content, "") != res.Content || strings.ToValidUTF8(res.Fault, "") != res.Fault {
			t.Error("invalid text")
		}
		if res.Ending == "" || (err != nil) != (res.Ending != EndComplete && res.Cause == err && err != nil) {
			t.Errorf("ending %q with %v", res.Ending, err)
		}
		if err != nil && (res.Content != "" || ErrorText(err) == "") {
			t.Errorf("%v with content %q", err, res.Content)
		}
		if len([]rune(res.Fault)) > 2*maxWords {
			t.Errorf("%d runes of fault", len([]rune(res.Fault)))
		}
	})
}

func BenchmarkChat2000Pieces(b *testing.B) {
	var body bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&body, "{\"model\":\"tiny\",\"created_at\":\"2026-11-20T17:56:45.968203491Z\",\"message\":{\"role\":\"assistant\",\"content\":\" word%d\"},\"done\":false}\n", i)
	}
	body.WriteString(`{"model":"tiny","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":2000}`)
	c, err := New("", WithHTTPClient(&http.Client{Transport: canned(body.Bytes())}))
	if err != nil {
		b.Fatal(err)
	}
	req := request()
	req.Options.NumPredict = 2000
	b.ReportAllocs()
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		if res, err := c.Chat(context.Background(), req, func(Delta) {}); err != nil || res.Ending != EndComplete {
			b.Fatal(err, res.Ending)
		}
	}
}

// unlike is a text of so many bytes that does not repeat itself.
func unlike(mark string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprint(&b, i, mark)
	}
	text := b.String()[:size]
	return strings.ToValidUTF8(text, strings.Repeat("-", 1))
}

// Of a prompt that was refused a server may say how long it is.
func TestCountedIn(t *testing.T) {
	for text, want := range map[string]int{
		"the input length exceeds the context length":                                               0,
		"the request exceeds the available context size (4096 tokens), try increasing it":           0,
		"request (7012 tokens) exceeds the available context size (4096 tokens), try increasing it": 7012,
		"the prompt has 7012 tokens, which exceeds the context length":                              7012,
		"input of 99999999999999999999 tokens exceeds the context length":                           0,
		"request (7012 tokens) failed":                                                              0,
	} {
		err := &Error{Kind: statusKind(400, text), Text: text}
		if got := CountedIn(fmt.Errorf("turn: %w", err)); got != want {
			t.Errorf("%q: %d", text, got)
		}
	}
	if CountedIn(nil) != 0 || CountedIn(ErrTooLong) != 0 {
		t.Error("without words")
	}
}
