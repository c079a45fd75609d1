package comfy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func readRaw(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestReadWorkflow_Faults(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{"", "the file is empty"},
		{"\xff", "line 1, column 1: this is not UTF-8"},
		{"[1]", "not a JSON object"},
		{"{}", "has no nodes"},
		{"{\n \"a\": %seed%}", "line 2, column 7: this is not JSON: a placeholder must stand in quotation marks"},
		{"{\n \"a\": {},\n \"a\": {}}", `line 3, column 5: the name "a" occurs twice`},
		{`{"é":}`, "line 1, column 6"},
		{`{"a":{`, "ends in the middle"},
		{`{"a":1} {`, "more after the end"},
		{`{"a":1}`, `"a" is not a node`},
		{`{"a":{}}`, `node "a" has no class_type`},
		{`{"a":{"class_type":"X","inputs":[]}}`, "are not an object"},
		{strings.Repeat("[", 100), "nests deeper than 64"},
		{strings.Repeat(" ", maxGraph+1), "larger than 4 MB"},
		{`{"nodes":[],"links":[]}`, "editor's own format"},
		{`{"last_node_id":3,"nodes":[{"id":1}],"version":0.4}`, "Export (API)"},
		{`{"prompt":{"nodes":[],"links":[]}}`, "editor's own format"},
	} {
		_, err := ReadWorkflow("my.json", []byte(tt.data))
		var editor *EditorFormatError
		var fault *WorkflowError
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "my.json") || !(errors.As(err, &editor) || errors.As(err, &fault)) {
			t.Errorf("%.40q: %v, want %q", tt.data, err, tt.want)
		}
	}
	for _, name := range []string{"err_ui_format.json", "err_ui_format_nodes_first.json"} {
		var editor *EditorFormatError
		var rec struct {
			Request struct{ Prompt json.RawMessage }
		}
		if err := json.Unmarshal([]byte(readRaw(t, name)), &rec); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadWorkflow("ui", rec.Request.Prompt); !errors.As(err, &editor) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fill reads, fills and reads again, so that inputs can be looked at.
func fill(t *testing.T, data string, v Values) (Workflow, map[string]any) {
	t.Helper()
	w, err := ReadWorkflow("w", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.Fill(v)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Fill(v)
	if err != nil || !bytes.Equal(out, again) {
		t.Fatalf("filling twice gives two graphs: %v", err)
	}
	tree, err := decodeTree("filled", out)
	if err != nil {
		t.Fatal(err)
	}
	return w, tree.(map[string]any)
}

func at(graph map[string]any, where string) string {
	node, input, _ := strings.Cut(where, ".")
	data, err := json.Marshal(inputsOf(graph[node])[input])
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestFill_Placeholders(t *testing.T) {
	v := Values{Prompt: "a \"b\" \\ %seed% {{negative_prompt}}\nÿ", Seed: 9007199254740993, Width: 640, Height: 832, Trigger: "ohwx", Checkpoint: "c.ckpt"}
	quoted := `"a \"b\" \\ %seed% {{negative_prompt}}\nÿ"`
	for _, tt := range []struct{ in, want string }{
		{`"{{prompt}}"`, quoted},
		{`"%prompt%"`, quoted},
		{`"__CHORUS_PROMPT__"`, quoted},
		{`"{{ prompt }}"`, quoted},
		{`"%negative_prompt%"`, `""`},
		{`"x {{negative_prompt}} y"`, `"x  y"`},
		{`"__CHORUS_NEGATIVE__"`, `""`},
		{`"{{seed}}"`, `9007199254740993`},
		{`"%seed%"`, `9007199254740993`},
		{`"__CHORUS_SEED__"`, `9007199254740993`},
		{`"seed __CHORUS_SEED__!"`, `"seed 9007199254740993!"`},
		{`"%width%"`, `640`},
		{`"%width%x%height%"`, `"640x832"`},
		{`"{{trigger}}, photo"`, `"ohwx, photo"`},
		{`"%model%"`, `"c.ckpt"`},
		{`"%steps%"`, `20`},
		{`"%scale%"`, `7`},
		{`"%sampler%"`, `"euler"`},
		{`"%scheduler%"`, `"normal"`},
		{`"%denoise%"`, `1`},
		{`"%clip_skip%"`, `-1`},
		{`["%seed%",{"a":"%width%"}]`, `[9007199254740993,{"a":640}]`},
		{`["7",1]`, `["7",1]`},
		{`"100% wool and 50% silk"`, `"100% wool and 50% silk"`},
		{`"%nonsense% {{char}}"`, `"%nonsense% {{char}}"`},
		{`"%%"`, `"%%"`},
		{`"{{"`, `"{{"`},
		{`18446744073709551615`, `18446744073709551615`},
		{`1.50`, `1.50`},
		{`1e400`, `1e400`},
	} {
		_, g := fill(t, `{"1":{"class_type":"X","inputs":{"v":`+tt.in+`,"p":"{{prompt}}"},"_meta":{"title":"%seed%"}}}`, v)
		if got := at(g, "1.v"); got != tt.want {
			t.Errorf("%s becomes %s, want %s", tt.in, got, tt.want)
		}
		if title := g["1"].(map[string]any)["_meta"].(map[string]any)["title"]; title != "%seed%" {
			t.Errorf("a title was filled: %v", title)
		}
	}
	w, g := fill(t, `{"1":{"class_type":"SaveImage","inputs":{"t":"{{prompt}} %odd_one% {{char}}","filename_prefix":"%date:yyyy% %year% %prompt% %seed%"}}}`, Values{Prompt: "p", Seed: 3})
	if got := at(g, "1.filename_prefix"); got != `"%date:yyyy% %year% ghostlight 3"` {
		t.Errorf("file name: %s", got)
	}
	if warn := strings.Join(w.Inspect().Warnings, "|"); !strings.Contains(warn, "%odd_one%") || !strings.Contains(warn, "{{char}}") || strings.Contains(warn, "%year%") {
		t.Errorf("warnings: %s", warn)
	}
}

func TestFill_PlaceholdersVaryEverySeed(t *testing.T) {
	data := `{"1":{"class_type":"A","inputs":{"text":"{{prompt}}"}},"2":{"class_type":"KSampler","inputs":{"seed":5}},"3":{"class_type":"B","inputs":{"noise_seed":["4",0]}},"4":{"class_type":"PrimitiveInt","inputs":{"value":8}}}`
	w, g := fill(t, data, Values{Prompt: "p", Seed: 77})
	if at(g, "2.seed") != "77" || at(g, "4.value") != "77" || !w.Inspect().HasSeed || w.Inspect().Summary != "placeholders" {
		t.Errorf("%s %s %+v", at(g, "2.seed"), at(g, "4.value"), w.Inspect())
	}
	_, g = fill(t, strings.Replace(data, `"seed":5`, `"seed":"%seed%"`, 1), Values{Prompt: "p", Seed: 77})
	if at(g, "2.seed") != "77" || at(g, "4.value") != "8" {
		t.Errorf("the file says where the seed goes: %s %s", at(g, "2.seed"), at(g, "4.value"))
	}
}

const (
	enc   = `"6":{"class_type":"CLIPTextEncode","inputs":{"text":"old","clip":["4",1]},"_meta":{"title":"Good"}},"7":{"class_type":"CLIPTextEncode","inputs":{"text":"bad","clip":["4",1]}}`
	empty = `"5":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":512,"batch_size":1}}`
	ks    = `"3":{"class_type":"KSampler","inputs":{"seed":1,"positive":["6",0],"negative":["7",0],"latent_image":["5",0],"model":["4",0]},"_meta":{"title":"Paint"}}`
)

func TestFill_Links(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       map[string]string // input to value
		plan       string            // negative, seed, size
	}{
		{"plain", `{` + enc + `,` + empty + `,` + ks + `}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`, "3.seed": "42", "5.width": "640", "5.height": "480"}, "true true true"},
		{"controlnet and combine", `{` + enc + `,` + empty + `,"8":{"class_type":"ControlNetApplyAdvanced","inputs":{"positive":["6",0],"negative":["7",0],"image":["9",0],"control_net":["9",1]}},
			"10":{"class_type":"ConditioningSetArea","inputs":{"conditioning":["8",0],"width":8}},
			"3":{"class_type":"KSamplerAdvanced","inputs":{"noise_seed":1,"positive":["10",0],"negative":["8",1],"latent_image":["5",0]}}}`,
			map[string]string{"6.text": `"P"`, "7.text": `"N"`, "3.noise_seed": "42"}, "true true true"},
		{"primitives", `{"6":{"class_type":"CLIPTextEncodeSDXL","inputs":{"text_g":["20",0],"text_l":["20",0],"clip":["4",1]}},"20":{"class_type":"Reroute","inputs":{"value":["21",0]}},
			"21":{"class_type":"PrimitiveStringMultiline","inputs":{"value":"old"}},"22":{"class_type":"PrimitiveInt","inputs":{"value":3}},"23":{"class_type":"PrimitiveInt","inputs":{"value":512}},
			"7":{"class_type":"CLIPTextEncode","inputs":{"text":"bad"}},"5":{"class_type":"EmptySD3LatentImage","inputs":{"width":["23",0],"height":256}},
			"3":{"class_type":"KSampler","inputs":{"seed":["22",0],"positive":["6",0],"negative":["7",0],"latent_image":["5",0]}}}`,
			map[string]string{"21.value": `"P"`, "6.text_l": `["20",0]`, "7.text": `"N"`, "22.value": "42", "23.value": "640", "5.height": "480"}, "true true true"},
		{"flux guider", `{"6":{"class_type":"CLIPTextEncodeFlux","inputs":{"clip_l":"a","t5xxl":"b","clip":["4",0]}},"9":{"class_type":"FluxGuidance","inputs":{"conditioning":["6",0],"guidance":3.5}},
			"22":{"class_type":"BasicGuider","inputs":{"model":["4",0],"conditioning":["9",0]}},"25":{"class_type":"RandomNoise","inputs":{"noise_seed":1}},` + empty + `,
			"13":{"class_type":"SamplerCustomAdvanced","inputs":{"noise":["25",0],"guider":["22",0],"sampler":["16",0],"sigmas":["17",0],"latent_image":["5",0]}}}`,
			map[string]string{"6.clip_l": `"P"`, "6.t5xxl": `"P"`, "25.noise_seed": "42", "5.width": "640"}, "false true true"},
		{"zeroed negative", `{` + enc + `,` + empty + `,"8":{"class_type":"ConditioningZeroOut","inputs":{"conditioning":["6",0]}},
			"3":{"class_type":"KSampler","inputs":{"seed":1,"positive":["6",0],"negative":["8",0],"latent_image":["5",0]}}}`,
			map[string]string{"6.text": `"P"`, "7.text": `"bad"`}, "false true true"},
		{"two samplers, one prompt", `{` + enc + `,` + empty + `,` + ks + `,"30":{"class_type":"LatentUpscale","inputs":{"samples":["3",0],"width":1024,"height":1024}},
			"31":{"class_type":"KSampler","inputs":{"seed":9,"positive":["6",0],"negative":["7",0],"latent_image":["30",0]}}}`,
			map[string]string{"6.text": `"P"`, "3.seed": "42", "31.seed": "42", "5.width": "640", "30.width": "1024"}, "true true true"},
		{"loader with texts", `{"2":{"class_type":"Efficient Loader","inputs":{"positive":"a","negative":"b","empty_latent_width":8}},
			"3":{"class_type":"KSampler (Efficient)","inputs":{"seed":1,"positive":["2",1],"negative":["2",2],"latent_image":["2",3]}}}`,
			map[string]string{"2.positive": `"P"`, "2.negative": `"N"`, "3.seed": "42"}, "true true false"},
		{"from a picture", `{` + enc + `,"5":{"class_type":"VAEEncode","inputs":{"pixels":["9",0],"vae":["4",2]}},` + ks + `}`, map[string]string{"6.text": `"P"`}, "true true false"},
		{"own negative placeholder", `{` + strings.Replace(enc, `"bad"`, `"ugly, %negative_prompt%"`, 1) + `,` + empty + `,` + ks + `}`, map[string]string{"6.text": `"P"`, "7.text": `"ugly, N"`}, "true true true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, g := fill(t, tt.data, Values{Prompt: "P", Negative: "N", Seed: 42, Width: 640, Height: 480})
			for where, want := range tt.want {
				if got := at(g, where); got != want {
					t.Errorf("%s is %s, want %s", where, got, want)
				}
			}
			p := w.Inspect()
			if got := fmt.Sprint(p.HasNegative, p.HasSeed, p.HasSize); got != tt.plan || p.Summary != "links" || len(p.Found) < 3 {
				t.Errorf("plan %s %+v, want %s", got, p, tt.plan)
			}
		})
	}
	w, _ := fill(t, `{`+enc+`,`+empty+`,`+ks+`}`, Values{})
	want := `sampler: "Paint" (KSampler, node 3)|prompt: "text" of "Good" (CLIPTextEncode, node 6)|negative prompt: "text" of CLIPTextEncode (node 7)|seed: "seed" of "Paint" (KSampler, node 3)|` +
		`width: "width" of EmptyLatentImage (node 5)|height: "height" of EmptyLatentImage (node 5)`
	if got := strings.Join(w.Inspect().Found, "|"); got != want {
		t.Errorf("found %s\nwant  %s", got, want)
	}
}

