package tuitest

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// point is a position in a cell, from 0,0 at its upper left to 1,1.
type point struct{ x, y float64 }

// arms are the directions of a box-drawing line: left, right, up, down.
var arms = map[rune]string{
	'─': "lr", '│': "ud", '┌': "rd", '┐': "ld", '└': "ru", '┘': "lu", '├': "rud", '┤': "lud", '┬': "lrd",
	'┴': "lru", '┼': "lrud",
	'╭': "rd", '╮': "ld", '╰': "ru", '╯': "lu", '╌': "lr", '┄': "lr", '━': "LR", '┃': "UD", '╴': "l", '╶': "r",
	'╵': "u", '╷': "d",
}

// blocks are parts of a cell, in eighths: left, top, right, bottom.
var blocks = map[rune][4]int{
	'█': {0, 0, 8, 8}, '▀': {0, 0, 8, 4}, '▄': {0, 4, 8, 8}, '▌': {0, 0, 4, 8}, '▐': {4, 0, 8, 8},
	'▁': {0, 7, 8, 8}, '▂': {0, 6, 8, 8}, '▃': {0, 5, 8, 8}, '▅': {0, 3, 8, 8}, '▆': {0, 2, 8, 8}, '▇': {0, 1, 8, 8},
	'▉': {0, 0, 7, 8}, '▊': {0, 0, 6, 8}, '▋': {0, 0, 5, 8}, '▍': {0, 0, 3, 8}, '▎': {0, 0, 2, 8}, '▏': {0, 0, 1, 8},
}

// signs are polygons for characters that the font lacks or draws too small. A second polygon inside
// the first is a hole.
var signs = map[rune][][]point{
	'▰': {{{.25, .34}, {1, .34}, {.75, .7}, {0, .7}}},
	'▱': {{{.25, .34}, {1, .34}, {.75, .7}, {0, .7}}, {{.13, .65}, {.68, .65}, {.86, .39}, {.31, .39}}},
	'▸': {{{.2, .32}, {.85, .52}, {.2, .72}}},
	'▶': {{{.1, .28}, {.95, .52}, {.1, .76}}},
	'▾': {{{.1, .4}, {.9, .4}, {.5, .7}}},
	'▴': {{{.1, .66}, {.9, .66}, {.5, .36}}},
	'◂': {{{.8, .32}, {.15, .52}, {.8, .72}}},
	'●': {circle(.5, .53, .42)},
	'○': {circle(.5, .53, .42), hole(.5, .53, .3)},
	'◌': {circle(.5, .53, .42), hole(.5, .53, .33)},
	'◐': {{{.5, .33}, {.5, .73}, {.3, .7}, {.12, .6}, {.08, .53}, {.12, .45}, {.3, .36}}, circle(.5, .53, .42),
		hole(.5, .53, .33)},
	'◆': {{{.5, .3}, {.95, .53}, {.5, .76}, {.05, .53}}},
	'◇': {{{.5, .3}, {.95, .53}, {.5, .76}, {.05, .53}}, {{.5, .69}, {.2, .53}, {.5, .37}, {.8, .53}}},
	'▪': {{{.25, .42}, {.75, .42}, {.75, .66}, {.25, .66}}},
	'▤': {{{.05, .32}, {.95, .32}, {.95, .39}, {.05, .39}}, {{.05, .5}, {.95, .5}, {.95, .57}, {.05, .57}},
		{{.05, .68}, {.95, .68}, {.95, .75}, {.05, .75}}},
	'✓': {{{.02, .58}, {.15, .5}, {.36, .64}, {.85, .27}, {.96, .33}, {.38, .78}}},
	'✗': {{{.08, .36}, {.22, .3}, {.93, .7}, {.79, .76}}, {{.79, .3}, {.93, .36}, {.22, .76}, {.08, .7}}},
	'✎': {{{.7, .25}, {.95, .38}, {.35, .68}, {.05, .74}, {.15, .55}}},
	'✦': {{{.5, .28}, {.62, .47}, {1, .53}, {.62, .59}, {.5, .78}, {.38, .59}, {0, .53}, {.38, .47}}},
}

// circle returns a circle of radius r, in widths of a cell.
func circle(x, y, r float64) (p []point) {
	for i := range 24 {
		sin, cos := math.Sincos(float64(i) * 2 * math.Pi / 24)
		p = append(p, point{x + r*cos, y + r*sin*shotCellW/shotCellH})
	}
	return p
}

// hole is a circle that is cut out of a shape.
func hole(x, y, r float64) []point {
	p := circle(x, y, r)
	for i, j := 0, len(p)-1; i < j; i, j = i+1, j-1 {
		p[i], p[j] = p[j], p[i]
	}
	return p
}

// shape draws lines, blocks and signs. It reports whether the rune was one of them.
func (s *shot) shape(r rune, box image.Rectangle, c color.Color) bool {
	src := image.NewUniform(c)
	if b, ok := blocks[r]; ok {
		w, h := box.Dx(), box.Dy()
		part := image.Rect(box.Min.X+w*b[0]/8, box.Min.Y+h*b[1]/8, box.Min.X+w*b[2]/8, box.Min.Y+h*b[3]/8)
		draw.Draw(s.img, part, src, image.Point{}, draw.Src)
		return true
	}
	if a, ok := arms[r]; ok {
		for _, arm := range a {
			draw.Draw(s.img, armOf(arm, box, r), src, image.Point{}, draw.Src)
		}
		return true
	}
	polygons, ok := signs[r]
	if !ok {
		return false
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	at := func(p point) (x, y float32) {
		return float32(p.x * float64(box.Dx())), float32(p.y * float64(box.Dy()))
	}
	for _, polygon := range polygons {
		x, y := at(polygon[0])
		z.MoveTo(x, y)
		for _, p := range polygon[1:] {
			z.LineTo(at(p))
		}
		z.ClosePath()
	}
	z.Draw(s.img, box, src, image.Point{})
	return true
}

// armOf returns a line from the middle of a cell to one of its sides; a round corner leaves out the
// pixel in the middle.
func armOf(arm rune, box image.Rectangle, r rune) image.Rectangle {
	x, y, thick := box.Min.X+box.Dx()/2, box.Min.Y+box.Dy()/2, 1
	if arm < 'a' {
		thick = 2
		arm += 'a' - 'A'
	}
	off := 0
	if r >= '╭' && r <= '╰' {
		off = 1
	}
	switch arm {
	case 'l':
		return image.Rect(box.Min.X, y, x+thick-off, y+thick)
	case 'r':
		return image.Rect(x+off, y, box.Max.X, y+thick)
	case 'u':
		return image.Rect(x, box.Min.Y, x+thick, y+thick-off)
	default:
		return image.Rect(x, y+off, x+thick, box.Max.Y)
	}
}
