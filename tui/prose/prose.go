// Package prose lays out roleplay prose for the terminal: *actions*, "speech", (( asides )), and the little Markdown
// that models write (fenced code, tables, lists, headings, quotes).
//
// It does its own light layout rather than use a Markdown renderer, for three reasons. A transcript
// is laid out message by message while the user scrolls, and a general renderer takes many times as
// long for each; while a reply streams in, the text is unfinished Markdown most of the time and
// must not jump; and prose is no Markdown: single newlines count, a tag like <sigh> is text, and
// four spaces are an indent.
//
// Text goes in raw, as it was stored: the package cleans it with safetext. The lines that come out are ready to print:
// no line is wider than asked for, by the measure of runes as well as of grapheme clusters, and each line that sets a
// style resets it at its end.
package prose

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// MinWidth is the minimum width of a layout; smaller widths are raised to it.
const MinWidth = 2

// Line is one line of the screen: clean text and SGR sequences, without a newline.
type Line = string

// Styles are the SGR sequences that begin each style (see [SGR]), made once per theme. They
// accumulate: inside speech an action is drawn with Base, Speech and Action, in that order. If a
// style is empty, the markers of the text (asterisks, backticks) stay visible, so that nothing is
// lost without colours and attributes.
type Styles struct {
	Base   string // everything
	Action string // *action*, _action_
	// Narration replaces Action in a paragraph that begins with one; if it is empty, Action is
	// used.
	Narration string
	Speech    string // "speech" in any of the common quotation marks; the marks stay
	Strong    string // **strong**, the head of a table
	Code      string // `code`, fenced code
	Quote     string // > quoted
	Heading   string // # heading
	OOC       string // (( out of character )), (OOC: …); the brackets stay
	Dim       string // bars, bullets, rules
}

const reset = "\x1b[m"

// Layout lays text out in lines of at most width cells. Unclosed markers style the text to the end
// of their paragraph (asterisks, quotes, brackets) or are plain text (underscores, backticks), so a
// streaming text does not jump. Blank lines at the ends are dropped and several between paragraphs
// become one. It is safe for concurrent use.
func Layout(text string, width int, st Styles) []Line {
	l := newLayouter(width, st)
	l.blocks(safetext.Block(text))
	return l.take(nil)
}

// layouter holds the state of one layout. All lines are written to one buffer, so that a message of
// any length costs only a few allocations.
type layouter struct {
	width  int
	st     Styles
	narrow bool // ambiguous runes are one cell wide, so the quick width table holds

	buf   []byte // the lines, one after the other
	ends  []int  // end of each line in buf
	prior bool   // lines before this layout exist
	gap   bool   // blank lines have been read since the last line

	runs  []run
	stack []frame
	base  kind
	// narrates reports whether the paragraph begins with an action.
	narrates bool
	// Results of looking ahead in the paragraph, so that no part of it is scanned twice: missing[n]
	// means that no n backticks follow any more, bare[n] that no n underscores close anything
	// before that position.
	missing [4]bool
	bare    [3]int

	text  string // the paragraph that is being wrapped
	at    int    // index of the run at the beginning of the next line
	avail int    // cells for text on a line
	lead  lead
}

func newLayouter(width int, st Styles) *layouter {
	// Cyrillic, Greek and many Latin letters are as wide as ideographs in an East Asian
	// environment.
	return &layouter{width: max(width, MinWidth), st: st, narrow: ansi.StringWidth("é") == 1}
}

// take appends the finished lines to dst and forgets them.
func (l *layouter) take(dst []Line) []Line {
	all, from := string(l.buf), 0
	if dst == nil {
		dst = make([]Line, 0, len(l.ends))
	}
	for _, end := range l.ends {
		dst = append(dst, all[from:end])
		from = end
	}
	l.prior = l.prior || len(l.ends) > 0
	l.buf, l.ends = l.buf[:0], l.ends[:0]
	return dst
}

// begin starts a line: blank lines before it become one.
func (l *layouter) begin() {
	if l.gap && (l.prior || len(l.ends) > 0) {
		l.ends = append(l.ends, len(l.buf))
	}
	l.gap = false
}

// end finishes a line.
func (l *layouter) end() { l.ends = append(l.ends, len(l.buf)) }

// dim writes text in the style Dim.
func (l *layouter) dim(text string) {
	if l.st.Base == "" && l.st.Dim == "" {
		l.buf = append(l.buf, text...)
		return
	}
	l.buf = append(l.buf, l.st.Base...)
	l.buf = append(l.buf, l.st.Dim...)
	l.buf = append(l.buf, text...)
	l.buf = append(l.buf, reset...)
}
