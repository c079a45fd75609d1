package play

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// Kinds of lines of the prompt pane.
const (
	rowSection = iota // several parts of one layer
	rowPart
	rowReason // of the part above it
	rowAnew   // from here on the server processes the prompt again
	rowWarning
	rowMessage
	rowText // a line of the message above it
	rowChange
)

// promptLine is a line of the prompt pane. i is the index of its section, part, message or change;
// text is its text if it is not found there.
type promptLine struct {
	row, i int
	text   string
	inner  bool // it belongs to a section
}

// Limits of the reason of a part: its lines, and the bytes of a longer one that are read.
const (
	maxReason    = 4
	maxReasonLen = 4 << 10
)

// isFixed reports whether a line cannot be selected.
func (l promptLine) isFixed() bool { return l.row == rowReason || l.row == rowAnew }

// promptList is the list of a view's lines, one of them selected.
type promptList struct {
	lines   []promptLine
	at, top int
	page    int
}

func (l *promptList) line() *promptLine {
	if l.at < 0 || l.at >= len(l.lines) {
		return nil
	}
	return &l.lines[l.at]
}

// fill replaces the lines. The selected line stays selected if it still exists.
func (l *promptList) fill(lines []promptLine) {
	old := l.line()
	l.lines = lines
	if old != nil && old.row != rowText {
		was := *old
		if l.choose(func(n promptLine) bool { return n.row == was.row && n.i == was.i }) {
			return
		}
	}
	l.selectNear(1)
}

// choose chooses the first line that is meant and reports whether there is one.
func (l *promptList) choose(is func(promptLine) bool) bool {
	i := slices.IndexFunc(l.lines, is)
	if i >= 0 {
		l.at = i
	}
	return i >= 0
}

// selectNear moves the selection to a selectable line: the next one in a direction or else the
// nearest in the other.
func (l *promptList) selectNear(dir int) {
	l.at = max(0, min(l.at, len(l.lines)-1))
	for _, d := range []int{dir, -dir} {
		for i := l.at; i >= 0 && i < len(l.lines); i += d {
			if !l.lines[i].isFixed() {
				l.at = i
				return
			}
		}
	}
}

// move moves the selection by n selectable lines.
func (l *promptList) move(n int) {
	dir := 1
	if n < 0 {
		dir, n = -1, -n
	}
	for i := l.at + dir; n > 0 && i >= 0 && i < len(l.lines); i += dir {
		if !l.lines[i].isFixed() {
			l.at = i
			n--
		}
	}
}

func (l *promptList) click(row int) {
	if i := l.top + row; row >= 0 && row < l.page && i < len(l.lines) {
		l.at = i
		l.selectNear(-1)
	}
}

// view scrolls to the selected line in h lines, with the lines that belong to it, and returns the
// range to draw.
func (l *promptList) view(h int) (from, to int) {
	l.page = max(1, h)
	first, last := l.at, l.at
	for first > 0 && l.lines[first-1].row == rowAnew {
		first--
	}
	for last+1 < len(l.lines) && l.lines[last+1].row == rowReason {
		last++
	}
	l.top = max(0, min(l.top, first), min(last-l.page+1, l.at))
	l.top = max(0, min(l.top, len(l.lines)-l.page))
	return l.top, min(len(l.lines), l.top+h)
}

// promptSection is a run of parts of one layer.
type promptSection struct {
	key      string // stable between prompts
	layer    string
	from, to int // range of the list of parts
	tokens   int
	out      int // parts that are left out
}

// foldFrom is the number of parts from which a section is folded at first.
const foldFrom = 6

func (p *promptPane) sections() []promptSection {
	var out []promptSection
	nth := map[string]int{}
	for i, part := range p.view.Parts {
		if n := len(out); n == 0 || out[n-1].layer != part.Layer {
			nth[part.Layer]++
			out = append(out, promptSection{key: fmt.Sprint(part.Layer, " ", nth[part.Layer]),
				layer: part.Layer, from: i})
		}
		s := &out[len(out)-1]
		s.to = i + 1
		if part.Included {
			s.tokens += part.Tokens
		} else {
			s.out++
		}
	}
	return out
}

func (p *promptPane) folded(s promptSection) bool {
	if f, ok := p.folds[s.key]; ok {
		return f
	}
	return s.to-s.from >= foldFrom
}

