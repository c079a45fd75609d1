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
	// maxDepth is the nesting limit of quotes and lists: Glamour lays out the inner ones once more
	// for each outer one.
	maxDepth = 8
	// maxBlockBytes and maxBlocks limit what Glamour lays out of a text, in bytes and in blocks.
	// The rest is shown as it was written.
	maxBlockBytes = 16 << 10
	maxBlocks     = 2000
	// CodeMargin is the indentation of code, in cells.
	CodeMargin = 2
	// quoteBar is at the beginning of the lines of a quote.
	quoteBar = "▌"
)

// renderer renders blocks of Markdown with Glamour in the current style. It must be used by one
// goroutine at a time.
type renderer struct {
	sty     *draw.Styles
	config  glam.StyleConfig
	byWidth map[int]*glamour.TermRenderer
	blocks  int // rendered so far
}

func newRenderer(sty *draw.Styles) *renderer {
	return &renderer{sty: sty, config: styleConfig(sty), byWidth: map[int]*glamour.TermRenderer{}}
}

// render returns the lines of a block of clean Markdown in w cells. The block is shown as it was
// written if Glamour fails, drops a part of it (as it does with link definitions) or makes it too
// wide.
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

// glamour renders a block. The result is padded to the width.
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
		delete(r.byWidth, w) // its state may be in the middle of the block
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

// plain returns the lines of a text as written.
func (r *renderer) plain(text string, w int) []string {
	lines := strings.Split(ansi.Hardwrap(strings.Join(draw.Wrap(text, w), "\n"), w, true), "\n")
	for i, l := range lines {
		lines[i] = r.sty.Base.Styled(safetext.Line(l))
	}
	return lines
}

// line returns one of Glamour's lines on the look's base style, without trailing blanks and with no
// escape sequences except styles. n is its number of visible letters, see visibleLetters.
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

// visibleLetters returns the number of characters of a text without spaces, possible Markdown
// marks, and what Glamour drops when it shortens a table head.
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

// Replacers for text that Glamour would take for a tag, an entity or strikethrough: it passes
// through as characters that no clean text contains.
var (
	literalEncoder = strings.NewReplacer("~~", "~~", "~", "\ufdd0", "<", "\ufdd1", "&", "\ufdd2")
	literalDecoder = strings.NewReplacer("\ufdd0", "~", "\ufdd1", "<", "\ufdd2", "&", "\ufdd3", `\`)
)

// flatten returns a line with quotes and lists nested at most maxDepth deep. Deeper marks become
// text.
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

// containerMark returns the length of the mark that begins a quote or a list item, 0 for any other
// line.
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

// styleConfig returns Glamour's configuration for a style, without the base style, which each line
// has anyway.
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

// on returns Glamour's form of an enabled attribute; nil inherits it.
func on(set bool) *bool {
	if !set {
		return nil
	}
	return &set
}

// colorName returns a colour in Glamour's form.
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
