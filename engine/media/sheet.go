package media

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	xdraw "golang.org/x/image/draw"
)

// Tile is one picture of a sheet. A Group that differs from the one of the tile before begins a
// group with that heading. Picture is called once, when it is drawn; if it fails or is nil,
// Placeholder is shown. Mark is shown in the picture's corner.
type Tile struct {
	Group       string
	Caption     string
	Mark        string
	Placeholder string
	Picture     func() (image.Image, error)
}

// SheetOptions are the texts at the top of a sheet.
type SheetOptions struct {
	Title, Subtitle string
}

// Limits of sheets, in pixels.
const (
	sheetSide   = 20_000
	sheetPixels = 24 << 20
	sheetMargin = 24
	sheetGap    = 16
)

// ErrTooMany means that there are more pictures than fit on a sheet.
var ErrTooMany = errors.New("too many pictures for one sheet")

// The colours of a sheet.
var (
	sheetBack  = color.RGBA{0x14, 0x16, 0x1b, 0xff}
	sheetField = color.RGBA{0x20, 0x23, 0x2b, 0xff}
	sheetText  = color.RGBA{0xd8, 0xd9, 0xdd, 0xff}
	sheetFaint = color.RGBA{0x8d, 0x91, 0x9b, 0xff}
	sheetLight = color.RGBA{0xf0, 0xc6, 0x74, 0xff}
)

// sheetPlan is a layout of tiles: their size, the number in a row, and the caption lines. With
// flow, groups share rows.
type sheetPlan struct {
	tile, columns, lines int
	flow                 bool
	top                  int // where the tiles begin
}

// sheetPlans are tried in order until one fits: fewer pictures are shown larger.
var sheetPlans = []sheetPlan{
	{tile: 360, columns: 3, lines: 3}, {tile: 320, columns: 4, lines: 3}, {tile: 240, columns: 6, lines: 3},
	{tile: 200, columns: 8, lines: 2},
	{tile: 160, columns: 10, lines: 2}, {tile: 200, columns: 8, lines: 2, flow: true},
	{tile: 160, columns: 10, lines: 2, flow: true},
	{tile: 120, columns: 12, lines: 1, flow: true}, {tile: 96, columns: 12, flow: true},
	{tile: 64, columns: 15, flow: true},
}

// Sheet draws pictures in a grid, by groups, with captions. One picture at a time is in memory.
// Too many pictures are ErrTooMany. Letters that the font lacks, such as those of East Asia, are
// shown as boxes.
func Sheet(tiles []Tile, o SheetOptions) (image.Image, error) {
	w, err := newTextWriter()
	if err != nil {
		return nil, err
	}
	defer w.close()
	for _, p := range sheetPlans {
		if n := len(tiles); n < p.columns && !p.flow {
			p.columns = max(n, 2) // a sheet of few is not wider than they are
		}
		title, about := w.wrap(w.title, o.Title, p.width()-2*sheetMargin, 2),
			w.wrap(w.plain, o.Subtitle, p.width()-2*sheetMargin, 2)
		p.top = sheetMargin + len(title)*titleLine + len(about)*textLine + sheetGap
		height := p.place(tiles, func(int, image.Rectangle, string) {})
		if height > sheetSide || height*p.width() > sheetPixels {
			continue
		}
		w.onto = image.NewRGBA(image.Rect(0, 0, p.width(), height))
		draw.Draw(w.onto, w.onto.Bounds(), image.NewUniform(sheetBack), image.Point{}, draw.Src)
		at := image.Pt(sheetMargin, sheetMargin)
		at.Y = w.lines(w.title, title, at, titleLine, sheetLight)
		w.lines(w.plain, about, at, textLine, sheetFaint)
		p.place(tiles, func(i int, cell image.Rectangle, heading string) {
			w.tile(p, tiles[i], cell, heading)
		})
		return w.onto, nil
	}
	return nil, fmt.Errorf("%w: there are %d", ErrTooMany, len(tiles))
}

