package engine

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"ghostlight/engine/capture"
	"ghostlight/engine/ollama"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// A real server makes a grammar of each schema, and its model of random weights
// then writes whatever the grammar lets it: what comes out whole must be taken.
// With short texts it gets to the facts that may be left out.
func TestReal_CaptureSchemasMakeGrammars(t *testing.T) {
	url, model := os.Getenv("GHOSTLIGHT_TEST_OLLAMA"), os.Getenv("GHOSTLIGHT_TEST_MODEL")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test -run Real ./engine`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	if model == "" {
		model = "tiny"
	}
	c, err := ollama.New(url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	talk := []storage.Node{{Role: storage.User, Content: "Show me a picture of you."}, {Role: storage.Assistant, Content: "*She lifts the lamp.*"}}
	set := prompts.BuiltIn()
	image, video := capture.Messages(capture.Input{Kind: capture.Image, Messages: talk}, set), capture.Messages(capture.Input{Kind: capture.Video, Requested: "Tove", Messages: talk}, set)
	intent := capture.IntentMessages(set, capture.Asking{User: "Robin", Char: "Tove", Sentences: []string{"Show me a picture of you."}, Messages: talk})
	short := func(schema json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.NewReplacer("1990", "30", "1200", "30", "500", "12", "600", "12", "160", "12", "300", "12", `:80}`, `:8}`).Replace(string(schema)))
	}
	for _, ask := range []struct {
		name   string
		prompt []capture.Message
		schema json.RawMessage
		room   int
	}{
		{"image", image, capture.Schema(capture.Image), 16}, {"video", video, capture.Schema(capture.Video), 16}, {"intent", intent, capture.WishSchema(), 16},
		{"short image", image[1:], short(capture.Schema(capture.Image)), 200}, {"short video", video[1:], short(capture.Schema(capture.Video)), 200}, {"short intent", intent[1:], short(capture.WishSchema()), 100},
	} {
		seed := 1
		req := ollama.Request{Model: model, Options: ollama.Options{NumCtx: 8192, NumPredict: ask.room, Seed: &seed}}
		for _, m := range ask.prompt {
			req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
		}
		var answer struct {
			capture.Answer
			capture.Wish
		}
		var cut *ollama.AnswerError
		res, err := c.Structured(t.Context(), req, ask.schema, &answer, nil, nil)
		if err != nil && (!errors.As(err, &cut) || cut.Ending != ollama.EndLength) {
			t.Errorf("%s: %v: %s", ask.name, err, res.Content)
		}
		if !strings.HasPrefix(strings.TrimSpace(res.Content), "{") {
			t.Errorf("%s: it does not keep to the schema: %s", ask.name, res.Content)
		}
		t.Logf("%s: %d tokens in %v, %s, %d facts", ask.name, res.ReplyTokens, res.Total, res.Ending, len(answer.Continuity))
	}
}
