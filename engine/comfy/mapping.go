package comfy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// NodeInput is one input of one node.
type NodeInput struct {
	Node  string `json:"node"`
	Input string `json:"input"`
}

// Map says which inputs take which value, by the value's name: prompt, negative, seed, width,
// height, trigger, checkpoint and the other models, lora and lora_weight, the pictures of
// Values.Pictures, denoise, steps, scale, sampler, scheduler.
type Map map[string][]NodeInput

// maxNodeInputs limits how many inputs may take one value, maxCandidates how many are offered.
const (
	maxNodeInputs = 100
	maxCandidates = 2000
)

// Candidate is an input that a value could go to.
type Candidate struct {
	NodeInput
	Label string   `json:"label"` // the node's name for the user
	Class string   `json:"class"` // of the node
	Value string   `json:"value"` // the value in the file, shortened
	Takes []string `json:"takes"` // the values of a Map that could go there, the most likely first
}

// mapNames returns the names of a Map's values, in the order of dialogs.
func mapNames() []string {
	names := []string{"prompt", "negative", "trigger", "seed", "width", "height", "checkpoint", "diffusion_model",
		"text_encoder", "clip", "vae", "lora", "lora_weight"}
	return append(append(names, pictureNames()...), "denoise", "steps", "scale", "sampler", "scheduler")
}

func isNumberName(name string) bool {
	return slices.Contains([]string{"seed", "width", "height", "steps", "scale", "lora_weight", "denoise"}, name)
}

// NeedsConfirm reports whether the inputs were found by following links, so that the user should
// confirm them once.
func (p WorkflowInfo) NeedsConfirm() bool { return p.Summary == "links" }

// Map returns the inputs of values: the map of WithMap, else what was found, by placeholders and
// links. In an unusable file, unknown ones are missing.
func (w Workflow) Map() Map {
	if w.mapped != nil {
		return w.mapped.clone()
	}
	m := Map{}
	w.forEachPlaceholder(func(name string, at NodeInput) {
		if slices.Contains(mapNames(), name) && !slices.Contains(m[name], at) {
			m[name] = append(m[name], at)
		}
	})
	t, err := w.targets()
	if err != nil {
		t = targets{seed: w.allSeeds(), samplers: w.samplers()}
		w.followSize(&t)
		w.followExtras(&t)
		for _, name := range []string{"seed", "width", "height"} {
			if len(m[name]) > 0 {
				t.set(name, nil)
			}
		}
	}
	for name, list := range t.lists() {
		for _, s := range *list {
			m[name] = append(m[name], NodeInput{s.node, s.input})
		}
	}
	for name, list := range t.more {
		for _, s := range list {
			m[name] = append(m[name], NodeInput{s.node, s.input})
		}
	}
	return m
}

// lists returns the targets by the names of a Map.
func (t *targets) lists() map[string]*[]nodeInput {
	return map[string]*[]nodeInput{"prompt": &t.prompt, "negative": &t.negative, "seed": &t.seed, "width": &t.width,
		"height": &t.height}
}

func (t *targets) set(name string, list []nodeInput) {
	if into := t.lists()[name]; into != nil {
		*into = list
		return
	}
	if t.more == nil {
		t.more = map[string][]nodeInput{}
	}
	t.more[name] = list
}

func (m Map) clone() Map {
	out := make(Map, len(m))
	for name, list := range m {
		out[name] = slices.Clone(list)
	}
	return out
}

// forEachPlaceholder calls f for every known placeholder, with its input.
func (w Workflow) forEachPlaceholder(f func(name string, at NodeInput)) {
	w.forEachToken(func(t token, at NodeInput) {
		if t.name != "" {
			f(t.name, at)
		}
	})
}

// placeholdersAt returns the placeholders in an input.
func (w Workflow) placeholdersAt(at NodeInput) map[string]bool {
	out := map[string]bool{}
	if isFileName(at.Input) {
		return out
	}
	forEachString(at.Input, inputsOf(w.graph[at.Node])[at.Input], func(_, s string) {
		for _, t := range split(s) {
			out[t.name] = true
		}
	})
	delete(out, "")
	return out
}

// WithMap returns the workflow with m as the map of its inputs, in addition to placeholders, which
// are always filled. It makes an unusable file usable. A text, a seed or a size may replace a
// connection. The error is a *WorkflowError that names the input, which must exist and have the
// right type.
func (w Workflow) WithMap(m Map) (Workflow, error) {
	bad := func(format string, args ...any) (Workflow, error) {
		return Workflow{}, &WorkflowError{Name: w.Name, Reason: fmt.Sprintf(format, args...)}
	}
	taken := map[NodeInput]string{}
	clean := Map{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list := m[name]
		if len(list) == 0 {
			continue
		}
		if !slices.Contains(mapNames(), name) {
			return bad("unknown value %q; use one of %s", clip(name, 40), strings.Join(mapNames(), ", "))
		}
		if len(list) > maxNodeInputs {
			return bad("the %s is mapped to more than %d inputs", describeInputs(name), maxNodeInputs)
		}
		for _, at := range list {
			if reason := w.mapError(name, at); reason != "" {
				return bad("%s", reason)
			}
			held := w.placeholdersAt(at)
			if other, twice := taken[at]; twice && other != name && !(held[name] && held[other]) {
				return bad("%q of %s cannot take both the %s and the %s", clip(at.Input, 60), w.label(at.Node),
					describeInputs(other), describeInputs(name))
			}
			taken[at] = name
			if !slices.Contains(clean[name], at) {
				clean[name] = append(clean[name], at)
			}
		}
	}
	found, _ := w.placeholders()
	if len(clean["prompt"]) == 0 && len(found["prompt"]) == 0 {
		return bad("the prompt is not mapped to an input")
	}
	w.mapped = clean
	w.plan = w.inspect()
	return w, nil
}

