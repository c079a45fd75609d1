package prose

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// named are styles that a test can read: each sequence is a number of its own.
var named = Styles{
	Base: "\x1b[30m", Action: "\x1b[31m", Speech: "\x1b[32m", Strong: "\x1b[33m", Code: "\x1b[34m", Quote: "\x1b[35m",
	Heading: "\x1b[36m", OOC: "\x1b[37m", Dim: "\x1b[2m",
}

var letters = strings.NewReplacer("\x1b[30m", "", "\x1b[31m", "{a ", "\x1b[32m", "{s ", "\x1b[33m", "{S ", "\x1b[34m", "{c ",
	"\x1b[35m", "{q ", "\x1b[36m", "{h ", "\x1b[37m", "{o ", "\x1b[2m", "{d ", "\x1b[m", "}")

// shown lays out text and writes the styles as {a action}, {s speech} and so on; a brace closes all styles that are open.
func shown(text string, width int) string {
	var b strings.Builder
	for _, line := range Layout(text, width, named) {
		line = letters.Replace(line)
		line = regexp.MustCompile(`(^|\})([^{}]*)\}`).ReplaceAllString(line, "$1$2")
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestInline(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "She waits.", "She waits."},
		{"action", "*She waits.* Now.", "{a She waits.} Now."},
		{"underscore", "_She waits._ Now.", "{a She waits.} Now."},
		{"strong", "It is **very** late", "It is {S very} late"},
		{"strong underscores", "It is __very__ late", "It is {S very} late"},
		{"both", "***Stop!*** now", "{S {a Stop!} now"},
		{"speech", `"Hello," she says.`, `{s "Hello,"} she says.`},
		{"curly", "“Hello,” she says.", "{s “Hello,”} she says."},
		{"guillemets", "« Oui », dit-il. »Ja«, sagt er.", "{s « Oui »}, dit-il. {s »Ja«}, sagt er."},
		{"german", "„Ja“, sagt er.", "{s „Ja“}, sagt er."},
		{"corner", "彼は「はい」と言った", "彼は{s 「はい」}と言った"},
		{"mixed marks", "“Hello\" she says", "{s “Hello\"} she says"},
		{"apostrophes", "It's the dogs' 'own' fault", "It's the dogs' 'own' fault"},
		{"inches", `He is 5'11" tall, a 9" knife`, `He is 5'11" tall, a 9" knife`},
		{"action in speech", `"I *hate* it"`, `{s "I }{s {a hate}{s  it"}`},
		{"speech in action", `*He says "hi" and goes*`, `{a He says }{a {s "hi"}{a  and goes}`},
		{"code", "run `rm *x*` now", "run {c rm *x*} now"},
		{"open backtick", "run `rm now", "run `rm now"},
		{"ooc", "((brb (ok))) *waits*", "{o ((brb (ok)))} {a waits}"},
		{"ooc word", "(OOC: brb) and [ooc: x] on", "{o (OOC: brb)} and {o [ooc: x]} on"},
		{"call", "f((x)) stays", "f((x)) stays"},
		{"thoughts", "~where is he~", "~where is he~"},
		{"open action goes to the end of the paragraph", "*She walks\non\n\nand he", "{a She walks}\n{a on}\n\nand he"},
		{"open speech ends with its paragraph", "\"So\n\nhe", "{s \"So}\n\nhe"},
		{"open underscore is text", "_She walks", "_She walks"},
		{"a new line speaks anew", "\"So\n\"And", "{s \"So}\n{s \"And}"},
		{"product", "5 * 3 * 2 and 5*3*2", "5 * 3 * 2 and 5*3*2"},
		{"censored", "what the f*ck, f**k, sh***", "what the f*ck, f**k, sh***"},
		{"snake", "the snake_case_name and ^_^ -_- T_T", "the snake_case_name and ^_^ -_- T_T"},
		{"shrug", `¯\_(ツ)_/¯`, `¯\_(ツ)_/¯`},
		{"escaped", `\*not an action\*`, "*not an action*"},
		{"loose action", "*walks over * then", "{a walks over } then"},
		{"too many closers", "*smiles.** then", "{a smiles.} then"},
		{"four asterisks", "a **** b", "a **** b"},
		{"ellipsis action", "*...waits*", "{a ...waits}"},
		{"tags", "<sigh> oh", "<sigh> oh"},
		{"escape sequence", "\x1b[31mred\x1b[0m", "[31mred[0m"},
		{"accented marker", "*\u0301a* b", "*\u0301a* b"},
		{"empty pair", `"" and ()`, `{s ""} and ()`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(tt.in, 80); got != tt.want {
				t.Errorf("%q:\n got %s\nwant %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	tests := []struct {
		name  string
		width int
		in    string
		want  string
	}{
		{"newlines stay", 40, "one\ntwo\n\n\n\nthree\n\n", "one\ntwo\n\nthree"},
		{"wrapped", 12, "the quick brown fox", "the quick\nbrown fox"},
		{"style goes on", 12, "*the quick brown fox*", "{a the quick}\n{a brown fox}"},
		{"long word", 5, "abcdefghijkl mn", "abcde\nfghij\nkl mn"},
		{"hyphen", 8, "well-known man", "well-\nknown\nman"},
		{"dash", 9, "waited—then left", "waited—\nthen left"},
		{"ideographs", 6, "你好世界，再见", "你好世\n界，再\n见"},
		{"no mark at the start", 6, "你好世，再", "你好\n世，再"},
		{"indent", 12, "  one two three", "  one two\n  three"},
		{"heading", 40, "# The *Cellar*\ntext", "{h The }{h {a Cellar}\ntext"},
		{"no heading", 40, "#1 fan", "#1 fan"},
		{"rule", 5, "a\n***\nb", "a\n{d ─────}\nb"},
		{"list", 14, "- one two three\n* four\n1. five six seven", "{d - }one two\n  three\n{d • }four\n{d 1. }five six\n   seven"},
		{"nested list", 20, "- a\n  - b", "{d - }a\n{d   - }b"},
		{"year is no list", 40, "1984. It was", "1984. It was"},
		{"loose action is no list", 40, "* walks over *", "* walks over *"},
		{"quote", 10, "> one two three\n> four", "{d ▌ }{q one two}\n{d ▌ }{q three}\n{d ▌ }{q four}"},
		{"face is no quote", 40, ">_> no", ">_> no"},
		{"code", 12, "so\n```go\nx := \"*a*\"\n\n  long long line\n```\nend", "so\n  {c x := \"*a*\"}\n\n  {c   long lon}\n  {c g line}\nend"},
		{"open code", 20, "```\nx\n\ny", "  {c x}\n\n  {c y}"},
		{"tildes are no fence", 20, "~~~\n*x*", "~~~\n{a x}"},
		{"table", 40, "| Name | HP |\n|:-----|---:|\n| *Ann* | 7 |\n| Bo \\| B | 12 |", "{S Name}  {d  │ }{S HP}\n{d ───────┼───}\n{a Ann}   {d  │ } 7\nBo | B{d  │ }12"},
		{"table too wide", 12, "| Name | HP |\n|---|---|\n| Ann of Green | 7 |", "| Name | HP\n|\n| Ann of\nGreen | 7 |"},
		{"bar is no table", 40, "a | b\nc", "a | b\nc"},
		{"very narrow", 3, "- abc\n> def", "-\nabc\n{q def}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(tt.in, tt.width); got != tt.want {
				t.Errorf("%q:\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLayout_PlainStylesKeepMarkers(t *testing.T) {
	got := strings.Join(Layout("*nods* **so** `x` _y_ \"z\"", 80, Styles{}), "\n")
	if want := "*nods* **so** `x` _y_ \"z\""; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStylesFor(t *testing.T) {
	const italic = "\x1b[3;38;2;"
	p := themes.Default().Palette(true)
	slanted := p
	slanted.ItalicNarration = true
	for _, c := range []struct {
		text   string
		p      themes.Palette
		italic int
	}{
		{"so *nods*", p, 1}, {"\"So,\" *nods* \"yes\" *smiles*", p, 2}, // speech comes first
		{"*nods* so", p, 0}, {"*nods* \"So.\" *smiles*", p, 0}, {"_nods_ so", p, 0},
		{"*nods* so", slanted, 1}, {"so *nods*", slanted, 1},
	} {
		line := Layout(c.text, 80, StylesFor(c.p))[0]
		if ansi.Strip(line) != strings.NewReplacer("*", "", "_", "").Replace(c.text) || strings.Count(line, italic) != c.italic {
			t.Errorf("%s: %q", c.text, line)
		}
	}
	if SGR(nil) != "" {
		t.Errorf("%q", SGR(nil))
	}
}

func TestPlainWidth(t *testing.T) {
	for r := rune(0); r < 0x20000; r++ {
		if w := plainWidth(r); w != 0 {
			s := string(r)
			if g, c := ansi.StringWidth(s), ansi.StringWidthWc(s); w != g || w != c {
				t.Errorf("%U: %d, want %d and %d", r, w, g, c)
			}
		}
	}
}

// sound holds the promises about any layout.
func sound(t interface{ Fatalf(string, ...any) }, text string, width int, lines []Line) {
	sgr := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, line := range lines {
		if g, w := ansi.StringWidth(line), ansi.StringWidthWc(line); max(g, w) > max(width, MinWidth) {
			t.Fatalf("%q at %d: the line %q is %d (%d) wide", text, width, line, g, w)
		}
		bare := sgr.ReplaceAllString(line, "")
		// A pile of signs wider than the line is split, so a line may begin with a mark.
		bare = strings.TrimLeftFunc(bare, unicode.IsMark)
		if safetext.Line(bare) != bare {
			t.Fatalf("%q at %d: unclean line %q", text, width, line)
		}
		if codes := sgr.FindAllString(line, -1); len(codes) > 0 && codes[len(codes)-1] != reset {
			t.Fatalf("%q at %d: the style of %q bleeds", text, width, line)
		}
	}
}

var pieces = []string{
	"*", "**", "_", "__", "`", "```", "\"", "“", "”", "«", "»", "「", "」", "((", "))", "(OOC: ", ")", "\n", "\n\n", " ", "  ", "    ",
	"word", "a", "I", "5", "-", "- ", "* ", "1. ", "# ", "> ", ">", "|", "|---|", "\n|-|-|\n", "---", "***", "—", "你好", "，", "é", "e\u0301",
	"❤️", "👨‍👩‍👧", "\x1b[31m", "\r\n", "\t", "\xff", "\xe2\x82", "क्षि", "supercalifragilistic", "\\*", "\n```\n", "~", "'",
}

func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 60).Draw(t, "n") // drawn by itself: slices of a range are mostly short
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), n, n).Draw(t, "pieces"), "")
	})
}

