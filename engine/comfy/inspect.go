package comfy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// inspect computes the WorkflowInfo.
func (w Workflow) inspect() WorkflowInfo {
	found, odd := w.placeholders()
	has := func(name string) bool { return len(found[name]) > 0 }
	p := WorkflowInfo{
		Summary: "links", Kind: w.kind(), Warnings: odd,
		NeedsTrigger: has("trigger"), HasNegative: has("negative"), HasSeed: has("seed"), HasSize: has("width") &&
			has("height"),
		needs: w.needs(found),
	}
	switch {
	case w.mapped != nil:
		p.Summary = "map"
	case has("prompt"):
		p.Summary = "placeholders"
	}
	for _, name := range mapNames() {
		if has(name) && !slices.Contains([]string{"steps", "scale", "sampler", "scheduler", "denoise", "lora_weight"},
			name) {
			p.Found = append(p.Found, fmt.Sprintf("%s: placeholder in %s", describeInputs(name), join(found[name])))
		}
	}
	t, err := w.targets()
	if err != nil {
		reason := err.Error()
		var fault *WorkflowError
		if errors.As(err, &fault) {
			reason = fault.Reason
		}
		p.Warnings = append(p.Warnings, reason)
		return p
	}
	p.HasNegative = p.HasNegative || len(t.negative) > 0
	p.HasSeed = p.HasSeed || len(t.seed) > 0
	p.HasSize = p.HasSize || len(t.width) > 0 && len(t.height) > 0
	p.NeedsTrigger = p.NeedsTrigger || len(t.more["trigger"]) > 0
	p.HasLora = has("lora") || len(t.more["lora"]) > 0
	for _, name := range pictureNames() {
		if has(name) || len(t.more[name]) > 0 {
			p.Pictures = append(p.Pictures, name)
		}
	}
	p.Text = w.text(t)
	p.Found = append(p.Found, w.foundLines(t, has("negative"), p.HasSize)...)
	if !p.HasSeed {
		p.Warnings = append(p.Warnings, "no seed was found: the same prompt gives the same picture")
	}
	return p
}

// foundLines describes what was found by following links. negative and sized mean that the file
// has placeholders for the negative prompt and the size.
func (w Workflow) foundLines(t targets, negative, sized bool) []string {
	var lines []string
	add := func(name string, spots []nodeInput) {
		if len(spots) == 0 {
			return
		}
		var at []string
		for _, s := range spots {
			words := fmt.Sprintf("%q of %s", clip(s.input, 60), w.label(s.node))
			if from, _, ok := link(inputsOf(w.graph[s.node])[s.input]); ok {
				words += ", instead of the connection to " + w.label(from)
			}
			at = append(at, words)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", describeInputs(name), join(at)))
	}
	if len(t.samplers) > 0 {
		var at []string
		for _, id := range t.samplers {
			at = append(at, w.label(id))
		}
		lines = append(lines, "sampler: "+join(at))
	}
	add("prompt", t.prompt)
	add("negative", t.negative)
	if len(t.samplers) > 0 && len(t.negative) == 0 && !negative {
		lines = append(lines, "negative prompt: no input found")
	}
	add("seed", t.seed)
	if !sized {
		lines = append(lines, "size: no input found")
	}
	add("width", t.width)
	add("height", t.height)
	for _, name := range mapNames() {
		add(name, t.more[name])
	}
	return lines
}

// Unused describes which values the workflow has no input for: a negative prompt, and a size if
// width and height are not 0.
func (p WorkflowInfo) Unused(negative string, width, height int) []string {
	var out []string
	if strings.TrimSpace(negative) != "" && !p.HasNegative {
		out = append(out, "the workflow has no input for a negative prompt, so it is not used")
	}
	if width > 0 && height > 0 && !p.HasSize {
		out = append(out, fmt.Sprintf("the workflow has no input for a size, so %d × %d is not used", width, height))
	}
	return out
}

func describeInputs(name string) string {
	switch name {
	case "negative":
		return "negative prompt"
	case "trigger":
		return "trigger word"
	case "text_encoder":
		return "text encoder"
	case "vae":
		return "VAE"
	case "clip":
		return "second text encoder"
	case "diffusion_model":
		return "diffusion model"
	case "lora":
		return "LoRA"
	case "lora_weight":
		return "LoRA weight"
	case "denoise":
		return "strength"
	case source:
		return "start picture"
	case charAvatar:
		return "character's avatar"
	case userAvatar:
		return "persona's avatar"
	}
	if n, ok := strings.CutPrefix(name, reference); ok {
		return strings.TrimSpace("reference image " + strings.TrimPrefix(n, "_"))
	}
	return name
}

// join lists labels without duplicates, and not too many of them.
func join(list []string) string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return shortList(once, 6)
}
