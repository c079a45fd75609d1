package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var shotTool = Tool{Name: "modify_shot", Description: "Changes a shot.", Parameters: json.RawMessage(
	`{"type":"object","required":["shot"],"properties":{"shot":{"type":"string","enum":["s1","s2"]},"size":{"type":"string","maxLength":20}}}`)}

func withTools() Request {
	req := request()
	req.Tools = []Tool{shotTool, {Name: "confirm_shots"}}
	return req
}

func TestTools_Captured(t *testing.T) {
	c := serve(t, replay(200, captured(t, "chat_tools_stream.ndjson")))
	res, err := c.Chat(t.Context(), withTools(), func(Delta) { t.Error("a call is not text") })
	if err != nil || res.Ending != EndComplete || res.Fault != "" || res.Content != "" {
		t.Errorf("%v, %+v", err, res)
	}
	want := []ToolCall{{Name: "modify_shot", Arguments: json.RawMessage(`{"shot":"s1","size":" remember after lamp"}`)}}
	if d := cmp.Diff(want, res.Calls); d != "" {
		t.Error(d)
	}
	// A call that the limit cuts is no call: the server gives its text as content.
	c = serve(t, replay(200, captured(t, "chat_tools_cut.ndjson")))
	if res, err = c.Chat(t.Context(), withTools(), nil); err != nil || res.Ending != EndLength || res.Calls != nil || !strings.Contains(res.Content, `"name"`) {
		t.Errorf("cut: %v, %+v", err, res)
	}
	c = serve(t, replay(http.StatusBadRequest, captured(t, "err_tools.json")))
	if _, err = c.Chat(t.Context(), withTools(), nil); !errors.Is(err, ErrRefused) || !strings.Contains(ErrorText(err), "does not support tools") {
		t.Errorf("refused: %v", err)
	}
}

func calling(calls ...string) string {
	for i, c := range calls {
		calls[i] = fmt.Sprintf(`{"function":{"name":"modify_shot","arguments":%s}}`, c)
	}
	return `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[` + strings.Join(calls, ",") + `]},"done":false}`
}

func TestTools_Endings(t *testing.T) {
	const done = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","eval_count":3}`
	text := `{"model":"m","message":{"role":"assistant","content":"I see."},"done":false}`
	long := `{"text":"` + strings.Repeat("x", maxArguments/2-100) + `"}`
	many := make([]string, maxToolCalls+1)
	for i := range many {
		many[i] = `{}`
	}
	for _, tt := range []struct {
		name   string
		lines  []string
		calls  int
		ending Ending
		fault  string
	}{
		{"several in several lines", []string{text, calling(`{"a":1}`, `{"b":2}`), text, calling(`{}`), done}, 3, EndComplete, ""},
		{"with the last line", []string{strings.Replace(calling(`{}`), `"done":false`, `"done":true,"done_reason":"stop"`, 1)}, 1, EndComplete, ""},
		{"without done", []string{calling(`{"a":1}`)}, 1, EndUnfinished, "before it was finished"},
		{"too many", []string{calling(many...), done}, maxToolCalls, EndLength, "more than 64 tools"},
		{"too long", []string{calling(long), calling(long), calling(long), done}, 2, EndLength, "more than 256 KiB"},
		{"after the end", []string{text, done, calling(`{}`)}, 0, EndComplete, ""},
		{"arguments that are none", []string{text, calling(`"a"`), done}, 0, EndError, "The text so far is kept"},
		{"no arguments", []string{calling(`null`), done}, 1, EndComplete, ""},
	} {
		c := serve(t, replay(200, []byte(strings.Join(tt.lines, "\n")+"\n")))
		res, err := c.Chat(t.Context(), withTools(), nil)
		if err != nil || len(res.Calls) != tt.calls || res.Ending != tt.ending || !strings.Contains(res.Fault, tt.fault) || tt.fault == "" && res.Fault != "" {
			t.Errorf("%s: %v, %d calls, %q: %s", tt.name, err, len(res.Calls), res.Ending, res.Fault)
		}
		for _, call := range res.Calls {
			var object map[string]any
			if err := json.Unmarshal(call.Arguments, &object); err != nil || object == nil {
				t.Errorf("%s: arguments %s: %v", tt.name, call.Arguments, err)
			}
		}
	}
}

