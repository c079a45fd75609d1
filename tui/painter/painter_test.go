package painter

import (
	"bytes"
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
