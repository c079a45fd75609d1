package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// realServer gives a client for a real server and the names of its models. Without
// one the test is skipped: cmd/tinyollama starts one.
func realServer(t *testing.T) (c *Client, model, thinker string) {
	t.Helper()
	url := os.Getenv("GHOSTLIGHT_TEST_OLLAMA")
	if url == "" {
		t.Skip("NOT TESTED against a real Ollama: run `go run ./cmd/tinyollama -- go test ./engine/ollama`, or set GHOSTLIGHT_TEST_OLLAMA and GHOSTLIGHT_TEST_MODEL")
	}
	model, thinker = os.Getenv("GHOSTLIGHT_TEST_MODEL"), os.Getenv("GHOSTLIGHT_TEST_THINK_MODEL")
	if model == "" {
		model = "tiny"
	}
	return client(t, url), model, thinker
}

func realRequest(model string, seed int) Request {
	return Request{
		Model: model, Think: ThinkOff,
		Messages: []Message{{Role: "system", Content: "You are a ghost."}, {Role: "user", Content: "Who is there?"}},
		Options:  Options{NumCtx: 4096, NumPredict: 256, Seed: &seed},
	}
}

// endless makes any model go on for long.
var endless = json.RawMessage(`{"type":"array","minItems":400,"items":{"type":"boolean"}}`)

func TestReal_Chat(t *testing.T) {
	c, model, _ := realServer(t)
	if v, err := c.Version(t.Context()); err != nil || v == "" {
		t.Fatalf("Version: %q, %v", v, err)
	}
	for seed := 1; ; seed++ { // a random model sometimes says nothing
		var g gather
		pieces := 0
		res, err := c.Chat(t.Context(), realRequest(model, seed), func(d Delta) { g.add(d); pieces++ })
		if err != nil {
			t.Fatal(err)
		}
		if res.Content == "" && seed < 10 {
			continue
		}
		if g.content != res.Content || pieces < 2 || res.PromptTokens < 10 || res.ReplyTokens < 2 || res.Total <= 0 || res.PromptEval <= 0 {
			t.Errorf("%d pieces, %+v", pieces, res)
		}
		if res.Ending != EndComplete && res.Ending != EndLength {
			t.Errorf("ending %q: %s", res.Ending, res.Fault)
		}
		return
	}
}

