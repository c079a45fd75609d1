package painter

import (
	"bytes"
	"io"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
)

func hello(text string) Frame {
	return Frame{Draw: func(b uv.ScreenBuffer) *Cursor {
		uv.NewStyledString(text).Draw(b, uv.Rect(0, 0, b.Width(), 1))
		return &Cursor{X: len(text)}
	}}
}

func TestPaint_WritesOnlyWhatChanged(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(20, 4)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	if err := p.Paint(hello("the stage is set")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.String(), "the stage is set") {
		t.Fatalf("the frame is not in %q", w.String())
	}
	w.Reset()
	if err := p.Paint(hello("the stage is set")); err != nil {
		t.Fatal(err)
	}
	if w.Len() != 0 {
		t.Errorf("an unchanged frame wrote %q", w.String())
	}
	if err := p.Paint(hello("the stage is sex")); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(w.String(), "stage") || !strings.Contains(w.String(), "x") {
		t.Errorf("one changed cell wrote %q", w.String())
	}
}

// BenchmarkPaint grows a line by a letter.
func BenchmarkPaint(b *testing.B) {
	p := New(io.Discard)
	p.Resize(120, 40)
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	lines := uv.NewScreenBuffer(120, 40)
	for y := range 40 {
		uv.NewStyledString(strings.Repeat("the stage is set ", 6)).Draw(lines, uv.Rect(0, y, 120, 1))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if err := p.Paint(Frame{Draw: func(buf uv.ScreenBuffer) *Cursor {
			for y := range 40 {
				copy(buf.Line(y), lines.Line(y))
			}
			buf.SetCell(i%100, 20, &uv.Cell{Content: "abcdefghi"[i%9 : i%9+1], Width: 1})
			return nil
		}}); err != nil {
			b.Fatal(err)
		}
	}
}
