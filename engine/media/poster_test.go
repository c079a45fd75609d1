package media

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

var (
	red  = color.NRGBA{200, 30, 20, 255}
	blue = color.NRGBA{20, 40, 210, 255}
)

// solid returns a picture of one colour with a corner of another, so that a wrong
// place or a turned picture shows.
func solid(w, h int, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, (w+1)/2, (h+1)/2), image.NewUniform(blue), image.Point{}, draw.Src)
	return img
}

func encoded(t testing.TB, enc func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := enc(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngFile(t testing.TB, w, h int) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, solid(w, h, red)) })
}

func jpegFile(t testing.TB, w, h int) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, solid(w, h, red), nil) })
}

// gifFile returns an animation whose first frame covers only a part of the canvas.
func gifFile(t testing.TB) []byte {
	first := image.NewPaletted(image.Rect(2, 3, 6, 6), palette.Plan9)
	draw.Draw(first, first.Bounds(), image.NewUniform(red), image.Point{}, draw.Src)
	second := image.NewPaletted(image.Rect(0, 0, 8, 8), palette.Plan9)
	return encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{10, 10}, LoopCount: 0,
			Config: image.Config{ColorModel: color.Palette(palette.Plan9), Width: 8, Height: 8}})
	})
}

// bitWriter writes what a VP8L stream is made of: the lowest bit first.
type bitWriter struct {
	out []byte
	n   int
}

func (b *bitWriter) put(v uint32, n int) {
	for i := range n {
		if b.n%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[len(b.out)-1] |= byte(v>>i&1) << (b.n % 8)
		b.n++
	}
}

// vp8l returns a lossless picture of one colour: each of its codes has one symbol, so
// that pixels take no bits.
func vp8l(w, h int, c color.NRGBA) []byte {
	b := &bitWriter{}
	b.put(0x2f, 8)
	b.put(uint32(w-1), 14)
	b.put(uint32(h-1), 14)
	b.put(1, 1) // alpha is used
	b.put(0, 3)
	b.put(0, 3) // no transform, no colour cache, no groups of codes
	for _, symbol := range []byte{c.G, c.R, c.B, c.A, 0} {
		b.put(1, 1) // a simple code
		b.put(0, 1) // of one symbol
		b.put(1, 1) // of eight bits
		b.put(uint32(symbol), 8)
	}
	b.put(0, 8)
	return b.out
}

func riffChunk(id string, body ...[]byte) []byte {
	all := bytes.Join(body, nil)
	out := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(all)))
	out = append(out, all...)
	if len(all)%2 != 0 {
		out = append(out, 0)
	}
	return out
}

func webpFile(chunks ...[]byte) []byte {
	all := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(all))), all...)
}

func vp8x(flags byte, w, h int) []byte {
	body := make([]byte, 10)
	body[0] = flags
	putU24(body[4:], w-1)
	putU24(body[7:], h-1)
	return riffChunk("VP8X", body)
}

func anmf(x, y, w, h int, chunks ...[]byte) []byte {
	head := make([]byte, 16)
	putU24(head, x/2)
	putU24(head[3:], y/2)
	putU24(head[6:], w-1)
	putU24(head[9:], h-1)
	putU24(head[12:], 100)
	return riffChunk("ANMF", append([][]byte{head}, chunks...)...)
}

