package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// ProgressText describes the progress of an operation: what it does, and how much of it is done.
func ProgressText(typ string, p queue.Progress) (words, detail string) {
	words = queue.TypeText(typ)
	if typ == pictures.OpCaptureSend { // for other operations, Text is the text generated so far
		words = cmp.Or(p.Text, words)
	}
	switch {
	case p.Of > 0:
		detail = fmt.Sprintf("%d/%d", p.Step, p.Of)
	case p.Tokens > 0:
		detail = fmt.Sprintf("%d tokens", p.Tokens)
	}
	return words, detail
}

// ColumnWidth is the widest column of a list, in cells.
const ColumnWidth = 60

// Clip shortens a text to n cells of one line.
func Clip(s string, n int) string { return ansi.Truncate(safetext.Line(OneLine(s)), n, "…") }

// OneLine puts a text on one line, with single spaces between its words.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Quote puts a text into quotation marks, with everything unusual in it escaped.
func Quote(s string) string { return fmt.Sprintf("%q", s) }

// Sentence makes one of a few words.
func Sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] + "." }

const helpWidth = 78

// wrapped breaks words into lines, between words alone: a flag stays in one piece.
func wrapped(words string, width int) string {
	const bound = "\u2011" // a hyphen after which nothing breaks
	return strings.ReplaceAll(ansi.Wordwrap(strings.ReplaceAll(words, "-", bound), width, ""), bound, "-")
}

// Plural returns a number with the word for one or for several.
func Plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// ShortID returns the last 8 bytes of an id. They tell memories and hooks apart: ids that are made
// at the same moment begin alike.
func ShortID[I ~string](id I) string {
	if len(id) <= 8 {
		return string(id)
	}
	return string(id[len(id)-8:])
}

// OrList writes words as a choice.
func OrList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// ByteSize returns a number of bytes for people.
func ByteSize(n int64) string {
	f, unit := float64(n), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if f < 1000 {
			break
		}
		f, unit = f/1000, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}

// CacheMissText returns what makes the server read a prompt again, and what that costs.
func CacheMissText(b play.CacheMiss) string {
	words := fmt.Sprintf("%s (%s): %s; %s read again", OneLine(b.Layer), OneLine(b.Source), OneLine(b.What),
		Plural(b.Tokens, "token is", "tokens are"))
	if b.Seconds > 0 {
		words += fmt.Sprintf(", about %.1f s on this machine", b.Seconds)
	}
	return words
}

// ErrorTexts returns errors in words for the user.
func ErrorTexts(faults []error) []string {
	var out []string
	for _, err := range faults {
		out = append(out, failure.Text(err))
	}
	return out
}
