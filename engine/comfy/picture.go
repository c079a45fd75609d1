package comfy

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Picture is a picture that goes into a workflow: its file, and the name under
// which the server has it, as Upload told. Nodes that load by name need the name,
// those that take the file itself, in base 64, the data.
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

// MaxReferences is how many reference images a workflow can take.
const MaxReferences = 4

// pictureNames are all of them, in the order of dialogs.
func pictureNames() []string {
	out := []string{reference}
	for i := 2; i <= MaxReferences; i++ {
		out = append(out, ReferenceName(i))
	}
	return append(out, source, charAvatar, userAvatar)
}

// ReferenceName is the name of the n-th reference image, from 1.
func ReferenceName(n int) string {
	if n <= 1 {
		return reference
	}
	return reference + "_" + strconv.Itoa(n)
}

// Names of Values.Pictures besides ReferenceName.
const (
	SourcePicture = source
	CharAvatar    = charAvatar
	UserAvatar    = userAvatar
)

func isPicture(name string) bool { return slices.Contains(pictureNames(), name) }

// referenceName reads reference_image, reference_image_2 and the like, "" for
// anything else.
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

// takesData tells the nodes that take a picture itself, in base 64.
func takesData(class, input string) bool {
	return strings.Contains(strings.ToLower(class), "base64") || strings.Contains(strings.ToLower(input), "base64")
}

// loadsPicture tells the nodes that load a picture which was uploaded, by its name.
func loadsPicture(class, input string) bool {
	return input == "image" && strings.HasPrefix(class, "LoadImage") && !takesData(class, input)
}

// picture is what a node gets of a picture. Of avatars other programs write the
// data everywhere, so only nodes known to load by name get the name.
func (f filler) picture(name, input string) any {
	p := f.values.find(name)
	avatar := name == charAvatar || name == userAvatar
	if takesData(f.class, input) || avatar && !loadsPicture(f.class, input) {
		return base64.StdEncoding.EncodeToString(p.Data)
	}
	return p.Name
}

// find is a picture by its name; for a reference that there is not, the first one.
func (v Values) find(name string) Picture {
	p, ok := v.Pictures[name]
	if !ok && strings.HasPrefix(name, reference) {
		p = v.Pictures[reference]
	}
	return p
}

// hasTextAt is said for one input of a node of a class.
func (f filler) hasTextAt(name, class, input string) (value any, said bool) {
	if !isPicture(name) {
		return f.hasText(name)
	}
	f.class = class
	p := f.values.find(name)
	return f.picture(name, input), p.Name != "" || p.Data != nil
}

// checkPictures refuses a workflow whose placeholders want a picture that there is
// not. Where a map or a link leads, the file's own picture stays.
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
		return &WorkflowError{Name: w.Name, Reason: fmt.Sprintf("it needs a picture for %s, the %s%s", join(found[name]), describeInputs(name), hint)}
	}
	return nil
}

// uploadsPicture reports whether a picture that a node loads is one of ours, or lies
// where the server lists none: what is in folders it finds, but does not name.
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

// Wants reports whether the file itself asks for a picture, so that it cannot be used
// without one.
func (w Workflow) Wants(name string) bool {
	found, _ := w.placeholders()
	return len(found[name]) > 0
}

// PictureWords is what a picture is called in front of the user.
func PictureWords(name string) string { return describeInputs(name) }

// followExtras finds what a character's look goes to: pictures, and the LoRA.
// What has a placeholder is left to that.
func (w Workflow) followExtras(t *targets) {
	found, _ := w.placeholders()
	if len(found[reference])+len(found[source])+len(found[charAvatar]) == 0 {
		w.followPictures(t)
	}
	if len(found["lora"]) == 0 {
		w.followLora(t)
	}
}

// followPictures finds the nodes that load a picture. One that leads to the model
// or to the prompt of a sampler is a reference; one that only becomes the latent
// picture is what the new one begins with. Maps of depth, pose and the like, which
// go to a ControlNet, and masks are neither.
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

// strengthOf finds where is written how much a sampler changes: in it, or in the
// node that plans its steps.
func (w Workflow) strengthOf(id string) []nodeInput {
	if out := w.number(nodeInput{id, "denoise"}); len(out) > 0 {
		return out
	}
	if steps, _, ok := link(inputsOf(w.graph[id])["sigmas"]); ok {
		return w.number(nodeInput{steps, "denoise"})
	}
	return nil
}

// pictureWalk looks for nodes that load pictures, towards the inputs.
type pictureWalk struct {
	w      Workflow
	seen   map[string]bool
	latent bool // only along what becomes the latent picture
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
