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

// A line that grows is written as far as it grows, in its own colours.
func TestPaint_WritesWhatALineGrowsBy(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(20, 4)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ row, want string }{
		{"a", "a"},
		{"a b", "\x1b[1;3Hb"},
		{"a b\x1b[1;31mc\x1b[m", "\x1b[1;4H\x1b[31;1mc\x1b[m"},
		{"a b", "\x1b[1;4H "},
		{"a b long words", "\x1b[1;5Hlong words"},
		{"a b", "\x1b[1;5H\x1b[K"},
	} {
		w.Reset()
		if err := p.Paint(Frame{Draw: linesOf([]string{step.row, "", "", "the end"})}); err != nil {
			t.Fatal(err)
		}
		if got := w.String(); !strings.Contains(got, step.want) {
			t.Errorf("%q: wrote %q, not %q", step.row, got, step.want)
		}
	}
}

// Moved lines are scrolled, and only new ones are written.
func TestPaint_ScrollsWhatMoves(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(20, 8)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	rows := []string{"one", "two 你好", "three", "four", "five", "six", "seven", "the end"}
	for _, step := range []struct {
		rows []string
		want []string
	}{
		{rows, []string{"one", "two"}},
		{append(append([]string{}, rows[1:7]...), "new", "the end"), []string{"\x1b[1;7r", "\n", "new"}},
		{rows, []string{"\x1b[1;7r", "\x1bM", "one"}},
	} {
		w.Reset()
		if err := p.Paint(Frame{Draw: linesOf(step.rows)}); err != nil {
			t.Fatal(err)
		}
		got := w.String()
		for _, want := range step.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in %q", want, got)
			}
		}
		for _, stays := range []string{"four", "end"} {
			if len(step.want) > 2 && strings.Contains(got, stays) {
				t.Errorf("%q is in %q", stays, got)
			}
		}
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
