package comfy

import (
	"strings"
	"testing"
)

// sampled returns a graph with a sampler whose conditionings come from nodes 6 and 7 unless
// other says otherwise; other nodes come before.
func sampled(other string) string {
	for id, node := range map[string]string{
		"6": `"6":{"class_type":"CLIPTextEncode","inputs":{"text":"old","clip":["4",1]}}`,
		"7": `"7":{"class_type":"CLIPTextEncode","inputs":{"text":"bad","clip":["4",1]}}`,
		"5": empty, "3": ks,
	} {
		if !strings.Contains(other, `"`+id+`":{`) {
			other = strings.TrimPrefix(other+","+node, ",")
		}
	}
	return `{` + other + `}`
}

// The prompt is written where the file's author writes it, however far from the sampler.
func TestFill_WorkflowsOfOthers(t *testing.T) {
	t.Parallel()
	const guided = `"3":{"class_type":"SamplerCustomAdvanced","inputs":{"noise":["25",0],"guider":["22",0],"latent_image":["5",0]}},"25":{"class_type":"RandomNoise","inputs":{"noise_seed":1}},`
	for _, tt := range []struct {
		name, nodes string
		want        map[string]string
	}{
		{"a node that gives model, positive and negative", `"8":{"class_type":"ApplyFace","inputs":{"model":["4",0],"control_net":["9",0],"positive":["6",0],"negative":["7",0]}},
			"3":{"class_type":"KSampler","inputs":{"seed":1,"model":["8",0],"positive":["8",1],"negative":["8",2],"latent_image":["5",0]}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"a chain of nodes that change a conditioning", `"8":{"class_type":"Unheard Of","inputs":{"conditioning":["6",0],"latent":["5",0],"strength":0.5}},
			"9":{"class_type":"Guidance","inputs":{"conditioning":["8",0],"guidance":3}},
			"3":{"class_type":"KSampler","inputs":{"seed":1,"positive":["9",0],"negative":["7",0],"latent_image":["5",0]}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"a guider with two conditions", guided + `"22":{"class_type":"DualCFGGuider","inputs":{"model":["4",0],"cond1":["6",0],"cond2":["7",0],"negative":["7",0]}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"a guider with an empty one", guided + `"22":{"class_type":"PerpNegGuider","inputs":{"positive":["6",0],"negative":["7",0],"empty_conditioning":["8",0]}},
			"8":{"class_type":"CLIPTextEncode","inputs":{"text":""}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`, "8.text": `""`}},
		{"a sampler that names them otherwise", `"3":{"class_type":"XSampler","inputs":{"noise_seed":1,"conditioning":["6",0],"neg_conditioning":["7",0],"latent_image":["5",0]}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"the same conditioning twice", `"3":{"class_type":"KSampler","inputs":{"seed":1,"cfg":1,"positive":["6",0],"negative":["6",0],"latent_image":["5",0]}}`, map[string]string{"6.text": `"P"`}},
		{"a node with both texts", `"8":{"class_type":"Conditioner","inputs":{"positive_prompt":"a","negative_prompt":"b","mode":"x"}},
			"3":{"class_type":"KSampler","inputs":{"seed":1,"positive":["8",0],"negative":["8",1],"latent_image":["5",0]}}`, map[string]string{"8.positive_prompt": `"P"`, "8.negative_prompt": `"N"`}},
		{"a pipe with connected texts", `"8":{"class_type":"Loader","inputs":{"positive":["9",0],"positive_normalization":"none","negative":["10",0],"empty_latent_width":512,"empty_latent_height":512}},
			"9":{"class_type":"Text","inputs":{"text":"a"}},"10":{"class_type":"Text","inputs":{"text":"b"}},
			"3":{"class_type":"Pipe Sampler","inputs":{"seed":1,"steps":4,"pipe":["8",0]}}`, map[string]string{"9.text": `"P"`, "10.text": `"N"`}},
		{"joined with an empty text", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"StringFunction|x","inputs":{"action":"append","text_a":"a man","text_b":""}}`, map[string]string{"8.text_a": `"P"`, "8.text_b": `""`}},
		{"joined, and called the prompt", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"Text Concatenate","inputs":{"delimiter":", ","text_a":["9",0],"text_b":["10",0]}},
			"9":{"class_type":"Text","inputs":{"text":"film grain"},"_meta":{"title":"Style"}},"10":{"class_type":"Text","inputs":{"text":"a man"},"_meta":{"title":"Positive prompt"}}`,
			map[string]string{"10.text": `"P"`, "9.text": `"film grain"`}},
		{"a switch by a flag", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"Switch","inputs":{"switch":["11",0],"on_false":["9",0],"on_true":["10",0]}},
			"9":{"class_type":"Text","inputs":{"value":"a"}},"10":{"class_type":"Text","inputs":{"value":"b"}},"11":{"class_type":"PrimitiveBoolean","inputs":{"value":false}}`,
			map[string]string{"9.value": `"P"`, "10.value": `"b"`}},
		{"a switch by a number", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"Switch","inputs":{"select":2,"input1":["9",0],"input2":["10",0]}},
			"9":{"class_type":"Text","inputs":{"value":"a"}},"10":{"class_type":"Text","inputs":{"value":"b"}}`, map[string]string{"10.value": `"P"`, "9.value": `"a"`}},
		{"shown on the way", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"ShowText","inputs":{"text":["9",0],"text2":"what it was"}},
			"9":{"class_type":"Text","inputs":{"value":"a"}}`, map[string]string{"9.value": `"P"`, "8.text2": `"what it was"`}},
		{"a text that a node makes of a picture", `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"Camera","inputs":{"image":["9",0],"angle":3}},
			"9":{"class_type":"LoadImage","inputs":{"image":"x.png"}}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"comments between the nodes", `"_comment":"mine","_info":{"author":"me"}`, map[string]string{"6.text": `"P"`, "7.text": `"N"`}},
		{"a service that paints by itself", `"3":{"class_type":"VendorImage","inputs":{"prompt":"a","seed":1,"aspect_ratio":"1:1"}},"6":{"class_type":"X","inputs":{}},"7":{"class_type":"X","inputs":{}}`,
			map[string]string{"3.prompt": `"P"`, "3.seed": "42"}},
		{"sizes of a latent behind a switch", `"8":{"class_type":"LatentSwitch","inputs":{"select":1,"input1":["5",0],"input2":["9",0]}},"9":{"class_type":"VAEEncode","inputs":{"pixels":["10",0]}},
			"3":{"class_type":"KSampler","inputs":{"seed":1,"positive":["6",0],"negative":["7",0],"latent_image":["8",0]}}`, map[string]string{"5.width": "640", "5.height": "480"}},
		{"a seed that is worked out", `"8":{"class_type":"Math","inputs":{"a":["9",0],"b":3,"expression":"a+b"}},"9":{"class_type":"PrimitiveInt","inputs":{"value":4}},
			"3":{"class_type":"KSampler","inputs":{"seed":["8",0],"positive":["6",0],"negative":["7",0],"latent_image":["5",0]}}`, map[string]string{"3.seed": "42", "9.value": "4"}},
	} {
		_, g := fill(t, sampled(tt.nodes), Values{Prompt: "P", Negative: "N", Seed: 42, Width: 640, Height: 480})
		for where, want := range tt.want {
			if got := at(g, where); got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, where, got, want)
			}
		}
	}
}