func TestFill_CirclesEnd(t *testing.T) {
	circle := `{"1":{"class_type":"A","inputs":{"text":"{{prompt}}","seed":["2",0]}},"2":{"class_type":"B","inputs":{"value":["3",0]}},"3":{"class_type":"B","inputs":{"value":["2",0]}}}`
	w, _ := fill(t, circle, Values{Prompt: "p", Seed: 1})
	if w.Inspect().HasSeed {
		t.Error("a seed was found in a circle")
	}
}

func TestFill_Refused(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{`{` + enc + `}`, "no sampler node"},
		{`{` + ks + `}`, `no text was found behind the positive prompt of "Paint"`},
		{`{` + enc + `,` + ks + `,"31":{"class_type":"KSampler","inputs":{"seed":9,"positive":["7",0],"negative":["32",0]}}}`, "two samplers take their prompt from different nodes"},
		{`{` + enc + `,"8":{"class_type":"ConditioningCombine","inputs":{"conditioning_1":["6",0],"conditioning_2":["7",0]}},` + strings.Replace(ks, `["6",0]`, `["8",0]`, 1) + `}`, "combined from several texts"},
		{`{` + strings.Replace(enc, `"old"`, `["9",0]`, 1) + `,` + ks + `,"9":{"class_type":"StringConcatenate","inputs":{"string_a":"x","string_b":"y","delimiter":","}}}`, `"string_a" of StringConcatenate (node 9) and "string_b"`},
		{`{"6":{"class_type":"ConditioningX","inputs":{"conditioning":["8",0]}},"8":{"class_type":"ConditioningX","inputs":{"conditioning":["6",0]}},` + ks + `}`, "no text was found"},
	} {
		w, err := ReadWorkflow("w", []byte(tt.data))
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Fill(Values{Prompt: "P"})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "{{prompt}}") || w.Check() == nil {
			t.Errorf("%v, want %q", err, tt.want)
		}
		if !strings.Contains(strings.Join(w.Inspect().Warnings, "|"), tt.want) {
			t.Errorf("the plan does not say so: %q", w.Inspect().Warnings)
		}
	}
	w := builtinNamed(t, "text-to-image")
	for _, v := range []Values{{Seed: 1}, {Checkpoint: "x", Seed: -1}, {Checkpoint: "x", Width: 99999, Height: 5}, {Checkpoint: "x", Prompt: strings.Repeat("x", 1<<17)}} {
		if _, err := w.Fill(v); err == nil {
			t.Errorf("%.60v was taken", v)
		}
	}
}

