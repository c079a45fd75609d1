package markdown

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"unicode/utf8"

	"charm.land/glamour/v2"
	glam "charm.land/glamour/v2/ansi"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

const (
	// maxDepth is how deep quotes and lists nest at most: Glamour lays the inner ones out once
	// more for each outer one.
	maxDepth = 8
	// maxBlockBytes and maxBlocks bound what Glamour lays out of a text, in bytes and in blocks.
	// What is beyond them is shown as it was written.
	maxBlockBytes = 16 << 10
	maxBlocks     = 2000
	// CodeMargin is how far code is indented, in cells.
	CodeMargin = 2
	// quoteBar stands before the lines of a quote.
	quoteBar = "▌"
)

// renderer renders blocks of Markdown with Glamour, in the styles of a look. It is used by one
// goroutine at a time, as Glamour's are.
type renderer struct {
	sty     *draw.Styles
	config  glam.StyleConfig
	byWidth map[int]*glamour.TermRenderer
	blocks  int // rendered so far
}

func newRenderer(sty *draw.Styles) *renderer {
	return &renderer{sty: sty, config: styleConfig(sty), byWidth: map[int]*glamour.TermRenderer{}}
}

// render returns the lines of a block of clean Markdown in w cells. A block of which Glamour
// would leave something out (it does so with the definition of a link), or that it makes too
// wide, is shown as it was written.
func (r *renderer) render(source []string, w int) []string {
	block := strings.Join(source, "\n")
	rendered, err := r.glamour(block, w)
	if err != nil {
		return r.plain(block, w)
	}
	var lines []string
	missing := visibleLetters(block)
	for l := range strings.SplitSeq(strings.Trim(rendered, "\n"), "\n") {
		line, n := r.line(l)
		if ansi.StringWidth(line) > w {
			return r.plain(block, w)
		}
		lines, missing = append(lines, line), missing-n
	}
	if missing > 0 {
		return r.plain(block, w)
	}
	return trimBlank(lines)
}

var errTooMuch = errors.New("too much for Glamour")

