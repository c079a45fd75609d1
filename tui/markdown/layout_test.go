package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

func testLook(t testing.TB, dark bool) *draw.Styles {
	t.Helper()
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return draw.New(set[0], dark, 1)
}

// plainText is what lines show, with the bullet that each belongs to.
func plainMarkLines(lines []markdown.Line) string {
	var b strings.Builder
	for _, l := range lines {
		mark := "  "
		if l.Bullet >= 0 {
			mark = fmt.Sprintf("%d ", l.Bullet)
		}
		b.WriteString(strings.TrimRight(mark+ansi.Strip(l.Text), " ") + "\n")
	}
	return b.String()
}

const sampleRecap = "## Current Situation\n\n- Tove *hides* in the **lighthouse**, behind the iron door that nobody opens.\n  - She is `alone`.\n\n" +
	"## Key Developments\n\n1. The ferry left & the <sigh> stayed.\n2. A line\n   that goes on.\n\n## Dialogue Highlights\n\n## Tone & Style\n\n" +
	"A paragraph of its own, which is long enough to need two lines.\n\n> A quote.\n\n```\n- no bullet\n```\n\n## Pending Threads\n\n- The storm.\n"

func TestMarkdown_Layout(t *testing.T) {
	t.Parallel()
	want := `  Current Situation
0 • Tove hides in the lighthouse, behind
0   the iron door that nobody opens.
1   • She is alone.

  Key Developments
2 1. The ferry left & the <sigh> stayed.
3 2. A line
3    that goes on.

  Dialogue Highlights
  –

  Tone & Style
4 A paragraph of its own, which is long
4 enough to need two lines.

5 ▌ A quote.

    - no bullet

  Pending Threads
7 • The storm.
`
	sty := testLook(t, true)
	if got := plainMarkLines(markdown.Lay(sampleRecap, 40, sty)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMarkdown_Fiendish(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	for name, text := range tuitest.Fiendish {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, w := range []int{1, 2, 7, 40, 120} {
				checkMarkLines(t, markdown.Lay(text, w, sty), w)
			}
		})
	}
}

// checkMarkLines reports what must not be in laid out lines: anything but text
// and styles, and more cells than there are.
func checkMarkLines(t interface{ Errorf(string, ...any) }, lines []markdown.Line, w int) {
	for _, l := range lines {
		rest := l.Text
		for rest != "" {
			if rest[0] == '\x1b' {
				var seq string
				n := styleLen(rest)
				if seq, rest = rest[:n], rest[n:]; !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
					t.Errorf("sequence %q in %q", seq, l.Text)
				}
				continue
			}
			n := strings.IndexByte(rest, '\x1b')
			if n < 0 {
				n = len(rest)
			}
			if text := rest[:n]; safetext.Line(text) != text {
				t.Errorf("%q is not clean", text)
			}
			rest = rest[n:]
		}
		if n := ansi.StringWidth(l.Text); n > max(w, 2) {
			t.Errorf("%d cells of %d: %.200q", n, w, l.Text)
		}
	}
}

func TestMarkdown_Property(t *testing.T) {
	t.Parallel()
	sty := testLook(t, false)
	piece := rapid.SampledFrom([]string{"## ", "- ", "* ", "1. ", "> ", "\n", "\n\n", "  ", "**", "*", "_", "`", "```\n", "<b>", "&#27;", "&amp;", "[x](y)", "\x1b[2J", "|a|b|\n|-|-|\n", "word ", "é", "日本", "\u202e", "\t", "\\", "---"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		w := rapid.IntRange(1, 60).Draw(t, "w")
		n := len(scene.Bullets(safetext.Block(text)))
		lines := markdown.Lay(text, w, sty)
		checkMarkLines(t, lines, w)
		last := -1
		for _, l := range lines {
			if l.Bullet >= n || l.Bullet >= 0 && l.Bullet < last {
				t.Fatalf("bullet %d after %d, of %d", l.Bullet, last, n)
			}
			last = max(last, l.Bullet)
		}
	})
}

func TestMarkdown_NothingVanishes(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	got := plainMarkLines(markdown.Lay("- *She* said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c, https://example.org/x?a=1&b=2", 200, sty))
	for _, want := range []string{"She said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c,", "https://example.org/x?a=1&b=2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// A layout stands for its own width, text and look only, and few are kept.
func TestMarkdown_KeepsFew(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	var m markdown.Kept
	for _, w := range []int{60, 30, 60} {
		for _, l := range m.Lines(sampleRecap, w, sty) {
			if ansi.StringWidth(l.Text) > w {
				t.Errorf("a line of another width than %d: %q", w, l.Text)
			}
		}
	}
	if got := plainMarkLines(m.Lines("- another text", 60, sty)); !strings.Contains(got, "another text") {
		t.Errorf("an edited text shows %q", got)
	}
	for i := range 3 * markdown.KeptMost {
		m.Lines(fmt.Sprintf("- version %d", i), 40, sty)
		m.Lines("- always used", 40, sty)
	}
	if m.Len() != markdown.KeptMost {
		t.Errorf("%d layouts kept", m.Len())
	}
}

func BenchmarkLay(b *testing.B) {
	sty := testLook(b, true)
	text := strings.Repeat(sampleRecap, 8)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.Lay(text, 60, sty)
	}
}

// styleLen is the length of the escape sequence that s begins with.
func styleLen(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, 0, nil)
	return max(1, n)
}
