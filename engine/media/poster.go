package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// Size returns the width and height of a picture or an animation without decoding it. For other
// videos it returns ErrNoPoster.
func Size(data []byte, format string) (w, h int, err error) {
	defer recoverDecode(&err)
	cfg, err := decodeConfig(data, formatOf(format))
	return cfg.Width, cfg.Height, err
}

// Poster returns the first frame of a picture or an animation on the whole canvas, from (0, 0). It
// returns ErrNoPoster for other videos and ErrTooLarge above MaxPixels.
func Poster(data []byte, format string) (img image.Image, err error) {
	defer recoverDecode(&err)
	format = formatOf(format)
	cfg, err := decodeConfig(data, format)
	if err != nil {
		return nil, err
	}
	if err := checkSize(cfg.Width, cfg.Height); err != nil {
		return nil, err
	}
	r := bytes.NewReader(data)
	at := image.Point{}
	switch format {
	case PNG:
		img, err = png.Decode(r)
	case JPEG:
		img, err = jpeg.Decode(r)
	case GIF:
		if img, err = gif.Decode(r); err == nil {
			at = img.Bounds().Min
		}
	case WebP:
		if frame, ok := firstFrame(data); ok {
			at = frame.at.Min
			img, err = frame.decode()
		} else {
			img, err = webp.Decode(r)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", format, err)
	}
	return onCanvas(img, at, cfg.Width, cfg.Height), nil
}

// recoverDecode converts a panic of a decoder into an error: decoders are third-party code, and
// files may be crafted to crash them.
func recoverDecode(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: a decoder gave up: %v", ErrMalformed, r)
	}
}

func checkSize(w, h int) error {
	if w <= 0 || h <= 0 {
		return malformed("picture", "it is %d × %d pixels", w, h)
	}
	if w > maxSide || h > maxSide || w*h > MaxPixels {
		return fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, w, h)
	}
	return nil
}

func decodeConfig(data []byte, format string) (cfg image.Config, err error) {
	r := io.Reader(bytes.NewReader(data))
	switch format {
	case PNG:
		cfg, err = png.DecodeConfig(r)
	case JPEG:
		cfg, err = jpeg.DecodeConfig(r)
	case GIF:
		cfg, err = gif.DecodeConfig(r)
	case WebP:
		cfg, err = webp.DecodeConfig(r)
	case MP4, WebM:
		return cfg, ErrNoPoster
	default:
		return cfg, fmt.Errorf("%w: %.20q", ErrUnknown, format)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", ErrMalformed, format, err)
	}
	return cfg, err
}

// onCanvas puts a frame at its position on the canvas; a frame that fills it is returned unchanged.
func onCanvas(img image.Image, at image.Point, w, h int) image.Image {
	all := image.Rect(0, 0, w, h)
	from := img.Bounds()
	if from == all && at == (image.Point{}) {
		return img
	}
	canvas := image.NewNRGBA(all)
	draw.Draw(canvas, from.Sub(from.Min).Add(at), img, from.Min, draw.Src)
	return canvas
}

// webpFrame is one frame of an animated WebP: its rectangle, and the chunks of its picture.
type webpFrame struct {
	at     image.Rectangle
	chunks []byte
}

// firstFrame returns the first frame of an animated WebP; ok is false for a still.
func firstFrame(data []byte) (f webpFrame, ok bool) {
	for c, err := range riffChunks(data) {
		switch {
		case err != nil:
			return f, false
		case c.id == "VP8 ", c.id == "VP8L":
			return f, false
		case c.id == "ANMF" && len(c.body) >= 16:
			x, y := 2*u24(c.body), 2*u24(c.body[3:])
			f.at = image.Rect(x, y, x+u24(c.body[6:])+1, y+u24(c.body[9:])+1)
			f.chunks = c.body[16:]
			return f, true
		}
	}
	return f, false
}

// decode decodes a frame as a WebP of its own.
func (f webpFrame) decode() (image.Image, error) {
	w, h := f.at.Dx(), f.at.Dy()
	if err := checkSize(w, h); err != nil {
		return nil, err
	}
	var alpha, picture []byte
	for c, err := range chunksOf(f.chunks) {
		if err != nil {
			break // the complete chunks are used
		}
		if c.id == "ALPH" && alpha == nil {
			alpha = c.raw
		}
		if c.id == "VP8 " || c.id == "VP8L" {
			if picture = c.raw; c.id == "VP8L" {
				alpha = nil // it has its own
			}
			break
		}
	}
	if picture == nil {
		return nil, malformed(WebP, "the first frame holds no picture")
	}
	file := []byte("RIFF\x00\x00\x00\x00WEBP")
	if alpha != nil {
		head := make([]byte, 18)
		copy(head, "VP8X\x0a\x00\x00\x00\x10")
		putU24(head[12:], w-1)
		putU24(head[15:], h-1)
		file = append(append(file, head...), alpha...)
	}
	if file = append(file, picture...); len(file)%2 != 0 {
		file = append(file, 0)
	}
	binary.LittleEndian.PutUint32(file[4:], uint32(len(file)-8))
	cfg, err := webp.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if cfg.Width != w || cfg.Height != h {
		return nil, malformed(WebP, "the first frame is %d × %d pixels, not %d × %d", cfg.Width, cfg.Height, w, h)
	}
	return webp.Decode(bytes.NewReader(file))
}