func (p sheetPlan) width() int {
	return 2*sheetMargin + p.columns*p.tile + (p.columns-1)*sheetGap
}

// place computes the cell of each tile and passes it to put, with the heading above it or "". It
// returns the height of the sheet.
func (p sheetPlan) place(tiles []Tile, put func(i int, cell image.Rectangle, heading string)) int {
	cell := p.tile + p.lines*textLine + sheetGap
	if p.flow {
		cell += headLine
	}
	y, column := p.top, 0
	for i, t := range tiles {
		heading := ""
		if i == 0 || t.Group != tiles[i-1].Group {
			heading = t.Group
		}
		if column == p.columns || heading != "" && !p.flow && column > 0 {
			y, column = y+cell, 0
		}
		if heading != "" && !p.flow {
			y += headLine + sheetGap/2
		}
		x := sheetMargin + column*(p.tile+sheetGap)
		at := image.Pt(x, y)
		if p.flow {
			at.Y += headLine
		}
		put(i, image.Rectangle{at, at.Add(image.Pt(p.tile, p.tile))}, heading)
		column++
	}
	if len(tiles) > 0 {
		y += cell
	}
	return y + sheetMargin
}

// tile draws one tile.
func (w *textWriter) tile(p sheetPlan, t Tile, cell image.Rectangle, heading string) {
	if heading != "" {
		wide := w.onto.Bounds().Dx() - sheetMargin - cell.Min.X
		if p.flow {
			wide = p.tile
		}
		w.lines(w.bold, w.wrap(w.bold, heading, wide, 1), image.Pt(cell.Min.X, cell.Min.Y-headLine),
			headLine, sheetLight)
	}
	img, err := image.Image(nil), error(nil)
	if t.Picture != nil {
		img, err = t.Picture()
	}
	draw.Draw(w.onto, cell, image.NewUniform(sheetField), image.Point{}, draw.Src)
	if err != nil || img == nil || img.Bounds().Empty() {
		text := w.wrap(w.plain, t.Placeholder, p.tile-2*sheetGap, max(1, p.tile/textLine-2))
		w.lines(w.plain, text, cell.Min.Add(image.Pt(sheetGap, sheetGap)), textLine, sheetFaint)
	} else {
		fitted := fit(img.Bounds(), cell)
		xdraw.ApproxBiLinear.Scale(w.onto, fitted, img, img.Bounds(), draw.Over, nil)
		w.mark(t.Mark, fitted)
	}
	w.lines(w.plain, w.wrap(w.plain, t.Caption, p.tile, p.lines), image.Pt(cell.Min.X, cell.Max.Y+2),
		textLine, sheetText)
}

// mark draws a word in the corner of a picture.
func (w *textWriter) mark(text string, in image.Rectangle) {
	list := w.wrap(w.bold, text, in.Dx()-2*sheetGap, 1)
	if len(list) == 0 {
		return
	}
	wide := w.measure(w.bold, list[0])
	plate := image.Rect(in.Min.X, in.Min.Y, in.Min.X+wide+10, in.Min.Y+textLine+2)
	draw.Draw(w.onto, plate.Intersect(in), image.NewUniform(sheetBack), image.Point{}, draw.Src)
	w.lines(w.bold, list, plate.Min.Add(image.Pt(5, 1)), textLine, sheetLight)
}

// fit returns the largest rectangle for a picture centered in a cell, at most of its own size.
func fit(picture, cell image.Rectangle) image.Rectangle {
	w, h := picture.Dx(), picture.Dy()
	if long := max(w, h); long > cell.Dx() {
		w, h = max(1, w*cell.Dx()/long), max(1, h*cell.Dx()/long)
	}
	at := cell.Min.Add(image.Pt((cell.Dx()-w)/2, (cell.Dy()-h)/2))
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}
