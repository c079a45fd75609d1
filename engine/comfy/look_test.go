package comfy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// dot returns a small PNG; another shade is another picture.
func dot(t *testing.T, shade uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 16, 24))
	for i := range img.Pix {
		img.Pix[i] = shade
	}
	img.Set(3, 3, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ownGraph is a workflow as somebody exported it, with a style LoRA that only makes
// it quicker, a LoRA of a person, a picture for the face, one for the pose, and
// another one that it begins with.
const ownGraph = `{
"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"dreamshaperXL.safetensors"}},
"10":{"class_type":"LoraLoader","inputs":{"model":["4",0],"clip":["4",1],"lora_name":"sdxl_lightning_8step.safetensors","strength_model":1,"strength_clip":1}},
"11":{"class_type":"LoraLoader","inputs":{"model":["10",0],"clip":["10",1],"lora_name":"anna.safetensors","strength_model":0.7,"strength_clip":0.7},"_meta":{"title":"Who"}},
"20":{"class_type":"LoadImage","inputs":{"image":"face.png"},"_meta":{"title":"Face"}},
"21":{"class_type":"PrepImageForClipVision","inputs":{"image":["20",0],"crop_position":"top"}},
"22":{"class_type":"IPAdapterAdvanced","inputs":{"model":["11",0],"ipadapter":["23",0],"image":["21",0],"weight":0.8}},
"23":{"class_type":"IPAdapterModelLoader","inputs":{"ipadapter_file":"plus-face.safetensors"}},
"30":{"class_type":"LoadImage","inputs":{"image":"pose.png"},"_meta":{"title":"Pose"}},
"31":{"class_type":"ControlNetApplyAdvanced","inputs":{"positive":["6",0],"negative":["7",0],"control_net":["32",0],"image":["30",0],"strength":1}},
"32":{"class_type":"ControlNetLoader","inputs":{"control_net_name":"openpose.safetensors"}},
"40":{"class_type":"LoadImage","inputs":{"image":"room.png"},"_meta":{"title":"Room"}},
"41":{"class_type":"ImageScale","inputs":{"image":["40",0],"upscale_method":"lanczos","width":832,"height":1216,"crop":"center"}},
"42":{"class_type":"VAEEncode","inputs":{"pixels":["41",0],"vae":["4",2]}},
"6":{"class_type":"CLIPTextEncode","inputs":{"text":"a woman","clip":["11",1]}},
"7":{"class_type":"CLIPTextEncode","inputs":{"text":"bad","clip":["11",1]}},
"3":{"class_type":"KSampler","inputs":{"model":["22",0],"positive":["31",0],"negative":["31",1],"latent_image":["42",0],"seed":1,"steps":8,"cfg":2,"sampler_name":"euler","scheduler":"normal","denoise":0.6}},
"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}},
"9":{"class_type":"SaveImage","inputs":{"images":["8",0],"filename_prefix":"x"}}}`

func TestMap_FindsTheLook(t *testing.T) {
	w := read(t, ownGraph)
	got := w.Map()
	want := Map{"prompt": {{"6", "text"}}, "negative": {{"7", "text"}}, "seed": {{"3", "seed"}}, "reference": {{"20", "image"}}, "source": {{"40", "image"}}, "denoise": {{"3", "denoise"}},
		"lora": {{"11", "lora_name"}}, "lora_weight": {{"11", "strength_clip"}, {"11", "strength_model"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	p := w.Inspect()
	if diff := cmp.Diff([]string{"reference", "source"}, p.Pictures); diff != "" || !p.HasLora {
		t.Errorf("%s %v", diff, p.HasLora)
	}
	if p.Text.Encoder != "CLIP" || p.Text.Form != Tags || p.Text.Tokens != 77 {
		t.Errorf("%+v", p.Text)
	}
	_, g := fill(t, ownGraph, Values{Prompt: "P", Seed: 2, Lora: "tove.safetensors", LoraWeight: 0.85, Denoise: 0.4,
		Pictures: map[string]Picture{reference: {Name: "ghostlight/f.png"}, source: {Name: "ghostlight/s.png"}}})
	for where, want := range map[string]string{"11.lora_name": `"tove.safetensors"`, "11.strength_model": "0.85", "11.strength_clip": "0.85", "10.lora_name": `"sdxl_lightning_8step.safetensors"`,
		"20.image": `"ghostlight/f.png"`, "30.image": `"pose.png"`, "40.image": `"ghostlight/s.png"`, "3.denoise": "0.4"} {
		if got := at(g, where); got != want {
			t.Errorf("%s is %s, want %s", where, got, want)
		}
	}
	_, g = fill(t, ownGraph, Values{Prompt: "P", Seed: 2})
	if at(g, "11.lora_name") != `"anna.safetensors"` || at(g, "20.image") != `"face.png"` || at(g, "3.denoise") != "0.6" {
		t.Error("what nobody said anything of did not stay")
	}
	two := strings.Replace(ownGraph, "sdxl_lightning_8step", "watercolour", 1)
	if m := read(t, two).Map(); m["lora"] != nil {
		t.Errorf("of two LoRAs one was taken: %v", m)
	}
	told, err := read(t, two).WithMap(Map{"prompt": {{"6", "text"}}, "lora": {{"10", "lora_name"}}, "reference": {{"30", "image"}}, "reference_2": {{"20", "image"}}})
	if err != nil || told.Inspect().Pictures[1] != "reference_2" {
		t.Errorf("%v %+v", err, told.Inspect())
	}
}

func TestFill_PicturePlaceholders(t *testing.T) {
	pictures := map[string]Picture{reference: {"ghostlight/a.png", []byte("A")}, charAvatar: {"ghostlight/c.png", []byte("C")}, userAvatar: {"ghostlight/u.png", []byte("U")}}
	for _, tt := range []struct{ class, in, want string }{
		{"LoadImage", `"image":"{{reference_image}}"`, `"ghostlight/a.png"`},
		{"LoadImage", `"image":"{{reference_image_3}}"`, `"ghostlight/a.png"`}, // there is but one
		{"LoadImage", `"image":"%char_avatar%"`, `"ghostlight/c.png"`},
		{"ETN_LoadImageBase64", `"image":"%char_avatar%"`, `"Qw=="`},
		{"SomeLoader", `"image":"%user_avatar%"`, `"VQ=="`}, // as other programs do it
		{"LoadImageBase64", `"image":"{{reference_image}}"`, `"QQ=="`},
		{"LoraLoader", `"image":"{{lora}}"`, `"l.safetensors"`},
		{"Tag", `"image":"<lora:{{lora}}:{{lora_weight}}>"`, `"\u003clora:l.safetensors:0.5\u003e"`},
	} {
		_, g := fill(t, `{"1":{"class_type":"`+tt.class+`","inputs":{`+tt.in+`,"p":"{{prompt}}"}}}`, Values{Pictures: pictures, Lora: "l.safetensors", LoraWeight: 0.5})
		if got := at(g, "1.image"); got != tt.want {
			t.Errorf("%s of %s is %s, want %s", tt.in, tt.class, got, tt.want)
		}
	}
	w := read(t, `{"1":{"class_type":"LoadImage","inputs":{"image":"{{reference_image}}","p":"{{prompt}}"},"_meta":{"title":"Face"}}}`)
	if _, err := w.Fill(Values{}); err == nil || !strings.Contains(ErrorText(err), `It wants a picture`) && !strings.Contains(ErrorText(err), `it needs a picture for "Face" (LoadImage, node 1), the reference image: give the character one`) {
		t.Errorf("%v", err)
	}
}

// Without a LoRA the nodes that load it are taken out, and what they led to gets
// what they were given.
func TestFill_WithoutALora(t *testing.T) {
	w := builtinNamed(t, "text-to-image")
	v := Values{Prompt: "P", Seed: 1, Checkpoint: "c"}
	tree := func(v Values) map[string]any {
		t.Helper()
		out, err := w.Fill(v)
		if err != nil {
			t.Fatal(err)
		}
		g, err := decodeTree("g", out)
		if err != nil {
			t.Fatal(err)
		}
		return g.(map[string]any)
	}
	g := tree(v)
	if g["10"] != nil || at(g, "3.model") != `["4",0]` || at(g, "6.clip") != `["4",1]` || at(g, "7.clip") != `["4",1]` {
		t.Errorf("%v %s %s", g["10"], at(g, "3.model"), at(g, "6.clip"))
	}
	v.Lora, v.LoraWeight = "tove.safetensors", 0.8
	g = tree(v)
	if at(g, "10.lora_name") != `"tove.safetensors"` || at(g, "10.strength_clip") != "0.8" || at(g, "3.model") != `["10",0]` {
		t.Errorf("%s %s", at(g, "10.lora_name"), at(g, "3.model"))
	}
	if len(w.graph) != 8 {
		t.Error("the workflow itself was changed")
	}
}

func TestWithSource(t *testing.T) {
	for _, name := range []string{"text-to-image", "flux", "same-face"} {
		w, err := builtinNamed(t, name).WithSource()
		if err != nil {
			t.Fatal(err)
		}
		v := Values{Prompt: "P", Seed: 1, Checkpoint: "c", DiffusionModel: "d", TextEncoder: "t", SecondTextEncoder: "s", VAE: "v", Width: 832, Height: 1216, Denoise: 0.45,
			Pictures: map[string]Picture{source: {Name: "ghostlight/s.png"}, reference: {Name: "ghostlight/r.png"}}}
		out, err := w.Fill(v)
		if err != nil {
			t.Fatal(err)
		}
		tree, _ := decodeTree("g", out)
		g := tree.(map[string]any)
		if at(g, "source-load.image") != `"ghostlight/s.png"` || at(g, "source-scale.width") != "832" || at(g, "source-scale.height") != "1216" || at(g, "3.denoise") != "0.45" ||
			at(g, "3.latent_image") != `["source-encode",0]` {
			t.Errorf("%s: %s", name, out)
		}
	}
	found := read(t, linkedGraph)
	if _, err := found.WithSource(); err == nil || !strings.Contains(err.Error(), "has no denoise input") {
		t.Errorf("%v", err)
	}
	withDenoise := strings.Replace(strings.Replace(linkedGraph, `"seed":5,`, `"seed":5,"denoise":1,`, 1), `"9":{"class_type"`, `"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}},"9":{"class_type"`, 1)
	begun, err := read(t, withDenoise).WithSource()
	if err != nil {
		t.Fatal(err)
	}
	m := begun.Map()
	if len(m["width"]) != 2 || len(m["denoise"]) != 1 || len(m["source"]) != 1 || len(m["prompt"]) != 1 || len(m["negative"]) != 1 {
		t.Errorf("%v", m)
	}
	own, err := read(t, ownGraph).WithSource()
	if err != nil || own.Inspect().Summary != "links" {
		t.Errorf("a file that begins with a picture was changed: %v", err)
	}
	if _, err := builtinNamed(t, "text-to-video").WithSource(); err == nil || !strings.Contains(err.Error(), "videos") {
		t.Errorf("%v", err)
	}
}

// A base and its refiner each have an encoder of their own; both get the prompt.
func TestFill_BaseAndRefiner(t *testing.T) {
	graph := `{
"1":{"class_type":"KSamplerAdvanced","inputs":{"noise_seed":1,"positive":["10",0],"negative":["11",0],"latent_image":["5",0],"model":["4",0]}},
"2":{"class_type":"KSamplerAdvanced","inputs":{"noise_seed":1,"positive":["20",0],"negative":["21",0],"latent_image":["1",0],"model":["6",0]}},
"5":{"class_type":"EmptyLatentImage","inputs":{"width":1024,"height":1024,"batch_size":1}},
"10":{"class_type":"CLIPTextEncode","inputs":{"text":"a","clip":["4",1]}},"11":{"class_type":"CLIPTextEncode","inputs":{"text":"b","clip":["4",1]}},
"20":{"class_type":"CLIPTextEncode","inputs":{"text":"a","clip":["6",1]}},"21":{"class_type":"CLIPTextEncode","inputs":{"text":"b","clip":["6",1]}}}`
	_, g := fill(t, graph, Values{Prompt: "P", Negative: "N", Seed: 9})
	for where, want := range map[string]string{"10.text": `"P"`, "20.text": `"P"`, "11.text": `"N"`, "21.text": `"N"`, "2.noise_seed": "9"} {
		if got := at(g, where); got != want {
			t.Errorf("%s is %s", where, got)
		}
	}
	apart := strings.Replace(graph, `"latent_image":["1",0]`, `"latent_image":["5",0]`, 1)
	if w := read(t, apart); w.Check() == nil || !strings.Contains(w.Check().Error(), "two samplers take their prompt") {
		t.Errorf("two that have nothing to do with each other: %v", w.Check())
	}
}

func TestTextOf(t *testing.T) {
	for name, want := range map[string]string{
		"flux1-dev.safetensors": "prose 512", "flux1-schnell-fp8.safetensors": "prose 256", "sd3.5_large.safetensors": "prose 256", "sd3_medium.safetensors": "prose 256",
		"ponyDiffusionV6XL.safetensors": "tags 77", `SDXL\waiNSFWIllustrious_v11.safetensors`: "tags 77", "v1-5-pruned-emaonly.ckpt": "tags 77", "sd_xl_base_1.0.safetensors": "tags 77",
		"dreamshaper_8.safetensors": "tags 77", "qwen_image_fp8.safetensors": "prose 512", "ghostlight-demo.safetensors": " 0", "": " 0", "myModel.safetensors": " 0", "swan.safetensors": " 0",
	} {
		if got := TextOf(name); strings.TrimPrefix(got.Form+" ", "")+itoa(got.Tokens) != want {
			t.Errorf("%q: %+v, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"text-to-image": "", "flux": Prose, "same-face": Prose, "text-to-video": Prose} {
		if got := builtinNamed(t, name).Inspect().Text; got.Form != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
	said := strings.Replace(linkedGraph, `"_meta":{"title":"Positive"}`, `"_meta":{"title":"Positive","text":"tags"}`, 1)
	if got := read(t, said).Inspect().Text; got.Form != Tags {
		t.Errorf("what the file says: %+v", got)
	}
}

func itoa(n int) string { data, _ := json.Marshal(n); return string(data) }

func TestUpload(t *testing.T) {
	f, c := startServer(t, flat())
	one := dot(t, 8)
	name, err := c.Upload(t.Context(), one)
	again, err2 := c.Upload(t.Context(), one)
	other, err3 := c.Upload(t.Context(), dot(t, 9))
	if err = errors.Join(err, err2, err3); err != nil || name != again || name == other || !strings.HasPrefix(name, "ghostlight/") || !strings.HasSuffix(name, ".png") || len(name) != len("ghostlight/")+32+4 {
		t.Fatalf("%q %q %q %v", name, again, other, err)
	}
	huge := bytes.Clone(one)
	copy(huge[16:24], []byte{0, 0, 0x40, 0, 0, 0, 0x40, 0}) // says to be 16384 × 16384
	for what, data := range map[string][]byte{"text": []byte("hello"), "nothing": nil, "many pixels": crcHead(huge), "many bytes": make([]byte, MaxUpload+1), "gif": []byte("GIF89a\x01\x00\x01\x00")} {
		if _, err := c.Upload(t.Context(), data); !errors.Is(err, ErrNoPicture) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for fault, is := range map[demo.ComfyFault]error{demo.ComfyError: ErrUnreachable, demo.ComfyPage: ErrNotComfy, demo.ComfyGarbage: ErrNotComfy} {
		f.SetFaults(demo.ComfyFaults{Script: func(string, int) demo.ComfyFault { return fault }})
		if _, err := c.Upload(t.Context(), one); !errors.Is(err, is) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

func TestEquip_FindsTheLora(t *testing.T) {
	_, c := startServer(t, demo.ComfyOptions{StepDelay: -1, Loras: []string{"people/Tove_v2.safetensors", "style.safetensors"}})
	w := builtinNamed(t, "text-to-image")
	for ask, want := range map[string]string{"tove_v2": "people/Tove_v2.safetensors", "Tove_v2.safetensors": "people/Tove_v2.safetensors", "style.safetensors": "style.safetensors"} {
		v := Values{Lora: ask}
		if err := c.Equip(t.Context(), w, &v); err != nil || v.Lora != want {
			t.Errorf("%s: %q, %v", ask, v.Lora, err)
		}
	}
	v := Values{Lora: "anna"}
	if err := c.Equip(t.Context(), w, &v); !errors.Is(err, ErrNoModel) || !strings.Contains(ErrorText(err), `"anna"`) || !strings.Contains(ErrorText(err), "style.safetensors") {
		t.Errorf("%v", err)
	}
}

// TestBuiltin_FitsTheRealServer compares the nodes of the workflows that come with
// the program with what a real server says of them: every input that it wants is
// there, and nothing else is.
func TestBuiltin_FitsTheRealServer(t *testing.T) {
	real := map[string]classInfo{}
	for _, name := range []string{"object_info_subset.json", "object_info_reference.json"} {
		data, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
		for class, text := range all {
			var info classInfo
			if json.Unmarshal(text, &info) == nil && info.Input.Required != nil {
				real[class] = info
			}
		}
	}
	list, _ := LoadWorkflows("")
	compared := map[string]bool{}
	for _, w := range list {
		for id, n := range w.graph {
			info, known := real[classOf(n)]
			if !known {
				continue
			}
			compared[classOf(n)] = true
			in := inputsOf(n)
			for name := range info.Input.Required {
				if in[name] == nil {
					t.Errorf("%s: node %s (%s) lacks %q", w.Name, id, classOf(n), name)
				}
			}
			for name := range in {
				if info.Input.Required[name] == nil && info.Input.Optional[name] == nil {
					t.Errorf("%s: node %s (%s) has %q, which the server does not know", w.Name, id, classOf(n), name)
				}
			}
		}
	}
	for _, class := range []string{"LoraLoader", "LoraLoaderModelOnly", "LoadImage", "ImageScale", "VAEEncode", "UNETLoader", "DualCLIPLoader", "FluxGuidance", "ReferenceLatent", "KSampler", "CLIPTextEncode"} {
		if !compared[class] {
			t.Errorf("%s is nowhere", class)
		}
	}
	if !slices.ContainsFunc(list, func(w Workflow) bool { return slices.Contains(w.Inspect().Pictures, "reference") }) {
		t.Error("none takes a reference image")
	}
}

func FuzzUploadFormat(f *testing.F) {
	for _, s := range []string{"", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "RIFF\x00\x00\x00\x00WEBPVP8X", "RIFF\x10\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f\xff\xff\xff\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format, err := uploadFormat(data)
		if err == nil && !plainName(UploadName(data, format)) {
			t.Fatalf("%q", UploadName(data, format))
		}
		if err != nil && !errors.Is(err, ErrNoPicture) {
			t.Fatal(err)
		}
	})
}

// crcHead puts the checksum of a PNG's head right after it was changed.
func crcHead(data []byte) []byte {
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}
