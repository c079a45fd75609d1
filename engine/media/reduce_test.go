package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// shades is a picture whose colours go from side to side.
func shades(set func(image.Rectangle) interface {
	image.Image
	Set(x, y int, c color.Color)
}, w, h int) image.Image {
	img := set(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), 90, 255})
		}
	}
	return img
}

func TestReduce(t *testing.T) {
	t.Parallel()
	type settable = interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	var web color.Palette
	for i := range 16 {
		web = append(web, color.NRGBA{uint8(17 * i), uint8(255 - 17*i), 90, 255})
	}
	for name, set := range map[string]func(image.Rectangle) settable{
		"rgba":    func(r image.Rectangle) settable { return image.NewNRGBA(r) },
		"rgba64":  func(r image.Rectangle) settable { return image.NewNRGBA64(r) },
		"gray":    func(r image.Rectangle) settable { return image.NewGray(r) },
		"gray16":  func(r image.Rectangle) settable { return image.NewGray16(r) },
		"palette": func(r image.Rectangle) settable { return image.NewPaletted(r, web) },
		"two":     func(r image.Rectangle) settable { return image.NewPaletted(r, color.Palette{color.Black, color.White}) },
	} {
		for _, size := range []image.Point{{301, 203}, {64, 900}, {5, 3}, {1, 1}} {
			full := shades(set, size.X, size.Y)
			data := encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, full) })
			got, err := Reduce(bytes.NewReader(data), 40)
			if err != nil {
				t.Fatalf("%s %v: %v", name, size, err)
			}
			w, h := got.Rect.Dx(), got.Rect.Dy()
			if max(w, h) > 40 || max(w, h) < min(40, max(size.X, size.Y)) {
				t.Errorf("%s %v: %d × %d", name, size, w, h)
			}
			for y := 0; y < h; y += 7 {
				for x := 0; x < w; x += 5 {
					if want := meanOf(full, w, h, x, y); far(got.RGBAAt(x, y), want) > 3 {
						t.Fatalf("%s %v: at %d, %d it is %v, not %v", name, size, x, y, got.RGBAAt(x, y), want)
					}
				}
			}
		}
	}
}

// meanOf returns the mean of all pixels that a small one stands for.
func meanOf(img image.Image, w, h, atX, atY int) color.RGBA {
	fromW, fromH := img.Bounds().Dx(), img.Bounds().Dy()
	var sum [4]uint32
	n := uint32(0)
	for y := range fromH {
		for x := range fromW {
			if x*w/fromW == atX && y*h/fromH == atY {
				r, g, b, a := img.At(x, y).RGBA()
				sum[0], sum[1], sum[2], sum[3], n = sum[0]+r>>8, sum[1]+g>>8, sum[2]+b>>8, sum[3]+a>>8, n+1
			}
		}
	}
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), uint8(sum[3] / n)}
}

func far(a, b color.RGBA) int {
	d := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B), d(a.A, b.A))
}

// flatPNG returns a picture of one colour.
func flatPNG(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	return encoded(t, func(out *bytes.Buffer) error { return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, img) })
}

func TestReduce_MorePixelsThanAreDecoded(t *testing.T) {
	t.Parallel()
	data := flatPNG(t, 8300, 8200)
	if _, err := Poster(data, PNG); !errors.Is(err, ErrTooLarge) {
		t.Errorf("decoded whole: %v", err)
	}
	img, err := Reduce(bytes.NewReader(data), 640)
	if err != nil || img.Rect.Dx() != 640 || img.RGBAAt(300, 300) != (color.RGBA{200, 200, 200, 255}) {
		t.Errorf("%v, %v", err, img)
	}
	huge := bytes.Clone(data)
	binary.BigEndian.PutUint32(huge[16:], 1<<16)
	binary.BigEndian.PutUint32(huge[20:], 1<<16)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	if _, err := Reduce(bytes.NewReader(huge), 640); !errors.Is(err, ErrTooLarge) {
		t.Errorf("four gigapixels: %v", err)
	}
	for _, cut := range []int{4, 20, 40, len(data) / 2} {
		if _, err := Reduce(bytes.NewReader(data[:cut]), 640); !errors.Is(err, ErrMalformed) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
}

func FuzzReduce(f *testing.F) {
	for _, size := range []image.Point{{1, 1}, {7, 5}, {40, 2}} {
		f.Add(flatPNG(f, size.X, size.Y))
		f.Add(encoded(f, func(out *bytes.Buffer) error {
			return png.Encode(out, shades(func(r image.Rectangle) interface {
				image.Image
				Set(x, y int, c color.Color)
			} {
				return image.NewNRGBA(r)
			}, size.X, size.Y))
		}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		img, err := Reduce(bytes.NewReader(data), 16)
		if err == nil && (img.Rect.Dx() > 16 || img.Rect.Dy() > 16 || img.Rect.Empty()) {
			t.Errorf("%v", img.Rect)
		}
		if err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v", err)
		}
	})
}