func (p *promptPane) setFold(key string, folded bool) {
	if p.folds == nil {
		p.folds = map[string]bool{}
	}
	p.folds[key], p.stale = folded, true
}

// fold folds or unfolds the selected item.
func (p *promptPane) fold() {
	l := p.list().line()
	if l == nil {
		return
	}
	switch p.at {
	case promptMessages:
		if p.opened == nil {
			p.opened = map[int]bool{}
		}
		if i := l.i; p.opened[i] {
			delete(p.opened, i)
			p.list().choose(func(n promptLine) bool { return n.row == rowMessage && n.i == i })
		} else {
			p.opened[i] = true
		}
		p.stale = true
	case promptParts:
		for n, s := range p.sections() {
			if s.to-s.from > 1 && (l.row == rowSection && l.i == n || l.row == rowPart && l.i >= s.from && l.i < s.to) {
				p.setFold(s.key, !p.folded(s))
				p.list().choose(func(m promptLine) bool { return m.row == rowSection && m.i == n })
			}
		}
	}
}

// foldAll unfolds everything, or folds everything if all is unfolded.
func (p *promptPane) foldAll() {
	p.stale = true
	switch p.at {
	case promptMessages:
		if len(p.opened) == len(p.view.Messages) {
			p.opened = nil
			return
		}
		p.opened = map[int]bool{}
		for i := range p.view.Messages {
			p.opened[i] = true
		}
	case promptParts:
		all := p.sections()
		fold := !slices.ContainsFunc(all, func(s promptSection) bool { return s.to-s.from > 1 && p.folded(s) })
		for _, s := range all {
			p.setFold(s.key, fold)
		}
	}
}

// buildLines builds the lines of the view for w cells.
func (p *promptPane) buildLines(w int) {
	p.width, p.stale = w, false
	var lines []promptLine
	switch p.at {
	case promptParts:
		lines = p.partLines(w)
	case promptMessages:
		lines = p.messageLines(w)
	case promptChanges:
		for i, c := range p.view.Changes {
			if c.First {
				lines = append(lines, promptLine{row: rowAnew})
			}
			lines = append(lines, promptLine{row: rowChange, i: i})
		}
	}
	p.list().fill(lines)
}

func (p *promptPane) partLines(w int) []promptLine {
	var lines []promptLine
	anew := slices.IndexFunc(p.view.Changes, func(c prompt.Change) bool { return c.First })
	add := func(i int, inner bool) {
		part := &p.view.Parts[i]
		if anew >= 0 && part.Included && part.Layer == p.view.Changes[anew].Layer &&
			part.Source == p.view.Changes[anew].Source {
			lines, anew = append(lines, promptLine{row: rowAnew}), -1
		}
		lines = append(lines, promptLine{row: rowPart, i: i, inner: inner})
		avail := w - 3
		if inner {
			avail -= 2
		}
		for _, l := range draw.HangingPlain("", draw.Cut(part.Reason, maxReasonLen), avail, maxReason) {
			lines = append(lines, promptLine{row: rowReason, i: i, inner: inner, text: l})
		}
	}
	for n, s := range p.sections() {
		if s.to-s.from == 1 {
			add(s.from, false)
			continue
		}
		lines = append(lines, promptLine{row: rowSection, i: n, text: p.sectionWords(s)})
		if p.folded(s) {
			continue
		}
		for i := s.from; i < s.to; i++ {
			add(i, true)
		}
	}
	for i, words := range p.view.Warnings {
		mark := "! "
		for _, l := range draw.Wrap(words, w-4) {
			lines = append(lines, promptLine{row: rowWarning, i: i, text: mark + l})
			mark = "  "
		}
	}
	return lines
}

// sectionWords returns a section's line: its contents, and after a tab its tokens.
func (p *promptPane) sectionWords(s promptSection) string {
	mark := "▾ "
	if p.folded(s) {
		mark = "▸ "
	}
	words := mark + layerWords(s.layer) + "  "
	if in := s.to - s.from - s.out; in > 0 {
		words += draw.Plural(in, "part")
		if s.out > 0 {
			words += ", "
		}
	}
	if s.out > 0 {
		words += fmt.Sprintf("%d left out", s.out)
	}
	return words + "\t" + fmt.Sprint(s.tokens)
}

