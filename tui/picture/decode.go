// Package picture shows pictures in a terminal: as half blocks of colour, as shades, or through the Kitty graphics
// protocol with placeholder cells that scroll with the text. It also reads and shrinks the pictures themselves.
//
// All functions are pure and safe for concurrent use; none writes to the terminal.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Limits of what [Decode] reads.
const (
	MaxBytes  = 256 << 20 // length of the file
	MaxPixels = 64 << 20  // width times height
	maxMemory = 512 << 20 // of the decoded picture, estimated from its header
	maxSide   = 1 << 16
)

var (
	// ErrFormat means that the data is not a PNG, JPEG, GIF or WebP picture.
	ErrFormat = errors.New("not a PNG, JPEG, GIF or WebP picture")
	// ErrTooLarge means that the picture exceeds the limits; it was not decoded.
	ErrTooLarge = errors.New("the picture is too large")
)

// Decode decodes a PNG, JPEG or WebP, or the first frame of a GIF. It checks the header first, so
// that its memory is limited for any data.
func Decode(data []byte) (img image.Image, err error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("decode picture: %d MB: %w", len(data)>>20, ErrTooLarge)
	}
	config, decode := decoders(data)
	if decode == nil {
		return nil, fmt.Errorf("decode picture: %w", ErrFormat)
	}
	defer func() { // the decoders read untrusted data; a panic in one must not end the program
		if r := recover(); r != nil {
			img, err = nil, fmt.Errorf("decode picture: the decoder gave up: %v", r)
		}
	}()
	c, err := config(data)
	if err != nil {
		return nil, fmt.Errorf("decode picture: %w", err)
	}
	if err := checkSize(c, data); err != nil {
		return nil, fmt.Errorf("decode picture: %w", err)
	}
	if img, err = decode(data); err != nil {
		return nil, fmt.Errorf("decode picture: %w", err)
	}
	if img.Bounds().Empty() {
		return nil, fmt.Errorf("decode picture: no pixels: %w", ErrFormat)
	}
	return img, nil
}

// decoders chooses by the first bytes. The registry of package image is not used, because its
// contents depend on other imports.
func decoders(data []byte) (config func([]byte) (image.Config, error), decode func([]byte) (image.Image, error)) {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return func(d []byte) (image.Config, error) { return png.DecodeConfig(bytes.NewReader(d)) },
			func(d []byte) (image.Image, error) { return png.Decode(bytes.NewReader(d)) }
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		return func(d []byte) (image.Config, error) { return jpeg.DecodeConfig(bytes.NewReader(d)) },
			func(d []byte) (image.Image, error) { return jpeg.Decode(bytes.NewReader(d)) }
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return func(d []byte) (image.Config, error) { return gif.DecodeConfig(bytes.NewReader(d)) },
			func(d []byte) (image.Image, error) { return gif.Decode(bytes.NewReader(d)) }
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return func(d []byte) (image.Config, error) { return webp.DecodeConfig(bytes.NewReader(d)) },
			func(d []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(d)) }
	}
	return nil, nil
}

// checkSize checks a picture's header against the limits.
func checkSize(c image.Config, data []byte) error {
	if c.Width <= 0 || c.Height <= 0 {
		return fmt.Errorf("no pixels: %w", ErrFormat)
	}
	if c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > MaxPixels {
		return fmt.Errorf("%d×%d pixels: %w", c.Width, c.Height, ErrTooLarge)
	}
	per := 4
	switch c.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		per = 8
	case color.YCbCrModel, color.CMYKModel:
		if isProgressive(data) {
			per = 20 // the decoder keeps all coefficients, four bytes each, until the end
		}
	}
	if c.Width*c.Height*per > maxMemory {
		return fmt.Errorf("%d×%d pixels of %d bytes: %w", c.Width, c.Height, per, ErrTooLarge)
	}
	return nil
}

// isProgressive reports whether a JPEG is progressive. It reads the segments up to the frame
// header.
func isProgressive(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("\xff\xd8")) {
		return false
	}
	for i := 2; i+4 <= len(data); {
		if data[i] != 0xff {
			i++
			continue
		}
		switch m := data[i+1]; {
		case m == 0xc2:
			return true
		case m == 0xc0, m == 0xc1, m == 0xda:
			return false
		case m == 0xff:
			i++
		case m == 0, m == 1, m >= 0xd0 && m <= 0xd9:
			i += 2
		default:
			i += 2 + (int(data[i+2])<<8 | int(data[i+3]))
		}
	}
	return false
}

// Thumbnail returns the picture shrunk so that neither side is longer than side pixels, in its
// shape. A picture that is small enough is returned unchanged.
func Thumbnail(img image.Image, side int) image.Image {
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	side = max(side, 1)
	if w <= side && h <= side {
		return img
	}
	tw, th := side, max(1, (h*side+w/2)/max(w, 1))
	if h > w {
		tw, th = max(1, (w*side+h/2)/h), side
	}
	return scale(img, tw, th)
}

// scale returns the picture in w by h pixels.
func scale(img image.Image, w, h int) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	b := img.Bounds()
	// Averaging all source pixels takes time in proportion to them. From a much larger source,
	// pixels are sampled first, to four times the target; that is not visible in a picture this
	// small.
	if mw, mh := 4*w, 4*h; b.Dx() > 2*mw && b.Dy() > 2*mh {
		mid := image.NewRGBA(image.Rect(0, 0, mw, mh))
		draw.ApproxBiLinear.Scale(mid, mid.Bounds(), img, b, draw.Src, nil)
		img, b = mid, mid.Bounds()
	}
	draw.BiLinear.Scale(dst, dst.Bounds(), img, b, draw.Src, nil)
	return dst
}

// EncodePNG returns the picture as a PNG, made for speed rather than size.
func EncodePNG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, img); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}
