package widget

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// TextArea is the common interface of Text and the text area of Bubbles. That one can replace Text
// once it has undo, a selection, the mouse, and steps of whole characters as readers count them.
type TextArea interface {
	SetValue(text string)
	Value() string
	InsertString(text string)
	Focus() tea.Cmd
	Blur()
	Focused() bool
	LineCount() int
	Height() int
	MoveToBegin()
	MoveToEnd()
}

var _ TextArea = (*Text)(nil)

// Text is a text editor that preserves its text. Every byte that is not edited stays as it is:
// joined emoji, skin tones, selectors, marks, tabs, controls, the line ends of a text that was set.
// Characters that the terminal cannot show are drawn as a sign, in the cells alone. The cursor
// moves by characters as a reader counts them, so a family of joined emoji is one step, and one
// backspace.
//
// Typed or pasted text is Unicode with \n at its line ends. Terminals send \r or \r\n for the line
// ends of pasted text, so these become \n; invalid UTF-8 becomes U+FFFD. Nothing else is changed.
type Text struct {
	Placeholder string // shown while the text is empty
	Single      bool   // one line: a line end in a text that was set is shown as a character

	lines     []textLine
	at        textPlace
	anchor    textPlace // start of the selection
	selecting bool      // there is a selection, maybe an empty one
	goal      int       // the cell that up and down try to keep, -1 for the cursor's
	w, h      int
	top       int // the first row in view
	focused   bool
	value     string
	valued    bool // value matches lines
	ink, dim  uv.Style
	chosen    uv.Style

	undo, redo []textStep
	area       uv.Rectangle // the area of the last drawing
	clicks     Clicks
	pulled     bool // the mouse is dragged over it
	held       textPlace
}

// textPlace is a position between two bytes of a text.
type textPlace struct{ line, byte int }

func (p textPlace) before(q textPlace) bool {
	return p.line < q.line || p.line == q.line && p.byte < q.byte
}

// textLine is a line without its end, with its last layout.
type textLine struct {
	text, end string
	wide      int   // the width that rows are for; 0 for no rows yet
	rows      []int // start of each row, in bytes
}

// NewText returns an empty text.
func NewText() Text { return Text{lines: make([]textLine, 1), goal: -1, w: 40, h: 1} }

// SetValue replaces the text, byte for byte, and puts the cursor at its end.
func (t *Text) SetValue(text string) {
	t.lines, t.top = t.split(text), 0
	t.undo, t.redo = nil, nil
	t.Unselect()
	t.MoveToEnd()
	t.changed()
}

// split splits a text into lines.
func (t *Text) split(text string) []textLine {
	var out []textLine
	for !t.Single {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			break
		}
		from := i
		if i > 0 && text[i-1] == '\r' {
			from--
		}
		out = append(out, textLine{text: text[:from], end: text[from : i+1]})
		text = text[i+1:]
	}
	return append(out, textLine{text: text})
}

// changed invalidates values derived from the text.
func (t *Text) changed() { t.valued, t.value, t.goal = false, "", -1 }

// Value returns the text as it is now.
func (t *Text) Value() string {
	if !t.valued {
		t.value, t.valued = t.between(textPlace{}, t.end()), true
	}
	return t.value
}

// between returns the text from one place to another.
func (t *Text) between(from, to textPlace) string {
	if from.line == to.line {
		return t.lines[from.line].text[from.byte:to.byte]
	}
	var b strings.Builder
	first := t.lines[from.line]
	b.WriteString(first.text[from.byte:] + first.end)
	for _, l := range t.lines[from.line+1 : to.line] {
		b.WriteString(l.text)
		b.WriteString(l.end)
	}
	b.WriteString(t.lines[to.line].text[:to.byte])
	return b.String()
}

func (t *Text) end() textPlace {
	last := len(t.lines) - 1
	return textPlace{last, len(t.lines[last].text)}
}

// replace replaces the text between two places, and puts the cursor after it.
func (t *Text) replace(from, to textPlace, text string) {
	if from == to && text == "" {
		t.at = from
		t.Unselect()
		return
	}
	s := t.recordStep(from, to, text)
	t.put(from, to, text)
	t.pushStep(s)
}

