package novel

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of Markdown: larger and more deeply nested texts are written as they were typed.
const (
	maxMarkdown = 128 << 10
	maxNesting  = 24
)

// markdown parses what people type into chats. Left out are indented code, which is meant as an
// indented paragraph, underlined headings, which are meant as scene breaks, references, and HTML,
// which is text.
var markdown = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(paragraphs{parser.NewParagraphParser()}, 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithASTTransformers(util.Prioritized(speechTransformer{}, 100)))),
	goldmark.WithExtensions(extension.Strikethrough,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignStyle))),
	goldmark.WithRendererOptions(html.WithXHTML(), html.WithHardWraps(),
		renderer.WithNodeRenderers(util.Prioritized(safeRenderer{}, 100))))

// paragraphs also accepts indented lines, which would be code to other parsers and would be lost
// without one.
type paragraphs struct{ parser.BlockParser }

func (paragraphs) CanAcceptIndentedLine() bool { return true }

// prose converts a clean text to XHTML.
func prose(s string) string {
	s = strings.Trim(s, "\n")
	if len(s) > maxMarkdown || excessiveLine().MatchString(s) {
		return plainProse(s)
	}
	source := []byte(s)
	doc := markdown.Parser().Parse(text.NewReader(source))
	if nesting(doc) > maxNesting {
		return plainProse(s)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, doc); err != nil {
		return plainProse(s)
	}
	return clean(out.String()) // a reference to a character may name one that is not allowed
}

// excessiveLine matches a line that opens more quotes and lists than can be meant.
var excessiveLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){16}`)
})

// nesting returns how deeply a document is nested.
func nesting(doc ast.Node) int {
	deep, most := 0, 0
	_ = ast.Walk(doc, func(_ ast.Node, in bool) (ast.WalkStatus, error) {
		if !in {
			deep--
			return ast.WalkContinue, nil
		}
		deep++
		most = max(most, deep)
		return ast.WalkContinue, nil
	})
	return most
}

// plainProse converts a text to paragraphs only.
func plainProse(s string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(s, "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			out.WriteString("<p>" + strings.ReplaceAll(escape(part), "\n", "<br />\n") + "</p>\n")
		}
	}
	return out.String()
}

// safeRenderer renders what would lead out of the document or disturb its headings.
type safeRenderer struct{}

func (safeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(speechKind, renderSpeech)
}

// renderLink writes the text of a link, and its address if that differs.
func renderLink(w util.BufWriter, source []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
	if to := string(n.(*ast.Link).Destination); !in && to != "" && !strings.Contains(nodeText(n, source), to) {
		_, _ = w.WriteString(" (" + escape(to) + ")")
	}
	return ast.WalkContinue, nil
}

func renderImage(w util.BufWriter, source []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
	if in {
		_, _ = w.WriteString("[" + escape(strings.TrimSpace("picture: "+nodeText(n, source))) + "]")
	}
	return ast.WalkSkipChildren, nil
}

// nodeText returns the text inside a node.
func nodeText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(c ast.Node, in bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && in {
			out.Write(t.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// renderHeading writes a heading of a message below those of the chapters.
func renderHeading(w util.BufWriter, _ []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
	tag := "h" + string(rune('0'+min(6, n.(*ast.Heading).Level+2)))
	if in {
		_, _ = w.WriteString("<" + tag + ">")
	} else {
		_, _ = w.WriteString("</" + tag + ">\n")
	}
	return ast.WalkContinue, nil
}

// renderCode writes a fenced block without its language.
func renderCode(w util.BufWriter, source []byte, n ast.Node, in bool) (ast.WalkStatus, error) {
	if in {
		_, _ = w.WriteString("<pre><code>")
		for _, seg := range n.Lines().Sliced(0, n.Lines().Len()) {
			_, _ = w.WriteString(escape(string(seg.Value(source))))
		}
	} else {
		_, _ = w.WriteString("</code></pre>\n")
	}
	return ast.WalkContinue, nil
}
