// Package camera knows the words by which prompts of pictures say how something is
// looked at: how near, from where, through which lens, in which light and arrangement,
// and who is in view. It finds them in a text, tells where a text disagrees with what
// was chosen, and mends what disagrees. It is pure, and quick enough for every key.
//
// What a word means depends on what stands around it: "close to the wall", "a shot of
// whisky" and "the light in her eyes" say nothing of a camera.
package camera

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Axis is what of a picture a phrase decides.
type Axis int

// The axes.
const (
	Size Axis = iota
	Angle
	Lens
	Light
	Composition
	axes
)

// String is what an axis is called.
func (a Axis) String() string {
	return [...]string{"shot", "angle", "lens", "light", "composition"}[a]
}

// chosen is the key of a camera's choice on an axis, "" for none.
func chosen(c storage.Camera, a Axis) string {
	return [...]string{c.Shot, c.Angle, c.Lens, c.Lighting, c.Composition}[a]
}

// mask is a set of the values of an axis.
type mask uint32

// The values of the axes. Some are no choice of a camera's, but
// are said of one.
var values = [axes][]string{
	Size:        {"extreme-wide", "wide", "full", "medium", "medium-close", "close", "detail", "medium-wide"},
	Angle:       {"eye", "low", "high", "overhead", "ground", "dutch", "shoulder", "profile", "behind", "point-of-view", "front"},
	Lens:        {"ultra-wide", "wide", "normal", "portrait", "tele", "macro", "anamorphic"},
	Light:       {"golden-hour", "blue-hour", "overcast", "noon", "moon", "candle", "fire", "lamp", "stage", "studio", "window", "neon", "back", "chiaroscuro", "day"},
	Composition: {"thirds", "centred", "diagonal", "frame", "leading", "space", "layers"},
}

// set is the mask of values by their keys.
func set(a Axis, keys string) (m mask) {
	for key := range strings.FieldsSeq(keys) {
		m |= bit(a, key)
	}
	return m
}

// bit is the mask of one value, 0 for a key that the axis does not have.
func bit(a Axis, key string) mask {
	for i, v := range values[a] {
		if v == key {
			return 1 << i
		}
	}
	return 0
}

const all = ^mask(0)

// Groups of angles: how high the camera is, how it leans, from which side it looks.
// Those of different groups go together.
const (
	height = iota + 1
	roll
	side
)

func groupOf(key string) int {
	switch key {
	case "dutch":
		return roll
	case "shoulder", "profile", "behind":
		return side
	}
	return height
}

// Mark is a place in a text that says how something is looked at.
type Mark struct {
	Axis     Axis
	Words    string // as the text has them
	From, To int    // in bytes

	is, fits mask
	group    int  // of angles
	weak     bool // it is said of somebody and not of the camera
	form     byte // what kind of words they are, see mend
}

// Is tells whether a mark says just what a choice means.
func (m Mark) Is(key string) bool { return m.is&bit(m.Axis, key) != 0 }

// against tells whether a mark disagrees with a choice. Strictly, a text says nothing
// on an axis but what was chosen, also where both could be true at once.
func (m Mark) against(key string, strict bool) bool {
	want := bit(m.Axis, key)
	arranged := set(Light, "back chiaroscuro")
	switch {
	case want == 0:
		return false
	case strict && m.Axis == Light && m.is != 0 && (m.is|want)&arranged == 0, strict && m.Axis == Angle && m.group == groupOf(key), strict && m.Axis == Size:
		return m.is&want == 0 && !m.weak // near is not the same
	case m.fits&want != 0:
		return false
	case m.Axis != Angle:
		return true
	case m.group != groupOf(key):
		return strict && !m.weak
	}
	return strict || !m.weak
}

// Clash is a place in which a text disagrees with what was chosen.
type Clash struct {
	Mark
	Chosen string // the key
	shown  int    // where what is said of it ends, 0 for nothing
}

// Clashes finds where a text disagrees with a camera. Strictly, it may say on an axis
// that is chosen nothing but the choice: so much is asked of what a model writes.
func Clashes(text string, c storage.Camera, strict bool) (out []Clash) {
	if c == (storage.Camera{}) {
		return nil
	}
	for _, m := range Find(text) {
		if key := chosen(c, m.Axis); m.against(key, strict) {
			out = append(out, Clash{Mark: m, Chosen: key})
		}
	}
	return out
}

// Unsaid are the axes that a camera decides and a text does not speak of as it does.
func Unsaid(text string, c storage.Camera) (out []Axis) {
	marks := Find(text)
	for a := range axes {
		key := chosen(c, a)
		if key == "" {
			continue
		}
		said := false
		for _, m := range marks {
			said = said || m.Axis == a && m.is&bit(a, key) != 0 && m.is&^bit(a, key) == 0 && !m.weak
		}
		if !said {
			out = append(out, a)
		}
	}
	return out
}

// Implied is a camera with what words say on the axes that it leaves open: "close-up of
// the face" chooses a shot as well.
func Implied(c storage.Camera, words string) storage.Camera {
	where := [axes]*string{&c.Shot, &c.Angle, &c.Lens, &c.Lighting, &c.Composition}
	var open [axes]bool
	for a, v := range where {
		open[a] = *v == ""
	}
	for _, m := range Find(words) {
		if !open[m.Axis] || m.weak {
			continue
		}
		for _, key := range values[m.Axis] {
			if m.is == bit(m.Axis, key) && wordings[m.Axis][key].noun != "" {
				*where[m.Axis] = key
				open[m.Axis] = false
			}
		}
	}
	return c
}
