package painter

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// marked is an overlay whose marks are the letter ◆ with the place in the colour, and whose images are sequences that vt
// understands.
type marked struct{}

const markRune = "◆"

func (marked) Mark(c *uv.Cell) (Mark, bool) {
	if c.Content != markRune || c.Style.Fg == nil {
		return Mark{}, false
	}
	r, g, b, _ := c.Style.Fg.RGBA()
	return Mark{r >> 8, int(g >> 8), int(b >> 8)}, true
}

func (marked) Image(id uint32, part uv.Rectangle) string {
	return fmt.Sprintf("\x1b_%d;%d;%d;%d;%d\x1b\\", id, part.Min.X, part.Min.Y, part.Dx(), part.Dy())
}

func putMark(b uv.ScreenBuffer, x, y int, m Mark) {
	b.SetCell(x, y, &uv.Cell{Content: markRune, Width: 1, Style: uv.Style{Fg: color.RGBA{uint8(m.ID), uint8(m.Col), uint8(m.Row), 0xff}}})
}

// shown is a picture in a frame; its top left corner may lie outside.
type shown struct {
	id         uint32
	x, y, w, h int
}

func (s shown) draw(b uv.ScreenBuffer) {
	for r := range s.h {
		for c := range s.w {
			if x, y := s.x+c, s.y+r; x >= 0 && y >= 0 && x < b.Width() && y < b.Height() {
				putMark(b, x, y, Mark{s.id, c, r})
			}
		}
	}
}

// wanted returns the marks of a frame's cells, row by row.
func wanted(draw func(uv.ScreenBuffer) *Cursor, w, h int) []Mark {
	b := uv.NewScreenBuffer(w, h)
	draw(b)
	out := make([]Mark, w*h)
	for y, line := range b.Lines {
		for x := range line {
			if m, ok := (marked{}).Mark(&line[x]); ok && y < h-1 {
				out[y*w+x] = m
			}
		}
	}
	return out
}

// Whatever frames follow one another, the terminal shows the parts of the pictures that the frame shows, each in its place,
// and nothing of pictures that were there before.
func TestPaint_TheTerminalShowsThePictures(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "bc", "   ", "the stage", "你好", "│", "\u00a0", "\x1b[7m \x1b[m", ""})
	row := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(words, 0, 4).Draw(t, "words"), "") })
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		p := New(&out)
		w, h := rapid.IntRange(1, 24).Draw(t, "w"), rapid.IntRange(1, 14).Draw(t, "h")
		p.Resize(w, h)
		if err := p.Enter(""); err != nil {
			t.Fatal(err)
		}
		screen := newVT(w, h)
		rows := rapid.SliceOfN(row, h, h).Draw(t, "rows")
		var pics []shown
		next := uint32(0)
		fresh := func() shown {
			next++
			return shown{next, rapid.IntRange(-3, w).Draw(t, "px"), rapid.IntRange(-3, h).Draw(t, "py"), rapid.IntRange(1, 10).Draw(t, "pw"), rapid.IntRange(1, 8).Draw(t, "ph")}
		}
		dialog := false
		for range rapid.IntRange(1, 14).Draw(t, "frames") {
			switch rapid.IntRange(0, 10).Draw(t, "change") {
			case 0: // nothing
			case 1: // a line
				rows[rapid.IntRange(0, h-1).Draw(t, "y")] = row.Draw(t, "row")
			case 2, 3: // all of it up or down
				n := rapid.IntRange(-2, 2).Draw(t, "n")
				for i := range pics {
					pics[i].y -= n
				}
				old := rows
				rows = make([]string, h)
				for y := range rows {
					if y+n >= 0 && y+n < h {
						rows[y] = old[y+n]
					}
				}
			case 4:
				pics = append(pics, fresh())
			case 5:
				if len(pics) > 0 { // a preview gives way to the next one
					i := rapid.IntRange(0, len(pics)-1).Draw(t, "i")
					next++
					pics[i].id = next
				}
			case 6:
				if len(pics) > 0 {
					i := rapid.IntRange(0, len(pics)-1).Draw(t, "i")
					pics = append(append([]shown{}, pics[:i]...), pics[i+1:]...)
				}
			case 7:
				dialog = !dialog
			case 8:
				p.Redraw()
			case 9:
				rows = rapid.SliceOfN(row, h, h).Draw(t, "all")
			case 10:
				w, h = rapid.IntRange(1, 24).Draw(t, "w"), rapid.IntRange(1, 14).Draw(t, "h")
				rows = rapid.SliceOfN(row, h, h).Draw(t, "all")
				p.Resize(w, h)
				screen = screen.resized(w, h)
			}
			draw := func(b uv.ScreenBuffer) *Cursor {
				cur := linesOf(rows)(b)
				for _, s := range pics {
					s.draw(b)
				}
				if dialog {
					for y := b.Height() / 3; y < 2*b.Height()/3; y++ {
						for x := b.Width() / 4; x < 3*b.Width()/4; x++ {
							b.SetCell(x, y, &uv.Cell{Content: " ", Width: 1})
						}
					}
				}
				return cur
			}
			if err := p.Paint(Frame{Draw: draw, Title: "t", Overlay: marked{}}); err != nil {
				t.Fatal(err)
			}
			screen.write(out.String())
			if got, want := screen.text(), plain(p); strings.ReplaceAll(got, "\u00a0", " ") != strings.ReplaceAll(want, "\u00a0", " ") {
				t.Fatalf("the terminal shows\n%s\nand not\n%s\nafter %q", got, want, out.String())
			}
			if diff := cmp.Diff(wanted(draw, w, h), screen.lies); diff != "" {
				t.Fatalf("on the terminal lies (+) what is not wanted (-):\n%s\nafter %q", diff, out.String())
			}
			out.Reset()
			if screen.y != h-1 || screen.x != 0 {
				t.Fatalf("cursor at %d,%d", screen.x, screen.y)
			}
		}
	})
}

