package draw

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Blank reports whether a text has nothing but white space.
func Blank(s string) bool { return strings.TrimSpace(s) == "" }

// Continued returns a line, cut to w cells, with a mark that more text follows.
func Continued(line string, w int) string {
	return strings.TrimRight(ansi.Truncate(line, max(1, w-2), ""), " ,;") + " …"
}

// Join joins words with Separator and leaves out empty ones.
func Join(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, Separator)
}

// TimeLeft returns the remaining time in words, rounded; "" if it is unknown.
func TimeLeft(d time.Duration) string {
	s := int((d + time.Second - 1) / time.Second)
	switch {
	case d <= 0:
		return ""
	case s < 90:
		return fmt.Sprintf("%d s left", s)
	case s < 90*60:
		return fmt.Sprintf("%d min left", (s+30)/60)
	}
	return fmt.Sprintf("%d h left", (s+1800)/3600)
}

// AgoWords returns how long ago something was, as part of a sentence.
func AgoWords(t time.Time) string {
	switch s := Ago(time.Now(), t); {
	case s == "now":
		return "just now"
	case strings.Contains(s, " "):
		return s + " ago"
	default:
		return "on " + s
	}
}

// Separator is drawn between hints, and between the parts of a line.
const Separator = " · "

// Truncate returns a line of at most n cells for a text of any length.
func Truncate(text string, n int) string {
	n = max(0, n)
	if most := 16 * n; len(text) > most {
		text = text[:most]
	}
	text = strings.Join(strings.Fields(safetext.Line(text)), " ")
	return ansi.Truncate(text, n, "…")
}

// Thousands returns a count in short form: 950, 2.1k, 14k.
func Thousands(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n/100)/10)
	}
	return fmt.Sprintf("%dk", n/1000)
}

// Range returns the positions of messages in the chat, counted from 1.
func Range(from, to int) string {
	if from == to {
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d–%d", from+1, to+1)
}

// Plural returns a count with its noun: "1 word", "2 words".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Counted returns a count with a noun that has an irregular plural: "1 memory", "2 memories".
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// MaxReadLen is the maximum number of bytes shown of a text that the user can read in full.
const MaxReadLen = 200_000

// UpTo returns at most n bytes of a text, with a mark if more follows.
func UpTo(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n] + "\n…"
}

// Clip cuts text to n cells.
func Clip(text string, n int) string {
	return ansi.Truncate(safetext.Line(text), max(0, n), "…")
}

// Ago returns the time between t and now, in one or two words.
func Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
	return t.Format("2006-01-02")
}

// Elapsed formats a running time.
func Elapsed(d time.Duration) string {
	s := int(d.Seconds())
	if s < 60 {
		return fmt.Sprintf("%ds", s)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// Meter returns a bar of w cells, filled to a share between 0 and 1.
func Meter(share float64, w int) string {
	full := int(share*float64(w) + 0.5)
	full = max(0, min(full, w))
	return strings.Repeat("▰", full) + strings.Repeat("▱", w-full)
}

// Size formats a size for users.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	}
	if n < 1<<10 {
		return Plural(int(n), "byte")
	}
	return fmt.Sprintf("%d kB", n>>10)
}
