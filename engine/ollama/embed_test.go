package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEmbed(t *testing.T) {
	var sent map[string]any
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &sent); err != nil || r.URL.Path != "/api/embed" {
			t.Errorf("%s %s: %v", r.URL.Path, body, err)
		}
		_, _ = w.Write(captured(t, "embed.json"))
	})
	got, err := c.Embed(t.Context(), "tiny", []string{"hello", "hand in hand"})
	if err != nil || len(got) != 2 || len(got[0]) != 64 || got[0][0] != 0.7445536 || got[1][63] != 0.017802546 {
		t.Errorf("%v, %v", got, err)
	}
	if diff := cmp.Diff(map[string]any{"model": "tiny", "input": []any{"hello", "hand in hand"}, "truncate": true, "options": nil}, sent); diff != "" {
		t.Error(diff)
	}
	sent = nil
	if got, err = c.Embed(t.Context(), "tiny", nil); got != nil || err != nil || sent != nil {
		t.Errorf("no texts: %v, %v, sent %v", got, err, sent)
	}
}

func TestEmbed_Faults(t *testing.T) {
	vectors := func(list string) string { return `{"model":"m","embeddings":` + list + `}` }
	for name, test := range map[string]struct {
		status int
		body   string
		kind   error
		words  string // a part of them
	}{
		"no such model":         {404, string(captured(t, "err_missing_model_embed.json")), ErrNoModel, `no model "m"`},
		"no embedding model":    {501, `{"error":"this model does not support embeddings"}`, ErrRefused, "does not support embeddings"},
		"wrapped by the server": {500, `{"error":"do embedding request: this model does not support embeddings\n"}`, ErrRefused, "Check the model"},
		"busy":                  {503, string(captured(t, "err_queue_full.json")), ErrBusy, "busy"},
		"one too few":           {200, vectors(`[[1,2]]`), ErrServer, "2 texts got 1 vectors"},
		"one too many":          {200, vectors(`[[1],[2],[3]]`), ErrServer, "2 texts got 3 vectors"},
		"of two lengths":        {200, vectors(`[[1,2],[1,2,3]]`), ErrServer, "3 numbers"},
		"empty vectors":         {200, vectors(`[[],[]]`), ErrServer, "0 numbers"},
		"only zeros":            {200, vectors(`[[1,2],[0,0]]`), ErrServer, "no direction"},
		"too large a number":    {200, vectors(`[[1e39,1],[1,1]]`), ErrNotOllama, "not Ollama"},
		"not a number":          {500, `{"error":"failed to encode response: json: unsupported value: NaN"}`, ErrServer, "NaN"},
		"words for numbers":     {200, vectors(`[["a"],["b"]]`), ErrNotOllama, "not Ollama"},
		"something else":        {200, `{"hello":"there"}`, ErrNotOllama, "not Ollama"},
		"a page":                {200, "<html></html>", ErrNotOllama, "not Ollama"},
		"cut off":               {200, `{"embeddings":[[1,2`, ErrNotOllama, "not Ollama"},
		"too many dimensions":   {200, vectors(`[[` + strings.Repeat("1,", 20000) + `1],[1]]`), ErrServer, "20001 numbers"},
	} {
		c := serve(t, replay(test.status, []byte(test.body)))
		got, err := c.Embed(t.Context(), "m", []string{"a", "b"})
		if got != nil || !errors.Is(err, test.kind) || !strings.Contains(ErrorText(err), test.words) {
			t.Errorf("%s: %v, %v\n%s", name, got, err, ErrorText(err))
		}
	}
}

func TestEmbed_Refused(t *testing.T) {
	c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	for name, test := range map[string]struct {
		model string
		texts []string
	}{
		"no model":       {"", []string{"a"}},
		"too many texts": {"m", make([]string, MaxEmbedTexts+1)},
		"a long text":    {"m", []string{strings.Repeat("a", MaxEmbedText+1)}},
	} {
		if _, err := c.Embed(t.Context(), test.model, test.texts); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEmbed_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	if _, err := c.Embed(ctx, "m", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
