package comfy

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(t testing.TB, graph string) Workflow {
	t.Helper()
	w, err := ReadWorkflow("flow", []byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const linkedGraph = `{
"3":{"class_type":"KSampler","inputs":{"seed":5,"steps":20,"cfg":7.5,"sampler_name":"euler","scheduler":"normal","positive":["6",0],"negative":["7",0],"latent_image":["5",0],"model":["4",0]}},
"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"a.safetensors"},"_meta":{"title":"Load"}},
"5":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":768,"batch_size":1}},
"6":{"class_type":"CLIPTextEncode","inputs":{"text":"a lamp","clip":["4",1]},"_meta":{"title":"Positive"}},
"7":{"class_type":"CLIPTextEncode","inputs":{"text":"blurry","clip":["4",1]}},
"9":{"class_type":"SaveImage","inputs":{"images":["3",0],"filename_prefix":"x %prompt%"}}}`

// twoTexts cannot be used as it is: the prompt is put together from two texts.
const twoTexts = `{
"1":{"class_type":"KSampler","inputs":{"seed":5,"positive":["2",0],"negative":["5",0],"latent_image":["6",0]}},
"2":{"class_type":"ConditioningCombine","inputs":{"conditioning_1":["3",0],"conditioning_2":["4",0]}},
"3":{"class_type":"CLIPTextEncode","inputs":{"text":"who"}},
"4":{"class_type":"CLIPTextEncode","inputs":{"text":"where"}},
"5":{"class_type":"CLIPTextEncode","inputs":{"text":"bad"}},
"6":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":96,"batch_size":1}}}`

func TestMap_IsWhatWasFound(t *testing.T) {
	for _, tt := range []struct {
		name, graph string
		want        Map
	}{
		{"links", linkedGraph, Map{"prompt": {{"6", "text"}}, "negative": {{"7", "text"}}, "seed": {{"3", "seed"}}, "width": {{"5", "width"}}, "height": {{"5", "height"}}}},
		{"placeholders", `{"1":{"class_type":"E","inputs":{"text":"{{trigger}}, %prompt%, %prompt%"}},"2":{"class_type":"S","inputs":{"seed":7,"steps":"%steps%","d":"%denoise%"}}}`,
			Map{"prompt": {{"1", "text"}}, "trigger": {{"1", "text"}}, "seed": {{"2", "seed"}}, "steps": {{"2", "steps"}}, "denoise": {{"2", "d"}}}},
		{"unclear", twoTexts, Map{"seed": {{"1", "seed"}}, "width": {{"6", "width"}}, "height": {{"6", "height"}}}},
	} {
		if diff := cmp.Diff(tt.want, read(t, tt.graph).Map()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestWithMap(t *testing.T) {
	w := read(t, linkedGraph)
	told, err := w.WithMap(Map{"prompt": {{"7", "text"}}, "negative": {{"6", "text"}}, "seed": {{"3", "seed"}, {"3", "seed"}}, "steps": {{"3", "steps"}}, "checkpoint": {{"4", "ckpt_name"}}})
	if err != nil {
		t.Fatal(err)
	}
	if w.Inspect().Summary != "links" || !w.Inspect().NeedsConfirm() || told.Inspect().Summary != "map" || told.Inspect().NeedsConfirm() || told.Hash() != w.Hash() {
		t.Errorf("%+v and %+v", w.Inspect(), told.Inspect())
	}
	fill := func(w Workflow, v Values) map[string]map[string]any {
		t.Helper()
		data, err := w.Fill(v)
		if err != nil {
			t.Fatal(err)
		}
		var nodes map[string]struct{ Inputs map[string]any }
		if err := json.Unmarshal(data, &nodes); err != nil {
			t.Fatal(err)
		}
		out := map[string]map[string]any{}
		for id, n := range nodes {
			out[id] = n.Inputs
		}
		return out
	}
	got := fill(told, Values{Prompt: "P", Negative: "N", Seed: 77, Width: 64, Height: 64, Steps: 9, Checkpoint: "b.ckpt"})
	if got["7"]["text"] != "P" || got["6"]["text"] != "N" || got["3"]["seed"] != 77.0 || got["3"]["steps"] != 9.0 || got["4"]["ckpt_name"] != "b.ckpt" || got["5"]["width"] != 512.0 {
		t.Errorf("filled: %v", got)
	}
	got = fill(told, Values{Prompt: "P", Seed: 1})
	if got["3"]["steps"] != 20.0 || got["4"]["ckpt_name"] != "a.safetensors" || got["6"]["text"] != "" {
		t.Errorf("what is left open is changed: %v", got)
	}
	unclear := read(t, twoTexts)
	if unclear.Check() == nil {
		t.Fatal("two texts are clear")
	}
	m := unclear.Map()
	m["prompt"] = []NodeInput{{"4", "text"}}
	if unclear, err = unclear.WithMap(m); err != nil || unclear.Check() != nil {
		t.Fatalf("%v, %v", err, unclear.Check())
	}
	if got := fill(unclear, Values{Prompt: "P", Seed: 3, Width: 8, Height: 9}); got["4"]["text"] != "P" || got["3"]["text"] != "who" || got["6"]["height"] != 9.0 || got["1"]["seed"] != 3.0 {
		t.Errorf("filled: %v", got)
	}
	mixed, err := read(t, `{"1":{"class_type":"E","inputs":{"text":"by day, %prompt%","more":"plain"}},"2":{"class_type":"S","inputs":{"seed":"%seed%"}}}`).WithMap(Map{
		"prompt": {{"1", "text"}, {"1", "more"}}, "seed": {{"2", "seed"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fill(mixed, Values{Prompt: "P", Seed: 3}); got["1"]["text"] != "by day, P" || got["1"]["more"] != "P" || got["2"]["seed"] != 3.0 {
		t.Errorf("a placeholder loses what is around it: %v", got)
	}
}

func TestWithMap_Refuses(t *testing.T) {
	w := read(t, linkedGraph)
	for _, tt := range []struct {
		m     Map
		words string
	}{
		{nil, "the prompt is not mapped to an input"},
		{Map{"prompt": {}}, "is not mapped"},
		{Map{"prompt": {{"66", "text"}}}, "there is no such node"},
		{Map{"prompt": {{"6", "txt"}}}, "no such input"},
		{Map{"prompt": {{"6", "clip"}}}, `comes from "Load"`},
		{Map{"prompt": {{"3", "seed"}}}, "it takes a number"},
		{Map{"prompt": {{"9", "filename_prefix"}}}, "it takes a file name"},
		{Map{"prompt": {{"6", "text"}}, "seed": {{"7", "text"}}}, "it takes a text"},
		{Map{"prompt": {{"6", "text"}}, "negative": {{"6", "text"}}}, "cannot take both"},
		{Map{"prompt": {{"6", "text"}}, "soul": {{"7", "text"}}}, `unknown value "soul"`},
		{Map{"prompt": slices.Repeat([]NodeInput{{"6", "text"}}, 200)}, "more than 100"},
	} {
		_, err := w.WithMap(tt.m)
		var fault *WorkflowError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.words) {
			t.Errorf("%v: %v, want %q", tt.m, err, tt.words)
		}
	}
}

func TestCandidates(t *testing.T) {
	got := map[string]string{}
	var order []string
	for _, c := range read(t, linkedGraph).Candidates() {
		got[c.Node+"."+c.Input] = strings.Join(c.Takes, " ")
		order = append(order, c.Node+"."+c.Input)
		if c.Label == "" || c.Class == "" || c.Value == "" {
			t.Errorf("%+v", c)
		}
	}
	want := map[string]string{
		"6.text": "prompt negative trigger", "7.text": "prompt negative trigger", "3.seed": "seed", "3.steps": "steps", "3.cfg": "scale", "3.sampler_name": "sampler",
		"3.scheduler": "scheduler", "4.ckpt_name": "checkpoint", "5.width": "width", "5.height": "height",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if order[0] != "6.text" || order[1] != "7.text" {
		t.Errorf("texts do not come first: %v", order)
	}
	odd := read(t, `{"1":{"class_type":"W","inputs":{"wildcard_text":"","populated":3,"negative_prompt":"n","k":"%prompt%","value":3,"noise_seed":1,"flag":true}}}`).Candidates()
	var spots []string
	for _, c := range odd {
		spots = append(spots, c.Input+"="+c.Takes[0])
	}
	if diff := cmp.Diff([]string{"k=prompt", "negative_prompt=negative", "wildcard_text=prompt", "noise_seed=seed", "value=seed"}, spots); diff != "" {
		t.Error(diff)
	}
}

func TestHash_ChangesWithTheGraph(t *testing.T) {
	w := read(t, linkedGraph)
	var tree any
	if err := json.Unmarshal([]byte(linkedGraph), &tree); err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(map[string]any{"prompt": tree}, "", "   ")
	if err != nil {
		t.Fatal(err)
	}
	if read(t, string(pretty)).Hash() != w.Hash() || len(w.Hash()) != 64 {
		t.Error("the way it is written counts")
	}
	if read(t, strings.Replace(linkedGraph, "a lamp", "a lamq", 1)).Hash() == w.Hash() {
		t.Error("the graph does not count")
	}
}

// Every convention of placeholders that is in use, one by one.
func TestPlaceholders_OfOthers(t *testing.T) {
	v := Values{Prompt: `say "hi" \ 50%`, Negative: "", Seed: 9007199254740993, Width: 640, Height: 960, Trigger: "zzk", Checkpoint: "c.safetensors", TextEncoder: "t5.safetensors",
		VAE: "v.safetensors", Steps: 31, Scale: 4.5, Sampler: "heun", Scheduler: "karras"}
	for _, tt := range []struct{ put, want string }{
		{`"%prompt%"`, `"say \"hi\" \\ 50%"`}, {`"%negative_prompt%"`, `""`}, {`"%seed%"`, `9007199254740993`}, {`"%model%"`, `"c.safetensors"`}, {`"%vae%"`, `"v.safetensors"`},
		{`"%sampler%"`, `"heun"`}, {`"%scheduler%"`, `"karras"`}, {`"%steps%"`, `31`}, {`"%scale%"`, `4.5`}, {`"%denoise%"`, `1`}, {`"%width%"`, `640`}, {`"%height%"`, `960`}, {`"%clip_skip%"`, `-1`},
		{`"__CHORUS_PROMPT__"`, `"say \"hi\" \\ 50%"`}, {`"__CHORUS_NEGATIVE__"`, `""`}, {`"__CHORUS_SEED__"`, `9007199254740993`},
		{`"a __CHORUS_PROMPT__, b"`, `"a say \"hi\" \\ 50%, b"`}, {`"no __CHORUS_NEGATIVE__."`, `"no ."`}, {`"seed __CHORUS_SEED__"`, `"seed 9007199254740993"`},
		{`"{{prompt}}"`, `"say \"hi\" \\ 50%"`}, {`"{{ negative_prompt }}"`, `""`}, {`"{{seed}}"`, `9007199254740993`}, {`"{{trigger}}, x"`, `"zzk, x"`}, {`"{{checkpoint}}"`, `"c.safetensors"`},
		{`"{{text_encoder}}"`, `"t5.safetensors"`}, {`"%prompt% and %prompt%"`, `"say \"hi\" \\ 50% and say \"hi\" \\ 50%"`}, {`["%seed%",{"x":"%width%"}]`, `[9007199254740993,{"x":640}]`},
		{`"100%"`, `"100%"`}, {`"%unknown%"`, `"%unknown%"`}, {`"%date:yyyy-MM-dd%"`, `"%date:yyyy-MM-dd%"`},
	} {
		for _, wrap := range []string{`%s`, `{"prompt":%s}`, `{"prompt":%s,"client_id":"me","extra_data":{}}`} {
			graph := `{"1":{"class_type":"E","inputs":{"text":"{{prompt}}"}},"2":{"class_type":"X","inputs":{"in":` + tt.put + `}}}`
			w := read(t, strings.Replace(wrap, "%s", graph, 1))
			data, err := w.Fill(v)
			if err != nil {
				t.Errorf("%s: %v", tt.put, err)
				continue
			}
			var out map[string]struct{ Inputs map[string]json.RawMessage }
			if err := json.Unmarshal(data, &out); err != nil {
				t.Fatal(err)
			}
			if got := string(out["2"].Inputs["in"]); got != tt.want {
				t.Errorf("%s becomes %s, want %s", tt.put, got, tt.want)
			}
		}
	}
}

func FuzzWithMap(f *testing.F) {
	for _, graph := range []string{linkedGraph, twoTexts, `{"1":{"class_type":"E","inputs":{"text":"%prompt% {{seed}}"}}}`, `{"prompt":{"1":{"class_type":"E"}}}`} {
		f.Add([]byte(graph), "prompt", "6", "text", "P {{seed}} %prompt%")
		f.Add([]byte(graph), "seed", "3", "seed", "")
	}
	files, err := filepath.Glob("workflows/*.json")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, "width", "5", "width", "x")
	}
	f.Fuzz(func(t *testing.T, data []byte, name, node, input, prompt string) {
		if len(data) > 1000 {
			return // large ones only take long to be made small
		}
		w, err := ReadWorkflow("fuzz", data)
		if err != nil {
			return
		}
		before := w.Hash()
		m := w.Map()
		m[name] = append(m[name], NodeInput{node, input})
		told, err := w.WithMap(m)
		if err != nil {
			return
		}
		if err := told.Check(); err != nil {
			t.Fatalf("a map was taken that does not do: %v", err)
		}
		if diff := cmp.Diff(told.Map(), read(t, string(data)).mustMap(t, told.Map()).Map()); diff != "" {
			t.Fatalf("a map does not come back: %s", diff)
		}
		out, err := told.Fill(Values{Prompt: prompt, Seed: 4, Width: 8, Height: 8, Checkpoint: "c", TextEncoder: "t", VAE: "v"})
		if err != nil {
			var fault *WorkflowError
			if !errors.As(err, &fault) {
				t.Fatal(err)
			}
			return
		}
		if _, err := ReadWorkflow("filled", out); err != nil {
			t.Fatalf("what is filled cannot be read: %v", err)
		}
		if w.Hash() != before {
			t.Fatal("filling changes the workflow")
		}
	})
}

func (w Workflow) mustMap(t *testing.T, m Map) Workflow {
	t.Helper()
	out, err := w.WithMap(m)
	if err != nil {
		t.Fatalf("a map is refused that was taken: %v", err)
	}
	return out
}
