package demo

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	comfyLargest = 2048 // pixels of a side that are really painted
	comfySmall   = 256  // pixels of a preview's longer side
	comfyBatch   = 4    // pictures of a batch that are really painted
)

// sample goes through the steps of a sampler, with previews if they were asked
// for.
func (p *comfyPlay) sample(id string) (int, error) {
	f := p.c.fault()
	switch {
	case f.OutOfMemory:
		return 0, comfyNoMemory()
	case f.NodeError != "":
		return 0, comfyFailure{"ValueError", f.NodeError}
	}
	steps := min(max(p.number(id, "steps", 20), 1), 1000)
	var full *image.RGBA
	if method, _ := p.j.extra["preview_method"].(string); method != "" && method != "none" && method != "default" {
		w, h := p.size(id)
		w, h = comfyFit(w, h, comfySmall)
		full = comfyPaint(p.scenery(id), w, h, 0)
	}
	for step := 1; step <= steps; step++ {
		f = p.c.fault()
		wait := p.c.opts.StepDelay
		if f.Hang {
			wait = 24 * time.Hour
		}
		if err := p.stopped(wait); err != nil {
			return 0, err
		}
		fault := p.c.scripted("step")
		switch {
		case step == f.RestartAt:
			fault = ComfyRestart
		case step == f.CutSocketAt:
			fault = ComfyCut
		}
		switch fault {
		case ComfyNoMemory:
			return 0, comfyNoMemory()
		case ComfyNodeFails:
			return 0, comfyFailure{"ValueError", "the brush broke"}
		}
		p.c.happens(fault)
		if err := p.stopped(0); err != nil {
			return 0, err
		}
		p.state(id, step, steps, "running")
		if full != nil {
			picture, err := comfyPreview(full, step, steps)
			if err != nil {
				return 0, err
			}
			p.c.tellPreview(p.j, id, picture)
		}
		p.c.tell(p.j.client, "progress", map[string]any{"value": step, "max": steps, "prompt_id": p.j.id, "node": id})
	}
	return steps, nil
}

func comfyNoMemory() error {
	return comfyFailure{"torch.OutOfMemoryError", "Allocation on device 0 would exceed allowed memory. (out of " +
		"memory)\nThis error means you ran out of memory on your GPU."}
}

// comfyFit shrinks a size until no side is longer than most.
func comfyFit(w, h, most int) (int, int) {
	if long := max(w, h); long > most {
		w, h = w*most/long, h*most/long
	}
	return max(w, 1), max(h, 1)
}

// upstream looks for the nearest node, towards the inputs, that f accepts.
// first are the inputs to follow before all others.
func (p *comfyPlay) upstream(id string, first []string, seen map[string]bool,
	f func(id string, in map[string]any) bool) bool {
	if seen[id] {
		return false
	}
	seen[id] = true
	in, _ := p.j.graph.inputs(id)
	if f(id, in) {
		return true
	}
	names := append([]string{}, first...)
	for _, want := range p.c.nodes[p.j.graph.class(id)].inputs {
		names = append(names, want.name)
	}
	for _, name := range names {
		if up, _, ok := comfyLink(in[name]); ok && p.upstream(up, first, seen, f) {
			return true
		}
	}
	return false
}

// number finds a number by name, in the node or above it.
func (p *comfyPlay) number(id, name string, usual int) int {
	p.upstream(id, nil, map[string]bool{}, func(_ string, in map[string]any) bool {
		n, err := strconv.Atoi(fmt.Sprint(in[name]))
		if _, literal := in[name].([]any); literal || err != nil {
			return false
		}
		usual = n
		return true
	})
	return usual
}

func (p *comfyPlay) size(id string) (w, h int) {
	w, h = 512, 512
	p.upstream(id, []string{"latent_image", "samples", "images"}, map[string]bool{},
		func(at string, in map[string]any) bool {
			class := p.j.graph.class(at)
			if loaded := p.loaded(at); class == "ImageScale" || loaded != nil {
				w, h = p.scaled(at, loaded)
				return true
			}
			if !strings.HasPrefix(class, "Empty") {
				return false
			}
			w, h = p.number(at, "width", 512), p.number(at, "height", 512)
			return true
		})
	w, h = min(max(w, 16), 16384), min(max(h, 16), 16384)
	if p.c.opts.Largest > 0 {
		w, h = comfyFit(w, h, p.c.opts.Largest)
	}
	return w, h
}

