// Package markdown lays out Markdown for reading (the guide, recaps, creator's notes) with
// Glamour: sanitized, in the current style, and cached by text, width and style.
//
// It is not for growing text: Glamour takes about a millisecond for half a kilobyte. Messages and
// generated text are laid out by tui/prose.
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

// Line is one line of Markdown on the screen, sanitized and styled. Bullet is the number of its
// bullet, counted as by scene.Bullets; -1 outside of any.
type Line struct {
	Text   string
	Bullet int
}

// Layout lays a text out block by block. It finds headings and bullets itself, so that each line
// knows its bullet, the lines of a bullet are indented under its text, and a broken block (an open
// fence, a tag) does not affect others.
func Layout(text string, w int, sty *draw.Styles) []Line {
	return layout(text, w, sty, newRenderer(sty).render)
}

// LayoutPartial lays out a text that is still being written, because Glamour is too slow for that.
// The blocks are those of Layout, but rendered as plain text.
func LayoutPartial(text string, w int, sty *draw.Styles) []Line {
	st := sty.Prose
	st.Speech, st.OOC = "", "" // quotes in a recap are not speech
	return layout(text, w, sty, func(block []string, w int) []string {
		return prose.Layout(strings.Join(block, "\n"), w, st)
	})
}

// layout lays a text out, each block with render.
func layout(text string, w int, sty *draw.Styles, render func(block []string, w int) []string) []Line {
	var out []Line
	w = max(w, 1)
	add := func(bullet int, lines ...string) {
		for _, l := range lines {
			out = append(out, Line{l, bullet})
		}
	}
	blocks := split(safetext.Block(limitText(text)))
	for i, b := range blocks {
		if i > 0 && needsBlankLine(blocks[i-1], b) {
			add(-1, "")
		}
		switch {
		case b.heading:
			add(-1, render(b.lines, w)...)
			if i+1 == len(blocks) || blocks[i+1].heading {
				add(-1, sty.Faint.Styled("–"))
			}
		case b.marker != "":
			pad := strings.Repeat(" ", min(b.indent, w/3))
			lead, hang := pad+sty.Dim.Styled(b.marker)+" ", pad+strings.Repeat(" ", ansi.StringWidth(b.marker)+1)
			if w-len(hang) < 4 {
				lead, hang = "", ""
			}
			for _, l := range render(b.lines, w-len(hang)) {
				add(b.bullet, lead+l)
				lead = hang
			}
		case b.code:
			add(b.bullet, render(wrapCode(b.lines, w-CodeMargin), w)...)
		default:
			add(b.bullet, render(b.lines, w)...)
		}
	}
	return out
}

// limitText returns the part of a text that is laid out, cut at the end of a line, with a note if
// there was more.
func limitText(text string) string {
	if len(text) <= maxTextBytes {
		return text
	}
	text = strings.ToValidUTF8(text[:maxTextBytes], "")
	if at := strings.LastIndexByte(text, '\n'); at >= 0 {
		text = text[:at]
	}
	return text + "\n\n(The rest of this text is not shown: it is longer than 256 KB.)"
}

// wrapCode wraps the lines of a code block, which Glamour would continue at the left edge.
func wrapCode(code []string, w int) []string {
	last := len(code) - 1
	out := []string{code[0]}
	for _, l := range code[1:last] {
		out = append(out, draw.Wrap(l, max(w, 1))...)
	}
	return append(out, code[last])
}

// needsBlankLine reports whether there is a blank line between two blocks.
func needsBlankLine(above, below block) bool {
	if below.heading {
		return true
	}
	return !above.heading && (above.marker == "" || below.marker == "")
}

// block is a part of a Markdown text: a heading, a list item without its marker, or everything
// between two of these.
type block struct {
	lines   []string // as passed to Glamour
	heading bool
	code    bool   // between two fences
	marker  string // of an item: a dot, or its number
	indent  int    // of an item
	bullet  int    // -1: none
}

// split splits a clean text into blocks.
func split(text string) []block {
	numbers := map[int]int{}
	for i, b := range scene.Bullets(text) {
		numbers[b.Line] = i
	}
	var out []block
	open, fence := false, "" // whether this line continues the last block
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trim := strings.TrimSpace(line)
		if fence != "" {
			last := &out[len(out)-1]
			last.lines = append(last.lines, line)
			if strings.HasPrefix(trim, fence) {
				open, fence = false, ""
			}
			continue
		}
		b := block{bullet: -1}
		if n, ok := numbers[i]; ok {
			b.bullet = n
		}
		if head, ok := CutHeading(trim); ok {
			b.lines, b.heading, b.bullet, open = []string{"# " + head}, true, -1, false
		} else if marker, body, ok := CutMarker(trim); ok {
			b.lines, b.marker, open = []string{flatten(body)}, marker, true
			b.indent = len(line) - len(strings.TrimLeft(line, " "))
		} else if trim == "" {
			open = false
			continue
		} else if f := fenceOf(trim); f != "" && closesFence(lines[i+1:], f) {
			b.lines, b.code, fence = []string{f}, true, f // without the language: no code is coloured
		} else if isRule(trim) {
			b.lines, open = []string{trim}, false // and not a heading of the line above
		} else if open {
			last := &out[len(out)-1]
			last.lines = append(last.lines, flatten(trim))
			continue
		} else {
			b.lines, open = []string{flatten(trim)}, true
		}
		out = append(out, b)
	}
	return out
}

// isRule reports whether a line is a horizontal rule.
func isRule(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("-*_", line[:1])
}

// CutHeading returns the text of a heading without its marks; ok is false for any other line.
func CutHeading(line string) (text string, ok bool) {
	body := strings.TrimLeft(line, "#")
	if n := len(line) - len(body); n < 1 || n > 6 || body != "" && body[0] != ' ' {
		return "", false
	}
	return strings.Trim(body, " #"), true
}

// CutMarker splits an item into its marker and its text. A mark is shown as a dot, a number as it
// is.
func CutMarker(line string) (marker, body string, ok bool) {
	marker, body, ok = strings.Cut(line, " ")
	if !ok || strings.Trim(line, "-*_ ") == "" { // the latter is a rule
		return "", line, false
	}
	if number := strings.TrimRight(marker, ".)"); marker == "-" || marker == "*" || marker == "+" || marker == "•" {
		marker = "•"
	} else if number == "" || len(marker) != len(number)+1 || len(number) > 3 ||
		strings.Trim(number, "0123456789") != "" {
		return "", line, false
	}
	return marker, strings.TrimSpace(body), true
}

// fenceOf returns the run of marks that opens a block of code, "" for any other line. One word may
// follow it, the language; with several words the line is text.
func fenceOf(line string) string {
	if !strings.HasPrefix(line, "```") {
		return ""
	}
	n := len(line) - len(strings.TrimLeft(line, "`"))
	if strings.ContainsAny(strings.TrimSpace(line[n:]), "` ") {
		return ""
	}
	return line[:n]
}

func closesFence(lines []string, fence string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), fence) })
}
