package comfy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// targets are the inputs that take values, besides placeholders.
type targets struct {
	prompt, negative, seed, width, height []nodeInput
	samplers                              []string
	more                                  map[string][]nodeInput // other values, which only a map can set
}

// targets finds the inputs of values without a placeholder. A map replaces the search. With a
// placeholder for the prompt only the seed is searched for: without a new one the server would
// return the old picture. Otherwise everything is found by following the links of the sampler.
func (w Workflow) targets() (targets, error) {
	if w.mapped != nil {
		return w.mappedTargets(), nil
	}
	found, _ := w.placeholders()
	var t targets
	if len(found["prompt"]) > 0 {
		if len(found["seed"]) == 0 {
			t.seed = w.allSeeds()
		}
		extra := targets{samplers: w.samplers()}
		w.followExtras(&extra)
		t.more = extra.more
		return t, nil
	}
	t.samplers = w.samplers()
	if len(t.samplers) == 0 && w.directPrompt(&t) {
		return t, nil
	}
	if len(t.samplers) == 0 {
		return t, w.refuse("no sampler node was found that takes a positive and a negative prompt")
	}
	if err := w.followTexts(&t); err != nil {
		return t, err
	}
	for _, id := range t.samplers {
		t.seed = append(t.seed, w.seedOf(id)...)
	}
	w.followSize(&t)
	w.followExtras(&t)
	if len(found["negative"]) > 0 {
		t.negative = nil
	}
	if len(found["seed"]) > 0 {
		t.seed = nil
	}
	if len(found["width"])+len(found["height"]) > 0 {
		t.width, t.height = nil, nil
	}
	t.seed = unique(t.seed)
	return t, nil
}

// directPrompt finds the inputs in a workflow without a sampler whose picture is made by one node
// from the prompt itself, as vendors' nodes do.
func (w Workflow) directPrompt(t *targets) bool {
	var makers []string
	for _, id := range sortedIDs(w.graph) {
		in := inputsOf(w.graph[id])
		_, literal := in["prompt"].(string)
		paints := false
		for _, name := range []string{"seed", "negative_prompt", "aspect_ratio", "size", "width"} {
			_, has := in[name]
			paints = paints || has
		}
		if paints && (literal || isLink(in["prompt"])) {
			makers = append(makers, id)
		}
	}
	if len(makers) != 1 {
		return false
	}
	id, in := makers[0], inputsOf(w.graph[makers[0]])
	written := func(input, side string) []nodeInput {
		if _, literal := in[input].(string); literal {
			return []nodeInput{{id, input}}
		}
		walk := &textWalk{w: w, side: side, seen: map[string]bool{}}
		return walk.choose(walk.source(in[input], 0))
	}
	if t.prompt = written("prompt", positiveSide); len(t.prompt) == 0 {
		return false
	}
	t.negative = written("negative_prompt", negativeSide)
	t.seed = w.number(nodeInput{id, "seed"})
	t.width, t.height = w.number(nodeInput{id, "width"}), w.number(nodeInput{id, "height"})
	return true
}

// refuse returns the error of a workflow whose inputs cannot be determined.
func (w Workflow) refuse(reason string) error {
	const mend = "; set its input mapping, or write {{prompt}}, {{negative_prompt}} and {{seed}} into the file " +
		"where they belong"
	return &WorkflowError{Name: w.Name, Reason: reason + mend}
}

// link parses a connection: [node id, output number].
func link(value any) (id string, slot string, ok bool) {
	list, _ := value.([]any)
	if len(list) != 2 {
		return "", "", false
	}
	id, okID := list[0].(string)
	n, okSlot := list[1].(json.Number)
	return id, n.String(), okID && okSlot
}

func isLink(value any) bool {
	_, _, ok := link(value)
	return ok
}

// samplers returns the nodes that turn noise into a picture: they have a seed or a connection to
// noise, and two conditionings, a guider or a pipe.
func (w Workflow) samplers() []string {
	var out []string
	for _, id := range sortedIDs(w.graph) {
		in := inputsOf(w.graph[id])
		_, seed := in["seed"]
		_, noiseSeed := in["noise_seed"]
		_, steps := in["steps"]
		seed = seed || noiseSeed
		positive, negative := w.sides(in)
		direct := seed && positive != nil && (negative != nil || latentFrom(in) != "" || steps)
		guided := isLink(in["guider"]) && (seed || isLink(in["noise"]))
		if direct || guided {
			out = append(out, id)
		}
	}
	return out
}

