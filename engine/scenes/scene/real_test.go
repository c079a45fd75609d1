package scene

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"ghostlight/prompts"
)

// A real server makes a grammar of each schema, and its model of random weights
// then writes whatever the grammar lets it: what comes out whole must be taken.
func TestReal_SchemasMakeGrammars(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine/scene`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	every := everyPrompt(prompts.BuiltIn())
	for name, c := range map[string]struct {
		schema json.RawMessage
		into   any
	}{
		"detect":    {DetectSchema(), &Detection{}},
		"scene":     {RecapSchema(), &Answer{}},
		"running":   {MergeSchema(), &MergeAnswer{}},
		"message":   {MessageSchema(), &MessageAnswer{}},
		"questions": {QuestionSchema(), &Questions{}},
		"answers":   {AnswerSchema(), &Answers{}},
	} {
		text, ending := ask(t, url, model, every[name], c.schema)
		t.Logf("%s: %d bytes, %s", name, len(text), ending)
		if ending != "stop" {
			_ = Partial(text) // cut off at the limit, as gibberish likes to be
			continue
		}
		if err := json.Unmarshal([]byte(text), c.into); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if a, ok := c.into.(interface{ Check() error }); ok {
			t.Logf("%s: check: %v", name, a.Check())
		}
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
		t.Fatalf("%d: %s", res.StatusCode, data)
	}
	return reply.Message.Content, reply.Ending
}
