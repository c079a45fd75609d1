package storyboard

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
// then writes whatever the grammar lets it: what comes out whole must be read.
func TestReal_SchemasMakeGrammars(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine/storyboard`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	for _, tool := range Tools() {
		in := written(t)
		if in.Beat = "b2"; tool.Name == ProposeEdit {
			in = shot(t)
		}
		if !tool.Planning {
			continue
		}
		began := time.Now()
		text, ending := ask(t, url, model, Ask(nil, tool.Name, in), Schema(tool.Name, in))
		t.Logf("%s: %d bytes in %v, %s", tool.Name, len(text), time.Since(began).Round(time.Millisecond), ending)
		if ending != "stop" {
			continue // cut off at the limit, as gibberish likes to be
		}
		call, err := Take(tool.Name, in, json.RawMessage(text))
		if call.Tool == "" {
			t.Logf("%s: %v\n%s", tool.Name, err, text)
		}
	}
	in := shot(t)
	in.Wish = "slower"
	text, ending := ask(t, url, model, Steer(nil, in, false), SteerSchema(in))
	t.Logf("steer: %d bytes, %s", len(text), ending)
	if _, err := TakeSteer(in, json.RawMessage(text)); ending == "stop" && err != nil {
		t.Errorf("steer: %v\n%s", err, text)
	}
}

func ask(t *testing.T, url, model string, messages []prompts.Message, schema json.RawMessage) (text, ending string) {
	t.Helper()
	list := make([]map[string]string, len(messages))
	for i, m := range messages {
		list[i] = map[string]string{"role": m.Role, "content": m.Content}
	}
	body, err := json.Marshal(map[string]any{"model": model, "messages": list, "format": schema, "stream": false,
		"options": map[string]any{"num_predict": 200, "num_ctx": 8192, "temperature": 0.8, "seed": 1}})
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
