package media

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// photograph returns a picture that packs as a painted one does: soft shades with some
// grain.
func photograph(side int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	grain := uint32(1)
	for y := range side {
		for x := range side {
			grain = grain*1664525 + 1013904223
			i := img.PixOffset(x, y)
			g := uint8(grain >> 30)
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = uint8(x*200/side)+g, uint8(y*200/side)+g, uint8((x+y)*100/side)+g, 255
		}
	}
	return img
}

// BenchmarkPoster compares what the screen reads, a thumbnail, with the picture
// that it was made of.
func BenchmarkPoster(b *testing.B) {
	for name, side := range map[string]int{"thumbnail640": 640, "full4096": 4096} {
		data := encoded(b, func(out *bytes.Buffer) error {
			return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, photograph(side))
		})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Poster(data, PNG); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStrip4096(b *testing.B) {
	data := encoded(b, func(out *bytes.Buffer) error {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, photograph(4096))
	})
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Strip(data, PNG); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSheet300(b *testing.B) {
	data := encoded(b, func(out *bytes.Buffer) error { return png.Encode(out, photograph(640)) })
	tiles := make([]Tile, 300)
	for i := range tiles {
		tiles[i] = Tile{Caption: "seed 7 · a lamp on a stage, and somebody who waits beside it",
			Picture: func() (image.Image, error) { return Poster(data, PNG) }}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Sheet(tiles, SheetOptions{Title: "T"}); err != nil {
			b.Fatal(err)
		}
	}
}
