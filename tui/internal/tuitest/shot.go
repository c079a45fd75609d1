package tuitest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Size of a picture's cell, in pixels; the font size is chosen so that a letter has that width.
const (
	shotCellW, shotCellH = 10, 21
	shotFont             = 16.65
	shotMargin           = 14
)

// ShotMost is the maximum size of a picture's file, in bytes.
const ShotMost = 60 << 10

// Shot renders the screen as a picture: real cells in their real styles. With -update it writes the
// file as PNG; without, it only checks that this works.
func (s *Session) Shot(file string) *Session {
	s.t.Helper()
	data, err := Picture(s.Styled(), s.o.W, s.o.H, !s.o.Light)
	if err != nil {
		s.t.Fatalf("%s: %v", file, err)
	}
	if len(data) > ShotMost {
		s.t.Errorf("%s takes %d bytes, more than %d", file, len(data), ShotMost)
	}
	if *update {
		s.Must(os.MkdirAll(filepath.Dir(file), 0o755))
		s.Must(os.WriteFile(file, data, 0o644))
	}
	return s
}

// Picture renders a frame, text with style sequences, as a PNG.
func Picture(frame string, w, h int, dark bool) ([]byte, error) {
	buf := uv.NewScreenBuffer(w, h)
	uv.NewStyledString(strings.TrimSuffix(frame, "\n")).Draw(buf, buf.Bounds())
	p, err := newShot(w, h, dark)
	if err != nil {
		return nil, err
	}
	for y := range h {
		for x := 0; x < w; {
			c := buf.CellAt(x, y)
			if c == nil || c.Width == 0 {
				x++
				continue
			}
			p.cell(x, y, c)
			x += c.Width
		}
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&out, paletted(p.img)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// shot is a picture that is being drawn.
type shot struct {
	img    *image.RGBA
	fg, bg color.Color
	faces  [4]font.Face // plain, bold, italic, both
	fonts  [4]*sfnt.Font
	unseen sfnt.Buffer
}

func newShot(w, h int, dark bool) (*shot, error) {
	s := &shot{fg: color.RGBA{0xd8, 0xd4, 0xc8, 0xff}, bg: color.RGBA{0x18, 0x18, 0x18, 0xff}}
	if !dark {
		s.fg, s.bg = color.RGBA{0x2b, 0x28, 0x23, 0xff}, color.RGBA{0xfb, 0xf8, 0xf1, 0xff}
	}
	for i, ttf := range [][]byte{gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gomonobolditalic.TTF} {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, fmt.Errorf("the font: %w", err)
		}
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: shotFont, DPI: 72, Hinting: font.HintingFull})
		if err != nil {
			return nil, fmt.Errorf("the font: %w", err)
		}
		s.fonts[i], s.faces[i] = f, face
	}
	s.img = image.NewRGBA(image.Rect(0, 0, w*shotCellW+2*shotMargin, h*shotCellH+2*shotMargin))
	draw.Draw(s.img, s.img.Bounds(), image.NewUniform(s.bg), image.Point{}, draw.Src)
	return s, nil
}

// cell draws one cell.
func (s *shot) cell(x, y int, c *uv.Cell) {
	box := image.Rect(0, 0, shotCellW*c.Width, shotCellH).Add(image.Pt(shotMargin+x*shotCellW, shotMargin+y*shotCellH))
	fg, bg := c.Style.Fg, c.Style.Bg
	if fg == nil {
		fg = s.fg
	}
	if bg == nil {
		bg = s.bg
	}
	if c.Style.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		fg = between(fg, bg)
	}
	draw.Draw(s.img, box, image.NewUniform(bg), image.Point{}, draw.Src)
	r, _ := utf8.DecodeRuneInString(c.Content)
	if strings.TrimSpace(c.Content) != "" && !s.shape(r, box, fg) {
		s.letter(c.Content, box, fg, c.Style.Attrs)
	}
	line := image.NewUniform(fg)
	if c.Style.Underline != uv.UnderlineNone {
		draw.Draw(s.img, image.Rect(box.Min.X, box.Max.Y-3, box.Max.X, box.Max.Y-2), line, image.Point{}, draw.Src)
	}
	if c.Style.Attrs&uv.AttrStrikethrough != 0 {
		draw.Draw(s.img, image.Rect(box.Min.X, box.Min.Y+12, box.Max.X, box.Min.Y+13), line, image.Point{}, draw.Src)
	}
}

// letter draws text with the font, or an empty box if the font lacks it.
func (s *shot) letter(text string, box image.Rectangle, fg color.Color, attrs uint8) {
	i := 0
	if attrs&uv.AttrBold != 0 {
		i |= 1
	}
	if attrs&uv.AttrItalic != 0 {
		i |= 2
	}
	r, _ := utf8.DecodeRuneInString(text)
	if at, err := s.fonts[i].GlyphIndex(&s.unseen, r); err != nil || at == 0 {
		s.outline(box.Inset(2), fg)
		return
	}
	d := font.Drawer{Dst: s.img, Src: image.NewUniform(fg), Face: s.faces[i], Dot: fixed.P(box.Min.X, box.Min.Y+16)}
	d.DrawString(text)
}

func (s *shot) outline(r image.Rectangle, c color.Color) {
	for x := r.Min.X; x < r.Max.X; x++ {
		s.img.Set(x, r.Min.Y, c)
		s.img.Set(x, r.Max.Y-1, c)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		s.img.Set(r.Min.X, y, c)
		s.img.Set(r.Max.X-1, y, c)
	}
}

func between(a, b color.Color) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return color.RGBA{uint8((ar + br) >> 9), uint8((ag + bg) >> 9), uint8((ab + bb) >> 9), 0xff}
}
