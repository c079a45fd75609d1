package demo

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"io"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	xdraw "golang.org/x/image/draw"
)

const (
	comfyMaxUpload = 100 << 20
	comfyMaxInputs = 64
)

// comfyInputs are the pictures that were uploaded, by their place: "name" or
// "folder/name".
type comfyInputs struct {
	files map[string][]byte
	order []string // oldest first
}

// picture returns the picture that was uploaded under a name, nil if there is none.
func (c *Comfy) picture(name string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inputs.files[name]
}

// uploaded returns the names that nodes list. Nodes also find pictures in folders, but do not list
// them.
func (c *Comfy) uploaded() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.inputs.files)),
		func(s string) bool { return strings.Contains(s, "/") })
}

// serveUpload stores a picture among the inputs. If another picture has its name, it gets a number,
// unless overwriting is requested. A path outside the folder is refused without a message.
func (c *Comfy) serveUpload(w http.ResponseWriter, r *http.Request) {
	form, err := r.MultipartReader()
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	fields, name, data := map[string]string{}, "", []byte(nil)
	for {
		part, err := form.NextPart()
		if err != nil {
			break
		}
		body, err := io.ReadAll(part)
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if part.FormName() != "image" {
			fields[part.FormName()] = string(body)
			continue
		}
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition")) // FileName would clean it
		name, data = params["filename"], body
	}
	kind, folder := cmp.Or(fields["type"], "input"), fields["subfolder"]
	if name == "" || data == nil || path.Clean("/"+name) != "/"+name ||
		folder != "" && path.Clean("/"+folder) != "/"+folder {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if kind == "input" {
		name = c.keepInput(folder, name, data, fields["overwrite"] == "true" || fields["overwrite"] == "1")
	}
	comfyReply(w, 200, map[string]any{"name": name, "subfolder": folder, "type": kind})
}

func (c *Comfy) keepInput(folder, name string, data []byte, overwrite bool) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := &c.inputs
	if in.files == nil {
		in.files = map[string][]byte{}
	}
	free := name
	for i := 1; !overwrite; i++ {
		old, taken := in.files[path.Join(folder, free)]
		if !taken || bytes.Equal(old, data) {
			break
		}
		ext := path.Ext(name)
		free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), i, ext)
	}
	at := path.Join(folder, free)
	if _, known := in.files[at]; !known {
		in.order = append(in.order, at)
	}
	in.files[at] = data
	if len(in.order) > comfyMaxInputs {
		delete(in.files, in.order[0])
		in.order = in.order[1:]
	}
	return free
}

// loaded returns the picture that a node loads, nil for a node that loads none.
func (p *comfyPlay) loaded(id string) image.Image {
	if p.j.graph.class(id) != "LoadImage" {
		return nil
	}
	in, _ := p.j.graph.inputs(id)
	name, _ := in["image"].(string)
	img, _, err := image.Decode(bytes.NewReader(p.c.picture(name)))
	if err != nil || img.Bounds().Dx() > comfyLargest || img.Bounds().Dy() > comfyLargest {
		return image.NewGray(image.Rect(0, 0, 512, 512))
	}
	return img
}

// scaled returns the size of a picture that is loaded, or made larger or smaller. A side
// of 0 follows from the other one.
func (p *comfyPlay) scaled(id string, loaded image.Image) (w, h int) {
	if loaded != nil {
		return loaded.Bounds().Dx(), loaded.Bounds().Dy()
	}
	in, _ := p.j.graph.inputs(id)
	up, _, ok := comfyLink(in["image"])
	if !ok {
		return 512, 512
	}
	w, h = 512, 512
	p.upstream(up, nil, map[string]bool{}, func(at string, _ map[string]any) bool {
		if loaded := p.loaded(at); loaded != nil {
			w, h = p.scaled(at, loaded)
			return true
		}
		return false
	})
	to := [2]int{p.number(id, "width", w), p.number(id, "height", h)}
	switch {
	case to[0] == 0 && to[1] == 0:
		return w, h
	case to[0] == 0:
		return max(1, w*to[1]/max(h, 1)), to[1]
	case to[1] == 0:
		return to[0], max(1, h*to[0]/max(w, 1))
	}
	return to[0], to[1]
}

// looks returns the part of a picture's scenery that depends on the character's own look: another
// LoRA, or another reference, gives another stage.
func (p *comfyPlay) looks(id string) string {
	out := ""
	p.upstream(id, []string{"model", "positive"}, map[string]bool{}, func(at string, in map[string]any) bool {
		if name, ok := in["lora_name"].(string); ok {
			out += fmt.Sprint("\x00", name, in["strength_model"])
		}
		if p.j.graph.class(at) == "ReferenceLatent" {
			up, _, _ := comfyLink(in["latent"])
			if _, there := p.j.graph[up]; there {
				out += "\x00" + p.sign(up)
			}
		}
		return false
	})
	return out
}

// begun mixes the painted picture with the sampler's initial picture, by the denoising strength.
func (p *comfyPlay) begun(id string, painted *image.RGBA) *image.RGBA {
	change, from := 1.0, image.Image(nil)
	p.upstream(id, []string{"samples"}, map[string]bool{}, func(at string, in map[string]any) bool {
		if !comfySampler(p.j.graph.class(at)) {
			return false
		}
		if n, err := strconv.ParseFloat(fmt.Sprint(in["denoise"]), 64); err == nil {
			change = min(1, max(0, n))
		}
		up, _, ok := comfyLink(in["latent_image"])
		if !ok {
			return true
		}
		p.upstream(up, []string{"pixels", "image", "samples"}, map[string]bool{},
			func(at string, _ map[string]any) bool {
				from = p.loaded(at)
				return from != nil || strings.HasPrefix(p.j.graph.class(at), "Empty")
			})
		return true
	})
	if from == nil || change >= 1 {
		return painted
	}
	b := painted.Bounds()
	base := comfyStretch(from, b.Dx(), b.Dy())
	for i := range painted.Pix {
		painted.Pix[i] = uint8(change*float64(painted.Pix[i]) + (1-change)*float64(base.Pix[i]))
	}
	return painted
}

// comfyStretch brings a picture to a size.
func comfyStretch(img image.Image, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	xdraw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}
