package comfy

import (
	"encoding/json"
	"strings"
	"testing"
)

// refined is a graph whose picture is begun by one model and finished by another, each with
// texts of its own, as SDXL's examples are. Ids and titles are as people have them.
const refined = `{
 "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "base.safetensors"}},
 "12": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "refiner.safetensors"}},
 "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 1024, "height": 1024, "batch_size": 1}},
 "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "evening sunset scenery", "clip": ["4", 1]}},
 "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "text, watermark", "clip": ["4", 1]}},
 "15": {"class_type": "CLIPTextEncode", "inputs": {"text": "evening sunset scenery, detailed", "clip": ["12", 1]}},
 "16": {"class_type": "CLIPTextEncode", "inputs": {"text": "text, watermark, blur", "clip": ["12", 1]}},
 "10": {"class_type": "KSamplerAdvanced", "inputs": {"add_noise": "enable", "noise_seed": 721897303308196, "steps": 25, "cfg": 8, "sampler_name": "euler", "scheduler": "normal",
   "start_at_step": 0, "end_at_step": 20, "return_with_leftover_noise": "enable", "model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}},
 "11": {"class_type": "KSamplerAdvanced", "inputs": {"add_noise": "disable", "noise_seed": 0, "steps": 25, "cfg": 8, "sampler_name": "euler", "scheduler": "normal",
   "start_at_step": 20, "end_at_step": 10000, "return_with_leftover_noise": "disable", "model": ["12", 0], "positive": ["15", 0], "negative": ["16", 0], "latent_image": ["10", 0]}},
 "17": {"class_type": "VAEDecode", "inputs": {"samples": ["11", 0], "vae": ["12", 2]}},
 "19": {"class_type": "SaveImage", "inputs": {"filename_prefix": "ComfyUI", "images": ["17", 0]}}}`

// Both models are told the prompt, and what is not wanted.
func TestFill_RefinerWithEncodersOfItsOwn(t *testing.T) {
	t.Parallel()
	sdxl := strings.NewReplacer(`"CLIPTextEncode", "inputs": {"text": "evening sunset scenery",`, `"CLIPTextEncodeSDXL", "inputs": {"text_g": "evening", "text_l": "sunset",`,
		`"CLIPTextEncode", "inputs": {"text": "evening sunset scenery, detailed",`, `"CLIPTextEncodeSDXLRefiner", "inputs": {"ascore": 6, "text": "evening, detailed",`).Replace(refined)
	larger := strings.NewReplacer(`"latent_image": ["10", 0]`, `"latent_image": ["22", 0]`, `"19": {"class_type": "SaveImage"`, `"20": {"class_type": "VAEDecode", "inputs": {"samples": ["10", 0], "vae": ["4", 2]}},
 "21": {"class_type": "ImageScaleBy", "inputs": {"image": ["20", 0], "upscale_method": "lanczos", "scale_by": 1.5}},
 "22": {"class_type": "VAEEncode", "inputs": {"pixels": ["21", 0], "vae": ["12", 2]}},
 "19": {"class_type": "SaveImage"`).Replace(refined)
	for name, graph := range map[string]string{"plain": refined, "SDXL's own encoders": sdxl, "made larger between": larger} {
		w, err := ReadWorkflow(name, []byte(graph))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out, err := w.Fill(Values{Prompt: "Tove lights a lamp", Negative: "hats", Seed: 42, Width: 64, Height: 64})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got map[string]struct{ Inputs map[string]any }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		text := func(id string) string {
			in := got[id].Inputs
			if s, ok := in["text"].(string); ok {
				return s
			}
			g, _ := in["text_g"].(string)
			l, _ := in["text_l"].(string)
			return g + "|" + l
		}
		for _, id := range []string{"6", "15"} {
			if s := text(id); s != "Tove lights a lamp" && s != "Tove lights a lamp|Tove lights a lamp" {
				t.Errorf("%s: node %s is told %q", name, id, s)
			}
		}
		for _, id := range []string{"7", "16"} {
			if s := text(id); s != "hats" {
				t.Errorf("%s: node %s is told %q not to be", name, id, s)
			}
		}
		if seed := got["10"].Inputs["noise_seed"]; seed != 42.0 {
			t.Errorf("%s: the seed is %v", name, seed)
		}
	}
}