func TestLoadWorkflows_Folder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	good := `{"prompt":{` + enc + `,` + ks + `}}`
	for name, data := range map[string]string{
		"mine.json": good, "text-to-image.JSON": good, "editor.json": `{"nodes":[],"links":[]}`, "broken.json": "{", "notes.txt": "x", ".hidden.json": "x",
		"unclear.json": `{` + enc + `}`, "quick-sketch.json": "{",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "secret.json"), []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "secret.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("mine.json", filepath.Join(dir, "near.json")); err != nil {
		t.Fatal(err)
	}
	list, errs := LoadWorkflows(dir)
	var names []string
	for _, w := range list {
		names = append(names, fmt.Sprintf("%s %v", w.Name, w.Builtin))
	}
	if got, want := strings.Join(names, ", "), "quick-sketch true, flux true, same-face true, text-to-video true, mine false, near false, text-to-image false"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var text []string
	for _, err := range errs {
		text = append(text, err.Error())
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"editor's own format", `"broken"`, `"unclear": no sampler`, `"link": link.json`, `"quick-sketch"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no error with %s in\n%s", want, all)
		}
	}
	if len(errs) != 5 {
		t.Errorf("%d errors:\n%s", len(errs), all)
	}
	if list, errs := LoadWorkflows(filepath.Join(dir, "nowhere")); len(list) != 5 || len(errs) != 0 {
		t.Errorf("a missing folder: %d, %v", len(list), errs)
	}
}

func FuzzReadWorkflow(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"nodes":[],"links":[]}`, `{` + enc + `,` + empty + `,` + ks + `}`, `{"prompt":{` + enc + `,` + ks + `}}`,
		`{"1":{"class_type":"X","inputs":{"a":"%prompt% {{seed}} __CHORUS_NEGATIVE__ %x% {{","b":["1",0],"seed":["1",0],"positive":["1",0],"negative":["1",1]}}}`,
		"{\"a\":{\"class_type\":\"X\",\n\"inputs\":{\"a\":1e999}}}",
	} {
		f.Add([]byte(s), "a \"prompt\" %seed%", int64(7))
	}
	f.Fuzz(func(t *testing.T, data []byte, prompt string, seed int64) {
		w, err := ReadWorkflow("fuzz", data)
		if err != nil {
			_ = ErrorText(err)
			return
		}
		_ = w.Inspect()
		if begun, err := w.WithSource(); err == nil {
			if _, err := begun.Fill(Values{Pictures: map[string]Picture{source: {"s.png", nil}, reference: {"r.png", nil}}}); err != nil {
				_ = ErrorText(err)
			}
		}
		v := Values{Prompt: prompt, Negative: prompt, Seed: max(0, seed), Width: 64, Height: 64, Trigger: prompt, Checkpoint: "c", TextEncoder: "t", VAE: "v", DiffusionModel: "d", SecondTextEncoder: "s", Lora: "l", LoraWeight: 0.5, Denoise: 0.5,
			Pictures: map[string]Picture{reference: {"r.png", []byte("r")}, source: {"s.png", []byte("s")}, charAvatar: {"a.png", nil}, userAvatar: {"u.png", nil}}}
		out, err := w.Fill(v)
		if err != nil {
			return
		}
		again, err := w.Fill(v)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("filling twice differs: %v", err)
		}
		if len(out) <= maxGraph {
			if _, err := ReadWorkflow("filled", out); err != nil && len(w.graph) > 0 && !editorFormat(w.graph) {
				t.Fatalf("what was filled cannot be read: %v\n%s", err, out)
			}
		}
	})
}

