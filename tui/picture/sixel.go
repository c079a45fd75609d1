package picture

import (
	"image"
	"image/color"
	"strconv"

	"golang.org/x/image/draw"

	"github.com/ghostlight-theatre/ghostlight/engine/media"
)

// Pixels returns the picture in w by h pixels, opaque: transparent pixels show the background.
// Graphics that are drawn over older ones need that, because the older ones would shine through.
func Pixels(img image.Image, w, h int, background color.Color) *image.RGBA {
	px := scale(img, max(w, 1), max(h, 1))
	if px.Opaque() {
		return px
	}
	dst := image.NewRGBA(px.Bounds())
	draw.Draw(dst, dst.Bounds(), image.NewUniform(background), image.Point{}, draw.Src)
	draw.Draw(dst, dst.Bounds(), px, image.Point{}, draw.Over)
	return dst
}

// band is the number of pixel rows in one line of Sixel characters.
const band = 6

// EncodeSixel returns the sequence that draws a part of a picture, given in its pixels, with the
// top left corner at the cursor. Anything outside the picture is left out; "" if nothing is left.
// The position of the cursor afterwards differs between terminals.
func EncodeSixel(px *image.Paletted, part image.Rectangle) string {
	part = part.Intersect(px.Bounds())
	if part.Empty() {
		return ""
	}
	e := sixelEncoder{px: px, w: part.Dx()}
	e.buf = make([]byte, 0, part.Dx()*part.Dy()/2+4096)
	// 1: pixels that are not set stay as they are; the last line may reach below the picture.
	e.buf = append(e.buf, "\x1bP0;1;0q\"1;1;"...)
	e.number(part.Dx())
	e.buf = append(e.buf, ';')
	e.number(part.Dy())
	e.registers(part)
	for y := part.Min.Y; y < part.Max.Y; y += band {
		if y > part.Min.Y {
			e.buf = append(e.buf, '-')
		}
		e.line(image.Rect(part.Min.X, y, part.Max.X, min(y+band, part.Max.Y)))
	}
	return string(append(e.buf, "\x1b\\"...))
}

type sixelEncoder struct {
	px   *image.Paletted
	w    int
	buf  []byte
	rows [media.MaxColours][]byte // of the current line: one character per column, for each colour in it
	used []uint8
}

func (e *sixelEncoder) number(n int) { e.buf = strconv.AppendInt(e.buf, int64(n), 10) }

// registers defines the colours that the part has.
func (e *sixelEncoder) registers(part image.Rectangle) {
	var has [media.MaxColours]bool
	for y := part.Min.Y; y < part.Max.Y; y++ {
		at := e.px.PixOffset(part.Min.X, y)
		for _, i := range e.px.Pix[at : at+e.w] {
			has[i] = true
		}
	}
	for i, c := range e.px.Palette {
		if i >= media.MaxColours || !has[i] {
			continue
		}
		r, g, b, _ := c.RGBA()
		e.buf = append(e.buf, '#')
		e.number(i)
		e.buf = append(e.buf, ";2"...)
		for _, v := range [...]uint32{r, g, b} {
			e.buf = append(e.buf, ';')
			e.number(int((v*100 + 0x7fff) / 0xffff))
		}
	}
}

// line draws six rows of pixels, one colour after the other.
func (e *sixelEncoder) line(part image.Rectangle) {
	e.used = e.used[:0]
	for y := part.Min.Y; y < part.Max.Y; y++ {
		at := e.px.PixOffset(part.Min.X, y)
		bit := byte(1) << (y - part.Min.Y)
		for x, i := range e.px.Pix[at : at+e.w] {
			row := e.rows[i]
			if len(row) == 0 {
				if row = e.rows[i][:cap(e.rows[i])]; cap(row) < e.w {
					row = make([]byte, e.w)
				}
				row = row[:e.w]
				clear(row)
				e.rows[i] = row
				e.used = append(e.used, i)
			}
			row[x] |= bit
		}
	}
	for n, i := range e.used {
		if n > 0 {
			e.buf = append(e.buf, '$')
		}
		e.buf = append(e.buf, '#')
		e.number(int(i))
		e.runs(e.rows[i])
		e.rows[i] = e.rows[i][:0]
	}
}

// runs writes the characters of one colour; blank ones at the end are left out.
func (e *sixelEncoder) runs(row []byte) {
	for len(row) > 0 && row[len(row)-1] == 0 {
		row = row[:len(row)-1]
	}
	for len(row) > 0 {
		n := 1
		for n < len(row) && row[n] == row[0] {
			n++
		}
		if n > 3 {
			e.buf = append(e.buf, '!')
			e.number(n)
			e.buf = append(e.buf, row[0]+'?')
		} else {
			for range n {
				e.buf = append(e.buf, row[0]+'?')
			}
		}
		row = row[n:]
	}
}
