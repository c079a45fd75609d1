package comfy

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Picture is a picture for a workflow: its file, and its name on the server, as returned by
// Upload. Nodes that load by name need the name, those that take base64 need the data.
type Picture struct {
	Name string
	Data []byte
}

// The names of pictures. Further references are reference_2 and so on.
const (
	reference  = "reference"
	source     = "source"
	charAvatar = "char_avatar"
	userAvatar = "user_avatar"
)

// MaxReferences is the maximum number of reference images of a workflow.
const MaxReferences = 4

// pictureNames returns all names, in the order of dialogs.
func pictureNames() []string {
	out := []string{reference}
	for i := 2; i <= MaxReferences; i++ {
		out = append(out, ReferenceName(i))
	}
	return append(out, source, charAvatar, userAvatar)
}

// ReferenceName returns the name of the n-th reference image, from 1.
func ReferenceName(n int) string {
	if n <= 1 {
		return reference
	}
	return reference + "_" + strconv.Itoa(n)
}

// Names of Values.Pictures besides those of ReferenceName.
const (
	SourcePicture = source
	CharAvatar    = charAvatar
	UserAvatar    = userAvatar
)

func isPicture(name string) bool { return slices.Contains(pictureNames(), name) }

// referenceName parses reference_image, reference_image_2 and the like; "" for anything else.
func referenceName(word string) string {
	rest, ok := strings.CutPrefix(word, "reference_image")
	if !ok {
		rest, ok = strings.CutPrefix(word, reference)
	}
	if name := reference + rest; ok && isPicture(name) {
		return name
	}
	return ""
}

// takesData reports whether a node takes a picture as base64.
func takesData(class, input string) bool {
	return strings.Contains(strings.ToLower(class), "base64") || strings.Contains(strings.ToLower(input), "base64")
}

// loadsPicture reports whether a node loads an uploaded picture by its name.
func loadsPicture(class, input string) bool {
	return input == "image" && strings.HasPrefix(class, "LoadImage") && !takesData(class, input)
}

// picture returns the value of a picture for an input. For avatars other programs write the data
// everywhere, so that only nodes known to load by name get the name.
func (f filler) picture(name, input string) any {
	p := f.values.find(name)
	avatar := name == charAvatar || name == userAvatar
	if takesData(f.class, input) || avatar && !loadsPicture(f.class, input) {
		return base64.StdEncoding.EncodeToString(p.Data)
	}
	return p.Name
}

// find returns a picture by its name; for a missing reference, the first one.
func (v Values) find(name string) Picture {
	p, ok := v.Pictures[name]
	if !ok && strings.HasPrefix(name, reference) {
		p = v.Pictures[reference]
	}
	return p
}

// hasTextAt is hasText for one input of a node of a class.
func (f filler) hasTextAt(name, class, input string) (value any, said bool) {
	if !isPicture(name) {
		return f.hasText(name)
	}
	f.class = class
	p := f.values.find(name)
	return f.picture(name, input), p.Name != "" || p.Data != nil
}

// checkPictures returns an error if placeholders need a picture that is missing. For maps and
// links, the file's own picture stays.
func (w Workflow) checkPictures(v Values) error {
	found, _ := w.placeholders()
	for _, name := range pictureNames() {
		if p := v.find(name); len(found[name]) == 0 || p.Name != "" || p.Data != nil {
			continue
		}
		hint := ""
		switch {
		case strings.HasPrefix(name, reference):
			hint = ": give the character one, or choose another workflow"
		case name == source:
			hint = ": start from a picture in the gallery, or choose another workflow"
		case name == charAvatar:
			hint = ": the character has none"
		case name == userAvatar:
			hint = ": the persona has none"
		}
		return &WorkflowError{Name: w.Name,
			Reason: fmt.Sprintf("it needs a picture for %s, the %s%s", join(found[name]), describeInputs(name), hint)}
	}
	return nil
}

