package comfy

import (
	"context"
	"strings"
)

// Forms of prompts for text encoders.
const (
	Prose = "prose" // whole sentences
	Tags  = "tags"  // short phrases with commas between
)

// Text describes the input that the text encoder of a workflow reads best. The zero value is
// unknown.
type Text struct {
	Form string `json:"form"` // Prose, Tags, or ""
	// Tokens is the number of its own tokens that it reads well, 0 if unknown.
	Tokens int `json:"tokens"`
	// Encoder is its name: CLIP, T5, or a language model.
	Encoder string `json:"encoder"`
	// From is the source of the information: a node, or a model's name.
	From string `json:"from"`
}

// Known reports whether anything is known.
func (t Text) Known() bool { return t.Form != "" }

// CLIPTokens is the number of tokens that CLIP reads in one pass, including its start and end
// tokens.
const CLIPTokens = 77

const (
	maxT5Tokens    = 512
	maxShortTokens = 256 // of models trained with fewer
)

// encoderFamily is a family of checkpoints with the same encoder. Signs of up to three letters
// must be words of the name, others may be anywhere in it.
type encoderFamily struct {
	text  Text
	signs string
}

func encoderFamilies() []encoderFamily {
	t5 := Text{Form: Prose, Tokens: maxT5Tokens, Encoder: "T5"}
	clip := Text{Form: Tags, Tokens: CLIPTokens, Encoder: "CLIP"}
	short, large := t5, t5
	short.Tokens, large.Encoder = maxShortTokens, "a language model"
	return []encoderFamily{
		{large, "flux2 flux.2 flux-2 qwen hidream hunyuan lumina z_image z-image zimage omnigen kandinsky5"},
		{short, "schnell sd3 sd35 stable-diffusion-3 stable_diffusion_3 stablediffusion3 pixart"},
		{t5, "flux chroma kontext krea ltx ltxv mochi cosmos wan2 wan_2 auraflow"},
		{clip, "pony illustrious ilxl noobai noob animagine anime anything-v counterfeit abyssorange meinamix " +
			"hassaku novaanime kohaku waifu sdxl xl sd_xl sd15 sd1 sd2 v1-5 v1-4 v2-1 sd-v1 sd_v1 " +
			"stable-diffusion-v1 stable-diffusion-xl stable-diffusion-2 juggernaut dreamshaper realvis " +
			"realisticvision realistic-vision epicrealism deliberate"},
	}
}

