package pictures_test

import (
	"encoding/json"
	"image"
	"image/color"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ownFlow is a workflow of somebody's with a LoRA and a reference image, none of
// which has a placeholder.
const ownFlow = `{
"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"ghostlight-demo.safetensors"}},
"2":{"class_type":"LoraLoader","inputs":{"model":["1",0],"clip":["1",1],"lora_name":"somebody.safetensors","strength_model":1,"strength_clip":1}},
"3":{"class_type":"LoadImage","inputs":{"image":"somebody.png"}},
"4":{"class_type":"VAEEncode","inputs":{"pixels":["3",0],"vae":["1",2]}},
"5":{"class_type":"CLIPTextEncode","inputs":{"text":"x","clip":["2",1]}},
"6":{"class_type":"ReferenceLatent","inputs":{"conditioning":["5",0],"latent":["4",0]}},
"7":{"class_type":"CLIPTextEncode","inputs":{"text":"y","clip":["2",1]}},
"8":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":64,"batch_size":1}},
"9":{"class_type":"KSampler","inputs":{"model":["2",0],"positive":["6",0],"negative":["7",0],"latent_image":["8",0],"seed":1,"steps":2,"cfg":7,"sampler_name":"euler","scheduler":"normal","denoise":1}},
"10":{"class_type":"VAEDecode","inputs":{"samples":["9",0],"vae":["1",2]}},
"11":{"class_type":"SaveImage","inputs":{"images":["10",0],"filename_prefix":"x"}}}`

// graphs returns what the server was given, oldest first, each node's inputs by class
// and by name: "KSampler.denoise".
func graphs(t *testing.T, url string) (out []map[string]any) {
	t.Helper()
	resp, err := http.Get(url + "/history")
	enginetest.Must(t, err)
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	enginetest.Must(t, err)
	var all map[string]struct{ Prompt []json.RawMessage }
	enginetest.Must(t, json.Unmarshal(data, &all))
	type numbered struct {
		n  float64
		at map[string]any
	}
	var list []numbered
	for _, e := range all {
		var n float64
		var graph map[string]struct {
			Class  string         `json:"class_type"`
			Inputs map[string]any `json:"inputs"`
		}
		enginetest.Must(t, json.Unmarshal(e.Prompt[0], &n))
		enginetest.Must(t, json.Unmarshal(e.Prompt[2], &graph))
		at := map[string]any{}
		for _, node := range graph {
			for name, v := range node.Inputs {
				at[node.Class+"."+name] = v
			}
		}
		list = append(list, numbered{n, at})
	}
	slices.SortFunc(list, func(a, b numbered) int { return int(a.n - b.n) })
	for _, l := range list {
		out = append(out, l.at)
	}
	return out
}

// photo returns a picture file of the user's.
func photo(t *testing.T, shade uint8) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 40, 60))
	for i := range 40 * 60 {
		img.Set(i%40, i/40, color.RGBA{shade, 20, 20, 255})
	}
	data, err := pictures.EncodePNG(img)
	enginetest.Must(t, err)
	path := filepath.Join(t.TempDir(), "me at the lake.png")
	enginetest.Must(t, os.WriteFile(path, data, 0o600))
	return path
}

func (s *harness) imagery(f func(*storage.Imagery)) storage.Character {
	s.T.Helper()
	who := s.View().Character
	f(&who.Imagery)
	who, err := s.Library.SaveCharacter(who)
	enginetest.Must(s.T, err)
	return who
}

