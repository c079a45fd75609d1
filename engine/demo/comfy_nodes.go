package demo

import (
	"encoding/json"
	"strings"
)

// comfyInput describes one input of a node as ComfyUI's object_info does.
type comfyInput struct {
	name     string
	kind     string   // INT, FLOAT, STRING, BOOLEAN, COMBO, or the type of a link
	min, max string   // of numbers, "" when unbounded
	choices  []string // of a COMBO
	optional bool
}

// comfyNode describes one class of node.
type comfyNode struct {
	class   string
	inputs  []comfyInput
	outputs []string
	sink    bool // an output node, which makes a graph worth running
	video   bool
}

const comfySeedMax = "18446744073709551615"

// comfyTable is the small part of ComfyUI's node library that this server has: class, outputs,
// inputs. "+" marks output nodes, "*" output nodes that save a video, "?" optional inputs.
var comfyTable = [...][3]string{
	{"CheckpointLoaderSimple", "MODEL CLIP VAE", "ckpt_name @checkpoints"},
	{"UNETLoader", "MODEL", "unet_name @diffusion; weight_dtype @dtypes"},
	{"CLIPLoader", "CLIP", "clip_name @encoders; type @cliptypes"},
	{"DualCLIPLoader", "CLIP", "clip_name1 @encoders; clip_name2 @encoders; type @dualtypes; ?device @devices"},
	{"VAELoader", "VAE", "vae_name @vaes"},
	{"LoraLoader", "MODEL CLIP",
		"model MODEL; clip CLIP; lora_name @loras; strength_model FLOAT -100 100; strength_clip FLOAT -100 100"},
	{"LoraLoaderModelOnly", "MODEL", "model MODEL; lora_name @loras; strength_model FLOAT -100 100"},
	{"CLIPVisionLoader", "CLIP_VISION", "clip_name @none"},
	{"CLIPTextEncode", "CONDITIONING", "text STRING; clip CLIP"},
	{"CLIPSetLastLayer", "CLIP", "clip CLIP; stop_at_clip_layer INT -24 -1"},
	{"ConditioningZeroOut", "CONDITIONING", "conditioning CONDITIONING"},
	{"ConditioningCombine", "CONDITIONING", "conditioning_1 CONDITIONING; conditioning_2 CONDITIONING"},
	{"ReferenceLatent", "CONDITIONING", "conditioning CONDITIONING; ?latent LATENT"},
	{"FluxGuidance", "CONDITIONING", "conditioning CONDITIONING; guidance FLOAT 0 100"},
	{"EmptyLatentImage", "LATENT", "width INT 16 16384; height INT 16 16384; batch_size INT 1 4096"},
	{"EmptySD3LatentImage", "LATENT", "width INT 16 16384; height INT 16 16384; batch_size INT 1 4096"},
	{"EmptyLTXVLatentVideo", "LATENT",
		"width INT 64 16384; height INT 64 16384; length INT 1 16384; batch_size INT 1 4096"},
	{"LTXVConditioning", "CONDITIONING CONDITIONING",
		"positive CONDITIONING; negative CONDITIONING; frame_rate FLOAT 0 1000"},
	{"LTXVScheduler", "SIGMAS",
		"steps INT 1 10000; max_shift FLOAT 0 100; base_shift FLOAT 0 100; stretch BOOLEAN; terminal FLOAT 0 0.99"},
	{"KSampler", "LATENT", "model MODEL; seed INT 0 " + comfySeedMax +
		"; steps INT 1 10000; cfg FLOAT 0 100; sampler_name @samplers; scheduler @schedulers; " +
		"positive CONDITIONING; negative CONDITIONING; latent_image LATENT; denoise FLOAT 0 1"},
	{"KSamplerAdvanced", "LATENT", "model MODEL; add_noise @switch; noise_seed INT 0 " + comfySeedMax + "; steps " +
		"INT 1 10000; cfg FLOAT 0 100; sampler_name @samplers; scheduler @schedulers; positive CONDITIONING; " +
		"negative CONDITIONING; latent_image LATENT; start_at_step INT 0 10000; end_at_step INT 0 10000; " +
		"return_with_leftover_noise @switch"},
	{"SamplerCustom", "LATENT LATENT", "model MODEL; add_noise BOOLEAN; noise_seed INT 0 " + comfySeedMax +
		"; cfg FLOAT 0 100; positive CONDITIONING; negative CONDITIONING; " +
		"sampler SAMPLER; sigmas SIGMAS; latent_image LATENT"},
	{"SamplerCustomAdvanced", "LATENT LATENT",
		"noise NOISE; guider GUIDER; sampler SAMPLER; sigmas SIGMAS; latent_image LATENT"},
	{"RandomNoise", "NOISE", "noise_seed INT 0 " + comfySeedMax},
	{"BasicGuider", "GUIDER", "model MODEL; conditioning CONDITIONING"},
	{"KSamplerSelect", "SAMPLER", "sampler_name @samplers"},
	{"BasicScheduler", "SIGMAS", "model MODEL; scheduler @schedulers; steps INT 1 10000; denoise FLOAT 0 1"},
	{"LatentUpscale", "LATENT",
		"samples LATENT; upscale_method @upscale; width INT 0 16384; height INT 0 16384; crop @crop"},
	{"VAEDecode", "IMAGE", "samples LATENT; vae VAE"},
	{"VAEEncode", "LATENT", "pixels IMAGE; vae VAE"},
	{"EmptyImage", "IMAGE", "width INT 1 16384; height INT 1 16384; batch_size INT 1 4096; color INT 0 16777215"},
	{"ImageInvert", "IMAGE", "image IMAGE"},
	{"ImageScale", "IMAGE",
		"image IMAGE; upscale_method @imagescale; width INT 0 16384; height INT 0 16384; crop @crop"},
	{"LoadImage", "IMAGE MASK", "image FILE"},
	{"LoadImageMask", "MASK", "image FILE; channel @channels"},
	{"PrimitiveInt", "INT", "value INT"},
	{"PrimitiveStringMultiline", "STRING", "value STRING"},
	{"StringConcatenate", "STRING", "string_a STRING; string_b STRING; delimiter STRING"},
	{"+SaveImage", "", "images IMAGE; filename_prefix STRING"},
	{"+PreviewImage", "", "images IMAGE"},
	{"*SaveAnimatedWEBP", "", "images IMAGE; filename_prefix STRING; fps FLOAT 0.01 1000; lossless BOOLEAN; " +
		"quality INT 0 100; method @methods"},
	{"*SaveAnimatedPNG", "", "images IMAGE; filename_prefix STRING; fps FLOAT 0.01 1000; compress_level INT 0 9"},
	{"CreateVideo", "VIDEO", "images IMAGE; fps FLOAT 1 120"},
	{"*SaveVideo", "", "video VIDEO; filename_prefix STRING; format @containers; codec @videocodecs"},
	{"*SaveVideoFile", "", "images IMAGE; filename_prefix STRING; fps FLOAT 0.01 1000"},
	{"*VHS_VideoCombine", "VHS_FILENAMES", "images IMAGE; frame_rate FLOAT 1 1000; loop_count INT 0 100; " +
		"filename_prefix STRING; format @vhsformats; pingpong BOOLEAN; save_output BOOLEAN"},
	{"*SaveWEBM", "", "images IMAGE; filename_prefix STRING; codec @codecs; fps FLOAT 0.01 1000; crf FLOAT 0 63"},
}

