package tuitest

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Evil is text with everything that must never reach the terminal unchanged. Its position and its
// colour do not occur in the painter's output.
const Evil = "\x1b[66;77Hmoved\x1b]52;c;ZXZpbA==\x07 clip \x1b]0;owned\x1b\\ title " +
	"\x1b]8;;http://Evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bP+q544e\x1b\\dcs \x1bc reset \u009b66;77H c1 " +
	"\u009d52;c;ZXZpbA==\u009c \x1b[?1049l\x1b[38;5;199mred\x1b[m \u202eright to left\u202c \u2066isolate\u2069 " +
	"Z\u0310\u030d\u0311\u0304\u0346\u031a\u0327a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307lgo " +
	"\U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F44D\U0001F3FD ❤\ufe0f \U000E0041\U000E0042 tag " +
	"\x00nul\x07bel\x7fdel\b\b\bback\rover\x0bvt\x0cff \u2028line\u2029par \ufeffbom soft\u00adhyphen \u200bzero end"

// Fiendish are texts designed to break a renderer.
var Fiendish = map[string]string{
	"nothing":    "",
	"blanks":     " \n\t\n\u3000\n",
	"evil":       Evil,
	"references": "- &#27;[2J&#x9b;31m &#x202e;abc &#0; &amp;#27; &NewLine;x &Tab;y &zwj; &rlm;",
	"markup":     "<script>alert(1)</script>\n<b>bold\n<!-- gone -->\n<![CDATA[x]]>\n- <sigh> kept",
	"links": "[text](http://Evil.example/\x1b]8;;x) ![img](http://Evil.example/a.png) <http://Evil.example> " +
		"www.Evil.example\n\n[a]: http://Evil.example \"t\"\n[a]",
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

// allowedFinals are the CSI sequences that the painter and its queries use, by
// their last byte.
const allowedFinals = "ABCDEFGHJKLMPSTXZ@bdfhlmprus"

// Scan scans the bytes written to a terminal and reports everything that is neither text nor one of
// the painter's own sequences. It returns the window titles and the clipboard texts (still encoded)
// that were set.
func Scan(t *testing.T, out string) (titles, clips []string) {
	t.Helper()
	for i := 0; i < len(out); {
		if out[i] != 0x1b {
			r, n := utf8.DecodeRuneInString(out[i:])
			if r == utf8.RuneError && n == 1 {
				t.Errorf("invalid UTF-8 at %q", around(out, i))
			}
			if !Fit(r) {
				t.Errorf("%U at %q", r, around(out, i))
			}
			i += n
			continue
		}
		body, n := sequence(out[i:])
		switch {
		case n == 0:
			t.Fatalf("a sequence without an end at %q", around(out, i))
		case strings.HasPrefix(body, "["):
			if !strings.Contains(allowedFinals, body[len(body)-1:]) || body == "[66;77H" ||
				strings.Contains(body, "38;5;199") {
				t.Errorf("CSI %q at %q", body, around(out, i))
			}
		case strings.HasPrefix(body, "]2;"):
			titles = append(titles, body[3:])
		case strings.HasPrefix(body, "]52;c;"):
			clips = append(clips, body[6:])
		case body == "M" || body == "7" || body == "8" || strings.HasPrefix(body, "_G") || body == "]11;?":
		default:
			t.Errorf("sequence %q at %q", body, around(out, i))
		}
		i += n
	}
	return titles, clips
}

// Fit reports whether a rune may be written to a terminal.
func Fit(r rune) bool {
	switch {
	case r == '\r' || r == '\n' || r == '\b':
		return true // the renderer uses them to move
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return false
	case r == '\u200d' || r == '\ufe0f':
		return false // terminals disagree about the width of such clusters
	}
	return !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Zl, r) && !unicode.Is(unicode.Zp, r)
}

func around(s string, i int) string { return s[max(0, i-30):min(len(s), i+30)] }

// sequence returns the escape sequence at the beginning of s, without its ESC and its terminator,
// and its whole length; 0 if it is incomplete.
func sequence(s string) (body string, n int) {
	if len(s) < 2 {
		return "", 0
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return s[1 : i+1], i + 1
			}
		}
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(s); i++ {
			if s[i] == 7 {
				return s[1:i], i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return s[1:i], i + 2
			}
		}
	default:
		return s[1:2], 2
	}
	return "", 0
}