// TextOf returns what the name of a checkpoint or a diffusion model shows about its text encoder.
func TextOf(model string) Text {
	name := strings.ToLower(model)
	words := strings.FieldsFunc(stem(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, f := range encoderFamilies() {
		for sign := range strings.FieldsSeq(f.signs) {
			hit := len(sign) > 3 && strings.Contains(name, sign)
			for _, w := range words {
				hit = hit || w == sign || sign == "xl" && strings.HasSuffix(w, sign)
			}
			if hit {
				f.text.From = clip(model, 120)
				return f.text
			}
		}
	}
	return Text{}
}

// text returns what the file shows: the node that encodes the prompt may have "text" after its
// title; the loader of the text encoder has its type; otherwise the name of the model counts.
func (w Workflow) text(t targets) Text {
	spots := append([]nodeInput{}, t.prompt...)
	w.forEachPlaceholder(func(name string, at NodeInput) {
		if name == "prompt" {
			spots = append(spots, nodeInput{at.Node, at.Input})
		}
	})
	for _, id := range sortedIDs(w.graph) { // a text may be separate from its encoder
		for _, name := range sortedIDs(inputsOf(w.graph[id])) {
			if to, _, ok := link(inputsOf(w.graph[id])[name]); ok && isTextInput(name) && hasNode(spots, to) {
				spots = append(spots, nodeInput{id, name})
			}
		}
	}
	for _, at := range spots {
		if said := w.textSetting(at.node); said.Known() {
			return said
		}
	}
	for _, at := range spots {
		if found := w.encoderOf(at.node, at.input); found.Known() {
			return found
		}
	}
	return Text{}
}

func hasNode(spots []nodeInput, id string) bool {
	for _, s := range spots {
		if s.node == id {
			return true
		}
	}
	return false
}

// textSetting returns the setting after a node's title.
func (w Workflow) textSetting(id string) Text {
	n, _ := w.graph[id].(map[string]any)
	meta, _ := n["_meta"].(map[string]any)
	form, _ := meta["text"].(string)
	t := w.encoderOf(id, "")
	switch strings.ToLower(strings.TrimSpace(form)) {
	case Prose:
		t.Form = Prose
	case Tags:
		t.Form = Tags
	default:
		return Text{}
	}
	t.From = w.label(id)
	return t
}

// encoderOf follows a node that encodes a text to the loader of its encoder.
func (w Workflow) encoderOf(id, input string) Text {
	class := classOf(w.graph[id])
	for _, sign := range []string{"Flux", "T5", "PixArt"} {
		if strings.Contains(class, sign) || input == "t5xxl" {
			return Text{Form: Prose, Tokens: maxT5Tokens, Encoder: "T5", From: w.label(id)}
		}
	}
	for _, sign := range []string{"Qwen", "Hunyuan", "Lumina", "HiDream", "Omni"} {
		if strings.Contains(class, sign) {
			return Text{Form: Prose, Tokens: maxT5Tokens, Encoder: "a language model", From: w.label(id)}
		}
	}
	in := inputsOf(w.graph[id])
	seen := map[string]bool{}
	for value := in["clip"]; ; {
		to, _, ok := link(value)
		if !ok || seen[to] || len(seen) > maxFollow {
			return Text{}
		}
		seen[to] = true
		at := inputsOf(w.graph[to])
		if found := w.loaderText(to, at); found.Known() {
			return found
		}
		value = at["clip"]
	}
}

// loaderText returns what a node that loads a text encoder, alone or with its model, shows about
// it.
func (w Workflow) loaderText(id string, in map[string]any) Text {
	if name, ok := in["ckpt_name"].(string); ok {
		if len(split(name)) == 1 && split(name)[0].name == "checkpoint" {
			name = w.hint("checkpoint")
		}
		return TextOf(name)
	}
	kind, _ := in["type"].(string)
	var files []string
	for _, input := range sortedIDs(in) {
		if name, ok := in[input].(string); ok && strings.HasPrefix(input, "clip_name") {
			files = append(files, strings.ToLower(name))
		}
	}
	if len(files) == 0 {
		return Text{}
	}
	t := TextOf(kind)
	names := strings.Join(files, " ")
	switch {
	case t.Known():
	case strings.Contains(names, "t5"):
		t = Text{Form: Prose, Tokens: maxT5Tokens, Encoder: "T5"}
	case strings.Contains(names, "qwen") || strings.Contains(names, "llama") || strings.Contains(names, "gemma") ||
		strings.Contains(names, "mistral"):
		t = Text{Form: Prose, Tokens: maxT5Tokens, Encoder: "a language model"}
	case kind == "sdxl" || kind == "stable_diffusion" || kind == "stable_cascade" || strings.Contains(names, "clip_"):
		t = Text{Form: Tags, Tokens: CLIPTokens, Encoder: "CLIP"}
	}
	if t.Known() {
		t.From = w.label(id)
	}
	return t
}

// TextOf returns what the text encoder of a workflow reads best on this server: if the file leaves
// the model to Fill, by the name of the model that would be chosen.
func (c *Client) TextOf(ctx context.Context, w Workflow) (Text, error) {
	if w.plan.Text.Known() {
		return w.plan.Text, nil
	}
	for _, n := range w.plan.needs {
		if n.name != "checkpoint" && n.name != "diffusion_model" {
			continue
		}
		list, err := c.Models(ctx, n.kind().folder)
		if err != nil {
			return Text{}, err
		}
		return TextOf(n.pick(list)), nil
	}
	return Text{}, nil
}
