package comfy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxFollow bounds how many links are followed from a sampler.
const maxFollow = 40

// targets are the inputs that take values besides the placeholders.
type targets struct {
	prompt, negative, seed, width, height []spot
	samplers                              []string
	more                                  map[string][]spot // other values, which only a map can name
}

// targets finds where the values go that have no placeholder. A map that was
// given is all there is. With a placeholder for the prompt only the seed is looked
// for: without a new one the server would answer with the old picture. Without
// one, everything is found by following the links of the sampler.
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

func (w Workflow) refuse(reason string) error {
	return &WorkflowError{Name: w.Name, Reason: reason + "; write {{prompt}}, {{negative_prompt}} and {{seed}} into the file where they belong"}
}

// link reads a connection: [node id, output number].
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

// samplers finds the nodes that turn noise into a picture.
func (w Workflow) samplers() []string {
	var out []string
	for _, id := range sortedIDs(w.graph) {
		in := inputsOf(w.graph[id])
		_, seed := in["seed"]
		_, noiseSeed := in["noise_seed"]
		direct := isLink(in["positive"]) && isLink(in["negative"]) && (seed || noiseSeed)
		guided := isLink(in["guider"]) && isLink(in["noise"])
		if direct || guided {
			out = append(out, id)
		}
	}
	return out
}

