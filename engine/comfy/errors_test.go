package comfy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func errorsIs(err, target error) bool { return errors.Is(err, target) }

// answering returns a client of a server that gives the same answer to everything.
func answering(t *testing.T, status int, ctype, body string) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", ctype)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, WithPoll(10*time.Millisecond), WithMaxAway(30*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestRefusals_InWords(t *testing.T) {
	for name, want := range map[string][]string{
		"err_bad_int":                 {`the placeholder %width% was not replaced in "width" of EmptyImage (node 1)`},
		"err_bad_link":                {`the connection to "images" of SaveImage (node 2) is broken`},
		"err_dangling_link":           {"SaveImage (node 2) is connected to node 99, which is not in the workflow"},
		"err_empty_prompt":            {"no node that saves or previews a result"},
		"err_load_image_missing":      {`the picture "nofile.png" that LoadImage (node 1) loads is not on the server`},
		"err_missing_checkpoint_only": {`The checkpoint "nope.safetensors" that CheckpointLoaderSimple (node 4) needs is not on the server; it has none.`},
		"err_missing_class_type":      {"missing the class_type property", "#1"},
		"err_missing_input":           {`EmptyImage (node 1) has no value for "batch_size"`, `SaveImage (node 2) has no value for "filename_prefix"`},
		"err_no_outputs":              {"no node that saves or previews a result"},
		"err_no_prompt":               {"it is empty"},
		"err_node_without_inputs":     {"SaveImage (node 1) has no inputs at all"},
		"err_out_of_range":            {`"height" of EmptyImage (node 1) is out of range: value 99999 bigger than max of 16384`, "Value 0 smaller", `"width"`},
		"err_seed_minus1":             {`"seed" of KSampler (node 3) is out of range: value -1 smaller than min of 0`},
		"err_type_mismatch":           {`connected to "images" of SaveImage (node 2)`, "LATENT"},
		"err_ui_format":               {"not in API format"},
		"err_ui_format_nodes_first":   {"missing the class_type property"},
		"err_unknown_node":            {"does not know the node NoSuchNode (node 1): a custom node is missing"},
		"ok_cycle":                    {"without naming a node"},
	} {
		for _, version := range []string{"", "v0.3.64/"} {
			t.Run(version+name, func(t *testing.T) {
				rec := readCapture(t, version+name+".json")
				var req struct{ Prompt json.RawMessage }
				if err := json.Unmarshal(rec.Request, &req); err != nil {
					t.Fatal(err)
				}
				body, ctype := string(rec.Response), "application/json; charset=utf-8"
				if rec.Status == 500 {
					ctype = "text/plain; charset=utf-8"
					if err := json.Unmarshal(rec.Response, &body); err != nil {
						t.Fatal(err)
					}
				}
				c := answering(t, rec.Status, ctype, body)
				_, _, err := c.submit(t.Context(), Job{Graph: req.Prompt}, "me")
				var rejected *RejectedError
				if !errors.As(err, &rejected) || !errors.Is(err, ErrRejected) || rejected.Status != rec.Status {
					t.Fatalf("got %v", err)
				}
				words := ErrorText(fmt.Errorf("comfy run: %w", err))
				for _, w := range want {
					if !strings.Contains(strings.ToLower(words), strings.ToLower(w)) {
						t.Errorf("words: %s\nwant in them: %s", words, w)
					}
				}
			})
		}
	}
}

func TestRefusals_TakenAllTheSame(t *testing.T) {
	for name, want := range map[string]string{
		"err_missing_checkpoint": `skipped part of the workflow: the checkpoint "nope.safetensors"`,
		"err_prompt_id_bad":      "", "ok_numeric_string_int": "",
	} {
		for _, version := range []string{"", "v0.3.64/"} {
			rec := readCapture(t, version+name+".json")
			id, warnings, err := answering(t, 200, "application/json", string(rec.Response)).submit(t.Context(), Job{}, "me")
			got := strings.Join(warnings, "|")
			if err != nil || id == "" || !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s%s: %q %q %v", version, name, id, got, err)
			}
		}
	}
}

