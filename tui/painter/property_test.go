package painter

import (
	"bytes"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"
)

// plain is the painter's last frame as vt.text writes it.
func plain(p *Painter) string {
	var b strings.Builder
	for line := range strings.Lines(p.Text() + "\n") {
		b.WriteString(strings.TrimRight(line, " \r\n") + "\n")
	}
	return b.String()
}

func linesOf(rows []string) func(uv.ScreenBuffer) *Cursor {
	return func(b uv.ScreenBuffer) *Cursor {
		for y, row := range rows {
			if y < b.Height() {
				uv.NewStyledString(row).Draw(b, uv.Rect(0, y, b.Width(), 1))
			}
		}
		return &Cursor{X: 0, Y: b.Height() - 1}
	}
}

// Whatever frames follow one another, what the terminal shows after each is the
// frame: lines that change, move, shrink, hold wide characters, and come again.
func TestPaint_TheTerminalShowsTheFrame(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "bc", "   ", "the stage", "你好", "한", "│", "────", "▀▀▀", "é", "\x1b[31mred\x1b[m", "\x1b[7m \x1b[m", "\x1b[1;38;2;1;2;3;44mbold\x1b[22;3mx\x1b[m", "lamp", "❤️", "e\u0301", "👩‍🚀", "🇫🇷"})
	row := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 0, 6).Draw(t, "words"), "")
	})
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
		for range rapid.IntRange(1, 20).Draw(t, "frames") {
			switch rapid.IntRange(0, 13).Draw(t, "change") {
			case 0: // nothing
			case 1: // a line
				rows[rapid.IntRange(0, h-1).Draw(t, "y")] = row.Draw(t, "row")
			case 2: // up
				n := rapid.IntRange(0, h).Draw(t, "n")
				rows = append(rows[n:], rapid.SliceOfN(row, n, n).Draw(t, "new")...)
			case 3: // down
				n := rapid.IntRange(0, h).Draw(t, "n")
				rows = append(rapid.SliceOfN(row, n, n).Draw(t, "new"), rows[:h-n]...)
			case 4: // part of it up, as over a composer
				if h > 3 {
					rows = append(append(append([]string{}, rows[1:h-2]...), row.Draw(t, "new")), rows[h-2:]...)
				}
			case 5:
				p.Redraw()
			case 6:
				rows = rapid.SliceOfN(row, h, h).Draw(t, "all")
			case 7: // the terminal has another size, and anything on it
				w, h = rapid.IntRange(1, 24).Draw(t, "w"), rapid.IntRange(1, 14).Draw(t, "h")
				rows = rapid.SliceOfN(row, h, h).Draw(t, "all")
				p.Resize(w, h)
				screen = screen.resized(w, h)
			case 8, 9, 10: // a line grows, as a reply does, or is another of its kind
				y := min(h-1, rapid.IntRange(0, 2).Draw(t, "y"))
				rows[y] = rapid.SampledFrom([]string{rows[y], "", "the "}).Draw(t, "begins") +
					rapid.SampledFrom([]string{"x", " y", "é", "—", "\x1b[1;31mz\x1b[m", "", "你"}).Draw(t, "grows")
			case 11, 12, 13: // a reply begins a line
				top := rapid.IntRange(0, h-1).Draw(t, "top")
				bottom := rapid.IntRange(top+1, h).Draw(t, "bottom")
				by := rapid.IntRange(0, min(3, bottom-top)).Draw(t, "by")
				copy(rows[top:bottom], rows[top+by:bottom])
				for y := bottom - by; y < bottom; y++ {
					rows[y] = rapid.SampledFrom([]string{"", "a", "the end", "你好", "\x1b[1mb\x1b[m c"}).Draw(t, "begun")
				}
			}
			if err := p.Paint(Frame{Draw: linesOf(rows), Title: "t"}); err != nil {
				t.Fatal(err)
			}
			screen.write(out.String())
			if got, want := screen.text(), plain(p); got != want {
				t.Fatalf("the terminal shows\n%s\nand not\n%s\nafter %q", got, want, out.String())
			}
			for y, line := range p.last.Lines {
				for x := range line {
					if got := screen.style(x, y); line[x].Width > 0 && !got.Equal(&line[x].Style) {
						t.Fatalf("the cell at %d,%d has the style %v, not %v, after %q", x, y, got, line[x].Style, out.String())
					}
				}
			}
			out.Reset()
			if !screen.alt || !screen.cursor || screen.y != h-1 || screen.x != 0 {
				t.Fatalf("alternate %t, cursor %t at %d,%d", screen.alt, screen.cursor, screen.x, screen.y)
			}
		}
		p.Leave()
		screen.write(out.String())
		if screen.alt || !screen.cursor || screen.title != "" {
			t.Fatalf("left: alternate %t, cursor %t, title %q", screen.alt, screen.cursor, screen.title)
		}
	})
}

func TestPaint_SilentOnceDrawn(t *testing.T) {
	for _, text := range []string{"你好 x", "é", "e\u0301", "👍🏽 a", "❤️ b", "한글", "▀▀", "🇩🇪"} {
		var w bytes.Buffer
		p := New(&w)
		p.Resize(20, 4)
		if err := p.Enter(""); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			w.Reset()
			if err := p.Paint(hello(text)); err != nil {
				t.Fatal(err)
			}
			if i > 0 && w.Len() != 0 {
				t.Errorf("%q: drawn again, it wrote %q", text, w.String())
			}
		}
	}
}

// A line that stays is not written again because one beside it changes.
func TestPaint_LeavesOtherLinesAlone(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(20, 4)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{"a", "ab"} {
		w.Reset()
		if err := p.Paint(Frame{Draw: linesOf([]string{"你好", "한글", "plain", last})}); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.String(); strings.Contains(got, "你") || strings.Contains(got, "plain") || !strings.Contains(got, "b") {
		t.Errorf("wrote %q", got)
	}
}

func TestEnterAndLeave_Twice(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(10, 2)
	p.Leave()
	if w.Len() != 0 {
		t.Errorf("leaving what was never entered wrote %q", w.String())
	}
	for range 2 {
		if err := p.Enter("?"); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(w.String(), "\x1b[?1049h"); n != 1 {
		t.Errorf("entered %d times", n)
	}
	p.Leave()
	n := w.Len()
	p.Leave()
	if err := p.Paint(hello("gone")); err != nil || w.Len() != n {
		t.Errorf("after leaving: %v %q", err, w.String()[n:])
	}
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	if err := p.Paint(hello("again")); err != nil || !strings.Contains(w.String()[n:], "again") {
		t.Errorf("entered again: %v %q", err, w.String()[n:])
	}
}

func TestPaint_Synchronized(t *testing.T) {
	var w bytes.Buffer
	p := New(&w)
	p.Resize(10, 2)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	p.SetSynchronized(true)
	w.Reset()
	if err := p.Paint(hello("x")); err != nil {
		t.Fatal(err)
	}
	if got := w.String(); !strings.HasPrefix(got, "\x1b[?2026h") || !strings.HasSuffix(got, "\x1b[?2026l") {
		t.Errorf("wrote %q", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

func TestPaint_SaysThatTheTerminalIsGone(t *testing.T) {
	p := New(broken{})
	p.Resize(10, 2)
	if err := p.Enter(""); err == nil {
		t.Error("entering a broken terminal is no error")
	}
	if err := p.Paint(hello("x")); err == nil || p.Err() == nil {
		t.Errorf("painting on a broken terminal: %v, %v", err, p.Err())
	}
}
