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
	"os"
	"time"

	"github.com/HugoSmits86/nativewebp"
)

// Film writes moving pictures, one after the other, and keeps none of them. All have
// the size of the film, and are opaque. What Add is given may be drawn over again
// once it has returned. End writes what comes last; Close gives back what a film
// holds, also one that was not ended.
type Film interface {
	Add(picture *image.RGBA, stands time.Duration) error
	End() error
	Close() error
}

// ErrFilm: a film that cannot be written in the form that was asked for.
var ErrFilm = errors.New("this film cannot be written")

// Bounds of a film.
const (
	mostFilmSide = 4096
	mostFilm     = 1 << 31 // bytes
	mostStands   = 600 * time.Second
)

// NewGIF begins a GIF that is played again and again. Each frame has a palette of its
// own.
func NewGIF(w io.Writer, width, height int) (Film, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	head := append([]byte("GIF89a"), 0, 0, 0, 0, 0x70, 0, 0)
	binary.LittleEndian.PutUint16(head[6:], uint16(width))  //nolint:gosec // at most mostFilmSide
	binary.LittleEndian.PutUint16(head[8:], uint16(height)) //nolint:gosec // likewise
	head = append(head, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"...)
	f := &gifFilm{reel: reel{width: width, height: height}, to: w}
	return f, f.write(head)
}

func filmSize(w, h int) error {
	if w < 1 || h < 1 || w > mostFilmSide || h > mostFilmSide {
		return fmt.Errorf("%w: it would be %d × %d pixels", ErrFilm, w, h)
	}
	return nil
}

// reel is what all films have: their size, how long they are so far, and how large.
type reel struct {
	width, height int
	at            time.Duration
	size          int64
}

// next checks a frame and tells how many units of time it stands. Where units do not
// come out even the next one makes up for it.
func (r *reel) next(picture *image.RGBA, stands, unit time.Duration) (units int, err error) {
	if got := picture.Rect.Size(); got != image.Pt(r.width, r.height) || picture.Stride != 4*r.width {
		return 0, fmt.Errorf("%w: a frame is %d × %d pixels, and the film %d × %d", ErrFilm, got.X, got.Y, r.width, r.height)
	}
	if stands <= 0 || stands > mostStands {
		return 0, fmt.Errorf("%w: a frame would stand for %v", ErrFilm, stands)
	}
	from := r.at
	r.at += stands
	return max(1, int(r.at.Round(unit)/unit-from.Round(unit)/unit)), nil
}

// grow counts what is written.
func (r *reel) grow(n int) error {
	if r.size += int64(n); r.size > mostFilm {
		return fmt.Errorf("%w: it would be larger than %d GB", ErrFilm, mostFilm>>30)
	}
	return nil
}

// gifFilm writes a GIF.
type gifFilm struct {
	reel
	to  io.Writer
	one bytes.Buffer
}

func (f *gifFilm) write(data []byte) error {
	if err := f.grow(len(data)); err != nil {
		return err
	}
	_, err := f.to.Write(data)
	return err
}

// Add implements Film. The frame is written as a GIF of its own, of which only the
// frame is taken.
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

// NewWebP begins an animated WebP without loss, which is played again and again. Its
// frames wait in a file of their own: how large they all are stands at its beginning.
func NewWebP(w io.Writer, width, height int) (Film, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	spool, err := os.CreateTemp("", "ghostlight-film-*")
	if err != nil {
		return nil, err
	}
	return &webpFilm{reel: reel{width: width, height: height}, to: w, spool: spool}, nil
}

type webpFilm struct {
	reel
	to    io.Writer
	spool *os.File
	one   bytes.Buffer
}

// Add implements Film.
func (f *webpFilm) Add(picture *image.RGBA, stands time.Duration) (err error) {
	defer guard(&err)
	n, err := f.next(picture, stands, time.Millisecond)
	if err != nil {
		return err
	}
	f.one.Reset()
	if err := nativewebp.Encode(&f.one, picture, &nativewebp.Options{CompressionLevel: nativewebp.BestSpeed}); err != nil {
		return err
	}
	var pixels []byte
	for c, err := range riffChunks(f.one.Bytes()) {
		if err == nil && c.id == "VP8L" {
			pixels = c.raw
		}
	}
	if pixels == nil {
		return malformed(WebP, "a frame was written in another form than expected")
	}
	head := make([]byte, chunkHead+16)
	copy(head, "ANMF")
	odd := len(pixels) % 2
	binary.LittleEndian.PutUint32(head[4:], uint32(16+len(pixels)+odd)) //nolint:gosec // of one picture
	putU24(head[14:], f.width-1)
	putU24(head[17:], f.height-1)
	putU24(head[20:], n)
	head[23] = 0x02 // it covers what was before
	for _, part := range [][]byte{head, pixels, make([]byte, odd)} {
		if err := f.grow(len(part)); err != nil {
			return err
		}
		if _, err := f.spool.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// End implements Film.
func (f *webpFilm) End() error {
	head := []byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00ANIM\x06\x00\x00\x00\x00\x00\x00\xff\x00\x00")
	putU24(head[24:], f.width-1)
	putU24(head[27:], f.height-1)
	binary.LittleEndian.PutUint32(head[4:], uint32(int64(len(head)-chunkHead)+f.size)) //nolint:gosec // at most mostFilm
	if _, err := f.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := f.to.Write(head); err != nil {
		return err
	}
	_, err := io.Copy(f.to, f.spool)
	return err
}

// Close implements Film.
func (f *webpFilm) Close() error { return errors.Join(f.spool.Close(), os.Remove(f.spool.Name())) }
