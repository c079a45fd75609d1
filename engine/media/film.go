package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"io"
	"math"
	"time"
)

// Film writes moving pictures one after the other and keeps none of them. All are opaque and have
// the size of the film. The caller may reuse the picture once Add has returned. End writes the end
// of the film. Close releases its resources, also without End.
type Film interface {
	Add(picture *image.RGBA, stands time.Duration) error
	End() error
	Close() error
}

// ErrFilm means that a film cannot be written in the requested format.
var ErrFilm = errors.New("this film cannot be written")

// Limits of a film.
const (
	maxFilmSide      = 4096
	maxFilmBytes     = 1 << 31 // bytes
	maxFrameDuration = 600 * time.Second
)

// NewGIF starts a GIF that loops forever. Each frame has its own palette.
func NewGIF(w io.Writer, width, height int) (Film, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	head := append([]byte("GIF89a"), 0, 0, 0, 0, 0x70, 0, 0)
	binary.LittleEndian.PutUint16(head[6:], uint16(width))  //nolint:gosec // at most maxFilmSide
	binary.LittleEndian.PutUint16(head[8:], uint16(height)) //nolint:gosec // checked above
	head = append(head, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"...)
	f := &gifFilm{frameClock: frameClock{width: width, height: height}, to: w}
	return f, f.write(head)
}

func filmSize(w, h int) error {
	if w < 1 || h < 1 || w > maxFilmSide || h > maxFilmSide {
		return fmt.Errorf("%w: it would have %d × %d pixels", ErrFilm, w, h)
	}
	return nil
}

// frameClock is the common state of films: frame size, duration, and file size.
type frameClock struct {
	width, height int
	at            time.Duration
	size          int64
}

// next checks a frame and returns its duration in units. Rounding errors are carried to the next
// frame.
func (r *frameClock) next(picture *image.RGBA, stands, unit time.Duration) (units int, err error) {
	if got := picture.Rect.Size(); got != image.Pt(r.width, r.height) || picture.Stride != 4*r.width {
		return 0, fmt.Errorf("%w: a frame has %d × %d pixels, but the film %d × %d", ErrFilm, got.X, got.Y,
			r.width, r.height)
	}
	if stands <= 0 || stands > maxFrameDuration {
		return 0, fmt.Errorf("%w: a frame would last %v", ErrFilm, stands)
	}
	from := r.at
	r.at += stands
	return max(1, int(r.at.Round(unit)/unit-from.Round(unit)/unit)), nil
}

// addSize counts written bytes.
func (r *frameClock) addSize(n int) error {
	if r.size += int64(n); r.size > maxFilmBytes {
		return fmt.Errorf("%w: it would be larger than %d GB", ErrFilm, maxFilmBytes>>30)
	}
	return nil
}

// gifFilm writes a GIF.
type gifFilm struct {
	frameClock
	to  io.Writer
	one bytes.Buffer
}

func (f *gifFilm) write(data []byte) error {
	if err := f.addSize(len(data)); err != nil {
		return err
	}
	_, err := f.to.Write(data)
	return err
}

// Add implements Film. The frame is encoded as a complete GIF; only its frame is written to the
// film.
func (f *gifFilm) Add(picture *image.RGBA, stands time.Duration) error {
	n, err := f.next(picture, stands, 10*time.Millisecond)
	if err != nil {
		return err
	}
	f.one.Reset()
	paletted := Quantize(picture)
	paletted.Rect = image.Rect(0, 0, f.width, f.height)
	one := gif.GIF{Image: []*image.Paletted{paletted}, Delay: []int{min(n, math.MaxUint16)}}
	if err := gif.EncodeAll(&f.one, &one); err != nil {
		return err
	}
	data := f.one.Bytes()
	const head = 13
	if len(data) <= head || data[10]&0x80 != 0 || data[len(data)-1] != 0x3b {
		return malformed(GIF, "a frame was written in another form than expected")
	}
	return f.write(data[head : len(data)-1])
}

// End implements Film.
func (f *gifFilm) End() error {
	return f.write([]byte{0x3b})
}

// Close implements Film.
func (*gifFilm) Close() error { return nil }
