package markdown

import (
	"fmt"
	"image/color"
	"strconv"
	"strings"
	"unicode"

	"charm.land/glamour/v2"
	glam "charm.land/glamour/v2/ansi"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

const (
	// deepest is how deep quotes and lists nest at most: Glamour lays the inner ones out once
	// more for each outer one.
	deepest = 8
	// longestBlock and mostBlocks bound what Glamour lays out of a text, in bytes and in blocks.
	// What is beyond them is shown as it was written.
	longestBlock = 16 << 10
	mostBlocks   = 2000
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
// would leave out words (it does so with the definition of a link), or that it makes too wide,
// is shown as it was written.
func (r *renderer) render(source []string, w int) []string {
	block := strings.Join(source, "\n")
	r.blocks++
	if len(block) > longestBlock || r.blocks > mostBlocks {
		return r.plain(block, w)
	}
	t, err := r.forWidth(w)
	if err != nil {
		return r.plain(block, w)
	}
	text := literal.Replace(block)
	if strings.HasPrefix(block, "```") {
		text = strings.ReplaceAll(text, `\`, "\ufdd3") // it escapes nothing in code
	}
	out, err := t.Render(text)
	if err != nil {
		delete(r.byWidth, w) // it may stand in the middle of a block
		return r.plain(block, w)
	}
	var lines []string
	left := words(block)
	for l := range strings.SplitSeq(strings.Trim(out, "\n"), "\n") {
		line, n := r.line(l)
		if ansi.StringWidth(line) > w {
			return r.plain(block, w)
		}
		lines, left = append(lines, line), left-n
	}
	if left > 0 {
		return r.plain(block, w)
	}
	return trimBlank(lines)
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
// blanks at its end, on the look's base style, and how many letters and digits it has.
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
		text, rest, found := strings.Cut(l, "\x1b")
		if l = ""; found {
			l = "\x1b" + rest
		}
		text = safetext.Line(written.Replace(text))
		if pen != drawn {
			b.WriteString(ansi.ResetStyle + base + pen)
			drawn = pen
		}
		b.WriteString(text)
		if strings.Trim(text, " ") != "" {
			end = b.Len() - len(text) + len(strings.TrimRight(text, " "))
		}
		n += words(text)
	}
	if end == 0 {
		return "", 0
	}
	return strings.TrimPrefix(b.String()[:end], ansi.ResetStyle) + ansi.ResetStyle, n
}

// words is the number of letters and digits of a text.
func words(text string) (n int) {
	for _, c := range text {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
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
	literal = strings.NewReplacer("~~", "~~", "~", "\ufdd0", "<", "\ufdd1", "&", "\ufdd2")
	written = strings.NewReplacer("\ufdd0", "~", "\ufdd1", "<", "\ufdd2", "&", "\ufdd3", `\`)
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
		if deep++; deep > deepest {
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
	case digits == 0 && strings.HasPrefix(line, "- "), digits == 0 && strings.HasPrefix(line, "* "), digits == 0 && strings.HasPrefix(line, "+ "):
		return 1
	case digits > 0 && digits < 10 && (strings.HasPrefix(line[digits:], ". ") || strings.HasPrefix(line[digits:], ") ")):
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
	none, one, code, bar := uint(0), uint(1), uint(CodeMargin), quoteBar+" "
	c.Heading.StylePrimitive = style(p.Heading, true, false)
	c.BlockQuote = glam.StyleBlock{StylePrimitive: style(p.Quote, false, false), Margin: &one, IndentToken: &bar}
	c.Emph, c.Strong = style(p.Action, false, true), style(p.Strong, true, false)
	c.Code.StylePrimitive, c.CodeBlock.StylePrimitive = style(p.Code, false, false), style(p.Code, false, false)
	c.CodeBlock.Margin = &code
	c.List.LevelIndent, c.List.Indent = 2, &none
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