// sides returns the links to a sampler's two conditionings, or to those of its guider; nil for a
// missing one. Of a guider with two positive ones the first is used: the other stays as in the
// file.
func (w Workflow) sides(in map[string]any) (positive, negative any) {
	if g, _, ok := link(in["guider"]); ok {
		in = inputsOf(w.graph[g])
	}
	for _, name := range sortedIDs(in) {
		if !isLink(in[name]) {
			continue
		}
		switch lower := strings.ToLower(name); {
		case name == "negative" || name == "neg_conditioning" || name == "negative_conditioning":
			negative = in[name]
		case name == "positive":
			positive = in[name]
		case positive == nil && (name == "conditioning" || name == "cond1" || name == "cond"):
			positive = in[name]
		case positive == nil && (name == "text_embeds" || name == "pipe" || strings.HasSuffix(lower, "_pipe")):
			positive, negative = in[name], in[name] // it has both
		}
	}
	return positive, negative
}

// followTexts finds the text inputs that all samplers agree on.
func (w Workflow) followTexts(t *targets) error {
	from := ""
	for _, id := range t.samplers {
		positive, negative := w.sides(inputsOf(w.graph[id]))
		pos, err := w.texts(positive, positiveSide)
		if err != nil {
			return err
		}
		neg, err := w.texts(negative, negativeSide)
		if err != nil {
			return err
		}
		// With a cfg of 1 the negative side has no effect, and is often connected to the prompt:
		// then there is no input for a negative one.
		neg = slices.DeleteFunc(neg, func(s nodeInput) bool { return slices.Contains(pos, s) })
		if len(pos) == 0 {
			continue
		}
		if from != "" && !slices.Equal(pos, t.prompt) &&
			(w.continuesPicture(id, from) || w.continuesPicture(from, id)) {
			// A base and its refiner have separate encoders of the prompt.
			t.prompt, t.negative = unique(append(t.prompt, pos...)), unique(append(t.negative, neg...))
			continue
		}
		if from != "" && !slices.Equal(pos, t.prompt) {
			return w.refuse(fmt.Sprintf("two samplers take their prompt from different nodes: %s from %s, %s from %s",
				w.label(from), w.label(t.prompt[0].node), w.label(id), w.label(pos[0].node)))
		}
		from, t.prompt = id, pos
		t.negative = unique(append(t.negative, neg...))
	}
	if len(t.prompt) == 0 {
		return w.refuse(fmt.Sprintf("no text was found behind the positive prompt of %s", w.label(t.samplers[0])))
	}
	return nil
}

// seedOf returns the input of a sampler's seed: its own, or that of a connected node.
func (w Workflow) seedOf(id string) []nodeInput {
	in := inputsOf(w.graph[id])
	var out []nodeInput
	for _, name := range []string{"seed", "noise_seed"} {
		out = append(out, w.number(nodeInput{id, name})...)
	}
	if noise, _, ok := link(in["noise"]); ok {
		for _, name := range []string{"noise_seed", "seed"} {
			out = append(out, w.number(nodeInput{noise, name})...)
		}
	}
	return out
}

// allSeeds returns every seed in the graph.
func (w Workflow) allSeeds() []nodeInput {
	var out []nodeInput
	for _, id := range sortedIDs(w.graph) {
		for _, name := range []string{"seed", "noise_seed"} {
			out = append(out, w.number(nodeInput{id, name})...)
		}
	}
	return unique(out)
}

// number returns the places of an input's number: the input itself, or an input of a node that only
// passes the number on. If the number is computed, it is the last input before the computation; the
// number replaces the connection there. It is nil if there is no such input.
func (w Workflow) number(at nodeInput) []nodeInput {
	seen := map[nodeInput]bool{}
	for !seen[at] && len(seen) < maxFollow {
		value, ok := inputsOf(w.graph[at.node])[at.input]
		if !ok {
			return nil
		}
		seen[at] = true
		if _, literal := value.(json.Number); literal {
			return []nodeInput{at}
		}
		id, _, ok := link(value)
		if !ok {
			return nil
		}
		input := w.onlyNumber(id)
		if input == "" {
			return []nodeInput{at}
		}
		at = nodeInput{id, input}
	}
	return nil
}