func TestSendCapture_TheSameFaceInAForeignWorkflow(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, withWorkflows(t, map[string]string{"own.json": ownFlow}))})
	who := s.imagery(func(i *storage.Imagery) { i.Workflow, i.Lora, i.LoraWeight = "own", "ghostlight-demo-face", 0.8 })
	_, err := s.Pictures.References.Add(who.ID, pictures.ReferenceSource{File: photo(t, 180)}, false)
	enginetest.Must(t, err)
	first := s.painted()
	g := graphs(t, s.Servers.ComfyURL)
	at := g[len(g)-1]
	name, _ := at["LoadImage.image"].(string)
	if at["LoraLoader.lora_name"] != "ghostlight-demo-face.safetensors" || at["LoraLoader.strength_clip"] != 0.8 || !strings.HasPrefix(name, "ghostlight/") || strings.Contains(name, "lake") {
		t.Errorf("sent: %v", at)
	}
	if len(first.Warnings) > 0 {
		t.Errorf("%v", first.Warnings)
	}
	// A workflow without places for it paints all the same, and says so.
	enginetest.Must(t, os.WriteFile(filepath.Join(s.Cfg.ConfigDir, "workflows", "plain.json"), []byte(enginetest.Checkpoint(enginetest.Paintable)), 0o600))
	c := s.Drafted(pictures.CaptureRequest{})
	edit := enginetest.Small(c)
	edit.Workflow, edit.NegativePrompt = "plain", "hats"
	if words := strings.Join(s.Pictures.UnusedValues(c.ID, edit), "|"); !strings.Contains(words, "no input for a negative prompt") || !strings.Contains(words, "64 × 64 is not used") {
		t.Errorf("before sending: %q", words)
	}
	c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureCompleted)
	again, err := s.Pictures.ResendCapture(c.ID) // its warnings are its own
	enginetest.Must(t, err)
	if again = s.SettledAs(again.ID, storage.CaptureCompleted); len(again.Warnings) != len(c.Warnings) {
		t.Errorf("%v after %v", again.Warnings, c.Warnings)
	}
	edit.Workflow = "own"
	if again = s.SettledAs(s.Send(again, edit).ID, storage.CaptureCompleted); strings.Contains(strings.Join(again.Warnings, "|"), "plain") {
		t.Errorf("a warning of another workflow stays: %v", again.Warnings)
	}
	if all := strings.Join(c.Warnings, "|"); !strings.Contains(all, "plain has no input for the character's LoRA") || !strings.Contains(all, "no input for the character's reference image") {
		t.Errorf("%v", c.Warnings)
	}
}

func TestFaces(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	who := s.View().Character
	path := photo(t, 90)
	files := func() int {
		list, _ := os.ReadDir(filepath.Join(s.Cfg.DataDir, "references"))
		return len(list)
	}
	c, err := s.Pictures.References.Add(who.ID, pictures.ReferenceSource{File: path}, false)
	enginetest.Must(t, err)
	c, err = s.Pictures.References.Add(who.ID, pictures.ReferenceSource{File: path}, false)
	if err != nil || len(c.Imagery.References) != 1 || files() != 1 || strings.Contains(c.Imagery.References[0].File, "lake") {
		t.Fatalf("the same one twice: %+v, %v", c.Imagery.References, err)
	}
	picture := s.painted()
	c, err = s.Pictures.References.Add(who.ID, pictures.ReferenceSource{Capture: picture.ID}, true)
	if err != nil || len(c.Imagery.References) != 2 || c.Imagery.References[0].Capture != picture.ID {
		t.Fatalf("%+v, %v", c.Imagery.References, err)
	}
	enginetest.Must(t, s.Pictures.DeleteCapture(picture.ID))
	if img, err := s.Pictures.References.Picture(c, 1); err != nil || img.Bounds().Dx() != 64 {
		t.Errorf("the picture it was made from is gone, and it too: %v", err)
	}
	text := filepath.Join(t.TempDir(), "x.png")
	enginetest.Must(t, os.WriteFile(text, []byte("\x89PNG\r\n\x1a\nno"), 0o600))
	for _, from := range []pictures.ReferenceSource{{File: text}, {File: t.TempDir()}, {File: "/nowhere"}, {Avatar: true}, {Capture: "none"}} {
		if from.Avatar && who.HasAvatar {
			continue
		}
		if _, err := s.Pictures.References.Add(who.ID, from, false); err == nil {
			t.Errorf("%+v was taken", from)
		}
	}
	for _, n := range []uint8{1, 2} {
		_, err = s.Pictures.References.Add(who.ID, pictures.ReferenceSource{File: photo(t, n)}, false)
		enginetest.Must(t, err)
	}
	if _, err = s.Pictures.References.Add(who.ID, pictures.ReferenceSource{File: photo(t, 3)}, false); err == nil || !strings.Contains(failure.Text(err), "4 reference images") {
		t.Errorf("a fifth: %v", err)
	}
	before := s.View().Character.Imagery.References
	if c, err = s.Pictures.References.MakeFirst(who.ID, 3); err != nil || c.Imagery.References[0] != before[2] || len(c.Imagery.References) != 4 {
		t.Errorf("%+v, %v", c.Imagery.References, err)
	}
	for range 4 {
		_, err = s.Pictures.References.Remove(who.ID, 1)
		enginetest.Must(t, err)
	}
	if n := files(); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if _, err := s.Pictures.References.Remove(who.ID, 1); err == nil {
		t.Error("one that is not there was removed")
	}
}