// glamour renders a block. What it returns is padded to the width.
func (r *renderer) glamour(block string, w int) (string, error) {
	r.blocks++
	if len(block) > maxBlockBytes || r.blocks > maxBlocks {
		return "", errTooMuch
	}
	t, err := r.forWidth(w)
	if err != nil {
		return "", err
	}
	source := literalEncoder.Replace(block)
	if strings.HasPrefix(block, "```") {
		source = strings.ReplaceAll(source, `\`, "\ufdd3") // it escapes nothing in code
	}
	rendered, err := t.Render(source)
	if err != nil {
		delete(r.byWidth, w) // it may stand in the middle of the block
	}
	return rendered, err
}

// forWidth returns the renderer for w cells.
func (r *renderer) forWidth(w int) (t *glamour.TermRenderer, err error) {
	if t = r.byWidth[w]; t == nil {
		c := r.config
		c.HorizontalRule.Format = "\n" + strings.Repeat("─", min(w, 32)) + "\n"
		t, err = glamour.NewTermRenderer(glamour.WithStyles(c), glamour.WithWordWrap(w),
			glamour.WithPreservedNewLines(), glamour.WithInlineTableLinks(true))
		r.byWidth[w] = t
	}
	return t, err
}

// plain returns the lines of a text as it was written.
func (r *renderer) plain(text string, w int) []string {
	lines := strings.Split(ansi.Hardwrap(strings.Join(draw.Wrap(text, w), "\n"), w, true), "\n")
	for i, l := range lines {
		lines[i] = r.sty.Base.Styled(safetext.Line(l))
	}
	return lines
}

// line returns a line of Glamour's with no escape sequences but those of styles and without the
// blanks at its end, on the look's base style, and how much it tells.
func (r *renderer) line(l string) (line string, n int) {
	var b strings.Builder
	base := r.sty.Base.String()
	pen, drawn, end := "", "none", 0
	for l != "" {
		if l[0] == ansi.ESC {
			_, _, size, _ := ansi.DecodeSequence(l, 0, nil)
			switch seq := l[:max(1, size)]; {
			case seq == ansi.ResetStyle:
				pen = ""
			case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
				pen += seq
			}
			l = l[max(1, size):]
			continue
		}
		run, rest, found := strings.Cut(l, "\x1b")
		if l = ""; found {
			l = "\x1b" + rest
		}
		run = safetext.Line(literalDecoder.Replace(run))
		if pen != drawn {
			b.WriteString(ansi.ResetStyle + base + pen)
			drawn = pen
		}
		b.WriteString(run)
		if strings.Trim(run, " ") != "" {
			end = b.Len() - len(run) + len(strings.TrimRight(run, " "))
		}
		n += visibleLetters(run)
	}
	if end == 0 {
		return "", 0
	}
	return strings.TrimPrefix(b.String()[:end], ansi.ResetStyle) + ansi.ResetStyle, n
}

// visibleLetters is how many characters of a text are neither blank nor, perhaps, marks of Markdown, nor
// drawn by Glamour, which shortens the head of a table with an ellipsis.
func visibleLetters(text string) (n int) {
	for _, c := range text {
		switch {
		case c < utf8.RuneSelf && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'),
			c >= utf8.RuneSelf && !strings.ContainsRune("•│─┼…"+quoteBar, c):
			n++
		}
	}
	return n
}

// trimBlank removes the empty lines at both ends, and those at the end of a quote.
func trimBlank(lines []string) []string {
	for len(lines) > 1 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 1 && strings.Trim(ansi.Strip(lines[len(lines)-1]), quoteBar+" ") == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// What is no Markdown in a text that is told, but would be taken for a tag, a character's code
// or a stroke through a word, passes through Glamour as characters that no clean text has.
var (
	literalEncoder = strings.NewReplacer("~~", "~~", "~", "\ufdd0", "<", "\ufdd1", "&", "\ufdd2")
	literalDecoder = strings.NewReplacer("\ufdd0", "~", "\ufdd1", "<", "\ufdd2", "&", "\ufdd3", `\`)
)

// flatten returns a line in which quotes and lists nest no deeper than deepest. The marks of
// deeper ones are text.
func flatten(line string) string {
	rest, deep := line, 0
	for {
		body := strings.TrimLeft(rest, " ")
		deep += (len(rest) - len(body)) / 2 // an indented list may be inside of the one above it
		mark := containerMark(body)
		if mark == 0 {
			return line
		}
		if deep++; deep > maxDepth {
			at := len(line) - len(body)
			lead := strings.TrimRight(line[:at], " ") + " "
			return lead + body[:mark-1] + `\` + body[mark-1:]
		}
		rest = body[mark:]
	}
}

// containerMark is the length of the mark that begins a quote or an item of a list, 0 for
// another line.
func containerMark(line string) int {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	switch {
	case strings.HasPrefix(line, ">"):
		return 1
	case digits > 9 || len(line) < digits+2 || line[digits+1] != ' ':
		return 0
	case digits == 0 && strings.Contains("-*+", line[:1]), digits > 0 && strings.Contains(".)", line[digits:digits+1]):
		return digits + 1
	}
	return 0
}

// styleConfig is a look as Glamour wants it. The base style is left out: it is under each line.
func styleConfig(sty *draw.Styles) (c glam.StyleConfig) {
	p := sty.Palette
	style := func(fg color.Color, bold, italic bool) glam.StylePrimitive {
		return glam.StylePrimitive{Color: colorName(fg), Bold: on(bold), Italic: on(italic)}
	}
	one, code, bar := uint(1), uint(CodeMargin), sty.Faint.Styled(quoteBar)+" "
	c.Heading.StylePrimitive = style(p.Heading, true, false)
	c.BlockQuote = glam.StyleBlock{StylePrimitive: style(p.Quote, false, false), Margin: &one, IndentToken: &bar}
	c.Emph, c.Strong = style(p.Action, false, true), style(p.Strong, true, false)
	c.Code.StylePrimitive, c.CodeBlock.StylePrimitive = style(p.Code, false, false), style(p.Code, false, false)
	c.CodeBlock.Margin = &code
	c.List.LevelIndent = 2
	c.Item.BlockPrefix, c.Enumeration.BlockPrefix = "• ", ". "
	c.Task.Ticked, c.Task.Unticked = "[x] ", "[ ] "
	c.HorizontalRule = style(p.Faint, false, false)
	c.Link, c.LinkText = style(p.Dim, false, false), style(p.Accent, false, false)
	c.Image, c.ImageText = c.Link, c.LinkText
	c.Strikethrough.CrossedOut = on(true)
	c.DefinitionDescription.BlockPrefix = "\n: "
	return c
}

// on is how Glamour says that a style has an attribute; without one it is the one around it.
func on(set bool) *bool {
	if !set {
		return nil
	}
	return &set
}

// colorName is a colour as Glamour names it.
func colorName(c color.Color) *string {
	var name string
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