func TestReal_StopInTheMiddle(t *testing.T) {
	c, model, _ := realServer(t)
	c.slotWait = 10 * time.Second // some servers keep the slot now and then
	c.cache.models = map[string]cachedPrompt{model: {speed: 1 << 20}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := realRequest(model, 1)
	req.Format, req.Options.NumPredict = endless, 2000
	pieces := 0
	res, err := c.Chat(ctx, req, func(Delta) {
		if pieces++; pieces == 5 {
			cancel()
		}
	})
	if err != nil || res.Ending != EndStopped || res.Content == "" || res.Fault != "" {
		t.Errorf("%v, %+v", err, res)
	}
	res, err = c.Chat(t.Context(), realRequest(model, 1), nil)
	if err != nil || res.Ending == EndStopped {
		t.Errorf("the next reply: %v, %+v", err, res)
	}
}

func TestReal_ReplyCap(t *testing.T) {
	c, model, _ := realServer(t)
	req := realRequest(model, 1)
	req.Format, req.Options.NumPredict = endless, 20
	res, err := c.Chat(t.Context(), req, nil)
	if err != nil || res.Ending != EndLength || res.ReplyTokens != 20 || !strings.Contains(res.Fault, "limit of 20 tokens") {
		t.Errorf("%v, %+v", err, res)
	}
	req.Options.NumCtx, req.Options.NumPredict = 128, 2000
	res, err = c.Chat(t.Context(), req, nil)
	if err != nil || res.Ending != EndLength || res.ReplyTokens >= 128 || !strings.Contains(res.Fault, "end of the model's context") {
		t.Errorf("context edge: %v, %+v", err, res)
	}
}

func TestReal_Thinking(t *testing.T) {
	c, _, thinker := realServer(t)
	if thinker == "" {
		t.Skip("NOT TESTED: GHOSTLIGHT_TEST_THINK_MODEL is not set")
	}
	d, err := c.Show(t.Context(), thinker)
	if err != nil || !d.Has("thinking") {
		t.Fatalf("%v, %+v", err, d)
	}
	for seed := range 30 { // a random model often does not think, or only thinks
		req := realRequest(thinker, seed)
		req.Think = ThinkOn
		res, err := c.Chat(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(res.Content) == "" && res.Thinking != "" && res.Ending != EndThinkingOnly {
			t.Errorf("only thoughts, ending %q", res.Ending)
		}
		if res.Thinking != "" && strings.TrimSpace(res.Content) != "" {
			if strings.Contains(res.Thinking, "think>") {
				t.Errorf("thoughts %q", res.Thinking)
			}
			return
		}
	}
	t.Error("30 replies, and no thoughts in any that has content")
}

func TestReal_Structured(t *testing.T) {
	c, model, thinker := realServer(t)
	schema := json.RawMessage(`{"type":"object","required":["mood","score","names"],"properties":{
		"mood":{"type":"string","enum":["calm","tense","angry"]},"score":{"type":"integer","minimum":0,"maximum":10},
		"names":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","maxLength":12}}}}`)
	for _, m := range []string{model, thinker} {
		if m == "" {
			continue
		}
		req := realRequest(m, 3)
		req.Think, req.Options.NumPredict = "", 1000
		var got struct {
			Mood  string
			Score int
			Names []string
		}
		res, err := c.Structured(t.Context(), req, schema, &got, nil, nil)
		if err != nil || got.Mood == "" || len(got.Names) == 0 {
			t.Errorf("%s: %v, %+v, from %q", m, err, got, res.Content)
		}
		req.Options.NumPredict = 4
		var bad *AnswerError
		if _, err = c.Structured(t.Context(), req, schema, &got, nil, nil); !errors.As(err, &bad) || bad.Ending != EndLength {
			t.Errorf("%s, cut: %v", m, err)
		}
	}
}

func TestReal_TooLong(t *testing.T) {
	c, model, _ := realServer(t)
	req := realRequest(model, 1)
	req.Options.NumCtx = 256
	req.Messages = append(req.Messages, Message{Role: "user", Content: strings.Repeat("never again ", 1000)})
	if res, err := c.Chat(t.Context(), req, nil); !errors.Is(err, ErrTooLong) || IsTransient(err) {
		t.Errorf("%v, %+v", err, res)
	}
}

func TestReal_ContextSizeAndUnload(t *testing.T) {
	c, model, _ := realServer(t)
	req := realRequest(model, 1)
	req.Options.NumCtx = 2048
	if _, err := c.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	find := func() (Loaded, bool) {
		list, err := c.Running(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			if SameModel(l.Name, model) {
				return l, true
			}
		}
		return Loaded{}, false
	}
	if l, ok := find(); !ok || l.ContextLength != 2048 || l.Size <= 0 {
		t.Errorf("loaded: %v, %+v", ok, l)
	}
	if err := c.Unload(t.Context(), model); err != nil {
		t.Fatal(err)
	}
	if _, ok := find(); ok {
		t.Error("still there after Unload")
	}
	if err := c.Unload(t.Context(), model); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if _, err := c.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	if names, err := c.UnloadAll(t.Context()); err != nil || len(names) == 0 {
		t.Errorf("UnloadAll: %v, %v", names, err)
	}
	if list, err := c.Running(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after UnloadAll: %v, %v", list, err)
	}
}

func TestReal_ModelsAndRefusals(t *testing.T) {
	c, model, thinker := realServer(t)
	list, err := c.Models(t.Context())
	if err != nil || len(list) == 0 || list[0].Name == "" || list[0].Size <= 0 || list[0].Modified.Before(time.Unix(1e9, 0)) {
		t.Errorf("Models: %v, %+v", err, list)
	}
	if d, err := c.Show(t.Context(), model); err != nil || d.ContextLength < 2048 || d.Family == "" || !d.Has("completion") {
		t.Errorf("Show: %v, %+v", err, d)
	}
	if _, err = c.Show(t.Context(), "no-such-model"); !errors.Is(err, ErrNoModel) {
		t.Errorf("Show of a missing model: %v", err)
	}
	_, err = c.Chat(t.Context(), realRequest("no-such-model", 1), nil)
	if !errors.Is(err, ErrNoModel) || !strings.Contains(ErrorText(err), "`ollama pull no-such-model`") {
		t.Errorf("Chat with a missing model: %v, %q", err, ErrorText(err))
	}
	req := realRequest(model, 1)
	req.Format = json.RawMessage(`{"type":"foo"}`)
	if _, err = c.Chat(t.Context(), req, nil); !errors.Is(err, ErrRefused) {
		t.Errorf("bad schema: %v", err)
	}
	if model != thinker {
		req = realRequest(model, 1)
		if req.Think = ThinkOn; model == "tiny" {
			if _, err = c.Chat(t.Context(), req, nil); !errors.Is(err, ErrRefused) {
				t.Errorf("thinking: %v", err)
			}
		}
	}
}

// The registry in the name is a port of this machine that nothing listens on, so
// the pull fails at once, with or without a network.
func TestReal_PullFailsInWords(t *testing.T) {
	c, _, _ := realServer(t)
	err := c.Pull(t.Context(), "127.0.0.1:1/ghost/none", nil)
	if err == nil || !strings.Contains(ErrorText(err), "could not download") && !errors.Is(err, ErrNoModel) {
		t.Errorf("%v, words %q", err, ErrorText(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Pull(ctx, "127.0.0.1:1/ghost/none", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