func FuzzReadFrame(f *testing.F) {
	for _, name := range []string{"run_ksampler_preview", "run_ksampler_preview_meta", "image_SaveImageWebsocket"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".preview.bin"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), 400)])
	}
	f.Add([]byte{0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff, '{', '}'})
	f.Add([]byte{0, 0, 0, 3, 0, 0, 0, 1, '1', 'x'})
	f.Fuzz(func(t *testing.T, data []byte) {
		fr, ok := readFrame(data)
		if !ok {
			return
		}
		if s := imageType(fr.image); len(data) < 8 || (s != "png" && s != "jpeg") || fr.png != (s == "png") {
			t.Fatalf("%q is no picture", fr.image)
		}
		if e := binary.BigEndian.Uint32(data); e != 1 && e != 4 {
			t.Fatalf("event %d", e)
		}
	})
}

func TestReadFrame_Captured(t *testing.T) {
	for name, want := range map[string]string{"run_ksampler_preview": " false", "run_ksampler_preview_meta": "3 false", "image_SaveImageWebsocket": " true"} {
		fr, ok := readFrame([]byte(readRaw(t, name+".preview.bin")))
		if got := fmt.Sprint(fr.node, " ", fr.png); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", name, got, ok, want)
		}
	}
}

// FuzzMessages throws broken traffic at what follows a job.
func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"type":"progress","data":{"prompt_id":"x","node":3,"value":-1e300,"max":1e300}}`))
	f.Add([]byte(`{"type":"progress_state","data":{"prompt_id":"x","nodes":{"a":{"state":"running","max":5,"value":2}}}}`))
	f.Add([]byte(`{"type":"execution_error","data":{"prompt_id":"x","node_id":null}}`))
	f.Add([]byte(`{"type":"executed","data":{"prompt_id":"x","node":"1","output":{"images":[{"filename":"../../a.png"}]}}}`))
	f.Add([]byte(`{"error":{"type":"x"},"node_errors":{"1":{"errors":[{"extra_info":{"input_config":[[1]]}}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &run{watchdog: newWatchdog(time.Hour, func() {}), c: &Client{intervals: defaultIntervals()}, id: "x", report: func(p Progress) {
			if p.Step > p.Of || p.Step < 0 {
				t.Fatalf("%+v", p)
			}
		}, executed: map[string]nodeOutput{}}
		_ = ErrorText(r.message(data))
		files, _ := listFiles(r.executed)
		if len(files) > 0 {
			best, _ := chooseOutput(files, true)
			if strings.ContainsAny(showName(best.Filename), "/\\\n") {
				t.Fatalf("%q", showName(best.Filename))
			}
		}
		for _, fault := range faults(data, nil) {
			_ = fault.text()
		}
		_ = rejected(400, data, data, nil).text()
		var e historyEntry
		if json.Unmarshal(data, &e) == nil {
			_ = e.fault(nil)
		}
	})
}