// Where nothing tells which text is the prompt, it is asked for by name.
func TestFill_AsksByName(t *testing.T) {
	t.Parallel()
	for name, nodes := range map[string]string{
		"joined":   `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"StringConcatenate","inputs":{"string_a":"a man","string_b":"film grain"}}`,
		"switched": `"6":{"class_type":"CLIPTextEncode","inputs":{"text":["8",0]}},"8":{"class_type":"Any Switch","inputs":{"any_01":["9",0],"any_02":["10",0]}},"9":{"class_type":"T","inputs":{"value":"a man"}},"10":{"class_type":"T","inputs":{"value":"film grain"}}`,
		"regions":  `"6":{"class_type":"ConditioningCombine","inputs":{"conditioning_1":["9",0],"conditioning_2":["10",0]}},"9":{"class_type":"CLIPTextEncode","inputs":{"text":"a man"}},"10":{"class_type":"CLIPTextEncode","inputs":{"text":"film grain"}}`,
	} {
		w := read(t, sampled(nodes))
		if err := w.Check(); err == nil || !strings.Contains(err.Error(), "several texts, in") || !strings.Contains(err.Error(), "input mapping") {
			t.Errorf("%s: %v", name, err)
		}
		at := NodeInput{"6", "text"} // in place of what is connected
		if name == "regions" {
			at = NodeInput{"10", "text"}
		}
		told, err := w.WithMap(Map{"prompt": {at}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		out, err := told.Fill(Values{Prompt: "P", Seed: 1})
		if err != nil || !strings.Contains(string(out), `"text":"P"`) {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}

// A size behind primitives and expressions reaches the node that makes the latent picture, also
// once the user has confirmed it.
func TestFill_SizeBehindLinks(t *testing.T) {
	t.Parallel()
	data := readRaw(t, "size_behind_links.json")
	v := Values{Prompt: "a lamp room", Seed: 5, Width: 832, Height: 1216}
	w, g := fill(t, data, v)
	if at(g, "98:11.width") != "832" || at(g, "98:11.height") != "1216" || len(w.Inspect().Unused("", 832, 1216)) > 0 {
		t.Errorf("%s × %s: %v", at(g, "98:11.width"), at(g, "98:11.height"), w.Inspect().Found)
	}
	if found := strings.Join(w.Inspect().Found, "\n"); !strings.Contains(found, `width: "width" of EmptyLatentImage (node 98:11), instead of the connection to ComfyMathExpression (node 98:31)`) {
		t.Errorf("not said: %s", found)
	}
	told, err := w.WithMap(w.Map())
	if err != nil {
		t.Fatal(err)
	}
	out, err := told.Fill(v)
	if err != nil || !strings.Contains(string(out), `"width":832`) || !strings.Contains(string(out), `"height":1216`) {
		t.Errorf("%v %s", err, out)
	}
	_, g = fill(t, data, Values{Prompt: "a lamp room"})
	if got := at(g, "98:11.width"); got != `["98:31",0]` {
		t.Errorf("without a size the file's own is lost: %s", got)
	}
}

func TestUnused(t *testing.T) {
	t.Parallel()
	w := read(t, `{"1":{"class_type":"Vendor","inputs":{"prompt":"a","seed":1}}}`)
	words := strings.Join(w.Inspect().Unused("hats", 832, 1216), "|")
	if !strings.Contains(words, "no input for a negative prompt") || !strings.Contains(words, "832 × 1216 is not used") {
		t.Errorf("%q", words)
	}
	if list := w.Inspect().Unused(" ", 0, 0); len(list) > 0 {
		t.Errorf("nothing was set: %q", list)
	}
}