// mapError returns why a value cannot go to an input, "" if it can.
func (w Workflow) mapError(name string, at NodeInput) string {
	node, ok := w.graph[at.Node]
	if !ok {
		return fmt.Sprintf("the %s cannot be mapped to node %q: there is no such node", describeInputs(name),
			clip(at.Node, 60))
	}
	cannot := fmt.Sprintf("the %s cannot be mapped to %q of %s", describeInputs(name), clip(at.Input, 60),
		w.label(at.Node))
	value, ok := inputsOf(node)[at.Input]
	if !ok {
		return cannot + ": it has no such input"
	}
	if isFileName(at.Input) {
		return cannot + ": it takes a file name"
	}
	if w.placeholdersAt(at)[name] {
		return ""
	}
	switch value.(type) {
	case json.Number:
		if isNumberName(name) {
			return ""
		}
		return cannot + ": it takes a number"
	case string:
		if !isNumberName(name) {
			return ""
		}
		return cannot + ": it takes a text"
	}
	from, _, ok := link(value)
	switch {
	case ok && slices.Contains(inputTakes(classOf(node), at.Input), name):
		return "" // the value takes the place of the connection
	case ok:
		return fmt.Sprintf("%s: its value comes from %s", cannot, w.label(from))
	}
	return cannot + ": it takes neither a text nor a number"
}

// mappedTargets returns the targets of the map, except inputs with the value's placeholder.
func (w Workflow) mappedTargets() targets {
	var t targets
	for name, list := range w.mapped {
		var spots []nodeInput
		for _, at := range list {
			if !w.placeholdersAt(at)[name] {
				spots = append(spots, nodeInput{at.Node, at.Input})
			}
		}
		if len(spots) > 0 {
			t.set(name, unique(spots))
		}
	}
	return t
}

// Candidates returns the inputs that a value could go to: texts, seeds, sizes, and names of
// models. Texts come first, then the others, each in the order of the nodes.
func (w Workflow) Candidates() []Candidate {
	var texts, rest []Candidate
	for _, id := range sortedIDs(w.graph) {
		inputs := inputsOf(w.graph[id])
		for _, input := range sortedIDs(inputs) {
			c := Candidate{NodeInput: NodeInput{id, input}, Label: w.label(id), Class: clip(classOf(w.graph[id]), 120)}
			if isFileName(input) {
				continue
			}
			switch v := inputs[input].(type) {
			case string:
				c.Value, c.Takes = clip(v, 200), textTakes(c.Class, input)
			case json.Number:
				c.Value, c.Takes = clip(v.String(), 40), numberTakes(input)
			default:
				if from, _, ok := link(v); ok {
					c.Value, c.Takes = "from "+w.label(from), inputTakes(c.Class, input)
				}
			}
			held := w.placeholdersAt(c.NodeInput)
			for _, name := range mapNames() {
				if held[name] && !slices.Contains(c.Takes, name) {
					c.Takes = append([]string{name}, c.Takes...)
				}
			}
			switch {
			case len(c.Takes) == 0 || len(texts)+len(rest) >= maxCandidates:
			case slices.Contains(c.Takes, "prompt"):
				texts = append(texts, c)
			default:
				rest = append(rest, c)
			}
		}
	}
	return append(texts, rest...)
}

// inputTakes returns the values that could replace the connection of an input.
func inputTakes(class, input string) []string {
	if isTextInput(input) {
		return textTakes(class, input)
	}
	if takes := numberTakes(input); len(takes) > 0 && takes[0] != "lora_weight" {
		return takes
	}
	return nil
}

// textTakes returns the values that a text input could take.
func textTakes(class, input string) []string {
	name := strings.ToLower(input)
	switch name {
	case "ckpt_name", "unet_name":
		return []string{"checkpoint"}
	case "vae_name":
		return []string{"vae"}
	case "sampler_name", "sampler":
		return []string{"sampler"}
	case "scheduler", "scheduler_name":
		return []string{"scheduler"}
	case "lora_name":
		return []string{"lora"}
	}
	if loadsPicture(class, input) {
		return pictureNames()
	}
	if strings.HasPrefix(name, "clip_name") {
		return []string{"text_encoder"}
	}
	if strings.HasSuffix(name, "_name") {
		return nil
	}
	if strings.Contains(name, "negative") {
		return []string{"negative", "prompt", "trigger"}
	}
	textual := isTextInput(name) || isStringInput(name) || strings.Contains(strings.ToLower(class), "encode")
	for _, sign := range []string{"text", "prompt", "positive", "wildcard", "caption"} {
		textual = textual || strings.Contains(name, sign)
	}
	if !textual {
		return nil
	}
	return []string{"prompt", "negative", "trigger"}
}

// numberTakes returns the values that a number input could take.
func numberTakes(input string) []string {
	switch name := strings.ToLower(input); {
	case strings.Contains(name, "seed"):
		return []string{"seed"}
	case name == "width" || strings.HasSuffix(name, "_width"):
		return []string{"width"}
	case name == "height" || strings.HasSuffix(name, "_height"):
		return []string{"height"}
	case name == "steps":
		return []string{"steps"}
	case name == "cfg" || name == "guidance":
		return []string{"scale"}
	case name == "denoise":
		return []string{"denoise"}
	case strings.HasPrefix(name, "strength"):
		return []string{"lora_weight"}
	case name == "value" || name == "int" || name == "number":
		return []string{"seed", "width", "height", "steps", "scale"}
	}
	return nil
}

// Hash identifies the contents of the file: it changes with the graph, but not with its
// formatting.
func (w Workflow) Hash() string {
	data, err := encodeTree(w.graph)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