// uploadsPicture reports whether a loaded picture is one of the uploaded ones, or is in a folder
// that the server reads but does not list.
func (w Workflow) uploadsPicture(at NodeInput, text string) bool {
	if strings.ContainsAny(text, "/[") {
		return true
	}
	for name := range w.placeholdersAt(at) {
		if isPicture(name) {
			return true
		}
	}
	return false
}

// Wants reports whether the file itself requires a picture.
func (w Workflow) Wants(name string) bool {
	found, _ := w.placeholders()
	return len(found[name]) > 0
}

// PictureWords returns the name of a picture for the user.
func PictureWords(name string) string { return describeInputs(name) }

// followExtras finds the inputs of a character's pictures and LoRA, except those with a
// placeholder.
func (w Workflow) followExtras(t *targets) {
	found, _ := w.placeholders()
	if len(found[reference])+len(found[source])+len(found[charAvatar]) == 0 {
		w.followPictures(t)
	}
	if len(found["lora"]) == 0 {
		w.followLora(t)
	}
}

// followPictures finds the nodes that load a picture. One that leads to a sampler's model or
// prompt is a reference; one that only becomes the latent picture is the start picture. Masks, and
// maps of depth, pose and the like for a ControlNet, are neither.
func (w Workflow) followPictures(t *targets) {
	walk := pictureWalk{w: w, seen: map[string]bool{}}
	for _, id := range t.samplers {
		in := inputsOf(w.graph[id])
		for _, name := range []string{"model", "positive", "negative", "guider"} {
			walk.from(in[name], 0)
		}
	}
	refs := sortedByID(walk.found)
	for i, id := range refs[:min(len(refs), MaxReferences)] {
		t.set(ReferenceName(i+1), []nodeInput{{id, "image"}})
	}
	var begins []string
	for _, id := range t.samplers {
		walk := pictureWalk{w: w, seen: map[string]bool{}, latent: true}
		walk.from(inputsOf(w.graph[id])["latent_image"], 0)
		for _, at := range walk.found {
			if !slices.Contains(refs, at) && !slices.Contains(begins, at) {
				begins = append(begins, at)
			}
		}
	}
	if len(begins) == 1 {
		t.set(source, []nodeInput{{begins[0], "image"}})
		var strength []nodeInput
		for _, id := range t.samplers {
			strength = append(strength, w.strengthOf(id)...)
		}
		if found, _ := w.placeholders(); len(strength) > 0 && len(found["denoise"]) == 0 {
			t.set("denoise", unique(strength))
		}
	}
}

// strengthOf returns the input for how much a sampler changes: its own, or that of the node that
// plans its steps.
func (w Workflow) strengthOf(id string) []nodeInput {
	if out := w.number(nodeInput{id, "denoise"}); len(out) > 0 {
		return out
	}
	if steps, _, ok := link(inputsOf(w.graph[id])["sigmas"]); ok {
		return w.number(nodeInput{steps, "denoise"})
	}
	return nil
}

// pictureWalk searches for nodes that load pictures, towards the inputs.
type pictureWalk struct {
	w      Workflow
	seen   map[string]bool
	latent bool // only along the latent picture
	found  []string
}

func (p *pictureWalk) from(value any, depth int) {
	id, slot, ok := link(value)
	if !ok || depth > maxFollow || p.seen[id] {
		return
	}
	in := inputsOf(p.w.graph[id])
	if _, literal := in["image"].(string); literal && loadsPicture(classOf(p.w.graph[id]), "image") {
		if slot != "1" && !slices.Contains(p.found, id) { // not its mask
			p.found = append(p.found, id)
		}
		return
	}
	p.seen[id] = true
	_, guided := in["control_net"]
	for _, name := range sortedIDs(in) {
		picture := name == "pixels" || strings.HasPrefix(name, "image")
		switch {
		case guided && picture, name == "mask", name == "control_net":
		case p.latent && !picture && !slices.Contains([]string{"latent_image", "latent", "samples", "latents"}, name):
		default:
			p.from(in[name], depth+1)
		}
	}
}

func sortedByID(list []string) []string {
	out := slices.Clone(list)
	slices.SortFunc(out, compareIDs)
	return out
}
