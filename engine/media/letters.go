package media

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Line heights, in pixels.
const (
	titleLine = 40
	headLine  = 26
	textLine  = 18
	// maxLetters limits the text that is wrapped.
	maxLetters = 600
)

// The fonts are loaded when they are first needed: most runs draw no sheet.
var (
	plainFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })
	boldFont  = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gobold.TTF) })
)

// textWriter draws text onto a picture.
type textWriter struct {
	onto               *image.RGBA
	title, bold, plain font.Face
}

func newTextWriter() (*textWriter, error) {
	w := &textWriter{}
	for _, f := range []struct {
		face *font.Face
		font func() (*opentype.Font, error)
		size float64
	}{{&w.title, boldFont, 26}, {&w.bold, boldFont, 15}, {&w.plain, plainFont, 13}} {
		parsed, err := f.font()
		if err != nil {
			return nil, err
		}
		if *f.face, err = opentype.NewFace(parsed,
			&opentype.FaceOptions{Size: f.size, DPI: 72, Hinting: font.HintingFull}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *textWriter) close() {
	for _, f := range []font.Face{w.title, w.bold, w.plain} {
		_ = f.Close() // holds nothing but memory
	}
}

func (w *textWriter) measure(face font.Face, text string) int {
	return font.MeasureString(face, text).Ceil()
}

// lines writes lines below each other, the first with its top at a point, and returns the position
// of the next.
func (w *textWriter) lines(face font.Face, list []string, at image.Point, height int, c color.Color) int {
	ascent := face.Metrics().Ascent.Ceil()
	for _, text := range list {
		d := font.Drawer{Dst: draw.Image(w.onto), Src: image.NewUniform(c), Face: face, Dot: fixed.P(at.X, at.Y+ascent)}
		d.DrawString(text)
		at.Y += height
	}
	return at.Y
}

// wrap breaks a text into no more than most lines no wider than wide pixels. The rest is cut with
// an ellipsis.
func (w *textWriter) wrap(face font.Face, text string, wide, most int) (out []string) {
	if most < 1 || wide < 1 {
		return nil
	}
	return w.wrapWords(face, strings.Fields(printable(text, maxLetters)), wide, most)
}

// wrapWords wraps words.
func (w *textWriter) wrapWords(face font.Face, words []string, wide, most int) (out []string) {
	line := ""
	for i := 0; i < len(words); {
		next := words[i]
		if line != "" {
			next = line + " " + words[i]
		}
		if w.measure(face, next) <= wide {
			line, i = next, i+1
			continue
		}
		if line == "" { // one word is wider than a line
			line, words[i] = w.cut(face, words[i], wide)
		}
		if len(out) == most-1 {
			return append(out, w.ellipsis(face, strings.TrimSpace(line+" "+words[i]), wide))
		}
		out, line = append(out, line), ""
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// cut returns the part of a word that fits, at least one letter.
func (w *textWriter) cut(face font.Face, word string, wide int) (head, rest string) {
	n := max(w.fits(face, word, wide), utf8.RuneLen([]rune(word)[0]))
	return word[:n], word[n:]
}

// fits returns the number of bytes of the letters that fit into a width.
func (w *textWriter) fits(face font.Face, text string, wide int) int {
	x, before := fixed.Int26_6(0), rune(-1)
	for i, r := range text {
		if before >= 0 {
			x += face.Kern(before, r)
		}
		advance, _ := face.GlyphAdvance(r)
		if x += advance; x.Ceil() > wide {
			return i
		}
		before = r
	}
	return len(text)
}

// ellipsis shortens a text to one line.
func (w *textWriter) ellipsis(face font.Face, text string, wide int) string {
	n := w.fits(face, text, wide-w.measure(face, "…"))
	return strings.TrimRight(text[:n], " ") + "…"
}

// printable returns the beginning of a text in printable letters, without control characters and
// direction changes.
func printable(text string, most int) string {
	n := 0
	return strings.Map(func(r rune) rune {
		if n++; n > most {
			return -1
		}
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar, !unicode.IsGraphic(r), unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			return -1
		}
		return r
	}, text)
}