func TestLayout_Sound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, width := genText().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "width")
		sound(t, text, width, Layout(text, width, named))
		sound(t, text, width, Layout(text, width, Styles{}))
	})
}

// Nothing but spaces and the marks of blocks may be lost.
func TestLayout_LosesNothing(t *testing.T) {
	drop := strings.NewReplacer(" ", "", "\n", "", "#", "", ">", "", "*", "", "•", "", "|", "", "│", "", "-", "", "─", "", "┼", "", "▌", "", ":", "", "_", "", "\\", "", "`", "")
	rapid.Check(t, func(t *rapid.T) {
		text, width := genText().Draw(t, "text"), rapid.IntRange(2, 60).Draw(t, "width")
		if strings.Contains(text, "``") {
			t.Skip("the words behind a fence are not shown")
		}
		got := drop.Replace(strings.Join(Layout(text, width, Styles{}), ""))
		if want := drop.Replace(safetext.Block(text)); got != want {
			t.Fatalf("%q at %d: %q, want %q", text, width, got, want)
		}
	})
}

func TestStreamer_EqualsLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, width := genText().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "width")
		s := NewStreamer(width, named)
		for at := 0; at < len(text); {
			n := min(rapid.IntRange(1, 12).Draw(t, "n"), len(text)-at)
			s.Append(text[at : at+n])
			at += n
			if rapid.IntRange(0, 3).Draw(t, "look") == 0 {
				continue
			}
			if got, want := s.Lines(), Layout(text[:at], width, named); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Fatalf("after %q at %d:\n got %q\nwant %q", text[:at], width, got, want)
			}
			if rapid.IntRange(0, 9).Draw(t, "resize") == 0 {
				width = rapid.IntRange(1, 40).Draw(t, "new width")
				s.Resize(width, named)
			}
		}
		if got, want := s.Lines(), Layout(text, width, named); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q at %d:\n got %q\nwant %q", text, width, got, want)
		}
	})
}