// put is replace without an undo step.
func (t *Text) put(from, to textPlace, text string) {
	head, tail := t.lines[from.line].text[:from.byte], t.lines[to.line]
	put := t.split(head + text)
	last := len(put) - 1
	t.at = textPlace{from.line + last, len(put[last].text)}
	put[last].text += tail.text[to.byte:]
	put[last].end = tail.end
	t.lines = slices.Replace(t.lines, from.line, to.line+1, put...)
	t.Unselect()
	t.changed()
}

// InsertString inserts typed or pasted text at the cursor, and replaces the selection.
func (t *Text) InsertString(text string) {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	if t.Single {
		text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " ")
	}
	from, to := t.selection()
	t.replace(from, to, text)
}

// Selected returns the selected text, "" for none.
func (t *Text) Selected() string { return t.between(t.selection()) }

// selection returns the selected range; without a selection both ends are the cursor.
func (t *Text) selection() (from, to textPlace) {
	if !t.selecting {
		return t.at, t.at
	}
	if t.anchor.before(t.at) {
		return t.anchor, t.at
	}
	return t.at, t.anchor
}

// SelectAll selects everything, so that the next typed text replaces it.
func (t *Text) SelectAll() {
	t.MoveToEnd()
	t.anchor, t.selecting = textPlace{}, true
}

// Unselect keeps the cursor and ends the selection.
func (t *Text) Unselect() { t.selecting = false }

// Focus shows the cursor in the text.
func (t *Text) Focus() tea.Cmd {
	t.focused = true
	return nil
}

// Blur hides the cursor.
func (t *Text) Blur() { t.focused = false }

// Focused reports whether it has the cursor.
func (t *Text) Focused() bool { return t.focused }

// LineCount returns the number of lines of the text.
func (t *Text) LineCount() int { return len(t.lines) }

// Width returns the width of a row, in cells.
func (t *Text) Width() int { return t.w }

// Height returns the number of visible rows.
func (t *Text) Height() int { return t.h }

// MoveToBegin puts the cursor before the text.
func (t *Text) MoveToBegin() { t.at, t.goal = textPlace{}, -1 }

// MoveToEnd puts the cursor after the text.
func (t *Text) MoveToEnd() { t.at, t.goal = t.end(), -1 }

// next returns the place after the next character; at the end it returns the end.
func (t *Text) next(p textPlace) textPlace {
	text := t.lines[p.line].text
	if p.byte+1 < len(text) && text[p.byte] < utf8.RuneSelf && text[p.byte+1] < utf8.RuneSelf && text[p.byte] != '\r' {
		return textPlace{p.line, p.byte + 1}
	}
	for at := 0; at < len(text); {
		if at += cluster(text[at:]); at > p.byte {
			return textPlace{p.line, at}
		}
	}
	if p.line < len(t.lines)-1 {
		return textPlace{p.line + 1, 0}
	}
	return p
}

// previous returns the place before the previous character.
func (t *Text) previous(p textPlace) textPlace {
	if p.byte == 0 {
		if p.line == 0 {
			return p
		}
		return textPlace{p.line - 1, len(t.lines[p.line-1].text)}
	}
	text, was := t.lines[p.line].text, 0
	if p.byte > 1 && text[p.byte-1] < utf8.RuneSelf && text[p.byte-2] < utf8.RuneSelf {
		return textPlace{p.line, p.byte - 1}
	}
	for at := 0; ; {
		if at += cluster(text[at:]); at >= p.byte {
			return textPlace{p.line, was}
		}
		was = at
	}
}

// cluster returns the length in bytes of the first character of a text, as a reader counts
// characters.
func cluster(text string) int {
	if text[0] >= ' ' && text[0] < 0x7f && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return 1
	}
	c, _ := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	return max(1, len(c))
}

// space reports whether the character at a place is space between words; the end of a
// line is.
func (t *Text) space(p textPlace) bool {
	text := t.lines[p.line].text[p.byte:]
	if text == "" {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

// wordOn returns the place after the word that is here or comes next.
func (t *Text) wordOn(p textPlace) textPlace {
	end := t.end()
	for p != end && t.space(p) {
		p = t.next(p)
	}
	for p != end && !t.space(p) {
		p = t.next(p)
	}
	return p
}

// wordBack returns the place before the word that is here or came last.
func (t *Text) wordBack(p textPlace) textPlace {
	start := textPlace{}
	for p != start && t.space(t.previous(p)) {
		p = t.previous(p)
	}
	for p != start && !t.space(t.previous(p)) {
		p = t.previous(p)
	}
	return p
}
