package pictures

import (
	"image"

	"golang.org/x/image/draw"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// smallSide is the longer side of a small picture, in pixels.
const smallSide = 64

// Small is a capture's picture as a list shows it, at most 64 pixels wide and high. It is made of
// the thumbnail each time: who shows many keeps them.
func (gallery *Gallery) Small(c storage.Capture) (image.Image, error) {
	img, err := gallery.Still(c)
	if err != nil {
		return nil, err
	}
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= smallSide {
		return img, nil
	}
	out := image.NewRGBA(image.Rect(0, 0, max(1, b.Dx()*smallSide/long), max(1, b.Dy()*smallSide/long)))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out, nil
}