// scenery returns the scenery for the prompt of the sampler above a node.
func (p *comfyPlay) scenery(id string) comfySet {
	prompt, seed := "", ""
	p.upstream(id, []string{"positive", "guider"}, map[string]bool{}, func(_ string, in map[string]any) bool {
		for _, name := range []string{"text", "value", "string_a"} {
			if s, ok := in[name].(string); ok && prompt == "" {
				prompt = s
			}
		}
		return prompt != ""
	})
	for _, name := range []string{"seed", "noise_seed"} {
		p.upstream(id, []string{"noise"}, map[string]bool{}, func(_ string, in map[string]any) bool {
			if n, ok := in[name].(json.Number); ok && seed == "" {
				seed = n.String()
			}
			return seed != ""
		})
	}
	return comfyScenery(prompt, seed+p.looks(id))
}

// save makes the files of an output node and returns where they are.
func (p *comfyPlay) save(id string, n *comfyNode) (map[string]any, error) {
	in, _ := p.j.graph.inputs(id)
	kind, prefix := "output", "ComfyUI"
	if s, ok := in["filename_prefix"].(string); ok && s != "" {
		prefix = s
	}
	if n.class == "PreviewImage" {
		kind, prefix = "temp", "ComfyUI_temp_rehrs"
	}
	w, h := p.size(id)
	w, h = comfyFit(w, h, comfyLargest)
	fault := p.c.scripted("save")
	p.c.happens(fault)
	if err := p.stopped(0); err != nil {
		return nil, err
	}
	if n.video {
		if n.class == "VHS_VideoCombine" && in["save_output"] == false {
			kind = "temp"
		}
		film, err := comfyFilm(n.class, in, p.scenery(id), w, h)
		if err != nil {
			return nil, err
		}
		file := p.c.keep(kind, prefix, film.ext, film.data, fault)
		if n.class == "VHS_VideoCombine" {
			file["format"], file["frame_rate"], file["workflow"] = film.mime, 8.0, "vhs_00001.png"
			file["fullpath"] = fmt.Sprintf("/srv/comfyui/%s/%s", kind, file["filename"])
			return map[string]any{"gifs": []any{file}}, nil
		}
		if n.class == "SaveVideoFile" {
			return map[string]any{"videos": []any{file}}, nil
		}
		return map[string]any{"images": []any{file}, "animated": []bool{true}}, nil
	}
	var files []any
	for range min(max(p.number(id, "batch_size", 1), 1), comfyBatch) {
		data, err := comfyPNG(p.picture(id, w, h), p.j.graph)
		if err != nil {
			return nil, err
		}
		files = append(files, p.c.keep(kind, prefix, ".png", data, fault))
	}
	return map[string]any{"images": files}, nil
}

// picture returns the stage, or the plain colour of an empty image.
func (p *comfyPlay) picture(id string, w, h int) *image.RGBA {
	var plain *image.RGBA
	p.upstream(id, nil, map[string]bool{}, func(at string, _ map[string]any) bool {
		class := p.j.graph.class(at)
		if class == "EmptyImage" {
			rgb := p.number(at, "color", 0)
			plain = image.NewRGBA(image.Rect(0, 0, w, h))
			ink := image.NewUniform(color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255})
			draw.Draw(plain, plain.Bounds(), ink, image.Point{}, draw.Src)
		}
		if from := p.loaded(at); from != nil && plain == nil {
			plain = comfyStretch(from, w, h)
		}
		return plain != nil || comfySampler(class)
	})
	if plain != nil {
		return plain
	}
	return p.begun(id, comfyPaint(p.scenery(id), w, h, 0))
}

// keep stores a file in memory and returns its place on the wire. The oldest
// file goes when there are too many.
func (c *Comfy) keep(kind, prefix, ext string, data []byte, fault ComfyFault) map[string]any {
	sub, base := path.Split(path.Clean("/" + prefix))
	sub = strings.Trim(sub, "/")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[kind+prefix]++
	name := fmt.Sprintf("%s_%05d_%s", base, c.counts[kind+prefix], ext)
	switch fault {
	case ComfyHostile:
		names := comfyHostileNames()
		odd := names[c.hostile%len(names)]
		c.hostile++
		sub, name = odd[0], odd[1]+ext
	case ComfyNoFile:
		return map[string]any{"filename": "never-made" + ext, "subfolder": sub, "type": kind}
	}
	key := fmt.Sprintf("%s/%s/%s", kind, sub, name)
	c.files[key] = data
	if c.fileKeys = append(c.fileKeys, key); len(c.fileKeys) > comfyMaxFiles {
		delete(c.files, c.fileKeys[0])
		c.fileKeys = c.fileKeys[1:]
	}
	return map[string]any{"filename": name, "subfolder": sub, "type": kind}
}
