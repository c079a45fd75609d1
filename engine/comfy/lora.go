package comfy

import (
	"slices"
	"strings"
)

// followLora finds the only node between the samplers and their model that loads a LoRA. LoRAs
// that only speed up sampling are ignored; with several others, only a map can choose.
func (w Workflow) followLora(t *targets) {
	seen := map[string]bool{}
	var found []string
	var walk func(value any, depth int)
	walk = func(value any, depth int) {
		id, _, ok := link(value)
		if !ok || seen[id] || depth > maxFollow {
			return
		}
		seen[id] = true
		in := inputsOf(w.graph[id])
		if name, literal := in["lora_name"].(string); literal && isLink(in["model"]) && !isSpeedLora(name) {
			found = append(found, id)
		}
		walk(in["model"], depth+1)
	}
	for _, id := range t.samplers {
		in := inputsOf(w.graph[id])
		walk(in["model"], 0)
		if guider, _, ok := link(in["guider"]); ok {
			walk(inputsOf(w.graph[guider])["model"], 0)
		}
	}
	if len(found) != 1 {
		return
	}
	t.set("lora", []nodeInput{{found[0], "lora_name"}})
	var weight []nodeInput
	for _, input := range []string{"strength_model", "strength_clip"} {
		weight = append(weight, w.number(nodeInput{found[0], input})...)
	}
	if len(weight) > 0 {
		t.set("lora_weight", unique(weight))
	}
}

// isSpeedLora reports whether a LoRA only reduces the number of steps.
func isSpeedLora(name string) bool {
	name = stem(name)
	return slices.ContainsFunc([]string{"lightning", "lcm", "turbo", "hyper", "dmd2", "lightx2v", "schnell", "4step",
		"8step", "4-step", "8-step"},
		func(sign string) bool { return strings.Contains(name, sign) })
}

// withoutLora removes nodes that load a missing LoRA from a filled graph, and connects their
// inputs to their outputs.
func (w Workflow) withoutLora(graph map[string]any) {
	instead := map[string]map[string]any{} // by node and output
	for id, n := range w.graph {
		in := inputsOf(n)
		text, _ := in["lora_name"].(string)
		if tokens := split(text); len(tokens) != 1 || tokens[0].name != "lora" || !isLink(in["model"]) {
			continue
		}
		instead[id] = map[string]any{"0": in["model"]}
		if isLink(in["clip"]) {
			instead[id]["1"] = in["clip"]
		}
	}
	if len(instead) == 0 {
		return
	}
	for id := range instead {
		delete(graph, id)
	}
	for _, n := range graph {
		in := inputsOf(n)
		for name, value := range in {
			for range maxFollow { // one may lead to another
				id, slot, ok := link(value)
				if !ok || instead[id] == nil || instead[id][slot] == nil {
					break
				}
				value = instead[id][slot]
			}
			in[name] = value
		}
	}
}