func TestRefusals_NamesTitlesAndChoices(t *testing.T) {
	body := `{"error":{"type":"prompt_outputs_failed_validation","message":"Prompt outputs failed validation","details":"","extra_info":{}},"node_errors":{"4":{"errors":[
		{"type":"value_not_in_list","message":"Value not in list","details":"ckpt_name: 'x.safetensors' not in ['a.ckpt', 'b.ckpt']",
		 "extra_info":{"input_name":"ckpt_name","input_config":["COMBO",{"options":["a.ckpt","b.ckpt"]}],"received_value":"x.safetensors"}}],"dependent_outputs":["7"],"class_type":"CheckpointLoaderSimple"},
		"10":{"errors":[{"type":"value_not_in_list","message":"Value not in list","details":"lora_name: 'y' not in (list of length 33)",
		 "extra_info":{"input_name":"lora_name","input_config":null,"received_value":"y"}}],"class_type":"LoraLoader"}}}`
	graph := `{"4":{"class_type":"CheckpointLoaderSimple","inputs":{},"_meta":{"title":"The Painter"}},"10":{"class_type":"LoraLoader","inputs":{}}}`
	_, _, err := answering(t, 400, "application/json", body).submit(t.Context(), Job{Graph: json.RawMessage(graph)}, "me")
	want := `ComfyUI refused the workflow. The checkpoint "x.safetensors" that "The Painter" (CheckpointLoaderSimple, node 4) needs is not on the server; it has: a.ckpt, b.ckpt. ` +
		`The LoRA "y" that LoraLoader (node 10) needs is not on the server; it has 33 others.`
	if got := ErrorText(err); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnswers_OfOtherServers(t *testing.T) {
	graph := json.RawMessage(`{"1":{"class_type":"SaveImage","inputs":{}}}`)
	for _, tt := range []struct {
		status      int
		ctype, body string
		is          error
	}{
		{200, "text/html", "<!DOCTYPE html><h1>Router</h1>", ErrNotComfy},
		{404, "text/plain", "404 page not found", ErrNotComfy},
		{401, "text/html", "<html>log in</html>", ErrDenied},
		{401, "application/json", `{"error":"unauthorized"}`, ErrDenied},
		{403, "application/json", `{"error":{"type":"forbidden","message":"no"}}`, ErrDenied},
		{302, "text/html", "", ErrNotComfy},
		{502, "text/html", "<html>bad gateway</html>", ErrUnreachable},
		{200, "application/json", `{"models":[]}`, ErrNotComfy},
		{200, "application/json", `[]`, ErrNotComfy},
		{200, "application/json", ``, ErrNotComfy},
		{200, "application/json", "{\"prompt_id\":7}", ErrNotComfy},
		{200, "application/json", strings.Repeat(" ", maxSmall+1), nil},
	} {
		c := answering(t, tt.status, tt.ctype, tt.body)
		if _, err := c.Stats(t.Context()); err == nil || (tt.is != nil && !errors.Is(err, tt.is)) {
			t.Errorf("%d %q: stats gives %v, want %v", tt.status, clip(tt.body, 30), err, tt.is)
		}
		if _, err := c.Run(t.Context(), Job{Graph: graph}, nil); err == nil || (tt.is != nil && !errors.Is(err, tt.is)) {
			t.Errorf("%d %q: run gives %v, want %v", tt.status, clip(tt.body, 30), err, tt.is)
		} else if w := ErrorText(err); len(w) < 20 || strings.Contains(w, "comfy run") {
			t.Errorf("words: %q", w)
		}
	}
}

func TestUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), Job{Graph: json.RawMessage(`{"1":{"class_type":"SaveImage","inputs":{}}}`)}, nil)
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(ErrorText(err), "Check that ComfyUI is running") {
		t.Errorf("%v: %s", err, ErrorText(err))
	}
}

func TestNew_Addresses(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:8188": "http://127.0.0.1:8188", "http://x:1/": "http://x:1", "https://x/comfy/": "https://x/comfy", " x ": "http://x",
		"ftp://x": "", "http://": "", "": "", "http://%zz": "",
	} {
		c, err := New(in)
		if (err != nil) != (want == "") || (err == nil && c.BaseURL() != want) {
			t.Errorf("New(%q): %v", in, err)
		}
	}
}

func TestWords_Rest(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{fmt.Errorf("comfy run: %w", context.Canceled), "Cancelled."},
		{fmt.Errorf("comfy run: %w", ErrTimeout), "made no progress for too long"},
		{ErrJobGone, "restarted"},
		{&EditorFormatError{Name: "x"}, "Export (API)"},
		{&RunError{Node: "3:1", Class: "KSampler"}, "no reason given"},
		{&RunError{Node: "3", Type: "RuntimeError", Message: "CUDA error: out of memory"}, "ran out of memory in node 3"},
		{&RejectedError{Message: "é"}, "ComfyUI refused the workflow: é"},
		{errors.New("odd"), "Odd."},
	} {
		if got := ErrorText(tt.err); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("ErrorText(%v) = %q, want %q", tt.err, got, tt.want)
		}
	}
}

// Errors that newer servers have; of these there is no captured traffic, so only
// the fields are used that all errors have.
func TestRefusals_OfNewerServers(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`{"error":{"type":"missing_node_type","message":"Node 'Sharpen' not found.","details":"Node ID '#5'","extra_info":{}},"node_errors":{}}`, `does not know the node "Sharp" (Sharpen, node 5)`},
		{`{"error":{"type":"invalid_prompt_id","message":"x","details":"","extra_info":{}},"node_errors":{}}`, "refused the id of the job"},
		{`{"error":{"type":"dependency_cycle","message":"x","details":"Nodes 1, 2","extra_info":{}},"node_errors":{}}`, "form a loop"},
		{`{"error":{"type":"prompt_outputs_failed_validation","message":"x","details":"","extra_info":{}},"node_errors":{"5":{"errors":[{"type":"exception_during_inner_validation","message":"x","details":"'99'","extra_info":{"input_name":"image"}}],"class_type":"Sharpen"}}}`,
			`What is connected to "image" of "Sharp" (Sharpen, node 5) leads to node 99, which is not in the workflow.`},
	} {
		c := answering(t, 400, "application/json", tt.body)
		_, _, err := c.submit(t.Context(), Job{Graph: json.RawMessage(`{"5":{"class_type":"Sharpen","inputs":{},"_meta":{"title":"Sharp"}}}`)}, "me")
		if words := ErrorText(err); !strings.Contains(words, tt.want) || !errors.Is(err, ErrRejected) {
			t.Errorf("%s\nis %s\nnot %s", tt.body, words, tt.want)
		}
	}
}
