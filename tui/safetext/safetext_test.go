package safetext

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

var cases = []struct{ name, in, block string }{
	{"empty", "", ""},
	{"plain", "Hello, house.", "Hello, house."},
	{"newlines", "a\r\nb\rc\nd\u2028e\r\r\nf", "a\nb\nc\nd\ne\n\nf"},
	{"tab", "a\tb", "a    b"},
	{"colour", "\x1b[31mred\x1b[0m", "[31mred[0m"},
	{"title", "\x1b]0;owned\x07x", "]0;ownedx"},
	{"c1 csi", "\u009b31mred", "31mred"},
	{"raw c1", "\x9b31m", "\ufffd31m"},
	{"open osc keeps the rest", "\x1b]52;c;aGk= and so on", "]52;c;aGk= and so on"},
	{"del and nul", "a\x00b\x7fc", "abc"},
	{"bidi", "a\u202eb\u2066c\u2069\u200fd\u061ce", "abcde"},
	{"tags", "x\U000e0041\U000e007fy", "xy"},
	{"zero width", "a\ufeffb\u200bc\u2060d\u00ade\u034ff", "abcdef"},
	{"annotation", "\ufff9a\ufffab\ufffb", "ab"},
	{"selector", "\u2764\ufe0f!", "\u2764!"},
	{"skin tone", "\U0001f44d\U0001f3fd!", "\U0001f44d!"},
	{"family", "\U0001f468\u200d\U0001f469\u200d\U0001f467!", "\U0001f468!"},
	{"healer", "\U0001f9d1\U0001f3fd\u200d\u2695\ufe0f!", "\U0001f9d1!"},
	{"joiner before a letter", "\U0001f468\u200da\U0001f467", "\U0001f468a\U0001f467"},
	{"keycap", "1\ufe0f\u20e3", "1\u20e3"},
	{"flag stays", "\U0001f1e9\U0001f1ea", "\U0001f1e9\U0001f1ea"},
	{"persian non-joiner stays", "\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"},
	{"latin non-joiner goes", "a\u200cb", "ab"},
	{"zalgo", "e" + strings.Repeat("\u0301", 40) + "x", "e\u0301\u0301x"},
	{"hindi keeps three signs", "\u091c\u093c\u094b\u0902", "\u091c\u093c\u094b\u0902"},
	{"mark without base", "\u0301a\n\u0301b \u0301c", "a\nb c"},
	{"bad bytes", "a\xffb\xe2\x82", "a\ufffdb\ufffd\ufffd"},
	{"noncharacter", "a\ufffe\U0010ffff", "a\ufffd\ufffd"},
	{"picture placeholder", "\U0010eeee\u0305\u0305", "\ufffd\u0305\u0305"},
	{"other scripts", "Żółć Привет 你好 こんにちは 안녕 “so—…”", "Żółć Привет 你好 こんにちは 안녕 “so—…”"},
}

func TestBlock(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Block(c.in); got != c.block {
				t.Errorf("Block(%q) = %q, want %q", c.in, got, c.block)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\tc\n": "a b c ", "plain": "plain", "\x1b]0;x\x07": "]0;x", "a\u2029b": "a b",
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTitle(t *testing.T) {
	if got := Title(" Ann\x1b]52;c;eA==\x07\n "); got != "Ann]52;c;eA==" {
		t.Errorf("got %q", got)
	}
	if got := Title(strings.Repeat("é", 5000)); utf8.RuneCountInString(got) != TitleLimit {
		t.Errorf("%d runes", utf8.RuneCountInString(got))
	}
}

func TestWidthsAgree(t *testing.T) {
	for _, s := range []string{"❤️", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "1️⃣", "e\u0301\u0301\u0301", "©️ ™️", "日本語", "🧑🏿‍🚀"} {
		got := Block(s)
		if g, w := ansi.StringWidth(got), ansi.StringWidthWc(got); g != w {
			t.Errorf("%q: %d by cluster, %d by rune", got, g, w)
		}
	}
}

func TestFastPathsDoNotAllocate(t *testing.T) {
	ascii, prose := strings.Repeat("plain words ", 90), strings.Repeat("“So — it’s café.” ", 60)
	if n := testing.AllocsPerRun(20, func() { _ = Line(ascii); _ = Block(ascii); _ = Block(prose) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

type brokenWriter struct{ n int }

func (b *brokenWriter) Write(p []byte) (int, error) {
	if b.n--; b.n < 0 {
		return 0, errors.New("gone")
	}
	return len(p), nil
}

func TestWriter(t *testing.T) {
	for _, c := range cases {
		for step := 1; step < 4; step++ {
			if got := streamed(t, c.in, step); got != c.block {
				t.Errorf("%s by %d: %q, want %q", c.name, step, got, c.block)
			}
		}
	}
	if n, err := Writer(&brokenWriter{}).Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("failed write: %d, %v", n, err)
	}
}

// streamed passes s through a Writer in pieces of step bytes.
func streamed(t *testing.T, s string, step int) string {
	t.Helper()
	var out bytes.Buffer
	w := Writer(&out)
	for at := 0; at < len(s); at += step {
		p := s[at:min(at+step, len(s))]
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// check holds the promises of the package comment against one input.
func check(t *testing.T, in string, step int) {
	t.Helper()
	block, line := Block(in), Line(in)
	for _, out := range []string{block, line, Title(in)} {
		if !utf8.ValidString(out) {
			t.Fatalf("%q: not UTF-8: %q", in, out)
		}
		for _, r := range out {
			if r != '\n' && (unicode.IsControl(r) || r == placeholder || r >= 0xe0000 && r <= 0xe0fff) {
				t.Fatalf("%q: %U in %q", in, r, out)
			}
			if unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q: %U in %q", in, r, out)
			}
		}
	}
	if strings.Contains(line, "\n") {
		t.Fatalf("newline in the line %q", line)
	}
	if again := Block(block); again != block {
		t.Fatalf("Block is no fixed point: %q, then %q", block, again)
	}
	if again := Line(line); again != line {
		t.Fatalf("Line is no fixed point: %q, then %q", line, again)
	}
	if got := streamed(t, in, step); got != block {
		t.Fatalf("by %d: %q, whole: %q", step, got, block)
	}
}

func FuzzBlock(f *testing.F) {
	for i, c := range cases {
		f.Add(c.in, i)
	}
	f.Add("\xe2A\xe2\x82\xacb\xf0\x9f\x91", 1)
	f.Fuzz(func(t *testing.T, in string, step int) { check(t, in, 1+(step&0x7fffffff)%7) })
}

func BenchmarkBlock(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("plain words ", 86),
		"prose": strings.Repeat("“So — it’s café.” ", 46),
		"dirty": strings.Repeat("👨‍👩‍👧 \x1b[31mred ❤️ ", 30),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				_ = Block(s)
			}
		})
	}
}
