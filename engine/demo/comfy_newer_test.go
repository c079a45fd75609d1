package demo

import (
	"encoding/json"
	"strings"
	"testing"
)

// refusal is the part of a refused graph's answer that is checked here.
type refusal struct {
	Error struct{ Type, Message, Details string }
	Nodes map[string]struct {
		Errors []struct{ Type, Details string }
	} `json:"node_errors"`
}

// Newer servers have error types of their own for faults that older ones accepted or hid. The
// captures end with version 0.10, so that only the types are what a real server says.
func TestComfy_NewerErrors(t *testing.T) {
	t.Parallel()
	_, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	_, old := comfyServer(t, ComfyOptions{StepDelay: -1, Old: true})
	graph := func(edit func(nodes map[string]map[string]any)) string {
		nodes := map[string]map[string]any{
			"1": {"class_type": "EmptyImage", "inputs": map[string]any{"width": 16, "height": 16, "batch_size": 1, "color": 1}},
			"2": {"class_type": "ImageInvert", "inputs": map[string]any{"image": []any{"1", 0}}},
			"3": {"class_type": "SaveImage", "inputs": map[string]any{"images": []any{"2", 0}, "filename_prefix": "x"}},
		}
		edit(nodes)
		body, err := json.Marshal(map[string]any{"prompt": nodes})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	seed := func(n string) string {
		return strings.Replace(strings.Replace(comfyTestGraph, `"seed":7`, `"seed":`+n, 1), `"prompt_id":"00000000-0000-4000-8000-000000000001",`, "", 1)
	}
	for _, c := range []struct {
		name, body       string
		typ, node, fault string
		details          string
		olds             int // status of the old server
	}{
		{"an id that is none", strings.Replace(comfyTestGraph, "00000000-0000-4000-8000-000000000001", "not-a-uuid", 1), "invalid_prompt_id", "", "", "", 200},
		{"an id in capitals", strings.Replace(comfyTestGraph, "00000000-0000-4000-8000-000000000001", "ABCDEF00-0000-4000-8000-000000000001", 1), "invalid_prompt_id", "", "", "", 200},
		{"a node that is not there", graph(func(n map[string]map[string]any) { n["2"]["class_type"] = "FaceDetailer" }), "missing_node_type", "", "", "", 400},
		{"a circle", graph(func(n map[string]map[string]any) { n["2"]["inputs"] = map[string]any{"image": []any{"2", 0}} }),
			"prompt_outputs_failed_validation", "2", "dependency_cycle", "2 -> 2", 400},
		{"an end that hangs loose further up", graph(func(n map[string]map[string]any) { n["2"]["inputs"] = map[string]any{"image": []any{"99", 0}} }),
			"prompt_outputs_failed_validation", "3", "exception_during_inner_validation", "'99'", 400},
		{"one at the output", graph(func(n map[string]map[string]any) { n["3"]["inputs"].(map[string]any)["images"] = []any{"99", 0} }),
			"prompt_outputs_failed_validation", "3", "exception_during_validation", "'99'", 400},
		{"the largest seed", seed("18446744073709551615"), "", "", "", "", 200},
		{"a larger one", seed("18446744073709551616"), "prompt_outputs_failed_validation", "3", "value_bigger_than_max", "seed", 400},
	} {
		status, text := comfyCall(t, "POST", url+"/prompt", c.body)
		var got refusal
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v in %s", c.name, err, text)
		}
		if want := map[bool]int{true: 200, false: 400}[c.typ == ""]; status != want || got.Error.Type != c.typ {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
		if list := got.Nodes[c.node].Errors; c.node != "" && (len(list) != 1 || list[0].Type != c.fault || list[0].Details != c.details) {
			t.Errorf("%s: node %s has %+v", c.name, c.node, list)
		}
		if status, text := comfyCall(t, "POST", old+"/prompt", c.body); status != c.olds || strings.Contains(text, "dependency_cycle") || strings.Contains(text, "missing_node_type") {
			t.Errorf("%s: the old one answers %d %s", c.name, status, text)
		}
	}
}

// What a node has made is remembered over jobs between, and also where a later node has
// failed.
func TestComfy_RemembersOverJobs(t *testing.T) {
	t.Parallel()
	c, url := comfyServer(t, ComfyOptions{StepDelay: -1})
	cached := func(prefix string, color int) int {
		t.Helper()
		body, err := json.Marshal(map[string]any{"prompt": map[string]any{
			"1": map[string]any{"class_type": "EmptyImage", "inputs": map[string]any{"width": 16, "height": 16, "batch_size": 1, "color": color}},
			"2": map[string]any{"class_type": "SaveImage", "inputs": map[string]any{"images": []any{"1", 0}, "filename_prefix": prefix}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, text := comfyCall(t, "POST", url+"/prompt", string(body))
		var job struct {
			ID string `json:"prompt_id"`
		}
		if err := json.Unmarshal([]byte(text), &job); err != nil || job.ID == "" {
			t.Fatalf("%v in %s", err, text)
		}
		for {
			_, text := comfyCall(t, "GET", url+"/history/"+job.ID, "")
			var all map[string]struct {
				Status struct{ Messages [][]any }
			}
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			if e, ok := all[job.ID]; ok {
				return len(e.Status.Messages[1][1].(map[string]any)["nodes"].([]any))
			}
		}
	}
	for i, want := range []struct {
		prefix string
		color  int
		cached int
	}{{"a", 1, 0}, {"b", 2, 0}, {"a", 1, 2}, {"c", 1, 1}} {
		if got := cached(want.prefix, want.color); got != want.cached {
			t.Errorf("job %d: %d nodes are cached, want %d", i, got, want.cached)
		}
	}
	c.happens(ComfyRestart)
	if got := cached("a", 1); got != 0 {
		t.Errorf("after a restart %d nodes are cached", got)
	}
}