// vp8 returns a lossy picture of one pixel.
func vp8(t testing.TB) []byte {
	data, err := base64.StdEncoding.DecodeString("MAEAnQEqAQABAA7A/iWkAANwAAAAAA==")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func animatedWebP(frames ...[]byte) []byte {
	return webpFile(append([][]byte{vp8x(0x02|0x10, 8, 6), riffChunk("ANIM", make([]byte, 6))}, frames...)...)
}

func TestPoster(t *testing.T) {
	t.Parallel()
	clear := color.NRGBA{}
	tests := map[string]struct {
		data   []byte
		format string
		w, h   int
		at     map[image.Point]color.NRGBA
	}{
		"png":              {pngFile(t, 5, 4), "png", 5, 4, map[image.Point]color.NRGBA{{0, 0}: blue, {4, 3}: red}},
		"jpeg":             {jpegFile(t, 32, 32), "jpg", 32, 32, map[image.Point]color.NRGBA{{2, 2}: blue, {30, 30}: red}},
		"gif in its place": {gifFile(t), "gif", 8, 8, map[image.Point]color.NRGBA{{0, 0}: clear, {2, 3}: red, {5, 5}: red, {6, 6}: clear}},
		"webp":             {webpFile(riffChunk("VP8L", vp8l(3, 2, red))), "webp", 3, 2, map[image.Point]color.NRGBA{{0, 0}: red, {2, 1}: red}},
		"animated webp in its place": {animatedWebP(anmf(2, 4, 4, 2, riffChunk("VP8L", vp8l(4, 2, red))), anmf(0, 0, 8, 6, riffChunk("VP8L", vp8l(8, 6, blue)))),
			"webp", 8, 6, map[image.Point]color.NRGBA{{0, 0}: clear, {2, 4}: red, {5, 5}: red, {6, 5}: clear}},
		"animated webp over the edge": {animatedWebP(anmf(6, 4, 4, 4, riffChunk("VP8L", vp8l(4, 4, red)))),
			"webp", 8, 6, map[image.Point]color.NRGBA{{0, 0}: clear, {7, 5}: red}},
		"animated lossy webp": {webpFile(vp8x(0x02, 1, 1), riffChunk("ANIM", make([]byte, 6)), anmf(0, 0, 1, 1, riffChunk("VP8 ", vp8(t)))),
			"webp", 1, 1, nil},
		"animated lossy webp with alpha": {webpFile(vp8x(0x12, 1, 1), riffChunk("ANIM", make([]byte, 6)),
			anmf(0, 0, 1, 1, riffChunk("ALPH", []byte{0, 0x40}), riffChunk("VP8 ", vp8(t)))),
			"webp", 1, 1, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img, err := Poster(tt.data, tt.format)
			if err != nil {
				t.Fatal(err)
			}
			if img.Bounds() != image.Rect(0, 0, tt.w, tt.h) {
				t.Fatalf("it is %v, want %d × %d", img.Bounds(), tt.w, tt.h)
			}
			w, h, err := Size(tt.data, tt.format)
			if w != tt.w || h != tt.h || err != nil {
				t.Errorf("Size: %d × %d, %v", w, h, err)
			}
			for p, want := range tt.at {
				if got := color.NRGBAModel.Convert(img.At(p.X, p.Y)).(color.NRGBA); !near(got, want) {
					t.Errorf("at %v it is %v, want %v", p, got, want)
				}
			}
			if name == "animated lossy webp with alpha" {
				if _, _, _, a := img.At(0, 0).RGBA(); a>>8 != 0x40 {
					t.Errorf("alpha is %#x", a>>8)
				}
			}
		})
	}
}

func near(a, b color.NRGBA) bool {
	d := func(x, y uint8) bool { return max(x, y)-min(x, y) <= 40 }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B) && d(a.A, b.A)
}

// hugePNG says of itself that it is w × h pixels.
func hugePNG(t testing.TB, w, h int) []byte {
	return withPNGHead(pngFile(t, 1, 1), w, h)
}

func TestPoster_Refuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data   []byte
		format string
		want   error
	}{
		"mp4":                      {[]byte("\x00\x00\x00\x18ftypisom"), "mp4", ErrNoPoster},
		"webm":                     {[]byte(ebmlMagic), "webm", ErrNoPoster},
		"a format nobody knows":    {nil, "exe", ErrUnknown},
		"nothing":                  {nil, "png", ErrMalformed},
		"another format than said": {pngFile(t, 2, 2), "jpeg", ErrMalformed},
		"too many pixels":          {hugePNG(t, 9000, 9000), "png", ErrTooLarge},
		"too long a side":          {hugePNG(t, 70000, 1), "png", ErrTooLarge},
		"an animation too large":   {webpFile(vp8x(2, 1<<14, 1<<14), anmf(0, 0, 1<<14, 1<<14, riffChunk("VP8L", vp8l(1, 1, red)))), "webp", ErrTooLarge},
		"a frame of another size":  {animatedWebP(anmf(0, 0, 4, 4, riffChunk("VP8L", vp8l(5, 5, red)))), "webp", ErrMalformed},
		"a frame with nothing":     {animatedWebP(anmf(0, 0, 4, 4)), "webp", ErrMalformed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if img, err := Poster(tt.data, tt.format); !errors.Is(err, tt.want) || img != nil {
				t.Errorf("%v, %v; want %v", img, err, tt.want)
			}
		})
	}
}

func FuzzPoster(f *testing.F) {
	for _, data := range [][]byte{pngFile(f, 4, 4), jpegFile(f, 9, 9), gifFile(f), webpFile(riffChunk("VP8L", vp8l(3, 2, red))),
		animatedWebP(anmf(2, 4, 4, 2, riffChunk("VP8L", vp8l(4, 2, red)))),
		webpFile(vp8x(0x12, 1, 1), anmf(0, 0, 1, 1, riffChunk("ALPH", []byte{0, 0x40}), riffChunk("VP8 ", vp8(f))))} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format := Sniff(data)
		if w, h, err := Size(data, format); err == nil && w*h > 1<<20 {
			return // true to the format, and only slow
		}
		img, err := Poster(data, format)
		if err != nil {
			return
		}
		if b := img.Bounds(); b.Min != (image.Point{}) || b.Empty() {
			t.Errorf("bounds %v", b)
		}
	})
}
