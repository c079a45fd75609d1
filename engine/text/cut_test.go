package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"Mara", 4, "Mara"}, {"Mara", 3, "Mar"}, {"Mara", 0, ""}, {"Mara", -2, ""},
		{"aß", 2, "a"}, {"ß", 1, ""}, {"cafe\u0301s", 4, "caf"}, {"cafe\u0301s", 6, "cafe\u0301"},
		{"a👩‍👩‍👧", 10, "a"}, {"日本語", 7, "日本"}, {"a\r\nb", 2, "a"}, {"\r\n", 1, "\r"}, {"e\u0301\u0301", 4, "e\u0301"},
	} {
		if got := text.Truncate(tt.in, tt.n); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		in   string
		n    int
		want string
	}{
		{"Mara waits", 10, "Mara waits"}, {"Mara waits", 9, "Mara…"}, {"Mara, who waits", 9, "Mara…"},
		{"A Maranatha", 10, "A Maran…"}, {"日本語です", 10, "日本…"}, {"Mara waits", 2, "…"},
	} {
		if got := text.Shorten(tt.in, tt.n); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	for i, s := range seeds {
		f.Add(s, i)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		got := text.Truncate(s, n)
		if !strings.HasPrefix(s, got) || len(got) > max(n, 0) || utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Truncate(%q, %d) = %q", s, n, got)
		}
		if len(s) <= n && got != s {
			t.Errorf("Truncate(%q, %d) = %q, though it fits", s, n, got)
		}
		if short := text.Shorten(s, n); len(short) > max(n, len("…")) || utf8.ValidString(s) && !utf8.ValidString(short) {
			t.Errorf("Shorten(%q, %d) = %q", s, n, short)
		}
	})
}