// onlyNumber returns the input of a node that only holds or passes on a number, "" for any other
// node.
func (w Workflow) onlyNumber(id string) string {
	found := ""
	in := inputsOf(w.graph[id])
	for _, name := range sortedIDs(in) {
		_, number := in[name].(json.Number)
		_, flag := in[name].(bool)
		switch {
		case (number || isLink(in[name])) && found == "":
			found = name
		case !flag && name != "control_after_generate":
			return ""
		}
	}
	return found
}

// followSize finds the only node that sets the size, if there is just one.
func (w Workflow) followSize(t *targets) {
	var origins []string
	for _, id := range t.samplers {
		origins = w.sizeOrigins(id, map[string]bool{}, origins)
	}
	if len(origins) != 1 {
		return
	}
	in := inputsOf(w.graph[origins[0]])
	width := w.number(nodeInput{origins[0], sizeInput(in, "width")})
	height := w.number(nodeInput{origins[0], sizeInput(in, "height")})
	if len(width) == 1 && len(height) == 1 && width[0] != height[0] {
		t.width, t.height = width, height
	}
}

// sizeOrigins adds the nodes that make the latent picture of a sampler and take a size.
func (w Workflow) sizeOrigins(id string, seen map[string]bool, list []string) []string {
	if seen[id] || len(seen) > maxFollow {
		return list
	}
	seen[id] = true
	in := inputsOf(w.graph[id])
	if next := latentFrom(in); next != "" {
		return w.sizeOrigins(next, seen, list)
	}
	if _, pixels := in["pixels"]; !pixels && sizeInput(in, "width") != "" && sizeInput(in, "height") != "" {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
		return list
	}
	let := w.selected(in)
	for _, name := range sortedIDs(in) { // a switch, or a node that only passes it on
		if next, _, ok := link(in[name]); ok && (let == "" || let == name) && !carriesPicture(name) {
			list = w.sizeOrigins(next, seen, list)
		}
	}
	return list
}

// carriesPicture reports whether a connection's name cannot lead to the size of a latent picture.
func carriesPicture(name string) bool {
	for _, sign := range []string{
		"model", "clip", "vae", "image", "pixels", "mask", "cond", "positive", "negative",
		"control_net", "seed", "lora", "width", "height",
	} {
		if strings.Contains(strings.ToLower(name), sign) {
			return true
		}
	}
	return false
}

// sizeInput returns the input of a node for a side of its latent picture, "" if it has none.
func sizeInput(in map[string]any, side string) string {
	for _, name := range []string{side, "empty_latent_" + side, "latent_" + side} {
		if _, ok := in[name]; ok {
			return name
		}
	}
	return ""
}

// continuesPicture reports whether one sampler continues the picture of another, directly or
// decoded, scaled and encoded again.
func (w Workflow) continuesPicture(id, other string) bool {
	seen := map[string]bool{}
	for !seen[id] && len(seen) <= maxFollow {
		seen[id] = true
		in := inputsOf(w.graph[id])
		next := firstOf(latentFrom(in), pictureFrom(in))
		if next == other && next != "" {
			return true
		}
		id = next
	}
	return false
}

// latentFrom returns the node of a latent picture, "" for none.
func latentFrom(in map[string]any) string {
	for _, name := range []string{"latent_image", "latent", "samples", "latents", "optional_latent"} {
		if to, _, ok := link(in[name]); ok {
			return to
		}
	}
	return ""
}

// pictureFrom returns the node of a decoded picture, "" for none.
func pictureFrom(in map[string]any) string {
	for _, name := range []string{"pixels", "image", "images"} {
		if to, _, ok := link(in[name]); ok {
			return to
		}
	}
	return ""
}

// unique sorts inputs and removes duplicates.
func unique(list []nodeInput) []nodeInput {
	slices.SortFunc(list, func(a, b nodeInput) int {
		if c := compareIDs(a.node, b.node); c != 0 {
			return c
		}
		return strings.Compare(a.input, b.input)
	})
	return slices.Compact(list)
}
