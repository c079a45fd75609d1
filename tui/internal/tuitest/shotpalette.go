package tuitest

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// paletted returns an image in 256 colours: the most frequent ones, and the nearest of these for
// the others.
func paletted(img *image.RGBA) *image.Paletted {
	count := map[color.RGBA]int{}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			count[coarse(img.RGBAAt(x, y))]++
		}
	}
	colours := make([]color.RGBA, 0, len(count))
	for c := range count {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(whole(a), whole(b)))
	})
	palette := make(color.Palette, 0, 256)
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(img.Rect, palette)
	index := make(map[color.RGBA]uint8, len(colours))
	for i, c := range colours {
		if i < len(palette) {
			index[c] = uint8(i)
		} else {
			index[c] = uint8(palette.Index(c))
		}
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			out.SetColorIndex(x, y, index[coarse(img.RGBAAt(x, y))])
		}
	}
	return out
}

// coarse rounds a colour so that differences too small to see vanish. Most shades at the edges of
// letters become the same.
func coarse(c color.RGBA) color.RGBA {
	const step = 6
	at := func(v uint8) uint8 { return uint8(min(255, (int(v)+step/2)/step*step)) }
	return color.RGBA{at(c.R), at(c.G), at(c.B), 0xff}
}

func whole(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