func TestBeginFrom(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	first := s.painted()
	v, err := s.Pictures.StartFrom(first.ID, 0)
	if err != nil || v.Status != storage.CaptureDraft || v.From != first.ID || v.Start == nil || v.Start.Strength != pictures.DefaultStrength || v.Seed != nil || v.ImagePath != "" {
		t.Fatalf("%+v, %v", v, err)
	}
	edit := enginetest.Small(v)
	edit.ImagePrompt, edit.Strength = "Tove laughs.", 0.3
	v = s.SettledAs(s.Send(v, edit).ID, storage.CaptureCompleted)
	g := graphs(t, s.Servers.ComfyURL)
	at := g[len(g)-1]
	if name, _ := at["LoadImage.image"].(string); !strings.HasPrefix(name, "ghostlight/") || at["KSampler.denoise"] != 0.3 || at["ImageScale.width"] != 64.0 || v.Start.Strength != 0.3 {
		t.Errorf("%v", at)
	}
	for id, strength := range map[storage.CaptureID]float64{first.ID: 1.5, "none": 0.5} {
		if _, err := s.Pictures.StartFrom(id, strength); err == nil {
			t.Errorf("%s with %v was taken", id, strength)
		}
	}
	// What it begins with may be deleted: it is painted without it, and says so.
	enginetest.Must(t, s.Pictures.DeleteCapture(first.ID))
	again := s.SettledAs(s.Send(v, enginetest.Small(v)).ID, storage.CaptureCompleted)
	if !strings.Contains(strings.Join(again.Warnings, "|"), "start picture is missing") {
		t.Errorf("%v", again.Warnings)
	}
}

func TestSeeds_ByPolicyAndBatch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	paint := func(r pictures.BatchRequest) []int64 {
		t.Helper()
		v := s.batched(r)
		_, err := s.Pictures.SendBatch(s.Chat, v.ID)
		enginetest.Must(t, err)
		var seeds []int64
		for _, id := range v.Captures {
			seeds = append(seeds, *s.SettledAs(id, storage.CaptureCompleted).Seed)
		}
		return seeds
	}
	s.imagery(func(i *storage.Imagery) { i.Width, i.Height = 64, 64 })
	angles := pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"low", "behind"}}
	if got := paint(angles); got[0] == got[1] {
		t.Errorf("nobody asked for one seed: %v", got)
	}
	angles.OneSeed = true
	one := paint(angles)
	if one[0] != one[1] || one[0] <= 0 {
		t.Errorf("%v", one)
	}
	angles.OneSeed = false
	s.imagery(func(i *storage.Imagery) { i.Seeds = storage.SeedBatch })
	if got := paint(angles); got[0] != got[1] || got[0] == one[0] {
		t.Errorf("%v after %v", got, one)
	}
	s.imagery(func(i *storage.Imagery) { i.Seeds, i.Seed = storage.SeedFixed, 77 })
	c := s.painted()
	if *c.Seed != 77 {
		t.Errorf("%d", *c.Seed)
	}
	again, err := s.Pictures.ResendCapture(c.ID)
	enginetest.Must(t, err)
	if got := s.SettledAs(again.ID, storage.CaptureCompleted); *got.Seed == 77 {
		t.Error("again with a new seed has the old one")
	}
}

