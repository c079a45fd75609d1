// Package ollamatest finds the real Ollama that tests may ask, and asks it.
package ollamatest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Real is the address of a real server and the name of a plain model on it, as the
// environment names them. Without one the test is skipped, with words that say how to
// get one.
func Real(t testing.TB) (url, model string) {
	t.Helper()
	if url = os.Getenv("GHOSTLIGHT_TEST_OLLAMA"); url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./...`, or set " +
			"GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	return url, cmp.Or(os.Getenv("GHOSTLIGHT_TEST_MODEL"), "tiny")
}

// Ask asks a real server for an answer that follows a schema. ending is the server's own reason for
// the end: "stop" if the answer is complete.
func Ask(t testing.TB, url, model string, prompt []prompts.Message, schema json.RawMessage) (text, ending string) {
	t.Helper()
	messages := make([]map[string]string, len(prompt))
	for i, m := range prompt {
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
		t.Fatalf("%d: %s", res.StatusCode, data)
	}
	return reply.Message.Content, reply.Ending
}