func TestTools_Wire(t *testing.T) {
	var got struct {
		Tools    []any
		Messages []any
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		replay(200, captured(t, "chat_stream.ndjson"))(w, r)
	})
	req := withTools()
	req.Messages = append(req.Messages,
		Message{Role: "assistant", Calls: []ToolCall{{"confirm_shots", nil}, {"modify_shot", json.RawMessage(`{"shot":"s1"}`)}}},
		Message{Role: "tool", Content: "Done.", Tool: "confirm_shots"})
	if _, err := c.Chat(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	have, err := json.Marshal(map[string]any{"tools": got.Tools, "messages": got.Messages[1:]})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"messages":[` +
		`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":{},"index":0,"name":"confirm_shots"}},{"function":{"arguments":{"shot":"s1"},"index":1,"name":"modify_shot"}}]},` +
		`{"content":"Done.","role":"tool","tool_name":"confirm_shots"}],"tools":[` +
		`{"function":{"description":"Changes a shot.","name":"modify_shot","parameters":{"properties":{"shot":{"enum":["s1","s2"],"type":"string"},"size":{"type":"string"}},"required":["shot"],"type":"object"}},"type":"function"},` +
		`{"function":{"name":"confirm_shots","parameters":{"properties":{},"type":"object"}},"type":"function"}]}`
	if d := cmp.Diff(want, string(have)); d != "" {
		t.Error(d)
	}
	for _, bad := range []Request{
		{Tools: []Tool{{}}}, {Tools: []Tool{{Name: "x", Parameters: json.RawMessage(`{`)}}}, {Tools: []Tool{{Name: "x", Parameters: json.RawMessage(`[1]`)}}},
		{Messages: []Message{{Role: "assistant", Calls: []ToolCall{{"x", json.RawMessage(`7`)}}}}},
	} {
		req := request()
		req.Tools, req.Messages = bad.Tools, append(req.Messages, bad.Messages...)
		if _, err := c.Chat(t.Context(), req, nil); !errors.Is(err, ErrRefused) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// A random model calls nothing by itself. Bound to the form of a call it writes
// what the server reads as one.
func TestReal_Tools(t *testing.T) {
	c, model, _ := realServer(t)
	caller := os.Getenv("GHOSTLIGHT_TEST_TOOLS_MODEL")
	if caller == "" {
		t.Skip("NOT TESTED: GHOSTLIGHT_TEST_TOOLS_MODEL is not set")
	}
	if d, err := c.Show(t.Context(), caller); err != nil || !d.Has("tools") {
		t.Fatalf("%v, %+v", err, d)
	}
	req := realRequest(caller, 3)
	req.Tools = []Tool{shotTool, {Name: "confirm_shots"}}
	req.Format = json.RawMessage(`{"type":"object","required":["name","arguments"],"properties":{"name":{"type":"string","enum":["modify_shot"]},"arguments":` + string(shotTool.Parameters) + `}}`)
	req.Options.NumPredict = 1000
	res, err := c.Chat(t.Context(), req, nil)
	if err != nil || res.Ending != EndComplete || res.Fault != "" || len(res.Calls) != 1 || res.Calls[0].Name != "modify_shot" || !strings.Contains(string(res.Calls[0].Arguments), `"shot":`) {
		t.Fatalf("%v, %+v", err, res)
	}
	req.Messages = append(req.Messages, Message{Role: "assistant", Calls: res.Calls}, Message{Role: "tool", Content: "Done.", Tool: "modify_shot"})
	if res, err = c.Chat(t.Context(), req, nil); err != nil || len(res.Calls) != 1 {
		t.Errorf("with the call and its result in the prompt: %v, %+v", err, res)
	}
	if req.Model = model; model == "tiny" {
		if _, err = c.Chat(t.Context(), req, nil); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "does not support tools") {
			t.Errorf("a model without tools: %v", err)
		}
	}
}
