package demo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// captured reads the body of a real server's answer.
func captured(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "wire", name+".body.*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v %v", name, files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keys lists the paths of all keys of a JSON document with the types of their
// values; the names of model facts are left out, as they differ per model.
func keys(t *testing.T, text string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	found := map[string]bool{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, sub := range v {
				if strings.HasSuffix(path, ".model_info") {
					continue
				}
				walk(path+"."+k, sub)
			}
		case []any:
			for _, sub := range v {
				walk(path+"[]", sub)
			}
		default:
			found[path+" "+reflect.TypeOf(&v).Elem().String()+kindOf(v)] = true
		}
	}
	walk("", v)
	out := make([]string, 0, len(found))
	for k := range found {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	}
	return "null"
}

func lastLine(s string) string {
	all := strings.Split(strings.TrimSpace(s), "\n")
	return all[len(all)-1]
}

func firstLine(s string) string { line, _, _ := strings.Cut(s, "\n"); return line }

func whole(s string) string { return s }

func TestWire_Keys(t *testing.T) {
	const hello = `"messages":[{"role":"user","content":"Hello there"}]`
	h := open(t, Options{})
	for _, test := range []struct {
		capture, method, path, body string
		part                        func(string) string
	}{
		{"version", "GET", "/api/version", "", whole},
		{"tags", "GET", "/api/tags", "", whole},
		{"ps_empty", "GET", "/api/ps", "", whole},
		{"load_chat_empty_messages", "POST", "/api/chat", `{"model":"demo","messages":[]}`, whole},
		{"ps_loaded", "GET", "/api/ps", "", whole},
		{"show", "POST", "/api/show", `{"model":"demo"}`, whole},
		{"chat_nostream", "POST", "/api/chat", `{"model":"demo","stream":false,` + hello + `}`, whole},
		{"chat_stream", "POST", "/api/chat", `{"model":"demo",` + hello + `}`, firstLine},
		{"chat_stream", "POST", "/api/chat", `{"model":"demo",` + hello + `}`, lastLine},
		{"chat_length_stream", "POST", "/api/chat", `{"model":"demo",` + hello + `,"options":{"num_predict":5}}`, lastLine},
		{"think_stream", "POST", "/api/chat", `{"model":"demo-think",` + hello + `}`, firstLine},
		{"think_nostream", "POST", "/api/chat", `{"model":"demo-think","stream":false,` + hello + `}`, whole},
		{"unload_chat", "POST", "/api/chat", `{"model":"demo","messages":[],"keep_alive":0}`, whole},
	} {
		got := ask(t, h, test.method, test.path, test.body)
		want, have := keys(t, test.part(captured(t, test.capture))), keys(t, test.part(got.body))
		if !slices.Equal(want, have) {
			t.Errorf("%s:\nreal      %v\ndemo %v", test.capture, want, have)
		}
	}
}

// TestWire_Errors repeats the requests of captured errors and wants the very
// same status and words.
func TestWire_Errors(t *testing.T) {
	h := open(t, Options{})
	for _, name := range []string{
		"err_missing_model_chat", "err_bad_json", "err_empty_body", "err_no_model", "err_bad_model_name", "err_bad_type",
		"err_option_type", "err_option_type_int", "err_think", "err_format_string", "err_format_bad_schema",
		"err_format_bad_pattern", "err_format_bad_ref", "err_keep_alive", "show_missing", "err_404_path", "err_405", "err_delete_missing",
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "wire", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var recorded struct {
			Request struct {
				Method, Path string
				Body         json.RawMessage
			}
			Status  int
			Headers map[string]string
		}
		if err := json.Unmarshal(data, &recorded); err != nil {
			t.Fatal(err)
		}
		body := string(recorded.Request.Body)
		var broken struct {
			Raw *string `json:"_raw"`
		}
		if json.Unmarshal(recorded.Request.Body, &broken) == nil && broken.Raw != nil {
			body = *broken.Raw
		}
		if body == "null" {
			body = ""
		}
		real := strings.NewReplacer(`"tiny"`, `"demo"`, `\"tiny\"`, `\"demo\"`)
		got := ask(t, h, recorded.Request.Method, recorded.Request.Path, real.Replace(body))
		if want := real.Replace(captured(t, name)); got.status != recorded.Status || got.body != want {
			t.Errorf("%s:\nreal      %d %s\ndemo %d %s", name, recorded.Status, want, got.status, got.body)
		}
	}
}

func TestWire_Tools(t *testing.T) {
	var request struct {
		Request struct{ Body json.RawMessage }
	}
	data, err := os.ReadFile(filepath.Join("testdata", "wire", "err_tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &request); err != nil {
		t.Fatal(err)
	}
	call := Fault{Kind: Say, Calls: []storage.ToolCall{{Tool: "f", Params: json.RawMessage(`{"shot":"s1","size":"wide"}`)}}}
	h := open(t, Options{Fault: func(Call) Fault { return call }})
	ours := strings.NewReplacer("HOST.ELIDED", "registry.ollama.ai", "tiny", "demo-think")
	got := ask(t, h, "POST", "/api/chat", ours.Replace(string(request.Request.Body)))
	if want := ours.Replace(captured(t, "err_tools")); got.status != 400 || got.body != want {
		t.Errorf("real %s\ndemo %d %s", want, got.status, got.body)
	}
	body := strings.Replace(string(request.Request.Body), "tiny", "demo", 1)
	for capture, got := range map[string]string{
		"chat_tools_stream":   firstLine(ask(t, h, "POST", "/api/chat", body).body),
		"chat_tools_nostream": ask(t, h, "POST", "/api/chat", strings.Replace(body, "{", `{"stream":false,`, 1)).body,
	} {
		if want, have := keys(t, firstLine(captured(t, capture))), keys(t, got); !slices.Equal(want, have) {
			t.Errorf("%s:\nreal      %v\ndemo %v", capture, want, have)
		}
	}
	call.Text = "I see."
	if got := ask(t, h, "POST", "/api/chat", body).body; strings.Count(got, "tool_calls") != 1 || !strings.Contains(got, `"I"`) || !strings.HasSuffix(strings.TrimSpace(got), "}") {
		t.Errorf("text and a call: %s", got)
	}
	limited := strings.Replace(body, "{", `{"options":{"num_predict":5},`, 1)
	if got := ask(t, h, "POST", "/api/chat", limited).body; strings.Contains(got, "tool_calls") || !strings.Contains(got, `"length"`) {
		t.Errorf("a call that is cut: %s", got)
	}
}

func TestWire_RepeatAbortWithoutStream(t *testing.T) {
	h := open(t, Options{Fault: func(Call) Fault { return Fault{Kind: RepeatAbort} }})
	got := ask(t, h, "POST", "/api/chat", `{"model":"demo","stream":false,"messages":[{"role":"user","content":"hi"}]}`)
	if want, have := keys(t, captured(t, "chat_format_repeat_abort_nostream")), keys(t, got.body); got.status != 200 || !slices.Equal(want, have) {
		t.Errorf("real %v\ndemo %v", want, have)
	}
}

func TestWire_RunnerKilledWithoutStream(t *testing.T) {
	h := open(t, Options{Fault: func(Call) Fault { return Fault{Kind: ErrorLine, After: 3} }})
	got := ask(t, h, "POST", "/api/chat", `{"model":"demo","stream":false,"messages":[{"role":"user","content":"hi"}]}`)
	if want := captured(t, "chat_nostream_runner_killed"); got.status != 500 || got.body != want {
		t.Errorf("real %s\ndemo %d %s", want, got.status, got.body)
	}
}