// pictureFrame shows text in the last line and a picture of 4×2 at 2,1.
func pictureFrame(text string, pics ...shown) Frame {
	return Frame{Overlay: marked{}, Draw: func(b uv.ScreenBuffer) *Cursor {
		uv.NewStyledString(text).Draw(b, uv.Rect(0, b.Height()-1, b.Width(), 1))
		for _, s := range pics {
			s.draw(b)
		}
		return &Cursor{X: len(text), Y: b.Height() - 1}
	}}
}

// Exactly what is written when a picture comes, stays, moves, and goes.
func TestPaint_WritesPicturesOnce(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(10, 6)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	p.SetSynchronized(true)
	pic := shown{7, 2, 1, 4, 2}
	paint := func(f Frame) string {
		w.Reset()
		if err := p.Paint(f); err != nil {
			t.Fatal(err)
		}
		return w.String()
	}
	if got := paint(pictureFrame("x", pic)); strings.Count(got, "\x1b_7;0;0;4;2\x1b\\") != 1 || !strings.HasPrefix(got, "\x1b[?2026h") || !strings.HasSuffix(got, "\x1b[?2026l") {
		t.Errorf("the first frame is %q", got)
	}
	if got := paint(pictureFrame("x", pic)); got != "" {
		t.Errorf("an unchanged frame wrote %q", got)
	}
	if got := paint(pictureFrame("xy", pic)); strings.Contains(got, "\x1b_") || !strings.Contains(got, "y") {
		t.Errorf("text elsewhere wrote %q", got)
	}
	pic.id = 8
	if got := paint(pictureFrame("xy", pic)); strings.Count(got, "\x1b_") != 1 || !strings.Contains(got, "\x1b_8;0;0;4;2\x1b\\") || strings.Contains(got, "\u00a0") {
		t.Errorf("another picture in its place wrote %q", got)
	}
	pic.y = 2
	if got := paint(pictureFrame("xy", pic)); strings.Count(got, "\x1b_") != 1 {
		t.Errorf("a picture that moved wrote %q", got)
	}
	if got := paint(pictureFrame("xy", shown{8, 2, 4, 4, 2})); !strings.Contains(got, "\x1b_8;0;0;4;1\x1b\\") {
		t.Errorf("a picture that reaches the last line wrote %q", got)
	}
	if got := paint(pictureFrame("xy")); strings.Contains(got, "\x1b_") || got == "" {
		t.Errorf("a picture that went wrote %q", got)
	}
}

// A picture beside text that grows is drawn again only in the lines that the text is written in.
func TestPaint_DrawsOnlyTheLinesThatWereWritten(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(20, 8)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"a", "ab"} {
		w.Reset()
		if err := p.Paint(Frame{Overlay: marked{}, Draw: func(b uv.ScreenBuffer) *Cursor {
			uv.NewStyledString(text).Draw(b, uv.Rect(0, 3, 8, 1))
			shown{1, 10, 0, 8, 6}.draw(b)
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		if i == 1 && (strings.Count(w.String(), "\x1b_") != 1 || !strings.Contains(w.String(), "\x1b_1;0;3;8;1\x1b\\")) {
			t.Errorf("wrote %q", w.String())
		}
	}
}

// No cells are deleted or inserted in a line that a picture lies on.
func TestPaint_ShiftsNoPictures(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(5, 2)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	screen := newVT(5, 2)
	for _, at := range []int{1, 0, 1} {
		draw := func(b uv.ScreenBuffer) *Cursor {
			shown{uint32(at + 1), at, 0, 4, 1}.draw(b)
			return nil
		}
		if err := p.Paint(Frame{Overlay: marked{}, Draw: draw}); err != nil {
			t.Fatal(err)
		}
		screen.write(w.String())
		w.Reset()
		if diff := cmp.Diff(wanted(draw, 5, 2), screen.lies); diff != "" {
			t.Error(diff)
		}
	}
}

// late has no picture until there is set.
type late struct {
	marked
	there bool
}

func (l *late) Image(id uint32, part uv.Rectangle) string {
	if !l.there {
		return ""
	}
	return l.marked.Image(id, part)
}

// A picture that is not there yet is drawn as soon as it is.
func TestPaint_DrawsPicturesThatComeLate(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(10, 6)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	ov := &late{}
	for _, want := range []int{0, 1, 0} {
		w.Reset()
		f := pictureFrame("x", shown{7, 2, 1, 4, 2})
		f.Overlay = ov
		if err := p.Paint(f); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(w.String(), "\x1b_"); n != want {
			t.Errorf("%d pictures were drawn, not %d: %q", n, want, w.String())
		}
		ov.there = true
	}
}

func BenchmarkOverlay(b *testing.B) {
	p := New(&bytes.Buffer{})
	p.w = discard{}
	p.Resize(120, 40)
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	y := 0
	for b.Loop() {
		y = (y + 1) % 10
		if err := p.Paint(pictureFrame("x", shown{1, 4, y, 72, 24})); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
