package comfy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// inspect works the plan out.
func (w Workflow) inspect() Plan {
	found, odd := w.placeholders()
	has := func(name string) bool { return len(found[name]) > 0 }
	p := Plan{
		How: "links", Kind: w.kind(), Warnings: odd,
		NeedsTrigger: has("trigger"), HasNegative: has("negative"), HasSeed: has("seed"), HasSize: has("width") && has("height"),
		HasCheckpoint: has("checkpoint"), HasTextEncoder: has("text_encoder"), HasVAE: has("vae"),
		CheckpointHint: w.hint(),
	}
	switch {
	case w.mapped != nil:
		p.How = "map"
	case has("prompt"):
		p.How = "placeholders"
	}
	for _, name := range []string{"prompt", "negative", "trigger", "seed", "width", "height", "checkpoint", "text_encoder", "vae"} {
		if has(name) {
			p.Found = append(p.Found, fmt.Sprintf("%s: placeholder in %s", inWords(name), join(found[name])))
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
	p.Found = append(p.Found, w.foundLines(t)...)
	if !p.HasSeed {
		p.Warnings = append(p.Warnings, "no seed was found: the same prompt will give the same picture")
	}
	return p
}

// foundLines says what was found by following links.
func (w Workflow) foundLines(t targets) []string {
	var lines []string
	add := func(name string, spots []spot) {
		if len(spots) == 0 {
			return
		}
		var at []string
		for _, s := range spots {
			at = append(at, fmt.Sprintf("%q of %s", clip(s.input, 60), w.label(s.node)))
		}
		lines = append(lines, fmt.Sprintf("%s: %s", inWords(name), join(at)))
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
	if len(t.samplers) > 0 && len(t.negative) == 0 {
		lines = append(lines, "negative prompt: no place for one was found")
	}
	add("seed", t.seed)
	add("width", t.width)
	add("height", t.height)
	for _, name := range mapNames() {
		add(name, t.more[name])
	}
	return lines
}

func inWords(name string) string {
	switch name {
	case "negative":
		return "negative prompt"
	case "trigger":
		return "trigger word"
	case "text_encoder":
		return "text encoder"
	case "vae":
		return "VAE"
	}
	return name
}

// join lists labels once each, and not too many of them.
func join(list []string) string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return shortList(once, 6)
}

// hint reads "checkpoint" next to the title of the node that loads it: a word
// that says which family of models the workflow is made for.
func (w Workflow) hint() string {
	for _, id := range sortedIDs(w.graph) {
		node, _ := w.graph[id].(map[string]any)
		name, _ := inputsOf(node)["ckpt_name"].(string)
		tokens := split(name)
		if len(tokens) != 1 || tokens[0].name != "checkpoint" {
			continue
		}
		meta, _ := node["_meta"].(map[string]any)
		hint, _ := meta["checkpoint"].(string)
		return strings.ToLower(strings.TrimSpace(clip(hint, 40)))
	}
	return ""
}