// comfyNodes returns the nodes of comfyTable, with the choices that opts have.
func comfyNodes(opts ComfyOptions) map[string]*comfyNode {
	lists := map[string]string{
		"none": "", "dtypes": "default fp8_e4m3fn fp8_e5m2",
		"cliptypes": "stable_diffusion sd3 flux ltxv wan qwen_image", "switch": "enable disable",
		"samplers": `euler euler_ancestral heun dpm_2 dpmpp_2s_ancestral dpmpp_sde dpmpp_2m dpmpp_2m_sde
			dpmpp_3m_sde ddim lcm uni_pc`,
		"schedulers": "simple sgm_uniform karras exponential ddim_uniform beta normal",
		"upscale":    "nearest-exact bilinear area bicubic bislerp",
		"crop":       "disabled center", "imagescale": "nearest-exact bilinear area bicubic lanczos",
		"channels": "alpha red green blue", "devices": "default cpu",
		"dualtypes": `sdxl sd3 flux hunyuan_video hidream hunyuan_image hunyuan_video_15 kandinsky5 kandinsky5_image
			ltxv newbie ace`, "methods": "default fastest slowest", "codecs": "vp9 av1",
		"containers": "auto mp4", "videocodecs": "auto h264",
		"vhsformats": "image/gif image/webp video/h264-mp4 video/webm",
	}
	named := map[string][]string{"checkpoints": opts.Checkpoints, "encoders": opts.TextEncoders, "vaes": opts.VAEs,
		"loras": opts.Loras, "diffusion": opts.DiffusionModels}
	for name, words := range lists {
		named[name] = strings.Fields(words)
	}
	nodes := make(map[string]*comfyNode, len(comfyTable))
	for _, row := range comfyTable {
		n := &comfyNode{class: strings.TrimLeft(row[0], "+*"), outputs: strings.Fields(row[1]),
			sink: row[0] != strings.TrimLeft(row[0], "+*"), video: row[0][0] == '*'}
		for _, text := range strings.Split(row[2], ";") {
			n.inputs = append(n.inputs, comfyReadInput(strings.Fields(text), named))
		}
		nodes[n.class] = n
	}
	return nodes
}

func comfyReadInput(words []string, named map[string][]string) comfyInput {
	in := comfyInput{name: strings.TrimPrefix(words[0], "?"), kind: words[1], optional: words[0][0] == '?'}
	if list, ok := strings.CutPrefix(in.kind, "@"); ok {
		in.kind, in.choices = "COMBO", named[list]
	}
	if len(words) == 4 {
		in.min, in.max = words[2], words[3]
	}
	return in
}

// config returns the input's description on the wire. inputs are the uploaded pictures that the
// server lists.
func (in comfyInput) config(inputs []string) []any {
	switch in.kind {
	case "COMBO":
		return []any{comfyList(in.choices), map[string]any{}}
	case "FILE":
		return []any{comfyList(inputs), map[string]any{"image_upload": true}}
	}
	extra := map[string]any{}
	if in.min != "" {
		extra["min"], extra["max"] = json.Number(in.min), json.Number(in.max)
	}
	return []any{in.kind, extra}
}

// comfyList returns never null on the wire.
func comfyList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// info returns the node's entry in object_info.
func (n *comfyNode) info(inputs []string) map[string]any {
	described, order := map[string]any{}, map[string]any{}
	for _, group := range []string{"required", "optional"} {
		those, names := map[string]any{}, []string{}
		for _, in := range n.inputs {
			if in.optional == (group == "optional") {
				those[in.name] = in.config(inputs)
				names = append(names, in.name)
			}
		}
		if group == "required" || len(names) > 0 {
			described[group], order[group] = those, names
		}
	}
	return map[string]any{
		"input": described, "input_order": order,
		"output": comfyList(n.outputs), "output_name": comfyList(n.outputs),
		"output_is_list": make([]bool, len(n.outputs)),
		"name":           n.class, "display_name": n.class, "description": "", "python_module": "nodes",
		"category": "demo", "output_node": n.sink,
	}
}
