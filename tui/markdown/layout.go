// Package markdown shows Markdown that is to be read (recaps, the notes of a card's
// author): safe, in the styles of the look, and laid out no more often than its text,
// its width or the look change.
//
// It stands on tui/prose and not on Glamour, which was built in and measured: the code
// highlighter that Glamour links in made every start 12 ms longer (of 17) and the
// program 13 MB larger, a recap of 4 KB took 15 ms for each token that came instead of
// 0.3, text in angle brackets vanished, and a line of a hundred quotation marks took
// seconds.
package markdown

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/prose"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Line is one line of Markdown on the screen: safe, with its own styles.
// Bullet is the number of the bullet it belongs to, counted as scene.Bullets
// does; -1 outside of any.
type Line struct {
	Text   string
	Bullet int
}

// Lay lays a recap out block by block. It finds headings and bullets by
// itself, so that each line knows its bullet, lines after a bullet's first hang
// under its text, and what is broken in one block (a fence left open, a tag)
// stays in it.
func Lay(text string, w int, sty *draw.Styles) []Line {
	var out []Line
	st := sty.Prose
	st.Speech, st.OOC = "", "" // a recap quotes, it does not speak
	lay := func(md string, w int) []string { return prose.Layout(md, w, st) }
	head := draw.Heading(sty)
	add := func(bullet int, lines ...string) {
		for _, l := range lines {
			out = append(out, Line{l, bullet})
		}
	}
	blocks := split(safetext.Block(text))
	for i, b := range blocks {
		if i > 0 && spaced(blocks[i-1], b) {
			add(-1, "")
		}
		switch {
		case b.heading:
			for _, l := range draw.Wrap(b.text, w) {
				add(-1, head.Styled(ansi.Truncate(l, w, "")))
			}
			if i+1 == len(blocks) || blocks[i+1].heading {
				add(-1, sty.Faint.Styled("–"))
			}
		case b.marker != "":
			pad := strings.Repeat(" ", min(b.indent, w/3))
			lead, hang := pad+sty.Dim.Styled(b.marker)+" ", pad+strings.Repeat(" ", ansi.StringWidth(b.marker)+1)
			if w-len(hang) < 4 {
				lead, hang = "", ""
			}
			for _, l := range lay(b.text, w-len(hang)) {
				add(b.bullet, lead+l)
				lead = hang
			}
		default:
			add(b.bullet, lay(b.text, w)...)
		}
	}
	return out
}

// spaced reports whether a blank line stands between two blocks.
func spaced(above, below block) bool {
	if below.heading {
		return true
	}
	return !above.heading && (above.marker == "" || below.marker == "")
}

// block is a part of a Markdown text: a heading, an item of a list without
// its marker, or all between two of these.
type block struct {
	text    string
	heading bool
	marker  string // of an item: a dot, or its number
	indent  int    // of an item
	bullet  int    // -1: none
}

// split finds the blocks of a clean text.
func split(text string) []block {
	numbers := map[int]int{}
	for i, b := range scene.Bullets(text) {
		numbers[b.Line] = i
	}
	var out []block
	open, fence := false, "" // whether the last block goes on with this line
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trim := strings.TrimSpace(line)
		if fence != "" {
			out[len(out)-1].text += "\n" + line
			if strings.HasPrefix(trim, fence) {
				open, fence = false, ""
			}
			continue
		}
		b := block{text: trim, bullet: -1}
		if n, ok := numbers[i]; ok {
			b.bullet = n
		}
		var item bool
		if head, ok := CutHeading(trim); ok {
			b.text, b.heading, b.bullet, open = head, true, -1, false
		} else if b.marker, b.text, item = CutMarker(trim); item {
			b.indent, open = len(line)-len(strings.TrimLeft(line, " ")), true
		} else if trim == "" {
			open = false
			continue
		} else if f := fenceOf(trim); f != "" && closes(lines[i+1:], f) {
			fence = f
		} else if open {
			out[len(out)-1].text += "\n" + trim
			continue
		} else {
			open = true
		}
		out = append(out, b)
	}
	return out
}

// CutHeading is the text of a heading without its marks; ok is false for any other line.
func CutHeading(line string) (text string, ok bool) {
	body := strings.TrimLeft(line, "#")
	if n := len(line) - len(body); n < 1 || n > 6 || body != "" && body[0] != ' ' {
		return "", false
	}
	return strings.Trim(body, " #"), true
}

// CutMarker parts an item's marker from its text. A mark is shown as a dot, a
// number as it is.
func CutMarker(line string) (marker, body string, ok bool) {
	marker, body, ok = strings.Cut(line, " ")
	if !ok || strings.Trim(line, "-*_ ") == "" { // the latter is a rule
		return "", line, false
	}
	if number := strings.TrimRight(marker, ".)"); marker == "-" || marker == "*" || marker == "+" || marker == "•" {
		marker = "•"
	} else if number == "" || len(marker) != len(number)+1 || len(number) > 3 || strings.Trim(number, "0123456789") != "" {
		return "", line, false
	}
	return marker, strings.TrimSpace(body), true
}

// fenceOf is the run of marks that opens a block of code, "" for any other line.
func fenceOf(line string) string {
	if !strings.HasPrefix(line, "```") {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, "`"))
	if strings.Contains(line[n:], "`") {
		return ""
	}
	return line[:n]
}

func closes(lines []string, fence string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), fence) })
}