func TestBatch_KeepsFromItsFirstPicture(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	s.imagery(func(i *storage.Imagery) { i.Width, i.Height = 64, 64 })
	v := s.batched(pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"low", "behind"}, Keep: true})
	_, err := s.Pictures.SendBatch(s.Chat, v.ID)
	enginetest.Must(t, err)
	for _, id := range v.Captures {
		if c := s.SettledAs(id, storage.CaptureCompleted); len(c.Warnings) > 0 && strings.Contains(strings.Join(c.Warnings, "|"), "kept") {
			t.Errorf("%v", c.Warnings)
		}
	}
	g := graphs(t, s.Servers.ComfyURL)
	if len(g) != 2 || g[0]["LoadImage.image"] != nil || g[1]["LoadImage.image"] == nil || g[1]["KSampler.denoise"] != 0.7 {
		t.Errorf("%v\n%v", g[0], g[len(g)-1])
	}
	// Where the workflow takes a reference image, the first picture is one.
	s.imagery(func(i *storage.Imagery) { i.Workflow = "same-face" })
	_, err = s.Pictures.References.Add(s.Main(), pictures.ReferenceSource{File: photo(t, 30)}, false)
	enginetest.Must(t, err)
	v = s.batched(pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"low", "behind"}, Keep: true})
	_, err = s.Pictures.SendBatch(s.Chat, v.ID)
	enginetest.Must(t, err)
	for _, id := range v.Captures {
		s.SettledAs(id, storage.CaptureCompleted)
	}
	if g = graphs(t, s.Servers.ComfyURL); g[3]["KSampler.denoise"] != 1.0 || g[3]["LoadImage.image"] == nil {
		t.Errorf("%v", g[3])
	}
}

// What a server lacks is found before the language models are unloaded for it.
func TestSendCapture_LacksAreFoundBeforeUnloading(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, withWorkflows(t, map[string]string{"mine.json": enginetest.Checkpoint("gone.safetensors")}))})
	c := s.Drafted(pictures.CaptureRequest{})
	if loaded(t, s) == 0 {
		t.Fatal("no model is loaded")
	}
	edit := enginetest.Small(c)
	edit.Workflow = "mine"
	c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureFailed)
	if loaded(t, s) == 0 {
		t.Error("the language model was unloaded for nothing")
	}
	if !strings.Contains(c.Error, `"gone.safetensors"`) || !strings.Contains(c.Error, s.Servers.ComfyURL) || !strings.Contains(c.Error, "kept") {
		t.Error(c.Error)
	}
}

// Of several servers one is taken that has all; where none is named, so is the first
// workflow that a server can paint with.
func TestSendCapture_WhereAllIsThere(t *testing.T) {
	t.Parallel()
	poor := demo.NewComfy(demo.ComfyOptions{StepDelay: -1, Checkpoints: []string{}, DiffusionModels: []string{"flux1-dev.safetensors"}})
	server := &http.Server{Handler: poor}
	url := listen(t, server)
	t.Cleanup(func() { _ = server.Close(); enginetest.Must(t, poor.Close()) })
	s := (&harness{enginetest.NewStudio(t)})
	s.imagery(func(i *storage.Imagery) { i.Width, i.Height = 64, 64 })
	second, err := comfy.New(url)
	enginetest.Must(t, err)
	defer second.Close()
	only := s.Models.Comfy
	s.Models.Comfy = append([]*comfy.Client{second}, only...)
	c := s.Drafted(pictures.CaptureRequest{})
	edit := enginetest.Small(c)
	edit.Workflow = "text-to-image"
	if c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureCompleted); c.Server != s.Servers.ComfyURL {
		t.Errorf("painted by %s", c.Server)
	}
	s.Models.Comfy = []*comfy.Client{second}
	if c = s.painted(); c.Workflow != "flux" || c.Server != second.BaseURL() {
		t.Errorf("painted with %s by %s", c.Workflow, c.Server)
	}
	c = s.Drafted(pictures.CaptureRequest{})
	edit.Workflow = "same-face"
	if c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureFailed); !strings.Contains(c.Error, "reference image") && !strings.Contains(c.Error, "kontext") {
		t.Error(c.Error)
	}
	s.Models.Comfy = append(only, second)
}

// listen serves on a port of this machine.
func listen(t *testing.T, server *http.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	enginetest.Must(t, err)
	go func() { _ = server.Serve(l) }()
	return "http://" + l.Addr().String()
}
