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
	p := New(&w, []string{"TERM=xterm-256color"})
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

// A line that grows is written as far as it grows, in its own colours, once the renderer
// has written it; and the renderer knows of it when it is needed again.
func TestRetouch_WritesWhatALineGrowsBy(t *testing.T) {
	var w bytes.Buffer
	p := New(&w, []string{"TERM=xterm-256color"})
	p.Resize(20, 4)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	rows := []string{"", "", "", "the end"}
	if err := p.Paint(Frame{Draw: linesOf(rows)}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ row, want string }{
		{"a", ""},
		{"a b", "\x1b[1;3Hb"},
		{"a b\x1b[1;31mc\x1b[m", "\x1b[1;4H\x1b[31;1mc\x1b[m"},
		{"a b", "\x1b[1;4H "},
	} {
		old := append([]string(nil), rows...)
		rows[0] = step.row
		w.Reset()
		if ok, err := p.Retouch(changed(old, rows)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if got := w.String(); !strings.Contains(got, step.want) {
			t.Errorf("%q: wrote %q, not %q", step.row, got, step.want)
		}
	}
	w.Reset()
	if err := p.Paint(Frame{Draw: linesOf([]string{"a b!", "", "", "the end"})}); err != nil {
		t.Fatal(err)
	}
	if got := w.String(); !strings.Contains(got, "!") || strings.Contains(got, "a") {
		t.Errorf("the whole frame wrote %q", got)
	}
}

// Lines that move are scrolled, and what is written is what is new.
func TestRetouch_ScrollsWhatMoves(t *testing.T) {
	var w bytes.Buffer
	p := New(&w, []string{"TERM=xterm-256color"})
	p.Resize(20, 5)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	old := []string{"one", "two 你好", "three", "four", "the end"}
	if err := p.Paint(Frame{Draw: linesOf(old)}); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	rows := []string{"two 你好", "three", "four", "five", "the end"}
	if ok, err := p.Retouch(moved(Move{Top: 0, Bottom: 4, By: 1}, old, rows)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	got := w.String()
	for _, want := range []string{"\x1b[1;4r", "five"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	for _, stays := range []string{"two", "four", "end"} {
		if strings.Contains(got, stays) {
			t.Errorf("%q is in %q", stays, got)
		}
	}
}

// BenchmarkRetouch grows a line by a letter.
func BenchmarkRetouch(b *testing.B) {
	p := New(io.Discard, []string{"TERM=xterm-256color"})
	p.Resize(120, 40)
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	rows := make([]string, 40)
	for y := range rows {
		rows[y] = strings.Repeat("the stage is set ", 6)
	}
	if err := p.Paint(Frame{Draw: linesOf(rows)}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		x := i % 100
		if _, err := p.Retouch(func(buf uv.ScreenBuffer, at *Cursor) (Change, bool) {
			c := uv.Cell{Content: "abcdefghi"[i%9 : i%9+1], Width: 1}
			buf.Line(20).Set(x, &c)
			return Change{Lines: []int{20}, Cursor: at}, true
		}); err != nil {
			b.Fatal(err)
		}
	}
}
