package novel

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// speechKind is spoken text within a paragraph, including the quotes.
var speechKind = ast.NewNodeKind("Speech")

type speech struct{ ast.BaseInline }

func (*speech) Kind() ast.NodeKind { return speechKind }

func (s *speech) Dump(source []byte, level int) { ast.DumpHelper(s, source, level, nil, nil) }

func renderSpeech(w util.BufWriter, _ []byte, _ ast.Node, in bool) (ast.WalkStatus, error) {
	if in {
		_, _ = w.WriteString(`<span class="speech">`)
	} else {
		_, _ = w.WriteString("</span>")
	}
	return ast.WalkContinue, nil
}

// closers are the closing quotes by their opening ones.
var closers = map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」', '『': '』'}

// speechTransformer finds spoken text: from a quote to the one that closes it, in one paragraph
// and at one level, so that "I *mean* it" is one speech.
type speechTransformer struct{}

func (speechTransformer) Transform(doc *ast.Document, r text.Reader, _ parser.Context) {
	var hosts []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		if in && n.HasChildren() && (n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock) {
			hosts = append(hosts, n)
		}
		return ast.WalkContinue, nil
	})
	for _, h := range hosts {
		markSpeeches(h, r.Source())
	}
}

// markSpeeches puts the speeches of a paragraph into nodes.
func markSpeeches(host ast.Node, source []byte) {
	open := map[rune]bool{} // quotes that are never closed
	for from := host.FirstChild(); from != nil; {
		t, ok := from.(*ast.Text)
		if !ok || t.IsRaw() {
			from = from.NextSibling()
			continue
		}
		at, closer := findOpening(t, source, open)
		if at < 0 {
			from = from.NextSibling()
			continue
		}
		last, end := findClosing(t, at, closer, source)
		if last == nil {
			open[closer] = true
			continue
		}
		from = wrapSpeech(host, t, at, last, end)
	}
}

// findOpening returns where a text opens the first speech, -1 for nowhere, and its closing quote.
func findOpening(t *ast.Text, source []byte, unclosed map[rune]bool) (at int, closer rune) {
	s := t.Segment.Value(source)
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRune(s[i:])
		c, ok := closers[r]
		if !ok || unclosed[c] || i > 0 && s[i-1] == '\\' {
			continue
		}
		before, _ := utf8.DecodeLastRune(s[:i])
		next, n := utf8.DecodeRune(s[i+size:])
		if r == '"' && (i > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before)) ||
			n > 0 && unicode.IsSpace(next)) {
			continue // inches, or a closing quote
		}
		return t.Segment.Start + i, c
	}
	return -1, 0
}

// findClosing returns the text that closes a speech and the position after its quote.
func findClosing(t *ast.Text, at int, closer rune, source []byte) (last *ast.Text, end int) {
	for n := ast.Node(t); n != nil; n = n.NextSibling() {
		l, ok := n.(*ast.Text)
		if !ok || l.IsRaw() {
			continue
		}
		from := l.Segment.Start
		if l == t {
			_, size := utf8.DecodeRune(source[at:])
			from = at + size
		}
		if i := bytes.IndexRune(source[from:l.Segment.Stop], closer); i >= 0 {
			return l, from + i + utf8.RuneLen(closer)
		}
	}
	return nil, 0
}

// wrapSpeech moves the text between two positions into a new speech node, and returns the node that
// follows it.
func wrapSpeech(host ast.Node, first *ast.Text, at int, last *ast.Text, end int) (next ast.Node) {
	sp := &speech{}
	if first.Segment.Start < at {
		host.InsertBefore(host, first, ast.NewTextSegment(text.NewSegment(first.Segment.Start, at)))
	}
	host.InsertBefore(host, first, sp)
	first.Segment = text.NewSegment(at, first.Segment.Stop)
	var rest *ast.Text
	if end < last.Segment.Stop || last.SoftLineBreak() || last.HardLineBreak() {
		rest = ast.NewTextSegment(text.NewSegment(end, last.Segment.Stop))
		rest.SetSoftLineBreak(last.SoftLineBreak())
		rest.SetHardLineBreak(last.HardLineBreak())
		last.SetSoftLineBreak(false)
		last.SetHardLineBreak(false)
	}
	last.Segment = text.NewSegment(last.Segment.Start, end)
	for n := ast.Node(first); n != nil; {
		following := n.NextSibling()
		host.RemoveChild(host, n)
		sp.AppendChild(sp, n)
		if n == ast.Node(last) {
			break
		}
		n = following
	}
	if rest != nil {
		host.InsertAfter(host, sp, rest)
	}
	return sp.NextSibling()
}
