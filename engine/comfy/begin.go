package comfy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// WithSource returns the workflow changed to start with a picture, Values.Pictures under
// SourcePicture. Denoise is the part of it that may change. A file with inputs for both is returned
// unchanged. Otherwise the empty canvas is replaced by nodes that load the picture, scale it to the
// canvas's size and encode it. The error, a *WorkflowError, says why that is not possible.
func (w Workflow) WithSource() (Workflow, error) {
	m := w.Map()
	if len(m[source]) > 0 && len(m["denoise"]) > 0 {
		return w, nil
	}
	bad := func(reason string) (Workflow, error) {
		return Workflow{}, &WorkflowError{Name: w.Name, Reason: "it cannot use a start picture: " + reason}
	}
	if len(m[source]) > 0 {
		return bad("it has no input for the strength (denoise)")
	}
	if w.plan.Kind == KindVideo {
		return bad("it generates videos")
	}
	samplers := slices.DeleteFunc(w.samplers(), func(id string) bool { return w.canvasOf(id) == "" })
	if len(samplers) != 1 {
		return bad("it has no single sampler with an empty latent image")
	}
	strength := w.strengthOf(samplers[0])
	if len(strength) == 0 && len(m["denoise"]) == 0 {
		return bad("its sampler has no denoise input")
	}
	var vae any
	for _, id := range sortedIDs(w.graph) {
		if in := inputsOf(w.graph[id]); isLink(in["samples"]) && isLink(in["vae"]) && vae == nil {
			vae = in["vae"]
		}
	}
	if vae == nil {
		return bad("it has no VAE to encode the picture")
	}
	return w.withStartPicture(m, w.canvasOf(samplers[0]), vae, strength)
}

// canvasOf returns the node that makes the empty latent picture of a sampler, "" if it continues
// another sampler's picture.
func (w Workflow) canvasOf(id string) string {
	in := inputsOf(w.graph[id])
	for range maxFollow {
		to, _, ok := link(in["latent_image"])
		for _, name := range []string{"latent", "samples", "latents"} {
			if !ok {
				to, _, ok = link(in[name])
			}
		}
		if !ok {
			return ""
		}
		in = inputsOf(w.graph[to])
		_, width := in["width"]
		_, height := in["height"]
		if width && height && !isLink(in["samples"]) && !isLink(in["pixels"]) {
			return to
		}
		_, sampler := in["sampler_name"]
		if sampler || isLink(in["sampler"]) {
			return ""
		}
	}
	return ""
}

// withStartPicture replaces a canvas by nodes that load, scale and encode a picture, and adds
// their inputs to a map.
func (w Workflow) withStartPicture(m Map, canvas string, vae any, strength []nodeInput) (Workflow, error) {
	size := inputsOf(w.graph[canvas])
	load, scale, encode := w.freeID("source-load"), w.freeID("source-scale"), w.freeID("source-encode")
	graph := make(map[string]any, len(w.graph)+3)
	for id, n := range w.graph {
		copied := maps.Clone(n.(map[string]any))
		if in, ok := copied["inputs"].(map[string]any); ok {
			in = maps.Clone(in)
			for name, value := range in {
				if to, slot, ok := link(value); ok && to == canvas && slot == "0" {
					in[name] = []any{encode, json.Number("0")}
				}
			}
			copied["inputs"] = in
		}
		graph[id] = copied
	}
	add := func(id, class, title string, in map[string]any) {
		graph[id] = map[string]any{"class_type": class, "inputs": in, "_meta": map[string]any{"title": title}}
	}
	first := json.Number("0")
	add(load, "LoadImage", "Picture to Begin With", map[string]any{"image": "{{source_image}}"})
	add(scale, "ImageScale", "Fit the Canvas", map[string]any{"image": []any{load, first}, "upscale_method": "lanczos",
		"width": size["width"], "height": size["height"], "crop": "center"})
	add(encode, "VAEEncode", "Encode", map[string]any{"pixels": []any{scale, first}, "vae": vae})
	m = m.clone()
	for _, side := range []string{"width", "height"} {
		if slices.Contains(m[side], NodeInput{canvas, side}) {
			m[side] = append(m[side], NodeInput{scale, side})
		}
	}
	for _, at := range strength {
		if to := (NodeInput{at.node, at.input}); !slices.Contains(m["denoise"], to) {
			m["denoise"] = append(m["denoise"], to)
		}
	}
	m[source] = []NodeInput{{load, "image"}}
	begun := Workflow{Name: w.Name, Builtin: w.Builtin, graph: graph}
	begun.plan = begun.inspect()
	return begun.WithMap(m)
}

// freeID returns an unused node ID.
func (w Workflow) freeID(name string) string {
	id := name
	for i := 2; w.graph[id] != nil; i++ {
		id = fmt.Sprintf("%s-%d", name, i)
	}
	return id
}
