package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Camera is one preset for each control.
type Camera = storage.Camera

// Control is one control of the camera. Flag is its command-line flag, and Value returns the field
// of its value.
type Control struct {
	Key     string                `json:"key"`
	Flag    string                `json:"flag"`
	Label   string                `json:"label"`
	Presets []Preset              `json:"presets"`
	Value   func(*Camera) *string `json:"-"`
}

// Controls returns the controls of the camera in the order of their phrases in a prompt.
func Controls() []Control {
	return []Control{
		{"template", "template", "Place", Templates(), func(c *Camera) *string { return &c.Template }},
		{"shot", "shot", "Shot", Shots(), func(c *Camera) *string { return &c.Shot }},
		{"angle", "angle", "Angle", Angles(), func(c *Camera) *string { return &c.Angle }},
		{"lens", "lens", "Lens", Lenses(), func(c *Camera) *string { return &c.Lens }},
		{"lighting", "light", "Light", Lightings(), func(c *Camera) *string { return &c.Lighting }},
		{"composition", "composition", "Composition", Compositions(),
			func(c *Camera) *string { return &c.Composition }},
		{"mood", "mood", "Mood", Moods(), func(c *Camera) *string { return &c.Mood }},
	}
}

// cameraAxis is a control that an answer reports and that an order can ask for.
type cameraAxis struct {
	name      string
	control   Control
	used      func(*Answer) *string
	requested func(*Answer) string
}

// cameraAxes returns the controls that an answer reports.
func cameraAxes() []cameraAxis {
	of := map[string]Control{}
	for _, c := range Controls() {
		of[c.Key] = c
	}
	return []cameraAxis{
		{"shot", of["shot"], func(a *Answer) *string { return &a.Shot },
			func(a *Answer) string { return a.RequestedShot }},
		{"angle", of["angle"], func(a *Answer) *string { return &a.Angle },
			func(a *Answer) string { return a.RequestedAngle }},
		{"light", of["lighting"], func(a *Answer) *string { return &a.Light },
			func(a *Answer) string { return a.RequestedLight }},
	}
}

// values returns the allowed values of an axis.
func (a cameraAxis) values() []string {
	var out []string
	for _, p := range a.control.Presets {
		out = append(out, p.Key)
	}
	return append(out, Other)
}

// axisNames returns the values of an axis for the model.
func axisNames(name string) string {
	for _, a := range cameraAxes() {
		if a.name == name {
			return strings.Join(a.values(), ", ")
		}
	}
	return ""
}

// label returns the name of a choice within a sentence.
func (c Control) label(key string) string {
	if p, ok := c.preset(key); ok {
		return strings.ToLower(p.Label)
	}
	return "another one"
}

// phrase returns what a choice adds to a prompt.
func (c Control) phrase(key string) string {
	p, _ := c.preset(key)
	return p.Phrase
}

// preset finds a preset by its key, or by its label ignoring case.
func (c Control) preset(key string) (Preset, bool) {
	i := slices.IndexFunc(c.Presets, func(p Preset) bool { return p.Key == key })
	if i < 0 {
		i = slices.IndexFunc(c.Presets, func(p Preset) bool {
			return strings.EqualFold(p.Key, key) || strings.EqualFold(p.Label, key)
		})
	}
	if i < 0 {
		return Preset{}, false
	}
	return c.Presets[i], true
}

// Override returns c with the controls that are set in top replaced.
func Override(c, top Camera) Camera {
	for _, control := range Controls() {
		if v := *control.Value(&top); v != "" {
			*control.Value(&c) = v
		}
	}
	return c
}

// DescribeCamera returns the labels of the controls that are set, "" for none.
func DescribeCamera(c Camera) string {
	var out []string
	for _, control := range Controls() {
		if p, ok := control.preset(*control.Value(&c)); ok {
			out = append(out, p.Label)
		}
	}
	return strings.Join(out, ", ")
}

// Phrases returns what a camera adds to a prompt, one phrase for each control that is set.
func Phrases(c Camera) []string {
	var out []string
	for _, control := range Controls() {
		if key := *control.Value(&c); key != "" {
			if p, ok := control.preset(key); ok {
				out = append(out, p.Phrase)
			}
		}
	}
	return out
}

// AddCamera appends the phrases of a camera to a prompt. A phrase that the prompt contains is not
// added again, so that it is idempotent; an unknown key adds nothing.
func AddCamera(prompt string, camera Camera) string { return ChangeCamera(prompt, Camera{}, camera) }

// ChangeCamera replaces the phrases of the controls that differ between two cameras. The rest of
// the prompt stays.
func ChangeCamera(prompt string, old, now Camera) string {
	was, wanted := Phrases(old), Phrases(now)
	var fresh []string
	for _, p := range was {
		if !slices.Contains(wanted, p) {
			prompt = removePhrase(prompt, p)
		}
	}
	for _, p := range wanted {
		if !slices.Contains(was, p) && !containsPhrase(prompt, p) {
			fresh = append(fresh, p)
		}
	}
	if len(fresh) == 0 {
		return prompt
	}
	return addSentence(prompt, strings.Join(fresh, ", "))
}

// removePhrase removes a phrase that is alone between commas and sentence ends. Within other text
// it stays.
func removePhrase(prompt, phrase string) string {
	for at := len(prompt) - len(phrase); at >= 0; at-- {
		if !strings.EqualFold(prompt[at:at+len(phrase)], phrase) {
			continue
		}
		before, behind := strings.TrimRightFunc(prompt[:at], blank), prompt[at+len(phrase):]
		next, more := strings.CutPrefix(behind, ", ")
		rest, stops := strings.CutPrefix(behind, ".")
		stops = stops || behind == ""
		switch begins := before == "" || strings.ContainsRune(sentenceEnds, last(before)); {
		case begins && more && next != "":
			return prompt[:at] + capitalize(next)
		case begins && stops && before == "":
			return strings.TrimLeftFunc(rest, blank)
		case begins && stops:
			return before + rest
		case strings.HasSuffix(before, ",") && (more || stops):
			return strings.TrimSuffix(before, ",") + behind
		}
	}
	return prompt
}

// sentenceEnds are the marks after which a sentence begins.
const sentenceEnds = ".!?…\"”\n"

func sentence(phrases []string) string { return capitalize(strings.Join(phrases, ", ")) + "." }

// isNear reports whether a camera is so close that not everybody has to be in the picture.
func isNear(c Camera) bool { return c.Shot == "close" || c.Shot == "detail" }

func blank(r rune) bool { return r == ' ' || r == '\t' }

func capitalize(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// truncate returns the beginning of a text of unknown length.
func truncate(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	return string([]rune(s)[:runes]) + "…"
}
