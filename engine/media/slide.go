package media

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	xdraw "golang.org/x/image/draw"
)

// Slide is one frame of a film: a picture, or a card with text if there is none, and the lines of
// a subtitle.
type Slide struct {
	Picture  image.Image
	Title    string // of the card
	Text     string // of the card
	Subtitle []string
}

// Slides draws slides of one size, all onto the same canvas.
type Slides struct {
	canvas       *image.RGBA
	w            *textWriter
	title, text  font.Face // of cards
	subtitleFace font.Face // of subtitles
	line         int       // the height of a subtitle's line
}

// subtitleLines is the number of lines of a subtitle.
const subtitleLines = 2

// maxSubtitle limits the letters of one shot's subtitles.
const maxSubtitle = 4000

// NewSlides returns a canvas.
func NewSlides(width, height int) (*Slides, error) {
	if err := filmSize(width, height); err != nil {
		return nil, err
	}
	size := max(11, float64(min(width, height*16/9))/29)
	s := &Slides{canvas: image.NewRGBA(image.Rect(0, 0, width, height)), w: &textWriter{}, line: int(size * 1.3)}
	s.w.onto = s.canvas
	for _, f := range []struct {
		face *font.Face
		font func() (*opentype.Font, error)
		size float64
	}{{&s.title, boldFont, size * 1.1}, {&s.text, plainFont, size * 0.9}, {&s.subtitleFace, boldFont, size}} {
		parsed, err := f.font()
		if err != nil {
			return nil, err
		}
		if *f.face, err = opentype.NewFace(parsed,
			&opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingFull}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close closes the fonts.
func (s *Slides) Close() error {
	return errors.Join(s.title.Close(), s.text.Close(), s.subtitleFace.Close())
}

// Subtitles splits a text into subtitles that fit. Each line of the text begins a new one. ok is
// false if the font lacks letters, such as those of East Asia: then none can be drawn.
func (s *Slides) Subtitles(words string) (parts [][]string, ok bool) {
	wide := s.canvas.Rect.Dx() * 9 / 10
	ok = true
	for line := range strings.Lines(words) {
		line = printable(strings.TrimSpace(line), maxSubtitle)
		ok = ok && drawable(line)
		lines := s.w.wrapWords(s.subtitleFace, strings.Fields(line), wide, maxSubtitle)
		for len(lines) > 0 {
			n := min(len(lines), subtitleLines)
			parts, lines = append(parts, lines[:n:n]), lines[n:]
		}
	}
	return parts, ok
}

// drawable reports whether the font has all letters of a text.
func drawable(text string) bool {
	f, err := boldFont()
	if err != nil {
		return false
	}
	var buf sfnt.Buffer
	for _, r := range text {
		if i, err := f.GlyphIndex(&buf, r); !unicode.IsSpace(r) && (err != nil || i == 0) {
			return false
		}
	}
	return true
}

// The colours of slides.
var (
	slideBack     = color.RGBA{0, 0, 0, 0xff}
	slideCard     = color.RGBA{0x1a, 0x1d, 0x24, 0xff}
	slidePlate    = color.RGBA{0, 0, 0, 0xb0} // below a subtitle
	slideSubtitle = color.RGBA{0xff, 0xff, 0xff, 0xff}
)

// Draw draws a slide. The returned picture is valid until the next call.
func (s *Slides) Draw(slide Slide) *image.RGBA {
	all := s.canvas.Rect
	if slide.Picture == nil || slide.Picture.Bounds().Empty() {
		s.card(slide)
	} else {
		draw.Draw(s.canvas, all, image.NewUniform(slideBack), image.Point{}, draw.Src)
		from := slide.Picture.Bounds()
		xdraw.CatmullRom.Scale(s.canvas, contain(from, all), slide.Picture, from, draw.Over, nil)
	}
	if len(slide.Subtitle) > 0 {
		s.subtitle(slide.Subtitle)
	}
	return s.canvas
}

// contain returns the largest rectangle centered in a cell that a picture fills in its aspect
// ratio.
func contain(picture, cell image.Rectangle) image.Rectangle {
	w, h := cell.Dx(), picture.Dy()*cell.Dx()/picture.Dx()
	if h > cell.Dy() {
		w, h = picture.Dx()*cell.Dy()/picture.Dy(), cell.Dy()
	}
	w, h = max(1, w), max(1, h)
	at := cell.Min.Add(image.Pt((cell.Dx()-w)/2, (cell.Dy()-h)/2))
	return image.Rectangle{at, at.Add(image.Pt(w, h))}
}

// card draws the text of a slide without a picture.
func (s *Slides) card(slide Slide) {
	all := s.canvas.Rect
	draw.Draw(s.canvas, all, image.NewUniform(slideCard), image.Point{}, draw.Src)
	margin := all.Dx() / 12
	wide := all.Dx() - 2*margin
	room := all.Dy() - (subtitleLines+2)*s.line
	title := s.w.wrap(s.title, slide.Title, wide, 2)
	text := s.w.wrap(s.text, slide.Text, wide, max(1, room/s.line-len(title)-1))
	y := max(s.line/2, (room-(len(title)+1+len(text))*s.line)/2)
	y = s.w.lines(s.title, title, image.Pt(margin, y), s.line, sheetLight)
	s.w.lines(s.text, text, image.Pt(margin, y+s.line/2), s.line, sheetText)
}

// subtitle draws lines centered at the bottom, on a plate that separates them from the background.
func (s *Slides) subtitle(lines []string) {
	all := s.canvas.Rect
	pad := s.line / 4
	y := all.Max.Y - len(lines)*s.line - s.line/2
	for _, text := range lines {
		wide := s.w.measure(s.subtitleFace, text)
		x := all.Min.X + (all.Dx()-wide)/2
		plate := image.Rect(x-2*pad, y, x+wide+2*pad, y+s.line).Intersect(all)
		draw.Draw(s.canvas, plate, image.NewUniform(slidePlate), image.Point{}, draw.Over)
		s.w.lines(s.subtitleFace, []string{text}, image.Pt(x, y+s.line/10), s.line, slideSubtitle)
		y += s.line
	}
}
