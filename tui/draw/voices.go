package draw

import (
	"image/color"
	"slices"

	"github.com/lucasb-eyer/go-colorful"
)

const (
	// VoicesApart is the minimum difference between any two colours of a cast (CIEDE2000, in
	// hundredths). From about 10 on nobody confuses two colours.
	VoicesApart = 14
	// maxVoices is the number of colours for a cast, besides the user's and the main character's.
	maxVoices = 8
)

// Voices returns colours that distinguish characters from each other, from the user and from the
// main character. It takes the theme's own colours if they differ enough, then others that are as
// light as those. It returns nil for a theme without colours.
func (sty *Styles) Voices() []color.Color {
	p := sty.Palette
	if p.Character == nil {
		return nil
	}
	taken := []color.Color{p.User, p.Character}
	var own []color.Color
	add := func(c color.Color) {
		if c != nil && len(own) < maxVoices &&
			!slices.ContainsFunc(taken, func(t color.Color) bool { return Apart(c, t) < VoicesApart }) {
			own, taken = append(own, c), append(taken, c)
		}
	}
	for _, c := range []color.Color{p.Accent, p.Success, p.Heading, p.Warning, p.Quote, p.Action, p.Code} {
		if c != nil && !SameColor(c, p.Dim) && !SameColor(c, p.Faint) {
			add(c)
		}
	}
	for _, ring := range sty.rings() {
		for hue := 0.0; hue < 360; hue += 15 {
			add(colorful.Hcl(hue, ring.chroma, ring.light).Clamped())
		}
	}
	return own
}

// ring is a set of colours of all hues with the same lightness.
type ring struct{ chroma, light float64 }

// rings returns the rings of colours that are readable on the background.
func (sty *Styles) rings() []ring {
	if sty.Dark {
		return []ring{{0.5, 0.74}, {0.35, 0.85}, {0.6, 0.62}, {0.18, 0.8}}
	}
	return []ring{{0.5, 0.42}, {0.35, 0.32}, {0.6, 0.5}, {0.18, 0.38}}
}

// Apart returns the difference of two colours (CIEDE2000, in hundredths); it is 100 if one is the
// terminal's own.
func Apart(a, b color.Color) float64 {
	if a == nil || b == nil {
		return 100
	}
	x, _ := colorful.MakeColor(a)
	y, _ := colorful.MakeColor(b)
	return 100 * x.DistanceCIEDE2000(y)
}
