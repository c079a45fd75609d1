package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
)

func testLook(t testing.TB, dark bool) *look.Look {
	t.Helper()
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return look.New(set[0], dark, 1)
}

// plainText is what lines show, with the bullet that each belongs to.
func plainMarkLines(lines []markLine) string {
	var b strings.Builder
	for _, l := range lines {
		mark := "  "
		if l.bullet >= 0 {
			mark = fmt.Sprintf("%d ", l.bullet)
		}
		b.WriteString(strings.TrimRight(mark+ansi.Strip(l.text), " ") + "\n")
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
	lk := testLook(t, true)
	if got := plainMarkLines(layMarkdown(sampleRecap, 40, lk)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// fiendish are texts that are made to break a renderer.
var fiendish = map[string]string{
	"nothing":        "",
	"blanks":         " \n\t\n\u3000\n",
	"evil":           evil,
	"references":     "- &#27;[2J&#x9b;31m &#x202e;abc &#0; &amp;#27; &NewLine;x &Tab;y &zwj; &rlm;",
	"markup":         "<script>alert(1)</script>\n<b>bold\n<!-- gone -->\n<![CDATA[x]]>\n- <sigh> kept",
	"links":          "[text](http://evil.example/\x1b]8;;x) ![img](http://evil.example/a.png) <http://evil.example> www.evil.example\n\n[a]: http://evil.example \"t\"\n[a]",
	"open fence":     "## One\n\n```go\nfunc x() {\n\n- a bullet\n\n## Two\n- b",
	"long word":      "- " + strings.Repeat("x", 9000),
	"long line":      "- " + strings.Repeat("word ", 9000),
	"many lines":     strings.Repeat("- a\n", 9000),
	"deep quote":     strings.Repeat("> ", 4000) + "x",
	"deep list":      strings.Repeat("- ", 4000) + "x",
	"numbers":        strings.Repeat("1. ", 2000) + "x",
	"deep item":      "- " + strings.Repeat("> ", 300) + "x",
	"stars":          strings.Repeat("*_", 20000),
	"brackets":       strings.Repeat("[", 20000),
	"backticks":      strings.Repeat("`", 20000) + "a",
	"images":         strings.Repeat("![](", 9000),
	"table":          "| a | b |\n|---|---|\n" + strings.Repeat("| "+strings.Repeat("x", 90)+" | y |\n", 300),
	"stand-ins":      "\ue000b\ue001 \U0010eeee",
	"wide":           "- 日本語のテキストは折り返されますか日本語のテキストは折り返されますか \U0001F468\u200d\U0001F469\u200d\U0001F467 ❤\ufe0f",
	"broken":         "- \xff\xfe\xc3 \xed\xa0\x80 end",
	"carriage":       "## A\r\n- one\r- two\v- three\u2028- four",
	"headings":       strings.Repeat("#", 5000) + " x\n" + "# " + strings.Repeat("y ", 5000),
	"indented":       strings.Repeat(" ", 5000) + "- x",
	"rules":          "---\n***\n* * *\n___",
	"html reference": "&lt;script&gt;&#60;b&#62;",
}

func TestMarkdown_Fiendish(t *testing.T) {
	t.Parallel()
	lk := testLook(t, true)
	for name, text := range fiendish {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, w := range []int{1, 2, 7, 40, 120} {
				checkMarkLines(t, layMarkdown(text, w, lk), w)
			}
		})
	}
}

// checkMarkLines reports what must not be in laid out lines: anything but text
// and styles, and more cells than there are.
func checkMarkLines(t interface{ Errorf(string, ...any) }, lines []markLine, w int) {
	for _, l := range lines {
		rest := l.text
		for rest != "" {
			if rest[0] == '\x1b' {
				var seq string
				n := styleLen(rest)
				if seq, rest = rest[:n], rest[n:]; !strings.HasPrefix(seq, "\x1b[") || !strings.HasSuffix(seq, "m") {
					t.Errorf("sequence %q in %q", seq, l.text)
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
		if n := ansi.StringWidth(l.text); n > max(w, 2) {
			t.Errorf("%d cells of %d: %q", n, w, l.text)
		}
	}
}

func TestMarkdown_Property(t *testing.T) {
	t.Parallel()
	lk := testLook(t, false)
	piece := rapid.SampledFrom([]string{"## ", "- ", "* ", "1. ", "> ", "\n", "\n\n", "  ", "**", "*", "_", "`", "```\n", "<b>", "&#27;", "&amp;", "[x](y)", "\x1b[2J", "|a|b|\n|-|-|\n", "word ", "é", "日本", "\u202e", "\t", "\\", "---"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
		w := rapid.IntRange(1, 60).Draw(t, "w")
		n := len(scene.Bullets(safetext.Block(text)))
		lines := layMarkdown(text, w, lk)
		checkMarkLines(t, lines, w)
		last := -1
		for _, l := range lines {
			if l.bullet >= n || l.bullet >= 0 && l.bullet < last {
				t.Fatalf("bullet %d after %d, of %d", l.bullet, last, n)
			}
			last = max(last, l.bullet)
		}
	})
}

func TestMarkdown_NothingVanishes(t *testing.T) {
	t.Parallel()
	lk := testLook(t, true)
	got := plainMarkLines(layMarkdown("- *She* said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c, https://example.org/x?a=1&b=2", 200, lk))
	for _, want := range []string{"She said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c,", "https://example.org/x?a=1&b=2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

// A layout stands for its own width, text and look only, and few are kept.
func TestMarkdown_KeepsFew(t *testing.T) {
	t.Parallel()
	lk := testLook(t, true)
	var m markdown
	for _, w := range []int{60, 30, 60} {
		for _, l := range m.lines("v", sampleRecap, w, lk) {
			if ansi.StringWidth(l.text) > w {
				t.Errorf("a line of another width than %d: %q", w, l.text)
			}
		}
	}
	if got := plainMarkLines(m.lines("v", "- another text", 60, lk)); !strings.Contains(got, "another text") {
		t.Errorf("an edited text shows %q", got)
	}
	for i := range 3 * keptMarkdown {
		m.lines("v", fmt.Sprintf("- version %d", i), 40, lk)
		m.lines("first", "- always used", 40, lk)
	}
	if len(m.kept) != keptMarkdown || len(m.order) != keptMarkdown {
		t.Errorf("%d layouts kept, %d in order", len(m.kept), len(m.order))
	}
}

func TestRecapPane_SourcesOfCleanText(t *testing.T) {
	t.Parallel()
	p := &recapPane{}
	p.view.Versions = append(p.view.Versions, engineVersion("- She ❤\ufe0f the \x1b[31mlamp\n- Another", storage.Source{Bullet: "She ❤\ufe0f the \x1b[31mlamp", Messages: []storage.NodeID{"m1", "m2"}}))
	from, ok := p.bullet()
	if !ok || len(from) != 2 {
		t.Errorf("sources: %v %v", from, ok)
	}
	p.at = 1
	if from, ok := p.bullet(); !ok || len(from) != 0 {
		t.Errorf("sources of a bullet without: %v %v", from, ok)
	}
}

func BenchmarkRecapLayout(b *testing.B) {
	lk := testLook(b, true)
	text := strings.Repeat(sampleRecap, 8)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		layMarkdown(text, 60, lk)
	}
}

// styleLen is the length of the escape sequence that s begins with.
func styleLen(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, 0, nil)
	return max(1, n)
}
