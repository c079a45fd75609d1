package picture

import (
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// CellAspect is the assumed ratio of height to width of a terminal cell if it is unknown.
const CellAspect = 2.0

// maxCells limits the sides of a picture in cells.
const maxCells = 512

const reset = "\x1b[m"

// FitCells returns the greatest size in cells, within cols by rows, that shows a picture of w by h
// pixels in its shape. cellAspect is the height of a cell divided by its width; 0 means
// [CellAspect]. Both results are 0 when there is nothing to show or no room, and at least 1
// otherwise.
func FitCells(w, h, cols, rows int, cellAspect float64) (c, r int) {
	if w <= 0 || h <= 0 || cols <= 0 || rows <= 0 {
		return 0, 0
	}
	if !(cellAspect > 0.1 && cellAspect < 10) {
		cellAspect = CellAspect
	}
	perCol := min(float64(cols)/float64(w), float64(rows)*cellAspect/float64(h))
	c = int(math.Round(float64(w) * perCol))
	r = int(math.Round(float64(h) * perCol / cellAspect))
	return min(max(c, 1), cols), min(max(r, 1), rows)
}

// HalfBlocks draws the picture with blocks half a cell high, in true colour, within cols by rows
// cells and in its shape. All lines have the same width, and each resets its style. Pixels that are
// more than half transparent show the terminal's background. The program's output reduces the
// colours to those of the terminal.
func HalfBlocks(img image.Image, cols, rows int) []string {
	c, r := fit(img, cols, rows)
	if c == 0 {
		return nil
	}
	px := scale(img, c, 2*r)
	lines := make([]string, r)
	buf := make([]byte, 0, c*40)
	for y := range r {
		buf = halfLine(buf[:0], px, y, c)
		lines[y] = string(buf)
	}
	return lines
}

func fit(img image.Image, cols, rows int) (c, r int) {
	b := img.Bounds()
	return FitCells(b.Dx(), b.Dy(), min(cols, maxCells), min(rows, maxCells), CellAspect)
}

// halfLine appends one line of cells: the upper pixel is the foreground of ▀, the lower one its
// background.
func halfLine(buf []byte, px *image.RGBA, y, c int) []byte {
	var fg, bg color.RGBA // alpha 0: the terminal's own
	styled := false
	for x := range c {
		top, bottom := opaque(px.RGBAAt(x, 2*y)), opaque(px.RGBAAt(x, 2*y+1))
		glyph := "▀"
		switch {
		case top.A == 0 && bottom.A == 0:
			glyph = " "
		case top.A == 0: // only the background can be left unset
			glyph, top, bottom = "▄", bottom, top
		}
		if bottom.A == 0 && bg.A != 0 {
			buf = append(buf, reset...)
			fg, bg, styled = color.RGBA{}, color.RGBA{}, false
		}
		if glyph != " " && top != fg {
			buf = sgr(buf, 38, top)
			fg, styled = top, true
		}
		if bottom.A != 0 && bottom != bg {
			buf = sgr(buf, 48, bottom)
			bg, styled = bottom, true
		}
		buf = append(buf, glyph...)
	}
	if styled {
		buf = append(buf, reset...)
	}
	return buf
}

// opaque makes a pixel either opaque or transparent.
func opaque(c color.RGBA) color.RGBA {
	if c.A < 0x80 {
		return color.RGBA{}
	}
	if c.A != 0xff {
		//nolint:errcheck,forcetypeassert // the model returns nothing else
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return color.RGBA{n.R, n.G, n.B, 0xff}
	}
	return c
}

// sgr appends the sequence that sets a true colour; layer is 38 for the foreground and 48 for the background.
func sgr(buf []byte, layer int64, c color.RGBA) []byte {
	buf = append(buf, "\x1b["...)
	buf = strconv.AppendInt(buf, layer, 10)
	buf = append(buf, ";2;"...)
	buf = strconv.AppendUint(buf, uint64(c.R), 10)
	buf = append(buf, ';')
	buf = strconv.AppendUint(buf, uint64(c.G), 10)
	buf = append(buf, ';')
	buf = strconv.AppendUint(buf, uint64(c.B), 10)
	return append(buf, 'm')
}

// ShadeBlocks draws the picture without colour, in five densities, within cols by rows cells and
// in its aspect ratio. dark reports whether the terminal has a dark background, where denser means
// brighter.
func ShadeBlocks(img image.Image, cols, rows int, dark bool) []string {
	c, r := fit(img, cols, rows)
	if c == 0 {
		return nil
	}
	px := scale(img, c, r)
	ink := [...]string{" ", "░", "▒", "▓", "█"}
	lines := make([]string, r)
	var b strings.Builder
	for y := range r {
		b.Reset()
		for x := range c {
			p := px.RGBAAt(x, y)
			level := 0
			if p.A >= 0x80 {
				//nolint:errcheck,forcetypeassert // the model returns nothing else
				level = int(color.GrayModel.Convert(opaque(p)).(color.Gray).Y) * len(ink) / 256
				if !dark {
					level = len(ink) - 1 - level
				}
			}
			b.WriteString(ink[level])
		}
		lines[y] = b.String()
	}
	return lines
}
