package tui

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"charm.land/glamour/v2"
	glam "charm.land/glamour/v2/ansi"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/tui/safetext"
)

const (
	// mostMarkdown and mostBlock bound what the Markdown renderer is given. A
	// recap has some three thousand bytes.
	mostMarkdown = 64 << 10
	mostBlock    = 4 << 10
	// mostNested bounds quotes and lists in one another: the renderer takes
	// minutes for some hundred of them.
	mostNested = 4
)

// renderMarkdown lays a recap out with the Markdown renderer. It is safe for
// concurrent use: each call has a renderer of its own.
func renderMarkdown(text string, w int, lk *look) []markLine {
	plain := plainBlock(lk)
	if len(text) > mostMarkdown {
		return layMarkdown(text, w, lk, plain)
	}
	style := markStyle(lk)
	renderers := map[int]*glamour.TermRenderer{}
	return layMarkdown(text, w, lk, func(md string, w int) []string {
		if len(md) > mostBlock || nested(md) > mostNested {
			return plain(md, w)
		}
		r := renderers[w]
		if r == nil {
			var err error
			if r, err = glamour.NewTermRenderer(glamour.WithStyles(style), glamour.WithWordWrap(w), glamour.WithPreservedNewLines()); err != nil {
				return plain(md, w)
			}
			renderers[w] = r
		}
		if lines, ok := renderBlock(r, md, w); ok {
			return lines
		}
		return plain(md, w)
	})
}

// nested counts the markers of quotes and lists that a line begins with, of the
// line that has most.
func nested(md string) int {
	most := 0
	for line := range strings.SplitSeq(md, "\n") {
		n := 0
		for _, r := range line {
			if strings.ContainsRune(">-*+", r) {
				n++
			} else if r != ' ' && r != '.' && r != ')' && (r < '0' || r > '9') {
				break
			} else if r == '.' || r == ')' {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Stand-ins for the two characters through which Markdown could bring back what
// was made safe: a tag would vanish, a reference such as &#27; would become the
// character that it names.
const (
	standLess = "\ue000"
	standAnd  = "\ue001"
)

var (
	hideMarkup = strings.NewReplacer(standLess, "", standAnd, "", "<", standLess, "&", standAnd)
	showMarkup = strings.NewReplacer(standLess, "<", standAnd, "&")
)

// renderBlock gives one block to the renderer. ok is false when that fails; a
// fault of its own on somebody's text must not end the program.
func renderBlock(r *glamour.TermRenderer, md string, w int) (lines []string, ok bool) {
	defer func() {
		if recover() != nil {
			lines, ok = nil, false
		}
	}()
	out, err := r.Render(hideMarkup.Replace(md))
	if err != nil {
		return nil, false
	}
	for l := range strings.SplitSeq(out, "\n") {
		l = styledText(showMarkup.Replace(l))
		if l != "" || len(lines) > 0 {
			lines = append(lines, ansi.Truncate(l, w, ""))
		}
	}
	for n := len(lines); n > 0 && lines[n-1] == ""; n-- {
		lines = lines[:n-1]
	}
	return lines, true
}

const resetStyle = "\x1b[m"

// styledText keeps of a rendered line its text and the sequences that set
// styles: links go, and so do the blanks that pad the line.
func styledText(line string) string {
	var b strings.Builder
	pending, end := "", 0
	for line != "" {
		if line[0] != '\x1b' {
			n := strings.IndexByte(line, '\x1b')
			if n < 0 {
				n = len(line)
			}
			text := safetext.Line(line[:n])
			line = line[n:]
			if text == "" {
				continue
			}
			b.WriteString(pending + text)
			pending = ""
			if bare := strings.TrimRight(text, " "); bare != "" {
				end = b.Len() - len(text) + len(bare)
			}
			continue
		}
		var seq string
		if seq, line = cutSequence(line); seq == resetStyle {
			pending = seq
		} else if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			pending += seq
		}
	}
	out := b.String()[:end]
	if strings.Contains(out, "\x1b") {
		out += resetStyle
	}
	return out
}

// cutSequence takes the escape sequence off that s begins with.
func cutSequence(s string) (seq, rest string) {
	state := byte(0)
	seq, _, n, _ := ansi.DecodeSequence(s, state, nil)
	if n <= 0 {
		return "", s[1:]
	}
	return seq, s[n:]
}

// markStyle dresses the renderer like the rest of the screen.
func markStyle(lk *look) glam.StyleConfig {
	p := lk.palette
	on := true
	text := func(c color.Color) glam.StylePrimitive { return glam.StylePrimitive{Color: colourName(c)} }
	bold := func(c color.Color) glam.StylePrimitive {
		return glam.StylePrimitive{Color: colourName(c), Bold: &on}
	}
	token := func(s string) *string { return &s }
	one, two := uint(1), uint(2)
	st := glam.StyleConfig{
		Text:           text(p.Text), // not of the document: it would be set again for each blank that pads a line
		BlockQuote:     glam.StyleBlock{StylePrimitive: text(p.Quote), Indent: &one, IndentToken: token("▌ ")},
		Heading:        glam.StyleBlock{StylePrimitive: bold(p.Heading)},
		Emph:           glam.StylePrimitive{Color: colourName(p.Action), Italic: &on},
		Strong:         bold(p.Strong),
		Strikethrough:  glam.StylePrimitive{CrossedOut: &on},
		HorizontalRule: glam.StylePrimitive{Color: colourName(p.Faint), Format: strings.Repeat("─", 12)},
		Item:           glam.StylePrimitive{BlockPrefix: "• "},
		Enumeration:    glam.StylePrimitive{BlockPrefix: ". "},
		Task:           glam.StyleTask{Ticked: "✓ ", Unticked: "· "},
		Link:           text(p.Dim),
		ImageText:      glam.StylePrimitive{Color: colourName(p.Dim), Format: "{{.text}}"},
		Code:           glam.StyleBlock{StylePrimitive: text(p.Code)},
		CodeBlock:      glam.StyleCodeBlock{StyleBlock: glam.StyleBlock{StylePrimitive: text(p.Code), Margin: &two}},
		Table:          glam.StyleTable{CenterSeparator: token("┼"), ColumnSeparator: token("│"), RowSeparator: token("─")},
	}
	return st
}

// colourName is a colour as the renderer's styles have it; nil leaves the
// terminal's own.
func colourName(c color.Color) *string {
	name := ""
	switch c := c.(type) {
	case nil:
		return nil
	case ansi.BasicColor:
		name = strconv.Itoa(int(c))
	case ansi.IndexedColor:
		name = strconv.Itoa(int(c))
	default:
		r, g, b, _ := c.RGBA()
		name = fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	return &name
}
