package markdown_test

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"unicode"

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

// plainMarkLines returns what lines show, with the bullet that each belongs to.
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
	if got := plainMarkLines(markdown.Layout(sampleRecap, 40, sty)); got != want {
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
				checkMarkLines(t, markdown.Layout(text, w, sty), w)
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
		lines := markdown.Layout(text, w, sty)
		checkMarkLines(t, lines, w)
		last := -1
		for _, l := range lines {
			if l.Bullet >= n || l.Bullet >= 0 && l.Bullet < last {
				t.Fatalf("bullet %d after %d, of %d", l.Bullet, last, n)
			}
			last = max(last, l.Bullet)
		}
		if in, out := letters(safetext.Block(text)), letters(plainText(lines)); out < in {
			t.Fatalf("%d of %d letters in %q", out, in, plainText(lines))
		}
	})
}

func letters(text string) (n int) {
	for _, c := range text {
		if unicode.IsLetter(c) {
			n++
		}
	}
	return n
}

// plainText returns what lines show.
func plainText(lines []markdown.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(ansi.Strip(l.Text), " ") + "\n")
	}
	return b.String()
}

func TestMarkdown_NothingVanishes(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	got := plainText(markdown.Layout("- *She* said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c, https://example.org/x?a=1&b=2", 200, sty))
	for _, want := range []string{"She said <sigh> & &lt;left&gt; <b>at</b> 5 < 6, a_b_c,", "https://example.org/x?a=1&b=2"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for text, want := range map[string]string{
		"[Note]: she knows":                  "[Note]: she knows\n",
		"Come~ here~ and ~~not~~ there":      "Come~ here~ and not there\n",
		"&#27;[2J &#x1b;]0;x":                "&#27;[2J &#x1b;]0;x\n",
		"5 \\* 3, C:\\dir":                   "5 * 3, C:\\dir\n",
		"```\na \\* b <c> &amp;\n```":        "  a \\* b <c> &amp;\n",
		"```go\nx()\n```":                    "  x()\n",
		"```She said it.\nx()\n```":          "```She said it.\nx()\n```\n",
		"<details>\n<b>Her</b>\n</details>":  "<details>\n<b>Her</b>\n</details>\n",
		"One line\nand the next  \nand more": "One line\nand the next\nand more\n",
		"Above\n---\nbelow":                  "Above\n\n" + strings.Repeat("─", 32) + "\n\nbelow\n",
		"https://a.b/%zz":                    "https://a.b/%zz\n",
		"See [the site](https://a.b/c).":     "See the site https://a.b/c.\n",
		"![A lamp](lamp.png)":                "A lamp /lamp.png\n",
		"> Said.\n> - one\n> - two":          "▌ Said.\n▌\n▌ • one\n▌ • two\n",
	} {
		if got := plainText(markdown.Layout(text, 60, sty)); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestMarkdown_Tables(t *testing.T) {
	t.Parallel()
	const table = "| key | what it does |\n|---|---|\n| `ctrl+x` | the leader: every *command* by two letters |\n| a | b |"
	for w, want := range map[int]string{
		60: ` key             │ what it does
─────────────────┼──────────────────────────────────────────
 ctrl+x          │ the leader: every command by two letters
 a               │ b
`,
		30: ` key    │ what it does
────────┼─────────────────────
 ctrl+x │ the leader: every
        │ command by two
        │ letters
 a      │ b
`,
		6: `| key
| what
it
does |
|---|-
--|
|
` + "`" + `ctrl+
x` + "`" + ` |
the
leader
:
every
*comma
nd* by
two
letter
s |
| a |
b |
`} {
		if got := plainText(markdown.Layout(table, w, testLook(t, true))); got != want {
			t.Errorf("%d cells:\n%s\nwant:\n%s", w, got, want)
		}
	}
}

// The colours are those of the look, and each line ends the style that it begins.
func TestMarkdown_StylesOfTheLook(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	p := sty.Palette
	lines := markdown.Layout("# A *head*\n\nplain *soft* **loud** `code` [link](x.md)\n\n> quote", 80, sty)
	var all string
	for _, l := range lines {
		all += l.Text
		if l.Text != "" && !strings.HasSuffix(l.Text, "\x1b[m") {
			t.Errorf("%q does not end its style", l.Text)
		}
	}
	for word, c := range map[string]color.Color{
		"A ": p.Heading, "plain ": p.Text, "soft": p.Action, "loud": p.Strong, "code": p.Code, "quote": p.Quote, "link": p.Accent,
	} {
		sgr, _, _ := strings.Cut(all, word)
		sgr = sgr[strings.LastIndex(sgr, "\x1b[m")+1:]
		r, g, b, _ := c.RGBA()
		want := fmt.Sprintf("38;2;%d;%d;%d", r>>8, g>>8, b>>8)
		if at := strings.LastIndex(sgr, want); at < 0 || at < strings.LastIndex(sgr, "38;2;") {
			t.Errorf("%q has %q, want %s", word, sgr, want)
		}
	}
}

// Glamour lays out what nests once more for each level, so there are few of them.
func TestMarkdown_NestsAFewLevels(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		strings.Repeat("> ", 100) + "x":         strings.Repeat("> ", 8) + `\` + strings.Repeat("> ", 92) + "x",
		strings.Repeat(">", 100):                strings.Repeat(">", 8) + ` \` + strings.Repeat(">", 92),
		strings.Repeat("- ", 100) + "x":         strings.Repeat("- ", 8) + `\` + strings.Repeat("- ", 92) + "x",
		strings.Repeat("> 1. ", 100) + "x":      strings.Repeat("> 1. ", 4) + `\` + strings.Repeat("> 1. ", 96) + "x",
		strings.Repeat("1) ", 10) + "x":         strings.Repeat("1) ", 8) + `1\) 1) x`,
		"> " + strings.Repeat(" ", 40) + "- x":  `> \- x`,
		"> " + strings.Repeat(" ", 40) + "code": "> " + strings.Repeat(" ", 40) + "code",
		"> - a":                                 "> - a",
	} {
		if got := markdown.Flatten(line); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

func TestMarkdown_LongTextIsCutAtALine(t *testing.T) {
	t.Parallel()
	line := "a line of it that has some words\n"
	got := plainText(markdown.Layout(strings.Repeat(line, 2*markdown.Longest/len(line)), 80, testLook(t, true)))
	if n, most := strings.Count(got, line), markdown.Longest/len(line); n != most {
		t.Errorf("%d lines, want %d", n, most)
	}
	if last := "\n(The rest of this text is not shown: it is longer than 256 KB.)\n"; !strings.HasSuffix(got, last) {
		t.Errorf("ends with %q", got[len(got)-80:])
	}
}

// A text that grows has the blocks that it has when it is done.
func TestMarkdown_Growing(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	if got, want := plainText(markdown.LayoutPartial(sampleRecap, 40, sty)), plainText(markdown.Layout(sampleRecap, 40, sty)); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for name, text := range tuitest.Fiendish {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkMarkLines(t, markdown.LayoutPartial(text, 40, sty), 40)
		})
	}
}

// A layout is for its own width, text and style only, and few are kept.
func TestMarkdown_KeepsFew(t *testing.T) {
	t.Parallel()
	sty := testLook(t, true)
	var m markdown.Cache
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
	for name, text := range map[string]string{
		"recap":       strings.Repeat(sampleRecap, 8),
		"100 quotes":  strings.Repeat("> ", 100) + "x",
		"100 lists":   strings.Repeat("- ", 100) + "x",
		"long quote":  strings.Repeat("> ", 8) + strings.Repeat("some words. ", 1000),
		"many blocks": strings.Repeat("*a*\n\n", 50_000),
		"256 KB":      strings.Repeat(strings.Repeat("some *words* to **read** here. ", 16)+"\n\n", 520),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				markdown.Layout(text, 60, sty)
			}
		})
	}
}

// styleLen returns the length of the escape sequence that s begins with.
func styleLen(s string) int {
	_, _, n, _ := ansi.DecodeSequence(s, 0, nil)
	return max(1, n)
}
