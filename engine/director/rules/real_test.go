package rules

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"ghostlight/prompts"
)

// A real server makes a grammar of each schema, and its model of random weights
// then writes whatever the grammar lets it: what comes out whole must be taken.
func TestReal_SchemasMakeGrammars(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine/director`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	set, in := prompts.BuiltIn(), cast()
	for name, p := range map[string]Parts{"pass": everything, "director": {Director: true}, "memories": {Memories: true}, "hooks": {Hooks: true}} {
		messages := Request(set, p, in)
		if p.Break {
			messages = []Prompt{{Role: "user", Content: Instruction(set, p, in)}}
		}
		began := time.Now()
		text, ending := ask(t, url, model, messages, Schema(p, in))
		t.Logf("%s: %d bytes in %v, %s", name, len(text), time.Since(began).Round(time.Millisecond), ending)
		if ending != "stop" {
			continue // cut off at the limit, as gibberish likes to be
		}
		var a Answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved(t, Form(p, in)).Validate(v); err != nil {
			t.Errorf("%s: the form refuses it: %v\n%s", name, err, text)
		}
		if err := a.Usable(p, in); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		t.Logf("%s: %+v", name, a.Clean(p, in))
	}
}

func ask(t *testing.T, url, model string, p []Prompt, schema json.RawMessage) (text, ending string) {
	t.Helper()
	messages := make([]map[string]string, len(p))
	for i, m := range p {
		messages[i] = map[string]string{"role": m.Role, "content": m.Content}
	}
	body, err := json.Marshal(map[string]any{"model": model, "messages": messages, "format": schema, "stream": false,
		"options": map[string]any{"num_predict": 2000, "num_ctx": 8192, "temperature": 0.8, "seed": 1}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/chat", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Message struct{ Content string } `json:"message"`
		Ending  string                   `json:"done_reason"`
		Error   string                   `json:"error"`
	}
	if err := json.Unmarshal(data, &reply); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s %v", res.StatusCode, reply.Error, err)
	}
	return reply.Message.Content, reply.Ending
}