// followTexts finds the text inputs that all samplers agree on.
func (w Workflow) followTexts(t *targets) error {
	from := ""
	for _, id := range t.samplers {
		in := inputsOf(w.graph[id])
		positive, negative := in["positive"], in["negative"]
		if g, _, ok := link(in["guider"]); ok {
			guider := inputsOf(w.graph[g])
			positive, negative = guider["positive"], guider["negative"]
			if positive == nil {
				positive = guider["conditioning"]
			}
		}
		pos, err := w.texts(positive, "positive")
		if err != nil {
			return err
		}
		neg, err := w.texts(negative, "negative")
		if err != nil {
			return err
		}
		for _, s := range neg {
			if slices.Contains(pos, s) {
				return w.refuse(fmt.Sprintf("the positive and the negative prompt of %s lead to the same text in %s", w.label(id), w.label(s.node)))
			}
		}
		if len(pos) == 0 {
			continue
		}
		if from != "" && !slices.Equal(pos, t.prompt) && (w.paintsOn(id, from) || w.paintsOn(from, id)) {
			// A base and its refiner: each reads the prompt with an encoder of its own.
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

// texts follows a conditioning link to the text inputs behind it, sorted. Two
// different text nodes are ambiguous.
func (w Workflow) texts(from any, side string) ([]spot, error) {
	walk := &textWalk{w: w, seen: map[string]bool{}}
	if err := walk.conditioning(from, side, 0); err != nil {
		return nil, err
	}
	out := unique(walk.found)
	for _, s := range out {
		if s.node != out[0].node {
			return nil, w.refuse(fmt.Sprintf("the %s prompt is put together from several texts, in %s and %s", side, w.label(out[0].node), w.label(s.node)))
		}
	}
	return out, nil
}

type textWalk struct {
	w     Workflow
	seen  map[string]bool
	found []spot
}

func (t *textWalk) enter(kind, id, slot string, depth int) bool {
	key := kind + "\x00" + id + "\x00" + slot
	if depth > maxFollow || t.seen[key] {
		return false
	}
	t.seen[key] = true
	return true
}

// isTextInput tells whether nodes call the text they encode so.
func isTextInput(name string) bool {
	switch name {
	case "text", "text_g", "text_l", "clip_l", "clip_g", "t5xxl", "llama", "prompt":
		return true
	}
	return false
}

// conditioning follows one link. side is the half of a pair that is wanted.
func (t *textWalk) conditioning(value any, side string, depth int) error {
	id, slot, ok := link(value)
	if !ok || !t.enter("cond", id, slot, depth) {
		return nil
	}
	node := t.w.graph[id]
	in := inputsOf(node)
	if classOf(node) == "ConditioningZeroOut" {
		return nil // whatever text is behind it does not count
	}
	if _, pair := in["positive"]; pair && slot == "1" && isLink(in["negative"]) && isLink(in["positive"]) {
		side = "negative"
	} else if pair && slot == "0" && isLink(in["positive"]) {
		side = "positive"
	}
	if _, literal := in[side].(string); literal { // loaders that take both prompts as texts
		t.found = append(t.found, spot{id, side})
		return nil
	}
	before := len(t.found)
	for _, name := range sortedIDs(in) {
		if !isTextInput(name) {
			continue
		}
		if _, literal := in[name].(string); literal {
			t.found = append(t.found, spot{id, name})
		} else if err := t.source(in[name], depth+1); err != nil {
			return err
		}
	}
	if len(t.found) > before {
		return nil
	}
	for _, name := range passedOn(in, side) {
		if err := t.conditioning(in[name], side, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// passedOn names the inputs through which a node's conditioning comes in.
func passedOn(in map[string]any, side string) []string {
	if isLink(in[side]) {
		return []string{side}
	}
	var conds, links []string
	for _, name := range sortedIDs(in) {
		if !isLink(in[name]) {
			continue
		}
		links = append(links, name)
		if strings.Contains(strings.ToLower(name), "cond") {
			conds = append(conds, name)
		}
	}
	if len(conds) > 0 {
		return conds
	}
	if len(links) == 1 { // a reroute, whatever it calls its input
		return links
	}
	return nil
}

// source follows the link of a text input to the node that holds the text.
func (t *textWalk) source(value any, depth int) error {
	id, slot, ok := link(value)
	if !ok || !t.enter("text", id, slot, depth) {
		return nil
	}
	in := inputsOf(t.w.graph[id])
	var names []string
	for _, name := range sortedIDs(in) {
		_, literal := in[name].(string)
		if (literal || isLink(in[name])) && isStringInput(name) {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return t.w.refuse(fmt.Sprintf("the text is put together from several inputs of %s", t.w.label(id)))
	}
	if len(names) == 0 {
		return nil
	}
	if _, literal := in[names[0]].(string); literal {
		t.found = append(t.found, spot{id, names[0]})
		return nil
	}
	return t.source(in[names[0]], depth+1)
}

// isStringInput tells the inputs under which nodes hold or join texts.
func isStringInput(name string) bool {
	name = strings.ToLower(name)
	for _, stem := range []string{"value", "string", "text", "prompt", "any", "input"} {
		if name == stem || (strings.HasPrefix(name, stem) && len(name) <= len(stem)+3) {
			return true
		}
	}
	return false
}

// seedOf finds where a sampler's seed is written: in it, or in a node that it is
// connected to.
func (w Workflow) seedOf(id string) []spot {
	in := inputsOf(w.graph[id])
	var out []spot
	for _, name := range []string{"seed", "noise_seed"} {
		out = append(out, w.number(spot{id, name})...)
	}
	if noise, _, ok := link(in["noise"]); ok {
		for _, name := range []string{"noise_seed", "seed"} {
			out = append(out, w.number(spot{noise, name})...)
		}
	}
	return out
}

// allSeeds finds every seed in the graph.
func (w Workflow) allSeeds() []spot {
	var out []spot
	for _, id := range sortedIDs(w.graph) {
		for _, name := range []string{"seed", "noise_seed"} {
			out = append(out, w.number(spot{id, name})...)
		}
	}
	return unique(out)
}

// number finds the number behind an input: there itself, or in a node it is
// connected to.
func (w Workflow) number(at spot) []spot { return w.numberOnce(at, map[spot]bool{}) }

// numberOnce looks at no input twice, or circles would take for ever.
func (w Workflow) numberOnce(at spot, seen map[spot]bool) []spot {
	value, ok := inputsOf(w.graph[at.node])[at.input]
	if !ok || seen[at] || len(seen) > 10*maxFollow {
		return nil
	}
	seen[at] = true
	if _, literal := value.(json.Number); literal {
		return []spot{at}
	}
	id, _, ok := link(value)
	if !ok {
		return nil
	}
	for _, name := range []string{"seed", "noise_seed", "value", "int", "number", "Value", "a", "any", "input"} {
		if out := w.numberOnce(spot{id, name}, seen); len(out) > 0 {
			return out
		}
	}
	return nil
}

// followSize finds the one node that sets the size, if there is just one.
func (w Workflow) followSize(t *targets) {
	var origins []string
	for _, id := range t.samplers {
		if o := w.sizeOrigin(id); o != "" && !slices.Contains(origins, o) {
			origins = append(origins, o)
		}
	}
	if len(origins) != 1 {
		return
	}
	width, height := w.number(spot{origins[0], "width"}), w.number(spot{origins[0], "height"})
	if len(width) == 1 && len(height) == 1 && width[0] != height[0] {
		t.width, t.height = width, height
	}
}

// paintsOn tells whether one sampler goes on with the picture of another, be it latent or
// have it been decoded, made larger and encoded again between the two.
func (w Workflow) paintsOn(id, other string) bool {
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

// latentFrom is the node that a latent picture comes from, "" for none.
func latentFrom(in map[string]any) string {
	for _, name := range []string{"latent_image", "latent", "samples", "latents"} {
		if to, _, ok := link(in[name]); ok {
			return to
		}
	}
	return ""
}

// pictureFrom is the node that a decoded picture comes from, "" for none.
func pictureFrom(in map[string]any) string {
	for _, name := range []string{"pixels", "image", "images"} {
		if to, _, ok := link(in[name]); ok {
			return to
		}
	}
	return ""
}

// sizeOrigin follows the latent picture of a sampler to the node that makes it.
func (w Workflow) sizeOrigin(id string) string {
	seen := map[string]bool{}
	for !seen[id] && len(seen) <= maxFollow {
		seen[id] = true
		in := inputsOf(w.graph[id])
		next := latentFrom(in)
		if next == "" {
			_, width := in["width"]
			_, height := in["height"]
			_, pixels := in["pixels"]
			if width && height && !pixels {
				return id
			}
			return ""
		}
		id = next
	}
	return ""
}

// unique sorts spots and drops doubles.
func unique(list []spot) []spot {
	slices.SortFunc(list, func(a, b spot) int {
		if c := compareIDs(a.node, b.node); c != 0 {
			return c
		}
		return strings.Compare(a.input, b.input)
	})
	return slices.Compact(list)
}