func FuzzLayout(f *testing.F) {
	f.Add("*She* says \"hi\"\n\n```\nx\n```\n| a | b |\n|---|---|\n| c | d |", 20)
	f.Add("> q\n- l\n# h\n***\n((ooc))", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width &= 0x7f
		want := Layout(text, width, named)
		sound(t, text, width, want)
		s := NewStreamer(width, named)
		for i := 0; i < len(text); i += 3 {
			s.Append(text[i:min(i+3, len(text))])
			_ = s.Lines()
		}
		if got := s.Lines(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q at %d: streamed %q, whole %q", text, width, got, want)
		}
	})
}

const sample = `*The door of the old theatre creaks as Mara pushes it open, dust drifting down through the beam of her torch.* "You said this place was empty," she whispers — though there's nobody to hear it but you.

*She takes a step, then another.* The boards complain. Somewhere above, a rope sways. “It's fine,” she says. **It is not fine.**

`

func BenchmarkLayout(b *testing.B) {
	text := strings.Repeat(sample, 4)[:1024]
	st := StylesFor(themes.Default().Palette(true))
	b.ReportAllocs()
	for b.Loop() {
		_ = Layout(text, 80, st)
	}
}

// BenchmarkStream writes 8 KB by tokens of four bytes and asks for the lines after each.
func BenchmarkStream(b *testing.B) {
	text := strings.Repeat(sample, 30)[:8<<10]
	st := StylesFor(themes.Default().Palette(true))
	b.ReportAllocs()
	for b.Loop() {
		s := NewStreamer(80, st)
		for i := 0; i < len(text); i += 4 {
			s.Append(text[i : i+4])
			_ = s.Lines()
		}
	}
}
