package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// capturedAnswers answers the questions that need no streaming from captures.
func capturedAnswers(t *testing.T, ps *atomic.Pointer[[]byte]) http.HandlerFunc {
	files := map[string]string{"/api/tags": "tags.json", "/api/show": "show.json", "/api/version": "version.json", "/api/chat": "unload_chat.json"}
	return func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/api/ps":
			_, _ = w.Write(*ps.Load())
		case strings.Contains(string(b), `"nope"`):
			w.WriteHeader(404)
			_, _ = w.Write(captured(t, "err_missing_model_chat.json"))
		case r.URL.Path == "/api/chat":
			var req map[string]any
			if err := json.Unmarshal(b, &req); err != nil || req["keep_alive"] != "0s" || len(req["messages"].([]any)) != 0 {
				t.Errorf("unload sent %s", b)
			}
			empty := captured(t, "ps_empty.json")
			ps.Store(&empty)
			fallthrough
		default:
			_, _ = w.Write(captured(t, files[r.URL.Path]))
		}
	}
}

func TestModels(t *testing.T) {
	var ps atomic.Pointer[[]byte]
	loaded := captured(t, "ps_8192.json")
	ps.Store(&loaded)
	c := serve(t, capturedAnswers(t, &ps))
	ctx := t.Context()

	if v, err := c.Version(ctx); err != nil || v != "0.17.4" {
		t.Errorf("Version: %q, %v", v, err)
	}
	models, err := c.Models(ctx)
	want := []Model{{
		Name: "tiny:latest", Digest: "4d73e69696140c33483306de6a45c3aa475d80a1981144576a3f16423fb292d6", Size: 344043,
		Modified: time.Date(2026, 11, 20, 17, 52, 26, 528428599, time.UTC), Family: "llama", ParameterSize: "162K", Quantization: "F16",
	}}
	if err != nil || cmp.Diff(want, models) != "" {
		t.Errorf("Models: %v\n%s", err, cmp.Diff(want, models))
	}
	d, err := c.Show(ctx, "tiny-think")
	if err != nil || d.ContextLength != 32768 || !d.Has("thinking") || d.Has("vision") || d.Family != "llama" || d.Quantization != "F16" {
		t.Errorf("Show: %v, %+v", err, d)
	}
	if _, err = c.Show(ctx, "nope"); !errors.Is(err, ErrNoModel) || !strings.Contains(ErrorText(err), `"nope"`) {
		t.Errorf("Show nope: %v, %q", err, ErrorText(err))
	}
	run, err := c.Running(ctx)
	if err != nil || len(run) != 1 || run[0].ContextLength != 8192 || run[0].Size != 2333952 {
		t.Errorf("Running: %v, %+v", err, run)
	}
	names, err := c.UnloadAll(ctx)
	if err != nil || cmp.Diff([]string{"tiny:latest"}, names) != "" {
		t.Errorf("UnloadAll: %v, %v", err, names)
	}
	if run, err = c.Running(ctx); err != nil || run == nil || len(run) != 0 {
		t.Errorf("Running after: %v, %v", err, run)
	}
	if err = c.Unload(ctx, "nope"); !errors.Is(err, ErrNoModel) {
		t.Errorf("Unload nope: %v", err)
	}
	for _, name := range []string{"", " ", "a\nb", strings.Repeat("x", 600)} {
		if err := c.Unload(ctx, name); !errors.Is(err, ErrRefused) {
			t.Errorf("Unload %.10q: %v", name, err)
		}
	}
}

func TestModels_NotOllama(t *testing.T) {
	for name, body := range map[string]string{"html": "<html>", "other JSON": "{}", "list": "[]", "broken": `{"models":`} {
		c := serve(t, replay(200, []byte(body)))
		_, e1 := c.Version(t.Context())
		_, e2 := c.Models(t.Context())
		_, e3 := c.Running(t.Context())
		_, e4 := c.Show(t.Context(), "x")
		for i, err := range []error{e1, e2, e3, e4} {
			if !errors.Is(err, ErrNotOllama) {
				t.Errorf("%s, call %d: %v", name, i, err)
			}
		}
	}
}

func TestUnload_WaitsUntilGone(t *testing.T) {
	asked := make(chan struct{}, 100)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/ps" {
			asked <- struct{}{}
			_, _ = w.Write(captured(t, "ps_8192.json"))
			return
		}
		replay(200, captured(t, "unload_chat.json"))(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { failed <- c.Unload(ctx, "tiny") }()
	for range 3 {
		<-asked
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPull(t *testing.T) {
	body := strings.Join([]string{
		`{"status":"pulling manifest"}`,
		`{"status":"pulling aaa","digest":"sha256:aaa","total":100}`,
		`{"status":"pulling bbb","digest":"sha256:bbb","total":50,"completed":10}`,
		`{"status":"pulling aaa","digest":"sha256:aaa","total":100,"completed":100}`,
		`{"status":"pulling bbb","digest":"sha256:bbb","total":50,"completed":900}`,
		`{"status":"success"}`,
	}, "\n")
	var got []PullProgress
	c := serve(t, replay(200, []byte(body)))
	if err := c.Pull(t.Context(), "tiny", func(p PullProgress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []PullProgress{
		{"pulling manifest", 0, 0}, {"pulling aaa", 0, 100}, {"pulling bbb", 10, 150},
		{"pulling aaa", 110, 150}, {"pulling bbb", 150, 150}, {"success", 150, 150},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPull_Fails(t *testing.T) {
	tests := []struct {
		name, body string
		kind       error
		words      string
	}{
		{"unknown", `{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file does not exist"}`, ErrNoModel, "library has no model"},
		{"offline", `{"error":"pull model manifest: Get \"https://host/v2\": dial tcp: lookup host: no such host"}`, ErrServer, "could not download"},
		{"cut", `{"status":"pulling manifest"}`, ErrLost, "was lost"},
		{"long", `{"error":"` + strings.Repeat("x\\n\\u001b[31m", 5000) + `"}`, ErrServer, "could not download"},
	}
	for _, tt := range tests {
		err := serve(t, replay(200, []byte(tt.body))).Pull(t.Context(), "nope", nil)
		w := ErrorText(err)
		if !errors.Is(err, tt.kind) || !strings.Contains(w, tt.words) || len([]rune(w)) > maxWords+150 || strings.ContainsAny(w, "\n\x1b") {
			t.Errorf("%s: %v, words %q", tt.name, err, w)
		}
	}
}

func TestPull_Cancelled(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"status":"pulling aaa","digest":"a","total":9,"completed":1}`+"\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Pull(ctx, "tiny", func(PullProgress) { cancel() })
	if !errors.Is(err, context.Canceled) || ErrorText(err) != "Stopped." || IsTransient(err) {
		t.Errorf("%v, %q", err, ErrorText(err))
	}
}
