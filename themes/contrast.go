package themes

import (
	"image/color"
	"math"

	"github.com/charmbracelet/x/ansi"
)

// minContrast is that of text, as WCAG 2 wants it for AA.
const minContrast = 4.5

// SelectionDim is the colour of side matter on Selection: that of the text there, as far
// back as it can be read. Where a theme names colours of the terminal nobody knows how
// they look, and it is that of the text.
func (p Palette) SelectionDim() color.Color {
	for _, c := range []color.Color{p.SelectionText, p.Selection} {
		switch c.(type) {
		case ansi.BasicColor, ansi.IndexedColor, nil:
			return p.SelectionText
		}
	}
	for share := 0.4; share > 0.05; share -= 0.05 {
		if c := between(p.SelectionText, p.Selection, share); contrast(c, p.Selection) >= minContrast {
			return c
		}
	}
	return p.SelectionText
}

// between is a colour on the way from one to another.
func between(from, to color.Color, share float64) color.Color {
	r, g, b, _ := from.RGBA()
	r2, g2, b2, _ := to.RGBA()
	at := func(a, b uint32) uint8 { return uint8((float64(a)*(1-share) + float64(b)*share) / 0x101) }
	return color.RGBA{at(r, r2), at(g, g2), at(b, b2), 0xff}
}

// luminance is the relative luminance of WCAG 2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// contrast is that of two colours, from 1 to 21, as WCAG 2 has it.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}
