package draw_test

import (
	"image/color"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Whatever lines were drawn before, and whatever they cover, a line is drawn as the first one is on a
// buffer of its own.
func TestPutStyled_IsTheLine(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "bc ", "你好", "│", "é", "\x1b[31mred\x1b[m", "\x1b[7m \x1b[m", "❤️", "e\u0301", "👩‍🚀", "\x1b[1m한"})
	row := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 1, 5).Draw(t, "words"), "")
	})
	method := rapid.SampledFrom([]ansi.Method{ansi.WcWidth, ansi.GraphemeWidth})
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(1, 20).Draw(t, "width")
		got, want := uv.NewScreenBuffer(w, 1), uv.NewScreenBuffer(w, 1)
		for range rapid.IntRange(1, 12).Draw(t, "lines") {
			got.Method = method.Draw(t, "method")
			want.Method = got.Method
			line, x, n := row.Draw(t, "line"), rapid.IntRange(-5, w+2).Draw(t, "x"), rapid.IntRange(1, w).Draw(t, "n")
			draw.PutStyled(got, x, 0, n, line)
			// A wide character at the end of the cells that are drawn has no room in them.
			alone := uv.NewScreenBuffer(n, 1)
			alone.Method = got.Method
			uv.NewStyledString(line).Draw(alone, alone.Bounds())
			for i := range n {
				want.Line(0).Set(x+i, nil)
			}
			for i := range n {
				if c := alone.CellAt(i, 0); c.Width > 0 {
					want.Line(0).Set(x+i, c)
				}
			}
			if got.Render() != want.Render() {
				t.Fatalf("%q at %d in %d cells:\n%q\nand not\n%q", line, x, n, got.Render(), want.Render())
			}
		}
	})
}

// The same text in another style, width or way of measuring is another line.
func TestPut_EachInItsOwnStyle(t *testing.T) {
	red, bold := uv.Style{Fg: color.RGBA{0xff, 0, 0, 0xff}}, uv.Style{Attrs: uv.AttrBold}
	buf := uv.NewScreenBuffer(6, 3)
	for y, st := range []uv.Style{red, bold, red} {
		draw.Put(buf, 0, y, 6-2*(y/2), st, "the stage")
	}
	for y, want := range []string{"the s…", "the s…", "the…"} {
		if got := buf.Line(y).String(); got != want {
			t.Errorf("line %d: %q, not %q", y, got, want)
		}
	}
	for y, want := range []uv.Style{red, bold, red} {
		if got := buf.CellAt(0, y).Style; !got.Equal(&want) {
			t.Errorf("line %d: style %v, not %v", y, got, want)
		}
	}
	draw.Put(buf, 0, 0, 6, red, "new")
	if got := buf.Line(0).String(); got != "new s…" {
		t.Errorf("drawn over: %q", got)
	}
}