func (p *promptPane) messageLines(w int) []promptLine {
	var lines []promptLine
	for i, m := range p.view.Messages {
		lines = append(lines, promptLine{row: rowMessage, i: i})
		if p.opened[i] {
			for _, l := range draw.Wrap(m.Content, w-3) {
				lines = append(lines, promptLine{row: rowText, i: i, text: l})
			}
		}
	}
	return lines
}

// changeMarks are the signs for the changes of a part.
var changeMarks = map[prompt.ChangeKind]string{prompt.Added: "+", prompt.Removed: "−", prompt.Changed: "~",
	prompt.Moved: "↕"}

// row draws a line of the list.
func (p *promptPane) row(buf uv.ScreenBuffer, area uv.Rectangle, l promptLine, chosen bool, sty *draw.Styles) {
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	st, dim := sty.Base, sty.Dim
	if chosen {
		st, dim = sty.Selected, sty.SelectedDim
		draw.Fill(buf, area, st)
	}
	if l.inner {
		x, w = x+2, w-2
	}
	switch l.row {
	case rowSection:
		words, tokens, _ := strings.Cut(l.text, "\t")
		draw.Put(buf, x, y, draw.PutRight(buf, x, y, w, dim, tokens)-x-1, st, words)
	case rowPart:
		p.partRow(buf, uv.Rect(x, y, w, 1), l, chosen, sty)
	case rowReason:
		draw.Put(buf, x+2, y, w-2, sty.Dim, l.text)
	case rowAnew:
		draw.Rule(buf, x, y, w, sty.Warning, "processed again from here", "", sty.Warning)
	case rowWarning:
		if !chosen {
			st = sty.Warning
		}
		draw.Put(buf, x, y, w, st, l.text)
	case rowMessage:
		m, mark := p.view.Messages[l.i], "▸ "
		if p.opened[l.i] {
			mark = "▾ "
		}
		right := draw.Thousands(utf8.RuneCountInString(m.Content)) + " characters"
		if w < 50 {
			right = draw.Thousands(utf8.RuneCountInString(m.Content))
		}
		avail := draw.PutRight(buf, x, y, w, dim, right) - x - 1
		n := draw.Put(buf, x, y, avail, st, mark+draw.Truncate(m.Role, 20))
		draw.Put(buf, x+n+2, y, avail-n-2, dim, draw.Truncate(m.Content, 200))
	case rowText:
		draw.Put(buf, x+2, y, w-2, st, l.text)
	case rowChange:
		p.changeRow(buf, uv.Rect(x, y, w, 1), p.view.Changes[l.i], chosen, sty)
	}
}

func (p *promptPane) partRow(buf uv.ScreenBuffer, area uv.Rectangle, l promptLine, chosen bool, sty *draw.Styles) {
	part, x, y, w := p.view.Parts[l.i], area.Min.X, area.Min.Y, area.Dx()
	st, dim, mark := sty.Base, sty.Dim, "+ "
	if !part.Included {
		st, mark = sty.Dim, "− "
	}
	if chosen {
		st, dim = sty.Selected, sty.SelectedDim
	}
	words := mark + part.Layer + "  " + part.Source
	if l.inner {
		words = mark + part.Source
	}
	avail := draw.PutRight(buf, x, y, w, dim, fmt.Sprint(part.Tokens)) - x - 1
	draw.Put(buf, x, y, avail, st, words)
}

func (p *promptPane) changeRow(buf uv.ScreenBuffer, area uv.Rectangle, c prompt.Change, chosen bool, sty *draw.Styles) {
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	st, dim := sty.Base, sty.Dim
	switch c.Kind {
	case prompt.Added:
		st = sty.Success
	case prompt.Removed:
		st = sty.Failure
	case prompt.Changed:
		st = sty.Warning
	}
	base := sty.Base
	if chosen {
		st, base, dim = sty.Selected, sty.Selected, sty.SelectedDim
	}
	avail := draw.PutRight(buf, x, y, w, dim, fmt.Sprint(c.Tokens)) - x - 1
	n := draw.Put(buf, x, y, avail, st, changeMarks[c.Kind]+" "+fmt.Sprintf("%-8s", c.Kind))
	draw.Put(buf, x+n+1, y, avail-n-1, base, c.Layer+"  "+c.Source)
}
